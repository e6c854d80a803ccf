/**
 * Finds the unit in which a city without any matching place is synthesised:
 *
 *   - with leaves within INSIDE_KM: the first-level unit that holds most of the nearest ones, or else that of the nearest
 *     leaf. A smaller city lies in the district within NEAR_KM, so that a region's list of children stays short. If one
 *     unit is sure to be that of the city's admin code, only its leaves count: Guttenberg, across the river from New York,
 *     lies in New Jersey
 *   - farther from all leaves: the first-level unit in which most cities of the same admin code were found
 *   - otherwise, with data within DATA_KM, none: the city is a root
 *
 * A section that is named after its city ("Paris 13e Arrondissement") has no site, since a search finds the city.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { kmBetween } from '../../src/core/snapshot/sphere.js';
import { CAPITAL, SEAT, SECTION } from '../gazetteer/city-row.js';
import type { NamedCity } from '../gazetteer/read-gazetteer.js';
import { appendToGroup } from '../ordering/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import type { CityMatch } from './city-match.js';
import { cityRadiusKm, isSizeableCity, LARGE_CITY } from './city-size.js';
import { isWithinSameSpotLimit, NEAR_KM } from './distance-limits.js';
import type { TreeAreas } from './tree-areas.js';

/** Minimum share of a city's parts in its parent unit: some parts are in the wrong unit. */
export const UNIT_SHARE = 0.75;
/** Maximum distance of the leaves that decide the unit of a city without any matching place, in km. */
const INSIDE_KM = 25;
/** Maximum number of these leaves: more would reach beyond a border near the city. */
const MAX_LEAVES_INSIDE = 10;
/**
 * The radii of the search for these leaves, in km: a small one finds enough in a city, where there are thousands within
 * INSIDE_KM.
 */
const SEARCHED_KM = [1, 5, INSIDE_KM];
/** Maximum distance of the nearest leaf from a root city, in km: farther off the release does not cover the region. */
const DATA_KM = 200;
/** Minimum share of a code's cities in one first-level unit: below it the gazetteer's units are not the release's. */
const CODE_SHARE = 0.5;
/** The same, to be sure that the units are the same: some cities lie on the wrong side of a border. */
const SURE_CODE_SHARE = 0.9;
/** An index into PLACE_TYPES: the type of the units in the second column of the release. */
const DISTRICT_TYPE = 1;

interface RootOfCode {
  readonly root: number;
  /** The share of the code's cities in it. */
  readonly share: number;
}

export class CitySites {
  private readonly citiesByName = new Map<string, NamedCity[]>();
  private rootsByCode: ReadonlyMap<string, RootOfCode> | undefined;

  constructor(
    private readonly tree: CountryTree,
    private readonly areas: TreeAreas,
    private readonly matches: readonly CityMatch[],
  ) {
    for (const { city } of matches) {
      if (city.featureCode !== SECTION) appendToGroup(this.citiesByName, foldText(city.name), city);
    }
  }

  /** Whether a city needs a place, and a search for it would find nothing nearby. */
  isNowhere({ city, places, parts }: CityMatch): boolean {
    if (places.length > 0 || !isSizeableCity(city)) return false;
    const limitKm = cityRadiusKm(city.population) + NEAR_KM;
    return parts.every((part) => this.areas.kmTo(city.latitude, city.longitude, part) > limitKm);
  }

  /** NO_PARENT for a root; undefined if the city is not synthesised. */
  parentOf(city: NamedCity): number | undefined {
    if (this.isNamedAfterLarger(city)) return undefined;
    const near = this.listNearest(city);
    const [first] = near;
    if (first === undefined) return this.parentByCode(city);
    const { population, featureCode } = city;
    if (population >= LARGE_CITY || featureCode === CAPITAL || featureCode === SEAT) return this.regionOf(near);
    return this.districtOf(near.filter(({ km }) => km <= NEAR_KM)) ?? this.regionOf(near);
  }

