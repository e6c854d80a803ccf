/**
 * The full codes of a country whose places have only the first parts of codes: `SW1A 1AA` of the first part `SW1A`. A
 * full code is no place: it has a position of its own and belongs to one place of its first part. A full code is its
 * first part, a space, and one to three letters A-Z and digits, its second part. 16 bytes for a code, all included.
 *
 *   starts     u32[k+1]  start of the full codes of each code of the postcode index, its first parts
 *   seconds    u16[n]    second part of each full code, ascending within a first part, see encodeFullCodeSecondPart
 *   places     u16[n]    the place of each full code, a position in the list of places of its first part
 *   positions  i32[2n]   longitude and latitude of each full code, millionths of a degree
 *   order      u32[n]    numbers of the full codes as a k-d tree of positions (kd-tree.ts)
 *
 * Full codes are numbered by first part, then second part. Worked example: if `SW1A` is code number 2 and has the places
 * 7 and 9, `SW1A 1AA` at 51.501, -0.1416 of place 9 is: starts 0 0 0 1, seconds 0c54 (2·37² + 11·37 + 11),
 * places 1, positions -141600 51501000, order 0.
 */

import {
  arrayRangeAt,
  type Bundle,
  checkBundledLength,
  checkBundledOffsets,
  decodeBundle,
  type Range,
} from './array-bundle.js';
import { lowerBound } from './binary-search.js';
import { listNearestInKdTree, type NearestPoint, type TreePoints } from './kd-tree.js';
import type { CountryEntry } from './manifest.js';
import {
  findPostcode,
  findPostcodesStarting,
  indexedPostcode,
  indexedPostcodePlaces,
  type PostcodeIndex,
} from './postcode-index.js';
import { sectionIndexOf } from './sections.js';
import type { Circle } from './sphere.js';

export const FULL_CODES_SCHEMA = {
  starts: 'u32',
  seconds: 'u16',
  places: 'u16',
  positions: 'i32',
  order: 'u32',
} as const;

export type FullCodes = Bundle<typeof FULL_CODES_SCHEMA> & {
  /** The number of full codes. */
  readonly count: number;
  /** The codes of the country's places: the first parts. */
  readonly postcodes: PostcodeIndex;
};

/** Units of a position per degree: GeoNames has four decimals, Code-Point Open's metres need five. */
export const UNITS_PER_DEGREE = 1e6;

const FULL_CODES_SECTION = sectionIndexOf('full-codes');

/** Whether a country has full codes, without its structures. */
export function hasFullCodes({ slices }: Pick<CountryEntry, 'slices'>): boolean {
  return (slices[FULL_CODES_SECTION]?.length ?? 0) > 0;
}

export function decodeFullCodes(bytes: Uint8Array, where: string, postcodes: PostcodeIndex): FullCodes {
  const codes = decodeBundle(FULL_CODES_SCHEMA, bytes, where);
  const count = codes.seconds.length;
  checkBundledLength(`${where}.starts`, codes.starts, postcodes.codeCount + 1);
  checkBundledOffsets(`${where}.starts`, codes.starts, count);
  checkBundledLength(`${where}.places`, codes.places, count);
  checkBundledLength(`${where}.positions`, codes.positions, count * 2);
  checkBundledLength(`${where}.order`, codes.order, count);
  return { ...codes, count, postcodes };
}

/*
 * Second parts as numbers that compare as the texts do: three digits of base 37, the first character as the highest,
 * 0 behind the end of a shorter text, 1 to 10 for digits and 11 to 36 for letters.
 */

const DIGITS = ' 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const BASE = DIGITS.length;
export const MAX_SECOND_LENGTH = 3;
const SECOND = /^[0-9A-Z]{1,3}$/;

/** The number of a second part, or of the start of one; undefined if it has other characters or too many. */
export function encodeFullCodeSecondPart(text: string): number | undefined {
  if (!SECOND.test(text)) return undefined;
  let value = 0;
  for (let at = 0; at < MAX_SECOND_LENGTH; at++) value = value * BASE + DIGITS.indexOf(text.charAt(at) || ' ');
  return value;
}

/** The text of a second part. Of a number that is none, as a damaged file can have it, some text of at most three. */
export function decodeFullCodeSecondPart(value: number): string {
  const first = DIGITS.charAt(Math.floor(value / BASE / BASE));
  const text = first + DIGITS.charAt(Math.floor(value / BASE) % BASE) + DIGITS.charAt(value % BASE);
  return text.trimEnd();
}

/* Finds a full code by its text. */

/** A first part, as number of its code in the postcode index, and the second part as number. */
export interface CodeParts {
  readonly first: number;
  readonly second: number;
}

/**
 * The ways to divide a code in compact form into a first part that exists and a second part, the longest second part
 * first. `findFirst` finds the number of a first part in compact form.
 */
