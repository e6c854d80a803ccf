/**
 * What lists of places are made of, read from the places' rendered answers: name, path and postal code by the cuts of an
 * answer, without parsing the whole, which for the hundred places of a page would cost more than all else.
 */
import {
  CUTS,
  cutOf,
  MAX_ANSWER_BYTES,
  NAME_START,
  type PlaceAnswer,
  POSTAL_CODE_KEY,
} from '../../format/place-answers.js';
import { decodeUtf8 } from '../../store/byte-string.js';
import { pathOf, placeJson } from '../../store/place-answers.js';
import type { CountryStructures } from '../../store/snapshot.js';

export interface PlaceEntry {
  readonly name: string;
  /** As in the contract: it starts with a slash. */
  readonly path: string;
  readonly postalCode: string | null;
}

/** A place with all of its fields. Throws SyntaxError where a damaged file holds no such answer. */
export function readPlace({ answers }: CountryStructures, place: number): PlaceAnswer {
  return JSON.parse(decodeUtf8(placeJson(answers, place))) as PlaceAnswer;
}

export function readEntry({ answers }: CountryStructures, place: number): PlaceEntry {
  const start = answers.offsets[place] as number;
  const part = (from: number, to: number): string => textBetween(answers, start + from, start + to);
  const pathStart = cutOf(answers, place, CUTS.pathStart);
  const pathLength = cutOf(answers, place, CUTS.pathEnd) - pathStart;
  // The path is ASCII, so bytes of it are characters of the text.
  const pathAndCode = part(pathStart, cutOf(answers, place, CUTS.postalCodeEnd));
  const code = pathAndCode.slice(pathLength + POSTAL_CODE_KEY.length);
  return {
    name: parseText(part(NAME_START, cutOf(answers, place, CUTS.nameEnd))),
    path: pathAndCode.slice(1, pathLength - 1),
    postalCode: code === 'null' ? null : parseText(code),
  };
}

/** JSON text, mostly without an escape. */
function parseText(json: string): string {
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}

const KIND = /"type":"(\w*)"/;

/** What a place is, such as `region`; empty where a damaged file does not tell. */
export function readKind({ answers }: CountryStructures, place: number): string {
  const start = answers.offsets[place] as number;
  const between = [CUTS.nameEnd, CUTS.pathStart].map((cut) => start + cutOf(answers, place, cut)) as [number, number];
  // In the local name that stands there too a quotation mark has a backslash before it.
  return KIND.exec(textBetween(answers, ...between))?.[1] ?? '';
}

export function readPath({ answers }: CountryStructures, place: number): string {
  return pathOf(answers, place);
}

/** The last segment of a path. */
export function slugIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const LATITUDE = ',"latitude":';
const LONGITUDE = ',"longitude":';
/** Longer than both fields can be. */
const POINT_BYTES = 90;

/** Where a place lies: the two fields behind the postal code, without the rest of the answer. */
export function readPoint({ answers }: CountryStructures, place: number): { latitude: number; longitude: number } {
  const start = (answers.offsets[place] as number) + cutOf(answers, place, CUTS.postalCodeEnd);
  const text = textBetween(answers, start, start + POINT_BYTES);
  const longitudeAt = text.indexOf(LONGITUDE);
  return {
    latitude: Number.parseFloat(text.slice(LATITUDE.length, longitudeAt)),
    longitude: Number.parseFloat(text.slice(longitudeAt + LONGITUDE.length)),
  };
}

/** Of a country's answers; in a damaged file the end can be before the start, or far behind it. */
function textBetween({ text }: CountryStructures['answers'], start: number, end: number): string {
  return text.toString('utf8', start, Math.min(end, start + MAX_ANSWER_BYTES));
}
