/**
 * Checks one country of a snapshot: each structure follows its format, and the structures agree with each other. Reads
 * the country's slices into memory, so that verifying needs memory for the largest country.
 */

import { isAscii, isUtf8 } from 'node:buffer';
import { isFolded, listSpellings } from '../../src/core/snapshot/fold-text.js';
import { buildSlots, probeSlots } from '../../src/core/snapshot/hash-table.js';
import type { CountryEntry, Section } from '../../src/core/snapshot/manifest.js';
import { findByOldPath } from '../../src/core/snapshot/path-trie.js';
import { contextText } from '../../src/core/snapshot/place-contexts.js';
import { isCoarse, POSITION_SOURCES, type PositionSource } from '../../src/core/snapshot/place-positions.js';
import { isPlace } from '../../src/core/snapshot/place-tree.js';
import { POINT_NODE_SIZE, POINT_TIERS, type PointTier, pointTier } from '../../src/core/snapshot/point-index.js';
import { normalizePostcode } from '../../src/core/snapshot/postcode.js';
import {
  codePlaces,
  hashPostcode,
  MAX_CODE_BYTES,
  type PostcodeIndex,
} from '../../src/core/snapshot/postcode-index.js';
import { type CountryStructures, decodeCountryStructures } from '../../src/core/snapshot/snapshot.js';
import { readSlice, withFile } from '../../src/core/snapshot/snapshot-file.js';
import type { Task } from '../pool/pool.js';
import { compareCodePoints } from '../tree/name-order.js';
import { checkAnswers, checkFacts, fail, mustEqual, type PlaceFields } from './check-answers.js';
import { checkCountryNames } from './check-names.js';
import { checkIds, checkOrders, checkSlots, checkTree, checkTrie } from './check-tree.js';

/* Checks the contexts of places: the country and each admin unit have a text with their folded names. */

const CODE_LINE = /^=[a-z0-9]{2,6}$/;

export function checkContexts(
  { contexts, tree }: CountryStructures,
  fields: PlaceFields,
  { code, name }: CountryEntry,
): void {
  const where = `place-contexts of ${code}`;
  const { names, localNames, postalCodes } = fields;
  const text = Buffer.from(contexts.text).toString('latin1');
  const textOf = (number: number): string => text.slice(contexts.textStarts[number], contexts.textStarts[number + 1]);
  checkLines(textOf(0), where);
  if (!textOf(0).startsWith(contextText(listSpellings(name), []))) fail(where, `the name ${name}`, textOf(0));
  if (!textOf(0).includes(`\n=${code.toLowerCase()}\n`)) fail(where, `the code ${code}`, textOf(0));
  let unit = 0;
  for (let place = 0; place < tree.placeCount; place++) {
    if (postalCodes[place] !== null) continue;
    if (contexts.units[unit] !== place) fail(where, `the unit ${place}`, contexts.units[unit]);
    const found = textOf(++unit);
    checkLines(found, where);
    const spellings = [names[place], localNames[place]].flatMap((name) => listSpellings(name as string));
    if (!found.startsWith(contextText(spellings, []))) fail(where, `names of the unit ${place}`, found);
  }
  if (contexts.units.length !== unit) fail(where, `${unit} units`, contexts.units.length);
}

function checkLines(text: string, where: string): void {
  if (text === '') return;
  if (!text.endsWith('\n')) fail(where, 'lines', text);
  const wrong = text
    .slice(0, -1)
    .split('\n')
    .find((line) => !isFolded(line) && !CODE_LINE.test(line));
  if (wrong !== undefined) fail(where, 'folded names and codes', wrong);
}

/*
 * Checks the paths of the previous snapshot: each leads to a place of its own, and none is the path of a place now. Which
 * place had a path nothing else in the file tells.
 */

