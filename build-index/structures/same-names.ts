/**
 * Decides which of the places of one name in a country stands for the others in suggestions. The represented places keep
 * ranks of their own, the last ones, so that a search with their context finds them. A place is represented if it
 *
 *   - has the folded name of a place above, below or beside it
 *   - lies within SAME_NAME_KM of a place with the same names (sameNameKey)
 *   - is another place of a city
 */

import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { kmBetween } from '../../src/core/snapshot/sphere.js';
import { appendTo } from '../ordering/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { type CityPlaces, cityImportance } from './importance.js';
import { type Candidate, compareRankKeys, type RankKeys } from './name-candidates.js';

/*
 * Finds places within SAME_NAME_KM of each other. Places are kept in cubic cells of that width around the earth, so a
 * search reads 27 cells anywhere on it, at the poles and the antimeridian too.
 */

/**
 * Maximum distance of two places of the same name that are one suggestion, in km: about a suburb's width. Farther apart,
 * villages of one name are two villages.
 */
export const SAME_NAME_KM = 5;
const EARTH_RADIUS_KM = 6371;
const DEGREES = Math.PI / 180;
/** Number of places, of which nearly all names have fewer, that are compared without cells. */
const FEW = 16;
/** Cells on each side of the earth's centre, and one more for neighbours. */
const HALF_CELLS = Math.ceil(EARTH_RADIUS_KM / SAME_NAME_KM) + 1;
const CELLS = 2 * HALF_CELLS + 1;

interface Positions {
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
}

export class NearbyPlaces {
  private readonly added: number[] = [];
  private readonly cells = new Map<number, number[]>();

  constructor(private readonly positions: Positions) {}

  add(place: number): void {
    this.added.push(place);
    if (this.added.length <= FEW) return;
    // The first time, the few places before this one get their cells too.
    for (const one of this.cells.size === 0 ? this.added : [place]) {
      appendTo(this.cells, cellNumber(this.cellOf(one)), one);
    }
  }

  /** The nearest added place within SAME_NAME_KM; of places at the same distance the one with the lowest number. */
  nearest(place: number): number | undefined {
    let [nearest, least]: [number | undefined, number] = [undefined, SAME_NAME_KM];
    for (const other of this.added.length <= FEW ? this.added : this.listAround(place)) {
      const km = this.kmBetween(place, other);
      if (km > least || (km === least && nearest !== undefined && other > nearest)) continue;
      [nearest, least] = [other, km];
    }
    return nearest;
  }

  /** The added places in the cell of a place and in its neighbours. */
  private listAround(place: number): readonly number[] {
    const [x, y, z] = this.cellOf(place);
    const around: number[] = [];
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        for (let dz = -1; dz <= 1; dz++) around.push(...(this.cells.get(cellNumber([x + dx, y + dy, z + dz])) ?? []));
      }
    }
    return around;
  }

  private kmBetween(place: number, other: number): number {
    const { latitudes, longitudes } = this.positions;
    return kmBetween(
      latitudes[place] as number,
      longitudes[place] as number,
      latitudes[other] as number,
      longitudes[other] as number,
    );
  }

  private cellOf(place: number): readonly [number, number, number] {
    const latitude = (this.positions.latitudes[place] as number) * DEGREES;
    const longitude = (this.positions.longitudes[place] as number) * DEGREES;
    const cellAt = (part: number): number => Math.floor((part * EARTH_RADIUS_KM) / SAME_NAME_KM) + HALF_CELLS;
    return [
      cellAt(Math.cos(latitude) * Math.cos(longitude)),
      cellAt(Math.cos(latitude) * Math.sin(longitude)),
      cellAt(Math.sin(latitude)),
    ];
  }
}

function cellNumber([x, y, z]: readonly [number, number, number]): number {
  return (x * CELLS + y) * CELLS + z;
}

const NO_NAME = 0xffff_ffff;

/**
 * Marks the represented places in `keys`. Returns the candidates: a place has the spellings of the places that it
 * represents too (the region "Kyiv" those of the city "Київ"). The postal codes of nearby places count together, which
 * changes `keys`. `keyOf` is that of createNamesKey.
 */
