/**
 * The outlines of countries, from data/outlines.tsv (1.2 MB; data/README.md has its source), which is read when the
 * first map is drawn. The rings of a country are decoded when the first map needs them, and kept: 6 MB for all countries.
 * Their longitudes lie around the largest ring, so a country across the antimeridian is in one piece.
 *
 * The text of a ring is Google's encoded polyline, with three decimals (110 m) and longitude first. Each number is the
 * difference to the one before, its sign in the lowest bit, in groups of five bits from the lowest, each group plus 63
 * as a character, plus 32 where another group follows: all printable, and none a space or tab. The last point, which is
 * the first again, is left out. [[0, 0], [0.001, 0], [0, -0.001], [0, 0]] is "??A?@@".
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';

/** Units per degree. */
const UNITS = 1000;
const FIRST_CHARACTER = 63;
const GROUP_BITS = 5;
const MORE = 1 << GROUP_BITS;
/** Groups of the largest number: 720,000 units with a sign, 21 bits. In a damaged file a number could be endless. */
const MAX_GROUPS = 5;

/** Points in degrees. */
type Points = readonly (readonly [longitude: number, latitude: number])[];

/** The last point equals the first. */
export function encodeRing(ring: Points): string {
  return encodeLine(ring.slice(0, -1));
}

export function encodeLine(points: Points): string {
  let [text, x, y] = ['', 0, 0];
  for (const [longitude, latitude] of points) {
    const [nextX, nextY] = [Math.round(longitude * UNITS), Math.round(latitude * UNITS)];
    if (text !== '' && nextX === x && nextY === y) continue;
    text += encodeNumber(nextX - x) + encodeNumber(nextY - y);
    [x, y] = [nextX, nextY];
  }
  return text;
}

function encodeNumber(value: number): string {
  let bits = value < 0 ? ~(value << 1) : value << 1;
  let text = '';
  for (; bits >= MORE; bits >>= GROUP_BITS) text += String.fromCharCode((MORE | (bits & (MORE - 1))) + FIRST_CHARACTER);
  return text + String.fromCharCode(bits + FIRST_CHARACTER);
}

/** Longitude and latitude of each point in degrees, one after the other. */
export function decodeRing(text: string): Float64Array {
  const numbers: number[] = [];
  let [bits, groups] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const group = text.charCodeAt(at) - FIRST_CHARACTER;
    if (group < 0 || group >= 2 * MORE || groups === MAX_GROUPS) throw new Error(`no outline: ${text.slice(0, 40)}`);
    bits |= (group & (MORE - 1)) << (GROUP_BITS * groups++);
    if (group >= MORE) continue;
    const difference = bits & 1 ? ~(bits >> 1) : bits >> 1;
    numbers.push(difference + (numbers[numbers.length - 2] ?? 0));
    [bits, groups] = [0, 0];
  }
  if (groups > 0 || numbers.length % 2 !== 0) throw new Error(`no outline: ${text.slice(0, 40)}`);
  // Half of the time that a function for each number takes.
  const degrees = Float64Array.from(numbers);
  for (let at = 0; at < degrees.length; at++) degrees[at] = (degrees[at] as number) / UNITS;
  return degrees;
}

/** A rectangle in degrees. `east` may exceed 180, and `west` may be below -180. */
export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** A part of a country, or a hole in one, with its bounds. */
export interface Ring extends Bounds {
  /** Longitude and latitude of each point, one after the other. */
  readonly coords: Float64Array;
}

export class Outlines {
  /** The codes of the countries that have an outline. */
  readonly codes: ReadonlySet<string>;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #rings = new Map<string, readonly Ring[]>();

  /** `text` is the text of data/outlines.tsv. */
  constructor(text: string) {
    const lines = text.split('\n').filter((line) => line !== '');
    this.#texts = new Map(lines.map((line) => line.split('\t') as [string, string]));
    this.codes = new Set(this.#texts.keys());
  }

  /** The rings of a country by its code of two letters; none for a country without an outline. */
  ringsOf(code: string): readonly Ring[] {
    let rings = this.#rings.get(code);
    if (rings === undefined) {
      rings = aroundLargest((this.#texts.get(code)?.split(' ') ?? []).map((text) => ringOf(decodeRing(text))));
      this.#rings.set(code, rings);
    }
    return rings;
  }

  /** The rings of all countries but this one. */
  ringsBeside(code?: string): readonly Ring[] {
    const rings: Ring[] = [];
    // Of thousands of rings flatMap takes ten times as long.
    for (const other of this.codes) {
      if (other !== code) for (const ring of this.ringsOf(other)) rings.push(ring);
    }
    return rings;
  }
}

export function ringOf(coords: Float64Array): Ring {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < coords.length; at += 2) {
    const [longitude, latitude] = [coords[at] as number, coords[at + 1] as number];
    west = Math.min(west, longitude);
    east = Math.max(east, longitude);
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  return { coords, west, south, east, north };
}

function aroundLargest(rings: readonly Ring[]): readonly Ring[] {
  const middle = middleOf(rings);
  return rings.map((ring) => {
    const turns = 360 * Math.round((middle - (ring.west + ring.east) / 2) / 360);
    return turns === 0 ? ring : ringOf(ring.coords.map((value, at) => (at % 2 === 0 ? value + turns : value)));
  });
}

/** The longitude in the middle of the largest ring, by its bounds; 0 without a ring. */
export function middleOf(rings: readonly Ring[]): number {
  const areaOf = ({ west, east, south, north }: Ring): number => (east - west) * (north - south);
  const largest = rings.reduce<Ring | undefined>(
    (a, b) => (a === undefined || areaOf(b) > areaOf(a) ? b : a),
    undefined,
  );
  return largest === undefined ? 0 : (largest.west + largest.east) / 2;
}

let read: Outlines | undefined;

/** The outlines of data/outlines.tsv. */
export function packagedOutlines(): Outlines {
  read ??= new Outlines(readFileSync(join(packageRoot(), 'data/outlines.tsv'), 'utf8'));
  return read;
}

/** The least bounds around both. */
export function joinOutlineBounds(a: Bounds, b: Bounds): Bounds {
  return {
    west: Math.min(a.west, b.west),
    east: Math.max(a.east, b.east),
    south: Math.min(a.south, b.south),
    north: Math.max(a.north, b.north),
  };
}

export function overlapsOutline(a: Bounds, b: Bounds): boolean {
  return a.west < b.east && a.east > b.west && a.south < b.north && a.north > b.south;
}
