/**
 * What comparing two snapshots reads of a country, and how it matches places, measures shifts and merges postal codes.
 */

import { distance } from 'geokdbush';
import { decodeFullCodes, type FullCodes, hasFullCodes } from '../../src/core/snapshot/full-codes.js';
import type { CountryEntry, Manifest } from '../../src/core/snapshot/manifest.js';
import { idAt } from '../../src/core/snapshot/place-id.js';
import { decodeIdIndex, findById, type IdIndex } from '../../src/core/snapshot/place-id-index.js';
import {
  decodePlaceTree,
  LEVEL_COUNT,
  levelOf,
  NO_PARENT,
  type PlaceTree,
} from '../../src/core/snapshot/place-tree.js';
import {
  codePlaces,
  codeText,
  decodePostcodeIndex,
  type PostcodeIndex,
} from '../../src/core/snapshot/postcode-index.js';
import {
  decodeRenderedPlaces,
  FIELD_OFFSETS,
  fieldOffset,
  LATITUDE_KEY,
  LONGITUDE_KEY,
  PARENT_ID_KEY,
  type RenderedPlaces,
} from '../../src/core/snapshot/rendered-places.js';
import type { CountrySectionName } from '../../src/core/snapshot/sections.js';
import { structureError } from '../../src/core/snapshot/snapshot-error.js';
import { readSlice } from '../../src/core/snapshot/snapshot-file.js';
import type { Position } from '../../src/core/snapshot/sphere.js';
import { type Counts, EXAMPLES_PER_KIND } from './changes.js';

/*
 * The structures of one country that a comparison reads: the places, their ids and answers, and the postal codes. They
 * are in memory, so that comparing needs memory for the largest country of both snapshots.
 */

export interface ComparedCountry {
  readonly tree: PlaceTree;
  readonly ids: IdIndex;
  readonly renderedPlaces: RenderedPlaces;
  readonly postcodes: PostcodeIndex;
  readonly fullCodes: FullCodes | undefined;
}

/** The two versions of one country. */
export interface CountryPair {
  readonly code: string;
  readonly before: ComparedCountry;
  readonly after: ComparedCountry;
}

/** A country without postcode data. */
const EMPTY_COUNTRY: ComparedCountry = {
  tree: {
    levelStarts: new Uint32Array(LEVEL_COUNT + 1),
    ids: new Uint8Array(0),
    parents: new Uint32Array(0),
    childStarts: new Uint32Array(1),
    placeCount: 0,
  },
  ids: { slots: new Uint32Array(2) },
  renderedPlaces: { offsets: new Uint32Array(1), fieldOffsets: new Uint16Array(0), text: Buffer.alloc(0) },
  postcodes: {
    codeOffsets: new Uint32Array(1),
    codeText: Buffer.alloc(0),
    placeStarts: new Uint32Array(1),
    places: new Uint32Array(0),
    slots: new Uint32Array(2),
    codeCount: 0,
  },
  fullCodes: undefined,
};

/** The country in the snapshot open as `fd`; empty if the snapshot has no data for it. Throws SnapshotError. */
export function readComparedCountry(fd: number, manifest: Manifest, entry: CountryEntry | undefined): ComparedCountry {
  if (entry === undefined || entry.slices.length === 0) return EMPTY_COUNTRY;
  const read = (name: CountrySectionName): Uint8Array => readSlice(fd, manifest.sections, entry, name);
  const where = (name: CountrySectionName): string => `${name} of ${entry.code}`;
  const tree = decodePlaceTree(read('place-tree'), where('place-tree'));
  const postcodes = decodePostcodeIndex(read('postcode-index'), where('postcode-index'));
  return {
    tree,
    ids: decodeIdIndex(read('id-index'), where('id-index'), tree.placeCount),
    renderedPlaces: decodeRenderedPlaces(read('place-answers'), where('place-answers'), tree.placeCount),
    postcodes,
    fullCodes: hasFullCodes(entry) ? decodeFullCodes(read('full-codes'), where('full-codes'), postcodes) : undefined,
  };
}

/*
 * Matches the places of two snapshots: by id, then, among places whose id is in one snapshot only, the obviously
 * renamed ones (see pairLeaves and pairUnits). Takes linear time; swapping the snapshots gives the same pairs.
 */

/** No place: greater than every place number. */
export const NONE = 0xffffffff;
/** More than one place: greater than every place number. */
const SEVERAL = 0xfffffffe;

