/**
 * Draws outlines into a rectangle: each ring is clipped (Sutherland and Hodgman), its points rounded to whole units, and
 * left out where they are as good as on the point before. Rings that a map shows as a speck are left out. A path costs
 * time by the points of the country, at most 3 ms.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';

/*
 * The text of a ring in data/outlines.tsv: Google's encoded polyline, with three decimals (110 m) and longitude first.
 * Each number is the difference to the one before, its sign in the lowest bit, in groups of five bits from the lowest,
 * each group plus 63 as a character, plus 32 where another group follows: all printable, and none a space or tab. The
 * last point, which is the first again, is left out. [[0, 0], [0.001, 0], [0, -0.001], [0, 0]] is "??A?@@".
 */

/** Units per degree. */
const UNITS = 1000;
const FIRST_CHARACTER = 63;
const GROUP_BITS = 5;
const MORE = 1 << GROUP_BITS;
/** Groups of the largest number: 720,000 units with a sign, 21 bits. In a damaged file a number could be endless. */
const MAX_GROUPS = 5;

/** Points in degrees; the last is the first. */
export function encodeRing(ring: readonly (readonly [longitude: number, latitude: number])[]): string {
  let [text, x, y] = ['', 0, 0];
  for (const [longitude, latitude] of ring.slice(0, -1)) {
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

/** Longitude and latitude of each point in degrees, one after the other. Throws an Error for what is no such text. */
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
  return Float64Array.from(numbers, (value) => value / UNITS);
}

/*
 * The outlines of countries from data/outlines.tsv (0.65 MB; data/README.md has its source), which is read when the
 * first map is drawn. The rings of a country are decoded when its first map is drawn, and kept: 2 ms for Canada, 3 MB for
 * all countries.
 */

/**
 * A part of a country, or a hole in one, with its bounds in degrees: a ring across the antimeridian goes on beyond 180 or
 * -180.
 */
export interface Ring {
  /** Longitude and latitude of each point, one after the other. */
  readonly coords: Float64Array;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export class Outlines {
  /** Of the file, as part of addresses. */
  readonly digest: string;
  /** Of the countries that have one. */
  readonly codes: ReadonlySet<string>;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #rings = new Map<string, readonly Ring[]>();

  /** `text` is the text of data/outlines.tsv. */
  constructor(text: string) {
    this.digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const lines = text.split('\n').filter((line) => line !== '');
    this.#texts = new Map(lines.map((line) => line.split('\t') as [string, string]));
    this.codes = new Set(this.#texts.keys());
  }

  /** Of a country by its code of two letters; empty for one without an outline. Throws an Error for a damaged line. */
  ringsOf(code: string): readonly Ring[] {
    let rings = this.#rings.get(code);
    if (rings === undefined) {
      rings = (this.#texts.get(code)?.split(' ') ?? []).map((text) => withBounds(decodeRing(text)));
      this.#rings.set(code, rings);
    }
    return rings;
  }
}

function withBounds(coords: Float64Array): Ring {
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

let read: Outlines | undefined;

/** The package's own outlines. */
export function packagedOutlines(): Outlines {
  read ??= new Outlines(readFileSync(join(packageRoot(), 'data/outlines.tsv'), 'utf8'));
  return read;
}

/** Where the drawing lies, in degrees. `east` may exceed 180, and `west` may be below -180. */
export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Least distance of two points of a ring, and least extent of a ring, in units of the drawing. */
const LEAST_STEP = 1.5;
const LEAST_EXTENT = 5;

/** The corner of two bounds of a drawing, and units per degree. */
interface Scale {
  readonly west: number;
  readonly north: number;
  readonly unitsX: number;
  readonly unitsY: number;
}

/** The path of what lies within the bounds, which are drawn `width` by `height` units large from (0, 0). */
export function landPath(rings: readonly Ring[], bounds: Bounds, width: number, height: number): string {
  const { west, east, south, north } = bounds;
  const scale = { west, north, unitsX: width / (east - west), unitsY: height / (north - south) };
  let path = '';
  for (const ring of rings) {
    const shift = shiftInto(ring, bounds);
    if (!overlaps(ring, bounds, shift)) continue;
    const points = projectOutline(ring, shift, scale);
    const isInside =
      ring.west + shift >= west && ring.east + shift <= east && ring.south >= south && ring.north <= north;
    path += ringPath(isInside ? points : clip(points, width, height));
  }
  return path;
}

/** Whether a part of the rings may lie within the bounds. */
export function hasLand(rings: readonly Ring[], bounds: Bounds): boolean {
  return rings.some((ring) => overlaps(ring, bounds, shiftInto(ring, bounds)));
}

/** The turns of 360° that bring a ring nearest to the middle of the bounds. */
function shiftInto({ west, east }: Ring, bounds: Bounds): number {
  return 360 * Math.round((bounds.west + bounds.east - west - east) / 720);
}

function overlaps({ west, east, south, north }: Ring, bounds: Bounds, shift: number): boolean {
  const isBeside = west + shift >= bounds.east || east + shift <= bounds.west;
  return !isBeside && south < bounds.north && north > bounds.south;
}

function projectOutline({ coords }: Ring, shift: number, { west, north, unitsX, unitsY }: Scale): number[] {
  const points = new Array<number>(coords.length);
  for (let at = 0; at < coords.length; at += 2) {
    points[at] = ((coords[at] as number) + shift - west) * unitsX;
    points[at + 1] = (north - (coords[at + 1] as number)) * unitsY;
  }
  return points;
}

function clip(points: readonly number[], width: number, height: number): readonly number[] {
  let left = points;
  for (const [axis, limit, side] of [
    [0, 0, 1],
    [0, width, -1],
    [1, 0, 1],
    [1, height, -1],
  ] as const)
    left = clipSide(left, axis, limit, side);
  return left;
}

/** What lies on one side of a line: above `limit` on the axis for a `side` of 1, below it for -1. */
function clipSide(points: readonly number[], axis: 0 | 1, limit: number, side: 1 | -1): number[] {
  const inside: number[] = [];
  let before = points.length - 2;
  for (let at = 0; at < points.length; at += 2) {
    const [from, to] = [points[before + axis] as number, points[at + axis] as number];
    const [isFromInside, isToInside] = [(from - limit) * side >= 0, (to - limit) * side >= 0];
    if (isFromInside !== isToInside) {
      const share = (limit - from) / (to - from);
      for (const one of [0, 1])
        inside.push((points[before + one] as number) * (1 - share) + (points[at + one] as number) * share);
    }
    if (isToInside) inside.push(points[at] as number, points[at + 1] as number);
    before = at;
  }
  return inside;
}

/** Moves are relative, and so short; a ring that is too small has no path. */
function ringPath(points: readonly number[]): string {
  let [x, y] = [Math.round(points[0] ?? 0), Math.round(points[1] ?? 0)];
  let [least, most] = [x + y, x + y];
  let [leastAcross, mostAcross] = [x - y, x - y];
  let path = `M${x} ${y}l`;
  let count = 1;
  for (let at = 2; at < points.length; at += 2) {
    const [nextX, nextY] = [Math.round(points[at] as number), Math.round(points[at + 1] as number)];
    if (Math.abs(nextX - x) < LEAST_STEP && Math.abs(nextY - y) < LEAST_STEP) continue;
    const separator = count === 1 ? '' : nextX < x ? '' : ' ';
    path += `${separator}${nextX - x}${nextY < y ? '' : ' '}${nextY - y}`;
    [x, y] = [nextX, nextY];
    least = Math.min(least, x + y);
    most = Math.max(most, x + y);
    leastAcross = Math.min(leastAcross, x - y);
    mostAcross = Math.max(mostAcross, x - y);
    count++;
  }
  return count < 3 || Math.max(most - least, mostAcross - leastAcross) < LEAST_EXTENT ? '' : `${path}z`;
}

/*
 * How a piece of the world lies on a map: an equirectangular projection, true to scale at its middle latitude. East is
 * right across the antimeridian too: longitudes are counted eastwards from `west`, so Fiji and Russia are in one piece.
 * Coordinates of a map are units, x to the right and y down.
 */

export interface Projection {
  /** In units. */
  readonly width: number;
  readonly height: number;
  readonly bounds: Bounds;
  readonly unitsPerDegree: { readonly x: number; readonly y: number };
  readonly x: (longitude: number) => number;
  readonly y: (latitude: number) => number;
}

/** Height of the map of a single point, in degrees of latitude. */
const LEAST_SPAN = 0.05;

export interface Room {
  /** Of the longer side, in units. */
  readonly longest: number;
  /** Around the bounds, in units. */
  readonly margin: number;
}

/** A map of these bounds; its shorter side is half of the longer one at least. */
export function project({ west, east, south, north }: Bounds, { longest, margin }: Room): Projection {
  // Near a pole a degree of longitude is next to nothing.
  const shrink = Math.max(0.05, Math.cos((((south + north) / 2) * Math.PI) / 180));
  const [spanX, spanY] = [(east - west) * shrink, north - south];
  const scale = (longest - 2 * margin) / Math.max(spanX, spanY, LEAST_SPAN);
  const [centreEast, centreLat] = [(west + east) / 2, (south + north) / 2];
  const sideOf = (span: number): number => Math.round(Math.max(longest / 2, Math.ceil(span * scale + 2 * margin)));
  const [width, height] = [sideOf(spanX), sideOf(spanY)];
  const [halfEast, halfLat] = [width / 2 / (shrink * scale), height / 2 / scale];
  const start = centreEast - 180;
  return {
    width,
    height,
    bounds: {
      west: centreEast - halfEast,
      east: centreEast + halfEast,
      south: centreLat - halfLat,
      north: centreLat + halfLat,
    },
    unitsPerDegree: { x: shrink * scale, y: scale },
    x: (longitude) => width / 2 + (start + eastOf(longitude, start) - centreEast) * shrink * scale,
    y: (latitude) => height / 2 - (latitude - centreLat) * scale,
  };
}

/** Degrees eastwards from `west`, below 360. */
export function eastOf(longitude: number, west: number): number {
  return (((longitude - west) % 360) + 360) % 360;
}
