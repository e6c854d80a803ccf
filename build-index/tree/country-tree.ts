/**
 * The tree of one country, from which every structure is built: places numbered breadth first, siblings by name then id
 * (see src/format/place-tree.ts), with names, slugs, paths and coordinates. Built of the release alone; what a gazetteer
 * changes in it is told in amended-tree.ts. Memory: about 400 bytes for each place.
 */

import { comparePlaceIds, createIds, idAt, setIds } from '../../src/format/place-id.js';
import { LEAF_TYPE } from '../../src/format/place-levels.js';
import { NO_PARENT } from '../../src/format/place-tree.js';
import { namePlaces, type PlaceName } from '../naming/place-names.js';
import type { CollectedPlaces } from './collecting.js';
import { rankNames } from './name-order.js';
import { findChildStarts, numberBreadthFirst } from './numbering.js';
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
  /** 1 where the name is romanised, so that a name that people use may take its place. */
  readonly isRomanised: Uint8Array;
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

export function buildCountryTree(collected: CollectedPlaces, countryCode: string): CountryTree {
  const placeCount = collected.parents.length;
  const { distinct, numbers: nameNumbers } = namePlaces(collected, countryCode);
  const rankByName = rankNames(distinct.map(({ name }) => name));
  const rankByNumber = Uint32Array.from(distinct, ({ name }) => rankByName.get(name) as number);
  const collectedIds = identifyPlaces(collected, countryCode);
  const collectedRanks = nameNumbers.map((number) => rankByNumber[number] as number);

  const { order, numbers, levelStarts } = numberBreadthFirst(collected, collectedRanks, collectedIds);

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
    isRomanised: new Uint8Array(placeCount),
    nameRanks: new Uint32Array(placeCount),
    postalCodes: [] as (string | null)[],
    latitudes: new Float64Array(placeCount),
    longitudes: new Float64Array(placeCount),
  };
  const releasedNames: string[] = [];
  for (let number = 0; number < placeCount; number++) {
    const place = order[number] as number;
    const parent = collected.parents[place] as number;
    const { name, localName, released, isRomanised } = distinct[nameNumbers[place] as number] as PlaceName;
    tree.parents[number] = parent === -1 ? NO_PARENT : (numbers[parent] as number);
    setIds(tree.ids, number, idAt(collectedIds, place));
    tree.types[number] = collected.types[place] as number;
    tree.names.push(name);
    tree.localNames.push(localName);
    tree.isRomanised[number] = isRomanised ? 1 : 0;
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