/** The number of a place, or of a postal code, in the old snapshot and in the new one. */
export type Pair = readonly [before: number, after: number];

/** The number of the matching place, for both snapshots; NONE without a match. */
export class Matches {
  readonly newOf: Uint32Array;
  readonly oldOf: Uint32Array;

  constructor(before: PlaceTree, after: PlaceTree) {
    this.newOf = new Uint32Array(before.placeCount).fill(NONE);
    this.oldOf = new Uint32Array(after.placeCount).fill(NONE);
  }

  add([before, after]: Pair): void {
    this.newOf[before] = after;
    this.oldOf[after] = before;
  }
}

export function matchById(
  before: Pick<ComparedCountry, 'tree'>,
  after: Pick<ComparedCountry, 'tree' | 'ids'>,
): Matches {
  const matches = new Matches(before.tree, after.tree);
  const { ids, placeCount } = before.tree;
  for (let place = 0; place < placeCount; place++) {
    const found = findById(after.ids, after.tree, idAt(ids, place));
    if (found !== undefined) matches.add([place, found]);
  }
  return matches;
}

/**
 * Pairs of an old and a new leaf of one postal code, where the code has lost exactly one leaf and gained exactly one:
 * `lost` and `gained` have the code of each leaf without a match. Adds the pairs to `matches`.
 */
export function pairLeaves(
  lost: Iterable<readonly [code: string, place: number]>,
  gained: Iterable<readonly [code: string, place: number]>,
  matches: Matches,
): Pair[] {
  const gainedByCode = onlyPlaces(gained);
  const pairs = [...onlyPlaces(lost)].flatMap(([code, before]): Pair[] => {
    const after = gainedByCode.get(code) ?? SEVERAL;
    return before === SEVERAL || after === SEVERAL ? [] : [[before, after]];
  });
  for (const pair of pairs) matches.add(pair);
  return pairs;
}

/** The place of each code; SEVERAL if a code has more than one. */
function onlyPlaces(places: Iterable<readonly [code: string, place: number]>): Map<string, number> {
  const byCode = new Map<string, number>();
  for (const [code, place] of places) byCode.set(code, byCode.has(code) ? SEVERAL : place);
  return byCode;
}

/**
 * Pairs of an old and a new admin unit of the same level, whose matched children are each other's: the matched children
 * of either unit are children of the other. Adds the pairs to `matches`, so that the next round can match their
 * parents.
 */
export function pairUnits(before: PlaceTree, after: PlaceTree, matches: Matches): Pair[] {
  const pairs: Pair[] = [];
  for (let round = 1; round < LEVEL_COUNT; round++) {
    const found = findUnitPairs(before, after, matches);
    for (const pair of found) matches.add(pair);
    pairs.push(...found);
  }
  return pairs;
}

function findUnitPairs(before: PlaceTree, after: PlaceTree, { newOf, oldOf }: Matches): Pair[] {
  const heirs = new Uint32Array(before.placeCount).fill(NONE);
  const origins = new Uint32Array(after.placeCount).fill(NONE);
  for (let place = 0; place < before.placeCount; place++) {
    if (newOf[place] === NONE) continue;
    const oldParent = before.parents[place] as number;
    const newParent = after.parents[newOf[place] as number] as number;
    if (oldParent === NO_PARENT || newParent === NO_PARENT) continue;
    note(heirs, oldParent, newParent);
    note(origins, newParent, oldParent);
  }
  const pairs: Pair[] = [];
  for (let unit = 0; unit < before.placeCount; unit++) {
    const heir = heirs[unit] as number;
    if (newOf[unit] !== NONE || heir >= after.placeCount || oldOf[heir] !== NONE || origins[heir] !== unit) continue;
    if (levelOf(before, unit) === levelOf(after, heir)) pairs.push([unit, heir]);
  }
  return pairs;
}

function note(list: Uint32Array, place: number, other: number): void {
  list[place] = list[place] === NONE || list[place] === other ? other : SEVERAL;
}

/*
 * Measures how far kept places were shifted: counts those over 1, 10 and 100 km, and keeps the farthest. Distances are
 * great circles on a sphere with a radius of 6371 km, equal in both directions.
 */

export interface Shift {
  readonly pair: Pair;
  readonly from: Position;
  readonly to: Position;
  readonly km: number;
}

type ShiftCounts = Pick<Counts, 'shiftedOver1Km' | 'shiftedOver10Km' | 'shiftedOver100Km'>;