export function checkOldPaths({ oldPaths, tree }: CountryStructures, { paths }: PlaceFields, code: string): void {
  const where = `old-paths of ${code}`;
  const { digests, places } = oldPaths;
  if (places.length === 0) return;
  const isTaken = new Uint8Array(tree.placeCount);
  places.forEach((place, at) => {
    if (!isPlace(tree, place)) fail(where, 'a place', place);
    if (isTaken[place] !== 0) fail(where, `one path of place ${place}`, 'several');
    isTaken[place] = 1;
    if (at === 0) return;
    const [high, low, previousHigh, previousLow] = [0, 1, -2, -1].map((step) => digests[at * 2 + step] as number) as [
      ...[number, number, number, number],
    ];
    const ascends = high > previousHigh || (high === previousHigh && low > previousLow);
    if (!ascends) fail(where, `digest ${at} after the one before`, `${high} ${low}`);
  });
  paths.forEach((path, place) => {
    const found = findByOldPath({ oldPaths, tree }, path.slice(1).split('/'));
    if (found !== undefined) fail(where, `no path that place ${place} has`, `${path} of place ${found}`);
  });
}

/*
 * Checks the k-d trees: each tier is a valid tree, contains the point of each of its leaves once, the right place
 * represents each point, and each point has the codes of its leaves.
 */

export function checkPoints(structures: CountryStructures, fields: PlaceFields, code: string): void {
  const { points, positions, orders } = structures;
  const codeOf = codeNumbers(structures);
  const leavesByTier = POINT_TIERS.map((): number[] => []);
  for (const place of orders.all) {
    if (fields.postalCodes[place] === null) continue;
    const source = POSITION_SOURCES[positions.sources[place] as number];
    const tier = fields.types[place] === 'recipient' ? 'recipient' : isCoarse(source) ? 'coarse' : 'sure';
    leavesByTier[POINT_TIERS.indexOf(tier)]?.push(place);
  }
  leavesByTier.forEach((leaves, tier) => {
    const where = `point-index of ${code}, ${POINT_TIERS[tier]}`;
    checkRepresentatives(pointTier(points, tier), leaves, fields, where);
    checkCodes(pointTier(points, tier), leaves, fields, codeOf, where);
    checkHalves(pointTier(points, tier), where);
  });
}

/** Checks that the points are those of the leaves, and that the right leaf represents each. */
function checkRepresentatives(
  { coords, places }: PointTier,
  leaves: readonly number[],
  fields: PlaceFields,
  where: string,
): void {
  const representatives = new Map<number, Map<number, number>>();
  let pointCount = 0;
  for (const place of leaves) {
    const lng = fields.longitudes[place] as number;
    const lat = fields.latitudes[place] as number;
    const onMeridian = representatives.get(lng) ?? new Map<number, number>();
    const other = onMeridian.get(lat);
    if (onMeridian.size === 0) representatives.set(lng, onMeridian);
    if (other === undefined) pointCount++;
    if (other === undefined || compareByCodeNameId(fields, place, other) < 0) onMeridian.set(lat, place);
  }
  if (places.length !== pointCount) fail(where, `${pointCount} points`, places.length);
  places.forEach((place, index) => {
    const onMeridian = representatives.get(coords[index * 2] as number);
    const expected = onMeridian?.get(coords[index * 2 + 1] as number);
    if (expected !== place) fail(where, `place ${expected} to represent point ${index}`, place);
    onMeridian?.delete(coords[index * 2 + 1] as number);
  });
}

/** The number of each leaf's code in the postcode index, by place. */
function codeNumbers({ postcodes, tree }: CountryStructures): Uint32Array {
  const codeOf = new Uint32Array(tree.placeCount);
  for (let code = 0; code < postcodes.codeCount; code++) {
    for (const place of codePlaces(postcodes, code)) codeOf[place] = code;
  }
  return codeOf;
}

