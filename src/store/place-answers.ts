/** What the places' rendered answers (src/format/place-answers.ts) hold of a place, as text, or of many, as a view. */
import {
  CUTS,
  cutOf,
  MAX_ANSWER_BYTES,
  NAME_START,
  type PlaceAnswers,
  POSTAL_CODE_KEY,
} from '../format/place-answers.js';
import { type ByteString, readBytes } from './byte-string.js';
import { sliceOf } from './mapped-numbers.js';

/** A place's JSON object. */
export function placeJson(answers: PlaceAnswers, place: number): ByteString {
  return objectOf(answers, place, 1);
}

/** A place's JSON object and the comma behind it, for another to follow. */
export function placeJsonAndComma(answers: PlaceAnswers, place: number): ByteString {
  return objectOf(answers, place, 0);
}

/** A place's JSON object without its closing brace, for more fields to follow. */
export function openPlaceJson(answers: PlaceAnswers, place: number): ByteString {
  return objectOf(answers, place, 2);
}

/** A place's object and its comma, but for the last bytes. */
function objectOf({ offsets, text }: PlaceAnswers, place: number, cutOff: number): ByteString {
  return readBytes(text, offsets[place] as number, (offsets[place + 1] as number) - cutOff, MAX_ANSWER_BYTES);
}

/** The JSON objects of the places from `start` to, without, `end`, with commas between them: a view. */
export function placeRangeJson({ offsets, text }: PlaceAnswers, start: number, end: number): Buffer {
  if (end <= start) return text.subarray(0, 0);
  return sliceOf(text, offsets[start] as number, (offsets[end] as number) - 1, (end - start) * MAX_ANSWER_BYTES);
}

/** The path of a place, without quotes: ASCII. */
export function pathOf(answers: PlaceAnswers, place: number): string {
  const start = answers.offsets[place] as number;
  const pathStart = start + cutOf(answers, place, CUTS.pathStart) + 1;
  return readBytes(answers.text, pathStart, start + cutOf(answers, place, CUTS.pathEnd) - 1, MAX_ANSWER_BYTES);
}

/**
 * Compares the path of a place, from its byte number `from` on, with bytes: negative where it is before them, 0 where it
 * is they.
 */
export function comparePath(answers: PlaceAnswers, place: number, from: number, bytes: Uint8Array): number {
  const { text, offsets } = answers;
  const start = offsets[place] as number;
  const pathStart = start + cutOf(answers, place, CUTS.pathStart) + 1 + from;
  const length = start + cutOf(answers, place, CUTS.pathEnd) - 1 - pathStart;
  for (let at = 0; at < bytes.length && at < length; at++) {
    const difference = (text[pathStart + at] as number) - (bytes[at] as number);
    if (difference !== 0) return difference;
  }
  return length - bytes.length;
}

/** The values of a place's fields as JSON. */
interface PlaceFieldsJson {
  readonly name: ByteString;
  readonly postalCode: ByteString;
  readonly path: ByteString;
  readonly url: ByteString;
}

/** All are cut from one text: reading a string out of the file costs more than the bytes between them. */
export function placeFieldsJson(answers: PlaceAnswers, place: number): PlaceFieldsJson {
  const start = (answers.offsets[place] as number) + NAME_START;
  const text = readBytes(answers.text, start, (answers.offsets[place + 1] as number) - 2, MAX_ANSWER_BYTES);
  const cutAt = (cut: number): number => Math.max(0, cutOf(answers, place, cut) - NAME_START);
  const pathEnd = cutAt(CUTS.pathEnd);
  return {
    name: text.slice(0, cutAt(CUTS.nameEnd)),
    postalCode: text.slice(pathEnd + POSTAL_CODE_KEY.length, cutAt(CUTS.postalCodeEnd)),
    path: text.slice(cutAt(CUTS.pathStart), pathEnd),
    url: text.slice(cutAt(CUTS.urlStart)),
  };
}

/** The value of a place's name as JSON. */
export function placeNameJson(answers: PlaceAnswers, place: number): ByteString {
  const start = answers.offsets[place] as number;
  return readBytes(answers.text, start + NAME_START, start + cutOf(answers, place, CUTS.nameEnd), MAX_ANSWER_BYTES);
}
