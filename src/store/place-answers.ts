/** Slices of the places' rendered answers (src/format/place-answers.ts). Each is a view; nothing is copied. */
import { CUTS, cutOf, NAME_START, type PlaceAnswers, POSTAL_CODE_KEY } from '../format/place-answers.js';

/** A place's JSON object. */
export function placeJson(answers: PlaceAnswers, place: number): Uint8Array {
  return placeRangeJson(answers, place, place + 1);
}

/** The JSON objects of the places from `start` to, without, `end`, with commas between them. */
export function placeRangeJson(answers: PlaceAnswers, start: number, end: number): Uint8Array {
  if (end <= start) return answers.text.subarray(0, 0);
  return answers.text.subarray(answers.offsets[start], (answers.offsets[end] as number) - 1);
}

/** A place's JSON object and the comma behind it, for another to follow. */
export function placeJsonAndComma(answers: PlaceAnswers, place: number): Uint8Array {
  return answers.text.subarray(answers.offsets[place], answers.offsets[place + 1]);
}

/** A place's JSON object without its closing brace, for more fields to follow. */
export function openPlaceJson(answers: PlaceAnswers, place: number): Uint8Array {
  return answers.text.subarray(answers.offsets[place], (answers.offsets[place + 1] as number) - 2);
}

/** The path of a place, without quotes: ASCII. */
export function pathBytes(answers: PlaceAnswers, place: number): Uint8Array {
  const start = answers.offsets[place] as number;
  return answers.text.subarray(
    start + cutOf(answers, place, CUTS.pathStart) + 1,
    start + cutOf(answers, place, CUTS.pathEnd) - 1,
  );
}

/** The values of a place's fields as JSON. */
interface PlaceFieldsJson {
  readonly name: Uint8Array;
  readonly postalCode: Uint8Array;
  readonly path: Uint8Array;
  readonly url: Uint8Array;
}

export function placeFieldsJson(answers: PlaceAnswers, place: number): PlaceFieldsJson {
  const { text } = answers;
  const start = answers.offsets[place] as number;
  const pathEnd = start + cutOf(answers, place, CUTS.pathEnd);
  return {
    name: text.subarray(start + NAME_START, start + cutOf(answers, place, CUTS.nameEnd)),
    postalCode: text.subarray(pathEnd + POSTAL_CODE_KEY.length, start + cutOf(answers, place, CUTS.postalCodeEnd)),
    path: text.subarray(start + cutOf(answers, place, CUTS.pathStart), pathEnd),
    url: text.subarray(start + cutOf(answers, place, CUTS.urlStart), (answers.offsets[place + 1] as number) - 2),
  };
}