/** Checks that each point has the codes of the leaves there, ascending and once. */
function checkCodes(
  { coords, places, codeStarts, codes }: PointTier,
  leaves: readonly number[],
  { latitudes, longitudes }: PlaceFields,
  codeOf: Uint32Array,
  where: string,
): void {
  const codesByPoint = new Map<string, Set<number>>();
  for (const place of leaves) {
    const key = `${longitudes[place]} ${latitudes[place]}`;
    const ofPoint = codesByPoint.get(key);
    if (ofPoint === undefined) codesByPoint.set(key, new Set([codeOf[place] as number]));
    else ofPoint.add(codeOf[place] as number);
  }
  places.forEach((_, point) => {
    const [start, end] = [codeStarts[point] as number, codeStarts[point + 1] as number];
    const expected = codesByPoint.get(`${coords[point * 2]} ${coords[point * 2 + 1]}`) as Set<number>;
    const isRight = (code: number, at: number): boolean =>
      expected.has(code) && (at === 0 || (codes[start + at - 1] as number) < code);
    const found = codes.subarray(start, end);
    if (!(end - start === expected.size && found.every(isRight)))
      fail(where, `the ${expected.size} codes of point ${point}`, found.subarray(0, 10).join());
  });
}

/** Checks that each middle point separates the points before it from the points after it. */
function checkHalves({ coords, places }: PointTier, where: string): void {
  const checkNode = (left: number, right: number, axis: number): void => {
    if (right - left <= POINT_NODE_SIZE) return;
    const middle = (left + right) >> 1;
    const split = coords[middle * 2 + axis] as number;
    for (let index = left; index <= right; index++) {
      const value = coords[index * 2 + axis] as number;
      const inPlace = index < middle ? value <= split : value >= split;
      if (!inPlace) fail(where, `point ${index} on its side of ${split}`, value);
    }
    checkNode(left, middle - 1, 1 - axis);
    checkNode(middle + 1, right, 1 - axis);
  };
  checkNode(0, places.length - 1, 0);
}

/** Negative if place `a` represents a point rather than place `b`: the lower code, then name, then id. */
function compareByCodeNameId({ postalCodes, names, ids }: PlaceFields, a: number, b: number): number {
  return (
    compareCodePoints(postalCodes[a] as string, postalCodes[b] as string) ||
    compareCodePoints(names[a] as string, names[b] as string) ||
    compareCodePoints(ids[a] as string, ids[b] as string)
  );
}

/*
 * Checks the sources of coordinates: each place has a source that is possible for its type, and exactly the moved
 * leaves have the release's coordinates.
 */

/** The possible sources by type of leaf. */
const SOURCES: Readonly<Record<string, readonly PositionSource[]>> = {
  locality: POSITION_SOURCES,
  recipient: ['release', 'hand'],
};
const SOURCES_OF_UNITS: readonly PositionSource[] = ['release', 'gazetteer'];

export function checkPositions({ positions }: CountryStructures, fields: PlaceFields, code: string): void {
  const where = `place-positions of ${code}`;
  const { sources, moved, released } = positions;
  const expected: number[] = [];
  sources.forEach((number, place) => {
    const source = POSITION_SOURCES[number];
    const isLeaf = fields.postalCodes[place] !== null;
    const possible = SOURCES[fields.types[place] as string] ?? SOURCES_OF_UNITS;
    if (source === undefined || !possible.includes(source))
      fail(where, `a source that place ${place} can have`, number);
    if (isLeaf && (source === 'agreement' || source === 'gazetteer')) expected.push(place);
  });
  mustEqual(where, 'the moved leaves', moved, expected);
  moved.forEach((place, index) => {
    const [longitude, latitude] = [released[index * 2] as number, released[index * 2 + 1] as number];
    const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
    if (!isOnEarth) fail(where, `coordinates for place ${place}`, `${latitude}, ${longitude}`);
    if (latitude === fields.latitudes[place] && longitude === fields.longitudes[place]) {
      fail(where, `place ${place} elsewhere than released`, `${latitude}, ${longitude}`);
    }
  });
}

/* Checks the postcode index: every leaf has its own code, and the hash table finds every code. */

/** Codes of this form, the most common one, are in normal form. */
const PLAIN_CODE = /^[A-Z0-9]+(?:[ -][A-Z0-9]+)*$/;