export function markSameNames(
  tree: CountryTree,
  candidates: readonly Candidate[],
  keys: RankKeys,
  cities: CityPlaces,
  nameCount: number,
  keyOf: (place: number) => string,
): Candidate[] {
  const found = [...candidates];
  const represent = (first: number, index: number): void => {
    keys.sameNames[index] = 1;
    const { spellings } = found[index] as Candidate;
    const { spellings: known, ...rest } = found[first] as Candidate;
    if (spellings.some((spelling) => !known.includes(spelling))) {
      found[first] = { ...rest, spellings: [...new Set([...known, ...spellings])] };
    }
  };
  const firsts = findFirstInLine(tree, candidates, keys, nameCount);
  firsts.forEach((first, index) => {
    if (cities.others.has((candidates[index] as Candidate).place)) keys.sameNames[index] = 1;
    if (first !== index) represent(first, index);
  });
  const near = findFirstNearby(
    tree,
    candidates,
    keys,
    [...firsts.keys()].filter((index) => firsts[index] === index),
    keyOf,
  );
  for (const [index, first] of near) represent(first, index);
  countTogether(tree, candidates, keys, near);
  return found;
}

/**
 * By candidate, the candidate of the lowest rank among those of its folded name above, below or beside it: often the
 * candidate itself.
 */
function findFirstInLine(
  tree: CountryTree,
  candidates: readonly Candidate[],
  keys: RankKeys,
  nameCount: number,
): number[] {
  /** By place, the number of its name; NO_NAME for a place that is not a candidate. */
  const nameOf = new Uint32Array(tree.placeCount).fill(NO_NAME);
  candidates.forEach(({ place }, index) => {
    nameOf[place] = keys.nameNumbers[index] as number;
  });
  /** The candidate of the lowest rank, by name and the parent of the highest place of that name. */
  const firstOf = new Map<number, number>();
  const groups = candidates.map(({ place }, index) => {
    const name = nameOf[place] as number;
    let parentOfHighest = tree.parents[place] as number;
    for (let unit = parentOfHighest; unit !== NO_PARENT; unit = tree.parents[unit] as number) {
      if (nameOf[unit] === name) parentOfHighest = tree.parents[unit] as number;
    }
    const group = parentOfHighest * nameCount + name;
    const first = firstOf.get(group);
    if (first === undefined || compareRankKeys(keys, index, first) < 0) firstOf.set(group, index);
    return group;
  });
  return groups.map((group) => firstOf.get(group) as number);
}

/**
 * By candidate that a nearby candidate with the same names represents, that candidate: the nearest one. `firsts` are the
 * candidates that no place in line with them represents.
 */
function findFirstNearby(
  tree: CountryTree,
  candidates: readonly Candidate[],
  keys: RankKeys,
  firsts: readonly number[],
  keyOf: (place: number) => string,
): ReadonlyMap<number, number> {
  const indexByPlace = new Map<number, number>();
  const byNames = new Map<string, number[]>();
  for (const index of firsts) {
    const { place } = candidates[index] as Candidate;
    indexByPlace.set(place, index);
    appendTo(byNames, keyOf(place), index);
  }
  const near = new Map<number, number>();
  for (const indexes of byNames.values()) {
    if (indexes.length === 1) continue;
    indexes.sort((a, b) => compareRankKeys(keys, a, b));
    const shown = new NearbyPlaces(tree);
    const placeOf = (index: number): number => (candidates[index] as Candidate).place;
    const represented = indexes.filter((index) => {
      if (shown.nearest(placeOf(index)) !== undefined) return true;
      if (keys.sameNames[index] === 0) shown.add(placeOf(index));
      return false;
    });
    // A place that was added later may be nearer.
    for (const index of represented) {
      near.set(index, indexByPlace.get(shown.nearest(placeOf(index)) as number) as number);
    }
  }
  return near;
}

/** Gives each place that represents nearby places, and is no city, the number of their postal codes and its own. */
function countTogether(
  tree: CountryTree,
  candidates: readonly Candidate[],
  keys: RankKeys,
  near: ReadonlyMap<number, number>,
): void {
  const codesByFirst = new Map<number, Set<string>>();
  for (const [index, first] of near) {
    if ((keys.importances[first] as number) >= cityImportance(0)) continue;
    const codes = codesByFirst.get(first) ?? codesOf(tree, candidates[first] as Candidate, new Set());
    codesByFirst.set(first, codesOf(tree, candidates[index] as Candidate, codes));
  }
  for (const [first, codes] of codesByFirst) keys.importances[first] = codes.size;
}

/** Adds the postal codes of a candidate's leaves, or below a unit, to `codes`. */
function codesOf({ childStarts, postalCodes }: CountryTree, { place, leaves }: Candidate, codes: Set<string>) {
  const add = (leaf: number): void => {
    const code = postalCodes[leaf] as string | null;
    if (code !== null) codes.add(code);
  };
  if (leaves !== undefined) {
    leaves.forEach(add);
    return codes;
  }
  // Numbers are breadth first, so the children of a range of places are a range too.
  for (let [start, end] = [place, place + 1]; start < end; ) {
    for (let at = start; at < end; at++) add(at);
    [start, end] = [childStarts[start] as number, childStarts[end] as number];
  }
  return codes;
}