  /** The nearest leaves within INSIDE_KM, nearest first: those in the unit of the city's code where there are some. */
  private listNearest(city: NamedCity): { leaf: number; km: number }[] {
    const { latitude, longitude } = city;
    const { latitudes, longitudes } = this.tree;
    const { root, share = 0 } = this.rootOfCode(city) ?? {};
    let [around, inUnit]: [number[], number[]] = [[], []];
    for (const radiusKm of SEARCHED_KM) {
      around = this.areas.leavesAround(latitude, longitude, radiusKm);
      inUnit = share < SURE_CODE_SHARE ? around : around.filter((leaf) => this.areas.rootOf(leaf) === root);
      if (inUnit.length >= MAX_LEAVES_INSIDE) break;
    }
    return (inUnit.length > 0 ? inUnit : around)
      .map((leaf) => ({
        leaf,
        km: kmBetween(latitude, longitude, latitudes[leaf] as number, longitudes[leaf] as number),
      }))
      .sort((a, b) => a.km - b.km || a.leaf - b.leaf)
      .slice(0, MAX_LEAVES_INSIDE);
  }

  private regionOf(near: readonly { readonly leaf: number }[]): number {
    const leaves = near.map(({ leaf }) => leaf);
    const [nearest] = leaves as [number];
    const root = this.areas.rootOf(nearest);
    return this.areas.unitsAround(leaves, UNIT_SHARE)[0] ?? (root === nearest ? NO_PARENT : root);
  }

  private districtOf(near: readonly { readonly leaf: number }[]): number | undefined {
    const leaves = near.map(({ leaf }) => leaf);
    const isDistrict = (unit: number): boolean => (this.tree.types[unit] as number) <= DISTRICT_TYPE;
    return this.areas.unitsAround(leaves, UNIT_SHARE).findLast(isDistrict);
  }

  private parentByCode(city: NamedCity): number | undefined {
    const found = this.rootOfCode(city);
    if (found !== undefined) return found.root;
    return this.areas.leavesAround(city.latitude, city.longitude, DATA_KM).length > 0 ? NO_PARENT : undefined;
  }

  /** The first-level unit in which most cities of the city's admin code were found. */
  private rootOfCode(city: NamedCity): RootOfCode | undefined {
    this.rootsByCode ??= this.findRootsByCode();
    return this.rootsByCode.get(city.adminCodes[0]);
  }

  /** By the gazetteer's admin code of level 1. */
  private findRootsByCode(): ReadonlyMap<string, RootOfCode> {
    const counts = new Map<string, Map<number, number>>();
    for (const { city, kind, places } of this.matches) {
      const [first] = places;
      const [code] = city.adminCodes;
      if (first === undefined || code === '' || kind === 'shared place') continue;
      const root = this.areas.rootOf(first);
      const ofCode = counts.get(code) ?? new Map<number, number>();
      counts.set(code, ofCode.set(root, (ofCode.get(root) ?? 0) + 1));
    }
    const roots = new Map<string, RootOfCode>();
    for (const [code, ofCode] of counts) {
      const total = [...ofCode.values()].reduce((sum, count) => sum + count, 0);
      for (const [root, count] of ofCode) {
        const share = count / total;
        if (!this.areas.isLeaf(root) && share > CODE_SHARE) roots.set(code, { root, share });
      }
    }
    return roots;
  }

  private isNamedAfterLarger({ name, latitude, longitude, population, featureCode }: NamedCity): boolean {
    if (featureCode !== SECTION) return false;
    const folded = foldText(name);
    for (let space = folded.indexOf(' '); space !== -1; space = folded.indexOf(' ', space + 1)) {
      const larger = this.citiesByName.get(folded.slice(0, space)) ?? [];
      const isInside = larger.some(
        (one) =>
          one.population > population &&
          isWithinSameSpotLimit(kmBetween(latitude, longitude, one.latitude, one.longitude), one.population),
      );
      if (isInside) return true;
    }
    return false;
  }
}