export function checkPostcodes(
  { postcodes, orders }: CountryStructures,
  { postalCodes }: PlaceFields,
  entry: CountryEntry,
): void {
  const where = `postcode-index of ${entry.code}`;
  const positions = new Uint32Array(orders.all.length);
  orders.all.forEach((place, position) => {
    positions[place] = position;
  });
  if (postcodes.codeCount !== entry.distinctPostcodes)
    fail(where, `${entry.distinctPostcodes} codes`, postcodes.codeCount);
  const leafCount = postalCodes.filter((code) => code !== null).length;
  if (postcodes.places.length !== leafCount) fail(where, `${leafCount} places`, postcodes.places.length);

  const codes = listCodes(postcodes, where);
  const { places, placeStarts } = postcodes;
  codes.forEach((text, code) => {
    if (code > 0 && compareCodePoints(codes[code - 1] as string, text) >= 0) fail(where, 'codes ascending', text);
    if (!isNormal(text)) fail(where, 'codes in normal form', text);
    const [start, end] = [placeStarts[code] as number, placeStarts[code + 1] as number];
    if (!(start < end)) fail(where, `places of ${text}`, 'none');
    for (let at = start; at < end; at++) {
      const place = places[at] as number;
      if (postalCodes[place] !== text) fail(where, `place ${place} to have the code ${text}`, postalCodes[place]);
      const ascends = at === start || (positions[places[at - 1] as number] as number) < (positions[place] as number);
      if (!ascends) fail(where, `places of ${text} by name then id`, `place ${place} too late`);
    }
  });
  const hashes = Uint32Array.from(codes, hashPostcode);
  const slots = buildSlots(codes.length, (code) => hashes[code] as number);
  checkSlots(postcodes.slots, slots, where);
  for (let code = 0; code < codes.length; code++) {
    let isFound = false;
    probeSlots(slots, hashes[code] as number, (found) => {
      isFound = found === code;
      return isFound;
    });
    if (!isFound) fail(where, `to find ${codes[code]}`, 'it too far from its slot');
  }
}

/** The texts of all codes. */
function listCodes({ codeText, codeOffsets, codeCount }: PostcodeIndex, where: string): string[] {
  if (!isUtf8(codeText)) fail(where, 'codes in UTF-8', 'other bytes');
  const ascii = isAscii(codeText) ? codeText.toString('latin1') : undefined;
  return Array.from({ length: codeCount }, (_, code) => {
    const [start, end] = [codeOffsets[code] as number, codeOffsets[code + 1] as number];
    if (!(start < end && end - start <= MAX_CODE_BYTES)) fail(where, `code ${code}`, `bytes ${start} to ${end}`);
    return ascii === undefined ? codeText.toString('utf8', start, end) : ascii.slice(start, end);
  });
}

function isNormal(text: string): boolean {
  return PLAIN_CODE.test(text) || normalizePostcode(text) === text;
}

export interface VerifyCountryTask extends Task<undefined> {
  readonly kind: 'verify-country';
  readonly path: string;
  readonly entry: CountryEntry;
  readonly sections: readonly Section[];
  readonly pageUrl: string;
}

/** Throws SnapshotError STRUCTURE_INVALID, or what reading the slices throws. */
export function verifyCountry({ path, entry, sections, pageUrl }: VerifyCountryTask): void {
  const structures = withFile(path, (fd) =>
    decodeCountryStructures(entry.code, (name) => readSlice(fd, sections, entry, name)),
  );
  checkTree(structures.tree, entry);
  checkIds(structures, entry.code);
  const fields = checkAnswers(structures, entry.code, pageUrl);
  checkTrie(structures, fields, entry.code);
  checkOrders(structures, fields, entry.code);
  checkPostcodes(structures, fields, entry);
  checkPositions(structures, fields, entry.code);
  checkPoints(structures, fields, entry.code);
  checkCountryNames(structures, fields, entry.code);
  checkContexts(structures, fields, entry);
  checkOldPaths(structures, fields, entry.code);
  checkFacts(structures, fields, entry.code);
}
