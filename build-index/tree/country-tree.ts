/**
 * The tree of one country, from which every structure is built: places numbered breadth first, siblings by name then id
 * (see src/core/snapshot/place-tree.ts), with names, slugs, paths and coordinates. Built from the release alone;
 * amended-tree.ts applies a gazetteer. Memory: about 400 bytes per place.
 */

import { comparePlaceIds, copyId, createIds } from '../../src/core/snapshot/place-id.js';
import { isCoarsePositionAt, POSITION_SOURCES, type PositionSource } from '../../src/core/snapshot/place-positions.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { isLeafType, RECIPIENT_TYPE } from '../../src/core/snapshot/place-type.js';
import { POINT_TIERS } from '../../src/core/snapshot/point-index.js';
import { SphericalMeans } from '../../src/core/snapshot/sphere.js';
import { namePlaces, type PlaceName } from '../naming/place-names.js';
import { createNameOrder, rankNames } from '../ordering/name-order.js';
import { type CleanedPlaces, NO_UNIT } from './collected-places.js';
import { listFirstChildNumbers, numberBreadthFirst } from './numbering.js';
import { Slugger } from './slugs.js';

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
  /** 1 if the name is romanised, so that a common name may replace it. */
  readonly isRomanised: Uint8Array;
  /** The codes of a unit that people may search for, comma-separated; empty for a leaf. */
  readonly codes: readonly string[];
  /** `releaseCodes` of CollectedPlaces. */
  readonly releaseCodes: readonly (readonly [string, string])[];
  /** The rank of the place's name among the country's names; equal for equal names. */
  readonly nameRanks: Uint32Array;
  readonly paths: readonly string[];
  readonly slugs: readonly string[];
  readonly postalCodes: readonly (string | null)[];
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
  /** The source of the coordinates: an index into POSITION_SOURCES. */
  readonly sources: Uint8Array;
  /** The coordinates in the release; for a unit, the mean of its leaves'. */
  readonly releasedLatitudes: Float64Array;
  readonly releasedLongitudes: Float64Array;
  /** Other names of units, see CleanedPlaces. */
  readonly mergedNames: ReadonlyMap<number, readonly string[]>;
  /**
   * The first-level units of which the release has only a code: cities are matched as if the release had no such units.
   */
  readonly codeOnly: ReadonlySet<number>;
}

