/** Slices of the places' rendered answers (src/format/place-answers.ts). Each is a view; nothing is copied. */
import {
  CUTS,
  cutOf,
  MAX_ANSWER_BYTES,
  NAME_START,
  type PlaceAnswers,
  POSTAL_CODE_KEY,
} from '../format/place-answers.js';
import { sliceOf } from './mapped-numbers.js';

/** A place's JSON object. */
export function placeJson(answers: PlaceAnswers, place: number): Uint8Array {
  return placeRangeJson(answers, place, place + 1);
}

/** The JSON objects of the places from `start` to, without, `end`, with commas between them. */
export function placeRangeJson(answers: PlaceAnswers, start: number, end: number): Uint8Array {
  if (end <= start) return answers.text.subarray(0, 0);
  return bytesOf(answers, start, end, 1);
}

/** A place's JSON object and the comma behind it, for another to follow. */
export function placeJsonAndComma(answers: PlaceAnswers, place: number): Uint8Array {
  return bytesOf(answers, place, place + 1, 0);
}

/** A place's JSON object without its closing brace, for more fields to follow. */
export function openPlaceJson(answers: PlaceAnswers, place: number): Uint8Array {
  return bytesOf(answers, place, place + 1, 2);
}

/** The bytes of the objects from `start` to, without, `end`, and of their commas, but for the last ones. */
function bytesOf({ offsets, text }: PlaceAnswers, start: number, end: number, cutOff: number): Uint8Array {
  const most = (end - start) * MAX_ANSWER_BYTES;
  return sliceOf(text, offsets[start] as number, (offsets[end] as number) - cutOff, most);
}

/** The path of a place, without quotes, from its byte number `from` on: ASCII. */
export function pathBytes(answers: PlaceAnswers, place: number, from = 0): Uint8Array {
  const start = answers.offsets[place] as number;
  const pathStart = start + cutOf(answers, place, CUTS.pathStart) + 1 + from;
  return sliceOf(answers.text, pathStart, start + cutOf(answers, place, CUTS.pathEnd) - 1, MAX_ANSWER_BYTES);
}

/** The values of a place's fields as JSON. */
interface PlaceFieldsJson {
  readonly name: Uint8Array;
  readonly postalCode: Uint8Array;
  readonly path: Uint8Array;
  readonly url: Uint8Array;
}

export function placeFieldsJson(answers: PlaceAnswers, place: number): PlaceFieldsJson {
  const start = answers.offsets[place] as number;
  const pathEnd = start + cutOf(answers, place, CUTS.pathEnd);
  const part = (from: number, to: number): Uint8Array => sliceOf(answers.text, from, to, MAX_ANSWER_BYTES);
  return {
    name: part(start + NAME_START, start + cutOf(answers, place, CUTS.nameEnd)),
    postalCode: part(pathEnd + POSTAL_CODE_KEY.length, start + cutOf(answers, place, CUTS.postalCodeEnd)),
    path: part(start + cutOf(answers, place, CUTS.pathStart), pathEnd),
    url: part(start + cutOf(answers, place, CUTS.urlStart), (answers.offsets[place + 1] as number) - 2),
  };
}