export function* divideCode(compact: string, findFirst: (compact: string) => number | undefined): Generator<CodeParts> {
  for (let length = Math.min(MAX_SECOND_LENGTH, compact.length - 1); length > 0; length--) {
    const second = encodeFullCodeSecondPart(compact.slice(-length));
    if (second === undefined) continue;
    const first = findFirst(compact.slice(0, -length));
    if (first !== undefined) yield { first, second };
  }
}

/** A full code. Its number, in the order of the section, stays the same for one snapshot only. */
export interface FullCode {
  readonly number: number;
  /** In the spelling of the data. */
  readonly postcode: string;
  /** The number of the first part's code in the postcode index. */
  readonly first: number;
  /** In a damaged file this can be any number. */
  readonly place: number;
  readonly latitude: number;
  readonly longitude: number;
}

/** The full code with this compact form; undefined if there is none. */
export function findFullCode(codes: FullCodes, compact: string): FullCode | undefined {
  for (const { first, second } of divideCode(compact, (text) => findPostcode(codes.postcodes, text, text)?.number)) {
    const { start, end } = codesOfFirstPart(codes, first);
    const number = lowerBound(start, end, (at) => (codes.seconds[at] as number) < second);
    if (number < end && codes.seconds[number] === second) return readCode(codes, number, first);
  }
  return undefined;
}

/** The numbers of the full codes of a first part, given as number of its code in the postcode index. */
export function codesOfFirstPart({ starts, count }: FullCodes, first: number): Range {
  return arrayRangeAt(starts, first, count);
}

/** Full code number `number`, less than the count. */
export function fullCodeAt(codes: FullCodes, number: number): FullCode {
  const { starts, postcodes } = codes;
  return readCode(
    codes,
    number,
    lowerBound(0, postcodes.codeCount - 1, (first) => (starts[first + 1] as number) <= number),
  );
}

function readCode({ seconds, places, positions, postcodes }: FullCodes, number: number, first: number): FullCode {
  return {
    number,
    postcode: `${indexedPostcode(postcodes, first)} ${decodeFullCodeSecondPart(seconds[number] as number)}`,
    first,
    place: indexedPostcodePlaces(postcodes, first)[places[number] as number] ?? Number.POSITIVE_INFINITY,
    latitude: (positions[number * 2 + 1] as number) / UNITS_PER_DEGREE,
    longitude: (positions[number * 2] as number) / UNITS_PER_DEGREE,
  };
}

/** The numbers of the full codes whose compact form starts with a text; no range is empty. */
interface CodeStarts {
  /** All full codes of the first parts that start with the text. */
  readonly within: readonly Range[];
  /** Of first parts that are the start of the text, the full codes whose second part goes on with it; at most three ranges. */
  readonly beyond: readonly Range[];
}

/** The full codes whose compact form starts with `prefix`, letter by letter. */
export function listCodesStarting(codes: FullCodes, prefix: string): CodeStarts {
  const firsts = findPostcodesStarting(codes.postcodes, prefix);
  const within: Range[] = [];
  const beyond: Range[] = [];
  if (firsts.start < firsts.end) {
    const { start } = codesOfFirstPart(codes, firsts.start);
    within.push({ start, end: codesOfFirstPart(codes, firsts.end - 1).end });
  }
  for (const parts of divideCode(prefix, (text) => findPostcode(codes.postcodes, text, text)?.number)) {
    beyond.push(fullCodesFrom(codes, parts));
  }
  const isFilled = ({ start, end }: Range): boolean => start < end;
  return { within: within.filter(isFilled), beyond: beyond.filter(isFilled) };
}

/** The numbers of the full codes of a first part whose second part starts so; an empty range if there is none. */
export function fullCodesFrom(codes: FullCodes, { first, second }: CodeParts): Range {
  const { start, end } = codesOfFirstPart(codes, first);
  const from = lowerBound(start, end, (at) => (codes.seconds[at] as number) < second);
  // The next text of the same length.
  const next = second + BASE ** (MAX_SECOND_LENGTH - decodeFullCodeSecondPart(second).length);
  return { start: from, end: lowerBound(from, end, (at) => (codes.seconds[at] as number) < next) };
}

/* The full codes around a point. */

/** The full codes within the circle, at most `limit`, the nearest first, then by number, which is `place` of a result. */
export function listNearestCodes(codes: FullCodes, circle: Circle, limit: number): NearestPoint[] {
  return listNearestInKdTree(fullCodePoints(codes), circle, limit).filter(({ place }) => place < codes.count);
}

/** The positions of full codes as the points of a k-d tree. */
export function fullCodePoints({ positions, order }: FullCodes): TreePoints {
  return {
    places: order,
    degrees: (point, axis) => (positions[(order[point] as number) * 2 + axis] as number) / UNITS_PER_DEGREE,
  };
}