/** The codes of units that people search for: 2 to 6 characters with a letter, since a number means nothing to them. */
export const TYPED_CODE = /^(?=.{2,6}$)[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*$/;

export function buildCountryTree(collected: CleanedPlaces, countryCode: string): CountryTree {
  const placeCount = collected.parents.length;
  const { distinct, numbers: nameNumbers } = namePlaces(collected, countryCode);
  const rankByName = rankNames(distinct.map(({ name }) => name));
  const rankByNumber = Uint32Array.from(distinct, ({ name }) => rankByName.get(name) as number);
  const collectedRanks = nameNumbers.map((number) => rankByNumber[number] as number);

  const { order, numbers, levelStarts } = numberBreadthFirst(collected, collectedRanks, collected.ids);

  const tree = {
    countryCode,
    placeCount,
    levelStarts,
    parents: new Uint32Array(placeCount),
    ids: createIds(placeCount),
    types: new Uint8Array(placeCount),
    names: new Array<string>(placeCount),
    localNames: new Array<string>(placeCount),
    codes: new Array<string>(placeCount),
    releaseCodes: new Array<readonly [string, string]>(placeCount),
    isRomanised: new Uint8Array(placeCount),
    nameRanks: new Uint32Array(placeCount),
    postalCodes: new Array<string | null>(placeCount),
    latitudes: new Float64Array(placeCount),
    longitudes: new Float64Array(placeCount),
    sources: new Uint8Array(placeCount),
    releasedLatitudes: new Float64Array(placeCount),
    releasedLongitudes: new Float64Array(placeCount),
    mergedNames: new Map([...collected.mergedNames].map(([unit, names]) => [numbers[unit] as number, names])),
    codeOnly: new Set(Array.from(collected.codeOnly.keys(), (unit) => numbers[unit] as number)),
  };
  const releasedNames = new Array<string>(placeCount);
  for (let number = 0; number < placeCount; number++) {
    const place = order[number] as number;
    const parent = collected.parents[place] as number;
    const { name, localName, released, isRomanised } = distinct[nameNumbers[place] as number] as PlaceName;
    tree.parents[number] = parent === NO_UNIT ? NO_PARENT : (numbers[parent] as number);
    copyId(tree.ids, number, collected.ids, place);
    tree.types[number] = collected.types[place] as number;
    tree.names[number] = name;
    tree.localNames[number] = localName;
    tree.isRomanised[number] = isRomanised ? 1 : 0;
    releasedNames[number] = released;
    const codes = collected.codes[place] ?? null;
    tree.codes[number] = codes === null ? '' : [...codes].filter((code) => TYPED_CODE.test(code)).join(',');
    tree.releaseCodes[number] = collected.releaseCodes[place] as readonly [string, string];
    tree.nameRanks[number] = collectedRanks[place] as number;
    tree.postalCodes[number] = collected.postalCodes[place] as string | null;
    tree.latitudes[number] = collected.latitudes[place] as number;
    tree.longitudes[number] = collected.longitudes[place] as number;
    tree.sources[number] = POSITION_SOURCES.indexOf(collected.sources[place] as PositionSource);
    tree.releasedLatitudes[number] = collected.releasedLatitudes[place] as number;
    tree.releasedLongitudes[number] = collected.releasedLongitudes[place] as number;
  }
  const childStarts = listFirstChildNumbers(tree.parents, levelStarts[1] as number);
  locateUnits({ ...tree, childStarts });
  return { ...tree, childStarts, ...nameThePaths(tree, childStarts, releasedNames) };
}

/**
 * Sets the position of every admin unit, from the deepest level up: the spherical mean of its leaves in the first of
 * POINT_TIERS that has any.
 */
function locateUnits(
  tree: Pick<CountryTree, 'placeCount' | 'parents' | 'childStarts' | 'types' | 'sources' | 'latitudes' | 'longitudes'>,
): void {
  const { placeCount, parents, childStarts, types, latitudes, longitudes } = tree;
  const tiers = POINT_TIERS.map(() => new SphericalMeans(placeCount));
  for (let place = placeCount - 1; place >= 0; place--) {
    const parent = parents[place] as number;
    if (isLeafType(types[place])) {
      const means = tiers[tierOf(tree, place)] as SphericalMeans;
      means.addPoint(place, latitudes[place] as number, longitudes[place] as number);
      if (parent !== NO_PARENT) means.addSum(parent, place);
      continue;
    }
    const means = tiers.find((ofTier) => ofTier.countOf(place) > 0);
    const mean = means?.get(place);
    // Leaves on opposite sides of the globe have no mean: the first child's position is used.
    latitudes[place] = mean?.latitude ?? (latitudes[childStarts[place] as number] as number);
    longitudes[place] = mean?.longitude ?? (longitudes[childStarts[place] as number] as number);
    if (parent !== NO_PARENT) for (const ofTier of tiers) ofTier.addSum(parent, place);
  }
}

/** The tier of a leaf's point, an index into POINT_TIERS. */
export function tierOf({ types, sources }: Pick<CountryTree, 'types' | 'sources'>, leaf: number): number {
  if (types[leaf] === RECIPIENT_TYPE) return POINT_TIERS.indexOf('recipient');
  return POINT_TIERS.indexOf(isCoarsePositionAt(sources, leaf) ? 'coarse' : 'sure');
}

/** Computes slugs and paths from the released names: see place-names.ts. */
function nameThePaths(
  tree: Pick<CountryTree, 'placeCount' | 'parents' | 'ids' | 'types' | 'names' | 'postalCodes' | 'levelStarts'>,
  childStarts: Uint32Array,
  releasedNames: readonly string[],
): Pick<CountryTree, 'slugs' | 'paths'> {
  const isRecipient = (place: number): boolean => tree.types[place] === RECIPIENT_TYPE;
  const slugger = new Slugger(releasedNames, tree.postalCodes, isRecipient, orderByReleasedName(tree, releasedNames));
  slugger.assign(0, tree.levelStarts[1] as number);
  for (let place = 0; place < tree.placeCount; place++) {
    slugger.assign(childStarts[place] as number, childStarts[place + 1] as number);
  }
  const { slugs } = slugger;
  const paths = new Array<string>(tree.placeCount);
  slugs.forEach((slug, place) => {
    const parent = tree.parents[place] as number;
    paths[place] = parent === NO_PARENT ? `/${slug}` : `${paths[parent]}/${slug}`;
  });
  return { slugs, paths };
}

/** Compares siblings by released name, then id. If no released name was changed, the numbers have that order. */
function orderByReleasedName(
  { ids, names }: Pick<CountryTree, 'ids' | 'names'>,
  releasedNames: readonly string[],
): (placeA: number, placeB: number) => number {
  if (releasedNames.every((name, place) => name === names[place])) return (a, b) => a - b;
  // Few siblings are compared by name, so ranks of all names would take longer.
  const compare = createNameOrder();
  return (a, b) => compare(releasedNames[a] as string, releasedNames[b] as string) || comparePlaceIds(ids, a, b);
}
