/**
 * The tree of one country, from which every structure is built: places numbered breadth first, siblings by name then id
 * (see src/core/snapshot/place-tree.ts), with names, slugs, paths and coordinates. Built from the release alone;
 * amended-tree.ts applies a gazetteer. Memory: about 400 bytes per place.
 */

import { comparePlaceIds, copyId, createIds } from '../../src/core/snapshot/place-id.js';
import { isCoarseAt, POSITION_SOURCES, type PositionSource } from '../../src/core/snapshot/place-positions.js';
import { LEVEL_COUNT, NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { isLeafType, RECIPIENT_TYPE } from '../../src/core/snapshot/place-type.js';
import { POINT_TIERS } from '../../src/core/snapshot/point-index.js';
import { distinctionSlugOf, slugOf } from '../../src/core/snapshot/slug.js';
import { SphericalMeans } from '../../src/core/snapshot/sphere.js';
import { namePlaces, type PlaceName } from '../naming/place-names.js';
import { NO_UNIT, type TreePlaces } from './collecting.js';
import { compareCodePoints, createNameOrder, rankNames } from './name-order.js';
import { sortByKeys } from './sort-keys.js';

/*
 * Numbers places breadth first: all roots, then the children of place 0, of place 1, and so on; siblings by name, then
 * id. Only this file decides the order of places.
 */

/** Places in any order with each parent before its children. */
export interface UnnumberedPlaces {
  /** The index of each place's parent; any value for a root. */
  readonly parents: ArrayLike<number>;
  /** Levels from 1 (roots). */
  readonly levels: ArrayLike<number>;
}

export interface Numbering {
  /** The index of the place of each number. */
  readonly order: Uint32Array;
  /** The number of the place of each index. */
  readonly numbers: Uint32Array;
  readonly levelStarts: Uint32Array;
}

/** More ranks of names, and more places, than the largest release allows: the product of two is an exact number. */
const MAX_RANKS = 2 ** 26;

/** `ranks` are the ranks of the places' names, `ids` is a list of ids; both by index. */
export function numberBreadthFirst(
  { parents, levels }: UnnumberedPlaces,
  ranks: ArrayLike<number>,
  ids: Uint8Array,
): Numbering {
  const placeCount = parents.length;
  const placesByLevel: number[][] = Array.from({ length: LEVEL_COUNT }, () => []);
  for (let place = 0; place < placeCount; place++) placesByLevel[(levels[place] as number) - 1]?.push(place);
  const order = new Uint32Array(placeCount);
  const levelStarts = new Uint32Array(LEVEL_COUNT + 1);
  const numbers = new Uint32Array(placeCount);
  let next = 0;
  placesByLevel.forEach((places, index) => {
    levelStarts[index] = next;
    const keys = Float64Array.from(places, (place) => {
      const parent = index === 0 ? 0 : (numbers[parents[place] as number] as number);
      return parent * MAX_RANKS + (ranks[place] as number);
    });
    for (const at of sortByKeys(keys, (a, b) => comparePlaceIds(ids, places[a] as number, places[b] as number))) {
      const place = places[at] as number;
      numbers[place] = next;
      order[next++] = place;
    }
  });
  levelStarts[LEVEL_COUNT] = next;
  return { order, numbers, levelStarts };
}

/** The first child of each place and, last, the number of places. `parents` is indexed by place number. */
export function findChildStarts(parents: Uint32Array, rootCount: number): Uint32Array {
  const childStarts = new Uint32Array(parents.length + 1);
  let child = rootCount;
  for (let place = 0; place < parents.length; place++) {
    childStarts[place] = child;
    while (child < parents.length && parents[child] === place) child++;
  }
  childStarts[parents.length] = parents.length;
  return childStarts;
}

/*
 * Slugs from released names as cleaning corrects them, unique among siblings. The plain slug of a name goes to an admin unit first, then to the
 * locality with the lowest postal code, then to the recipient with the lowest, then by name and id. Every other sibling
 * appends its postal code and, if that slug is taken, a counter from 2. Plain slugs are assigned before extended slugs,
 * so an extended slug never takes a plain one.
 */

/**
 * Assigns slugs to one range of siblings after another. Caches the plain slug of each name, since names repeat a lot.
 */
export class Slugger {
  /** The slugs assigned so far, by place number. */
  readonly slugs: string[] = [];
  private readonly plainSlugs = new Map<string, string>();

  /**
   * `names` are the released names and `postalCodes` the codes (null for admin units) of all places, by place number.
   * `compareSiblings` orders places by released name, then id.
   */
  constructor(
    private readonly names: readonly string[],
    private readonly postalCodes: readonly (string | null)[],
    private readonly isRecipient: (place: number) => boolean,
    private readonly compareSiblings: (placeA: number, placeB: number) => number,
  ) {}

  /** Assigns slugs to the siblings from `start` (the number of slugs so far) to `end` (excluded). */
  assign(start: number, end: number): void {
    for (let place = start; place < end; place++) this.slugs.push(this.plainSlug(place));
    if (end - start < 2) return;
    const taken = new Set<string>();
    for (let place = start; place < end; place++) taken.add(this.slugs[place] as string);
    if (taken.size < end - start) this.resolveConflicts(start, end, taken);
  }

  private resolveConflicts(start: number, end: number, taken: Set<string>): void {
    const claimants = Array.from({ length: end - start }, (_, index) => start + index);
    claimants.sort(
      (a, b) =>
        Number(this.isRecipient(a)) - Number(this.isRecipient(b)) ||
        compareByCode(this.postalCodes[a] ?? null, this.postalCodes[b] ?? null) ||
        this.compareSiblings(a, b),
    );
    const plainGiven = new Set<string>();
    const counters = new Map<string, number>();
    for (const place of claimants) {
      const plain = this.slugs[place] as string;
      if (!plainGiven.has(plain)) {
        plainGiven.add(plain);
        continue;
      }
      const postalCode = this.postalCodes[place] ?? null;
      const base = [plain, distinctionSlugOf(postalCode ?? '')].filter((part) => part !== '').join('-');
      let slug = base;
      for (let count = counters.get(base) ?? 2; taken.has(slug); count++) {
        slug = `${base}-${count}`;
        counters.set(base, count + 1);
      }
      taken.add(slug);
      this.slugs[place] = slug;
    }
  }

  private plainSlug(place: number): string {
    const name = this.names[place] as string;
    let slug = this.plainSlugs.get(name);
    if (slug === undefined) {
      slug = slugOf(name);
      this.plainSlugs.set(name, slug);
    }
    return slug || slugOf(this.postalCodes[place] ?? '') || 'place';
  }
}

/** Admin units (without a code) first, then leaves by code. */
function compareByCode(codeA: string | null, codeB: string | null): number {
  if (codeA === codeB) return 0;
  if (codeA === null) return -1;
  if (codeB === null) return 1;
  return compareCodePoints(codeA, codeB);
}

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
  /** Other names of units, see TreePlaces. */
  readonly mergedNames: ReadonlyMap<number, readonly string[]>;
  /**
   * The first-level units of which the release has only a code: cities are matched as if the release had no such units.
   */
  readonly codeOnly: ReadonlySet<number>;
}

/** The codes of units that people search for: 2 to 6 characters with a letter, since a number means nothing to them. */
export const TYPED_CODE = /^(?=.{2,6}$)[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*$/;

export function buildCountryTree(collected: TreePlaces, countryCode: string): CountryTree {
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
  const childStarts = findChildStarts(tree.parents, levelStarts[1] as number);
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
  return POINT_TIERS.indexOf(isCoarseAt(sources, leaf) ? 'coarse' : 'sure');
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
