/**
 * The finished tree of one country, from which every structure is built: places numbered breadth first, siblings by
 * name then id (see src/format/place-tree.ts), with names, slugs, paths and coordinates. The order of places is decided
 * here and nowhere else. Memory: about 400 bytes for each place.
 */

import { comparePlaceIds, createIds, idAt, setIds } from '../../src/format/place-id.js';
import { LEAF_TYPE, LEVEL_COUNT } from '../../src/format/place-levels.js';
import { NO_PARENT } from '../../src/format/place-tree.js';
import { namePlaces, type PlaceName, type PlaceNames } from '../naming/place-names.js';
import type { CollectedPlaces } from './collecting.js';
import { rankNames } from './name-order.js';
import { identifyPlaces } from './place-ids.js';
import { Slugger } from './slugs.js';
import { SphericalMeans } from './spherical-mean.js';

/** Every array is indexed by place number. */
export interface CountryTree {
  readonly countryCode: string;
  readonly placeCount: number;
  readonly levelStarts: Uint32Array;
  readonly parents: Uint32Array;
  readonly childStarts: Uint32Array;
  /** A list of ids, see place-id.ts. */
  readonly ids: Uint8Array;
  /** An index into PLACE_TYPES. */
  readonly types: Uint8Array;
  readonly names: readonly string[];
  readonly localNames: readonly string[];
  /** The codes of a unit, with commas between them; empty for a leaf. */
  readonly codes: readonly string[];
  /** The codes of admin units 1 and 2 in the release, see CollectedPlaces. */
  readonly releaseCodes: readonly (readonly [string, string])[];
  /** The position of the place's name among the country's names; equal for equal names. */
  readonly nameRanks: Uint32Array;
  readonly paths: readonly string[];
  readonly slugs: readonly string[];
  readonly postalCodes: readonly (string | null)[];
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
}

/**
 * `commonNames` are Latin names that people use ("Moscow"), by the index of the collected place: each takes the place of
 * a romanised name ("Moskva"), never of a name that the release has in Latin letters. Slugs do not depend on them.
 */
export function buildCountryTree(
  collected: CollectedPlaces,
  countryCode: string,
  commonNames: ReadonlyMap<number, string> = new Map(),
): CountryTree {
  const placeCount = collected.parents.length;
  const { distinct, numbers: nameNumbers } = applyCommonNames(namePlaces(collected, countryCode), commonNames);
  const rankByName = rankNames(distinct.map(({ name }) => name));
  const rankByNumber = Uint32Array.from(distinct, ({ name }) => rankByName.get(name) as number);
  const collectedIds = identifyPlaces(collected, countryCode);
  const collectedRanks = nameNumbers.map((number) => rankByNumber[number] as number);

  const { order, levelStarts } = numberBreadthFirst(collected, collectedRanks, collectedIds);
  const numbers = new Uint32Array(placeCount);
  for (let number = 0; number < placeCount; number++) numbers[order[number] as number] = number;

  const tree = {
    countryCode,
    placeCount,
    levelStarts,
    parents: new Uint32Array(placeCount),
    ids: createIds(placeCount),
    types: new Uint8Array(placeCount),
    names: [] as string[],
    localNames: [] as string[],
    codes: [] as string[],
    releaseCodes: [] as (readonly [string, string])[],
    nameRanks: new Uint32Array(placeCount),
    postalCodes: [] as (string | null)[],
    latitudes: new Float64Array(placeCount),
    longitudes: new Float64Array(placeCount),
  };
  const releasedNames: string[] = [];
  for (let number = 0; number < placeCount; number++) {
    const place = order[number] as number;
    const parent = collected.parents[place] as number;
    const { name, localName, released } = distinct[nameNumbers[place] as number] as PlaceName;
    tree.parents[number] = parent === -1 ? NO_PARENT : (numbers[parent] as number);
    setIds(tree.ids, number, idAt(collectedIds, place));
    tree.types[number] = collected.types[place] as number;
    tree.names.push(name);
    tree.localNames.push(localName);
    releasedNames.push(released);
    tree.codes.push(collected.codes[place] as string);
    tree.releaseCodes.push(collected.releaseCodes[place] as readonly [string, string]);
    tree.nameRanks[number] = collectedRanks[place] as number;
    tree.postalCodes.push(collected.postalCodes[place] as string | null);
    tree.latitudes[number] = collected.latitudes[place] as number;
    tree.longitudes[number] = collected.longitudes[place] as number;
  }
  const childStarts = findChildStarts(tree.parents, levelStarts[1] as number);
  locateUnits({ ...tree, childStarts });
  return { ...tree, childStarts, ...nameThePaths(tree, childStarts, releasedNames) };
}

