/**
 * Applies a gazetteer's amendments to a tree: adds synthesised cities, replaces romanised names ("Moskva") by common
 * ones ("Moscow"), and corrects coordinates. Places of the release keep their ids, slugs, paths and parents; their
 * numbers change, and so does the order of renamed siblings. Takes linear time, a small part of the time to build the
 * tree.
 */

import { lowerBound } from '../../src/core/snapshot/binary-search.js';
import { copyId, createIds, setIds } from '../../src/core/snapshot/place-id.js';
import { POSITION_SOURCES } from '../../src/core/snapshot/place-positions.js';
import { LEVEL_COUNT, NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { slugOf } from '../../src/core/snapshot/slug.js';
import { type Position, roundDegrees } from '../../src/core/snapshot/sphere.js';
import { createNameOrder } from '../ordering/name-order.js';
import type { CountryTree } from './country-tree.js';
import { listFirstChildNumbers, numberBreadthFirst } from './numbering.js';
import { identifyCity } from './place-identities.js';

/** Added cities are of the type "municipality": an index into PLACE_TYPES. */
const ADDED_TYPE = 2;
const NO_CODES = ['', ''] as const;

/** A synthesised city, a place beside the city's parts. It has no children and no postal code. */
export interface AddedCity {
  readonly geonameId: number;
  /** The number of an admin unit; NO_PARENT for a root. */
  readonly parent: number;
  readonly name: string;
  readonly localName: string;
  readonly latitude: number;
  readonly longitude: number;
}

interface Amendments {
  /** Distinct by geonameid; of two cities with the same slug the first gets it. */
  readonly added: readonly AddedCity[];
  /** New names by place number. */
  readonly names: ReadonlyMap<number, string>;
  /** New coordinates by place number. */
  readonly positions: ReadonlyMap<number, Position>;
}

interface AmendedTree {
  readonly tree: CountryTree;
  /** The new number of each place, then of each added city. */
  readonly numbers: Uint32Array;
}

export function amendTree(tree: CountryTree, { added, names: newNames, positions }: Amendments): AmendedTree {
  const placeCount = tree.placeCount + added.length;
  const names = tree.names.concat(added.map(({ name }) => name));
  for (const [place, name] of newNames) names[place] = name;
  const nameRanks = rankAmendedNames(tree, newNames, added);
  const ids = createIds(placeCount);
  setIds(ids, 0, tree.ids);
  added.forEach(({ geonameId }, index) => {
    identifyCity(tree.countryCode, geonameId, ids, tree.placeCount + index);
  });
  const parents = new Uint32Array(placeCount);
  parents.set(tree.parents);
  added.forEach(({ parent }, index) => {
    parents[tree.placeCount + index] = parent;
  });
  const levels = levelsOf(tree, added);
  const { order, numbers, levelStarts } = numberBreadthFirst({ parents, levels }, nameRanks, ids);

  const { slugs, paths } = nameAddedPaths(tree, added);
  /** Fills `list` with a value for each place, in the new order. */
  const listInto = <Value, List extends { [number: number]: Value }>(
    list: List,
    of: (place: number) => Value,
  ): List => {
    for (let number = 0; number < placeCount; number++) list[number] = of(order[number] as number);
    return list;
  };
  /** Lists the values of the places and, from `ofCity`, of the added cities, in the new order. */
  const reorder = <Value>(values: readonly Value[], ofCity: (city: AddedCity) => Value): Value[] =>
    listInto(new Array<Value>(placeCount), (place) =>
      place < tree.placeCount ? (values[place] as Value) : ofCity(added[place - tree.placeCount] as AddedCity),
    );
  const reorderDegrees = (values: Float64Array, axis: keyof Position): Float64Array =>
    listInto(new Float64Array(placeCount), (place) =>
      place < tree.placeCount ? (values[place] as number) : (added[place - tree.placeCount] as AddedCity)[axis],
    );
  const degreesOf = (axis: keyof Position, values: Float64Array): Float64Array => {
    const degrees = reorderDegrees(values, axis);
    for (const [place, position] of positions) degrees[numbers[place] as number] = roundDegrees(position[axis]);
    return degrees;
  };
  const newIds = createIds(placeCount);
  order.forEach((place, number) => {
    copyId(newIds, number, ids, place);
  });
  const newParents = order.map((place) => {
    const parent = parents[place] as number;
    return parent === NO_PARENT ? NO_PARENT : (numbers[parent] as number);
  });
  return {
    numbers,
    tree: {
      countryCode: tree.countryCode,
      placeCount,
      levelStarts,
      parents: newParents,
      childStarts: listFirstChildNumbers(newParents, levelStarts[1] as number),
      ids: newIds,
      types: listInto(new Uint8Array(placeCount), (place) => tree.types[place] ?? ADDED_TYPE),
      names: listInto(new Array<string>(placeCount), (place) => names[place] as string),
      localNames: reorder(tree.localNames, ({ localName }) => localName),
      isRomanised: listInto(new Uint8Array(placeCount), (place) =>
        newNames.has(place) ? 0 : (tree.isRomanised[place] ?? 0),
      ),
      codes: reorder(tree.codes, () => ''),
      releaseCodes: reorder(tree.releaseCodes, () => NO_CODES),
      nameRanks: order.map((place) => nameRanks[place] as number),
      slugs: listInto(new Array<string>(placeCount), (place) => slugs[place] as string),
      paths: listInto(new Array<string>(placeCount), (place) => paths[place] as string),
      postalCodes: reorder(tree.postalCodes, () => null),
      latitudes: degreesOf('latitude', tree.latitudes),
      longitudes: degreesOf('longitude', tree.longitudes),
      sources: listInto(new Uint8Array(placeCount), (place) =>
        place >= tree.placeCount || positions.has(place)
          ? sourceOf(tree, place, positions)
          : (tree.sources[place] as number),
      ),
      releasedLatitudes: reorderDegrees(tree.releasedLatitudes, 'latitude'),
      releasedLongitudes: reorderDegrees(tree.releasedLongitudes, 'longitude'),
      mergedNames: new Map([...tree.mergedNames].map(([unit, merged]) => [numbers[unit] as number, merged])),
      codeOnly: new Set(Array.from(tree.codeOnly, (unit) => numbers[unit] as number)),
    },
  };
}

/** The source of a place with the gazetteer's coordinates: `release` if the release has the same coordinates. */
function sourceOf(tree: CountryTree, place: number, positions: Amendments['positions']): number {
  const position = positions.get(place);
  const isReleased =
    position !== undefined &&
    tree.releasedLatitudes[place] === roundDegrees(position.latitude) &&
    tree.releasedLongitudes[place] === roundDegrees(position.longitude);
  return POSITION_SOURCES.indexOf(isReleased ? 'release' : 'gazetteer');
}

/** The rank of the name of each place, then of each added city; new names are inserted into the existing order. */
function rankAmendedNames(
  { nameRanks, names, placeCount }: CountryTree,
  newNames: ReadonlyMap<number, string>,
  added: readonly AddedCity[],
): Uint32Array {
  const oldNames: string[] = [];
  nameRanks.forEach((rank, place) => {
    oldNames[rank] = names[place] as string;
  });
  const compare = createNameOrder();
  const oldRankOf = (name: string): number =>
    lowerBound(0, oldNames.length, (at) => compare(oldNames[at] as string, name) < 0);
  const fresh = [...new Set([...newNames.values(), ...added.map(({ name }) => name)])]
    .map((name) => ({ name, before: oldRankOf(name) }))
    .filter(({ name, before }) => oldNames[before] !== name)
    .sort((a, b) => compare(a.name, b.name));
  const freshRanks = new Map(fresh.map(({ name, before }, index) => [name, before + index]));
  const shifts = new Uint32Array(oldNames.length + 1);
  for (const { before } of fresh) shifts[before] = (shifts[before] as number) + 1;
  shifts.forEach((count, rank) => {
    shifts[rank] = count + (shifts[rank - 1] ?? 0);
  });
  const shifted = (rank: number): number => rank + (shifts[rank] as number);
  const rankOf = (name: string): number => freshRanks.get(name) ?? shifted(oldRankOf(name));
  const ranks = new Uint32Array(placeCount + added.length);
  nameRanks.forEach((rank, place) => {
    ranks[place] = shifted(rank);
  });
  for (const [place, name] of newNames) ranks[place] = rankOf(name);
  added.forEach(({ name }, index) => {
    ranks[placeCount + index] = rankOf(name);
  });
  return ranks;
}

/** The levels of all places, then of the added cities. */
function levelsOf(tree: CountryTree, added: readonly AddedCity[]): Uint8Array {
  const levels = new Uint8Array(tree.placeCount + added.length);
  for (let level = 1; level <= LEVEL_COUNT; level++) {
    levels.fill(level, tree.levelStarts[level - 1], tree.levelStarts[level]);
  }
  added.forEach(({ parent }, index) => {
    levels[tree.placeCount + index] = parent === NO_PARENT ? 1 : (levels[parent] as number) + 1;
  });
  return levels;
}

/**
 * All slugs and paths, those of added cities last. An added city gets a slug that no sibling has: its plain slug, or
 * that slug with "-city", or with "-city-" and a counter from 2.
 */
function nameAddedPaths(tree: CountryTree, added: readonly AddedCity[]): { slugs: string[]; paths: string[] } {
  const takenBelow = new Map<number, Set<string>>();
  const slugs = [...tree.slugs];
  const paths = [...tree.paths];
  for (const { parent, name } of added) {
    let taken = takenBelow.get(parent);
    if (taken === undefined) {
      const [start, end] =
        parent === NO_PARENT ? [0, tree.levelStarts[1]] : [tree.childStarts[parent], tree.childStarts[parent + 1]];
      taken = new Set(tree.slugs.slice(start, end));
      takenBelow.set(parent, taken);
    }
    const plain = slugOf(name) || 'place';
    let slug = taken.has(plain) ? `${plain}-city` : plain;
    for (let count = 2; taken.has(slug); count++) slug = `${plain}-city-${count}`;
    taken.add(slug);
    slugs.push(slug);
    paths.push(`${parent === NO_PARENT ? '' : tree.paths[parent]}/${slug}`);
  }
  return { slugs, paths };
}