export class Shifts {
  /** At most EXAMPLES_PER_KIND shifts over 1 km, the farthest first; equal shifts in the order of comparison. */
  readonly farthest: Shift[] = [];
  private readonly countsOver = { km1: 0, km10: 0, km100: 0 };

  get counts(): ShiftCounts {
    const { km1, km10, km100 } = this.countsOver;
    return { shiftedOver1Km: km1, shiftedOver10Km: km10, shiftedOver100Km: km100 };
  }

  /** Throws SnapshotError STRUCTURE_INVALID if an answer has no coordinates. */
  compare(before: RenderedPlaces, after: RenderedPlaces, pair: Pair): void {
    const [from, to] = [readPosition(before, pair[0]), readPosition(after, pair[1])];
    if (from.latitude === to.latitude && from.longitude === to.longitude) return;
    const km = distance(from.longitude, from.latitude, to.longitude, to.latitude);
    if (km <= 1) return;
    this.countsOver.km1++;
    if (km > 10) this.countsOver.km10++;
    if (km > 100) this.countsOver.km100++;
    const last = this.farthest[EXAMPLES_PER_KIND - 1];
    if (last !== undefined && last.km >= km) return;
    const place = this.farthest.findIndex((other) => other.km < km);
    this.farthest.splice(place === -1 ? this.farthest.length : place, 0, { pair, from, to, km });
    this.farthest.splice(EXAMPLES_PER_KIND);
  }
}

/** The coordinates in a place's answer, without parsing the rest. */
function readPosition(answers: RenderedPlaces, place: number): Position {
  const start = answers.offsets[place] as number;
  const [from, to] = [
    fieldOffset(answers, place, FIELD_OFFSETS.postalCodeEnd),
    fieldOffset(answers, place, FIELD_OFFSETS.urlStart),
  ];
  const text = answers.text.subarray(start + from, start + to).toString('latin1');
  const [longitudeKey, parentIdKey] = [text.indexOf(LONGITUDE_KEY), text.indexOf(PARENT_ID_KEY)];
  const latitude = Number(text.slice(LATITUDE_KEY.length, longitudeKey));
  const longitude = Number(text.slice(longitudeKey + LONGITUDE_KEY.length, parentIdKey));
  const isWhole = text.startsWith(LATITUDE_KEY) && longitudeKey !== -1 && parentIdKey !== -1;
  // Number('') is 0, which isWhole excludes; NaN fails the comparison.
  if (!isWhole || !(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
    throw structureError(`place-answers: place ${place}`, 'coordinates', JSON.stringify(text));
  }
  return { latitude, longitude };
}

/** The numbers of the codes in one snapshot only. */
export function compareCodes(before: PostcodeIndex, after: PostcodeIndex) {
  const [removed, added]: [number[], number[]] = [[], []];
  for (const [oldCode, newCode] of pairCodes(before, after)) {
    if (newCode === NONE) removed.push(oldCode);
    if (oldCode === NONE) added.push(newCode);
  }
  return { removed, added };
}

/** Each code of either snapshot, ascending: both lists are sorted by bytes. NONE stands for the missing number. */
export function* pairCodes(before: PostcodeIndex, after: PostcodeIndex): Generator<Pair> {
  let [oldCode, newCode] = [0, 0];
  while (oldCode < before.codeCount || newCode < after.codeCount) {
    const order = compareCode(before, oldCode, after, newCode);
    yield [order <= 0 ? oldCode++ : NONE, order >= 0 ? newCode++ : NONE];
  }
}

/** Negative if the old code sorts first. The end of a list sorts after every code of the other list. */
function compareCode(before: PostcodeIndex, oldCode: number, after: PostcodeIndex, newCode: number): number {
  if (oldCode === before.codeCount) return 1;
  if (newCode === after.codeCount) return -1;
  return Buffer.compare(codeBytes(before, oldCode), codeBytes(after, newCode));
}

function codeBytes({ codeText: bytes, codeOffsets }: PostcodeIndex, code: number): Uint8Array {
  return bytes.subarray(codeOffsets[code], codeOffsets[code + 1]);
}

/** The leaves without a match, by code. */
export function* leavesWithout(postcodes: PostcodeIndex, matched: Uint32Array): Generator<readonly [string, number]> {
  for (let code = 0; code < postcodes.codeCount; code++) {
    for (const place of codePlaces(postcodes, code)) {
      if (matched[place] === NONE) yield [codeText(postcodes, code), place];
    }
  }
}