/** The names with each common name in the place of the romanised name of its place. */
function applyCommonNames(names: PlaceNames, commonNames: ReadonlyMap<number, string>): PlaceNames {
  if (commonNames.size === 0) return names;
  const distinct = [...names.distinct];
  const numbers = names.numbers.slice();
  for (const [place, name] of commonNames) {
    const placeName = names.distinct[names.numbers[place] as number] as PlaceName;
    if (placeName.isRomanised) numbers[place] = distinct.push({ ...placeName, name }) - 1;
  }
  return { distinct, numbers };
}

/** `order` lists the collected places in their final order. */
function numberBreadthFirst(collected: CollectedPlaces, ranks: Uint32Array, ids: Uint8Array) {
  const levels: number[][] = Array.from({ length: LEVEL_COUNT }, () => []);
  collected.levels.forEach((level, place) => {
    levels[level - 1]?.push(place);
  });
  const order = new Uint32Array(collected.parents.length);
  const levelStarts = new Uint32Array(LEVEL_COUNT + 1);
  const numbers = new Uint32Array(collected.parents.length);
  const parentNumbers = new Uint32Array(collected.parents.length);
  let next = 0;
  levels.forEach((places, index) => {
    levelStarts[index] = next;
    for (const place of places) {
      const parent = collected.parents[place] as number;
      parentNumbers[place] = parent === -1 ? 0 : (numbers[parent] as number);
    }
    places.sort(
      (a, b) =>
        (parentNumbers[a] as number) - (parentNumbers[b] as number) ||
        (ranks[a] as number) - (ranks[b] as number) ||
        comparePlaceIds(ids, a, b),
    );
    for (const place of places) {
      numbers[place] = next;
      order[next++] = place;
    }
  });
  levelStarts[LEVEL_COUNT] = next;
  return { order, levelStarts };
}

function findChildStarts(parents: Uint32Array, rootCount: number): Uint32Array {
  const childStarts = new Uint32Array(parents.length + 1);
  let child = rootCount;
  for (let place = 0; place < parents.length; place++) {
    childStarts[place] = child;
    while (child < parents.length && parents[child] === place) child++;
  }
  childStarts[parents.length] = parents.length;
  return childStarts;
}

/** Gives every admin unit the spherical mean of its leaves, from the deepest level up. */
function locateUnits(
  tree: Pick<CountryTree, 'placeCount' | 'parents' | 'childStarts' | 'types' | 'latitudes' | 'longitudes'>,
): void {
  const { placeCount, parents, childStarts, types, latitudes, longitudes } = tree;
  const means = new SphericalMeans(placeCount);
  for (let place = placeCount - 1; place >= 0; place--) {
    if (types[place] === LEAF_TYPE) {
      means.addPoint(place, latitudes[place] as number, longitudes[place] as number);
    } else {
      const mean = means.get(place);
      // Leaves on opposite sides of the globe cancel each other out: the position of any child is as good.
      latitudes[place] = mean?.latitude ?? (latitudes[childStarts[place] as number] as number);
      longitudes[place] = mean?.longitude ?? (longitudes[childStarts[place] as number] as number);
    }
    if (parents[place] !== NO_PARENT) means.addSum(parents[place] as number, place);
  }
}

/** Slugs are made of names as they were released: see place-names.ts. */
function nameThePaths(
  tree: Pick<CountryTree, 'placeCount' | 'parents' | 'ids' | 'names' | 'postalCodes' | 'levelStarts'>,
  childStarts: Uint32Array,
  releasedNames: readonly string[],
): Pick<CountryTree, 'slugs' | 'paths'> {
  const slugger = new Slugger(releasedNames, tree.postalCodes, orderByReleasedName(tree, releasedNames));
  slugger.assign(0, tree.levelStarts[1] as number);
  for (let place = 0; place < tree.placeCount; place++) {
    slugger.assign(childStarts[place] as number, childStarts[place + 1] as number);
  }
  const { slugs } = slugger;
  const paths: string[] = [];
  slugs.forEach((slug, place) => {
    const parent = tree.parents[place] as number;
    paths.push(parent === NO_PARENT ? `/${slug}` : `${paths[parent]}/${slug}`);
  });
  return { slugs, paths };
}

/** Compares siblings by released name, then id. Most countries release the names that places have: then by number. */
function orderByReleasedName(
  { ids, names }: Pick<CountryTree, 'ids' | 'names'>,
  releasedNames: readonly string[],
): (placeA: number, placeB: number) => number {
  if (releasedNames.every((name, place) => name === names[place])) return (a, b) => a - b;
  const rankByName = rankNames(releasedNames);
  const ranks = Uint32Array.from(releasedNames, (name) => rankByName.get(name) as number);
  return (a, b) => (ranks[a] as number) - (ranks[b] as number) || comparePlaceIds(ids, a, b);
}
