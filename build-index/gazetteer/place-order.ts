/**
 * Chooses a city's main place, the place that people mean: the widest admin unit with most of its leaves in the city
 * (the state Berlin; the municipality Barcelona, not the province). Without such a unit, a leaf of the name (Los
 * Angeles, since its county is wider than the city); without such a leaf, the smallest unit of the name.
 */

import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { groupBy } from '../ordering/grouping.js';
import { compareCodePoints } from '../ordering/name-order.js';
import type { CountryTree } from '../tree/country-tree.js';
import type { City } from './city-row.js';
import type { NamedCity } from './read-gazetteer.js';
import { type Agreement, cityRadiusKm, SAME_SPOT_KM, type TreeAreas, wideRadiusKm } from './tree-areas.js';

/**
 * Minimum share of a unit's leaves in the city, or at its edge, for the unit to be the city: some positions are wrong.
 */
const CITY_SHARE = 0.75;

export function isCity(areas: TreeAreas, city: NamedCity, place: number): boolean {
  return isFilledBy(areas, city, place, cityRadiusKm(city.population) + SAME_SPOT_KM);
}

/** Whether a unit is far wider than the city. */
export function isWiderThan(areas: TreeAreas, city: NamedCity, place: number): boolean {
  return !isFilledBy(areas, city, place, wideRadiusKm(city.population));
}

/** Whether most of a place's leaves lie in the city or, if the release has them all elsewhere, close together. */
function isFilledBy(areas: TreeAreas, city: NamedCity, place: number, radiusKm: number): boolean {
  const share = areas.shareWithin(place, city, radiusKm);
  return share > 0 ? share >= CITY_SHARE : areas.shareWithin(place, areas.middleOf(place), radiusKm) >= CITY_SHARE;
}

/**
 * Puts the main place first: a place of `isBest` if one is no wider than the city, otherwise a place of `mayBe`, which
 * includes those of `isBest`.
 */
export function orderPlaces(
  tree: CountryTree,
  areas: TreeAreas,
  city: NamedCity,
  places: readonly number[],
  isBest: (place: number) => boolean,
  mayBe: (place: number) => boolean,
): { places: number[]; isWider: boolean } {
  const ascending = [...places].sort((a, b) => a - b);
  const all = new Set(ascending);
  const best = chooseFirst(tree, areas, city, ascending.filter(isBest), all);
  const chosen = best.isWider ? chooseFirst(tree, areas, city, ascending.filter(mayBe), all) : best;
  return { places: [chosen.first, ...ascending.filter((place) => place !== chosen.first)], isWider: chosen.isWider };
}

function chooseFirst(
  tree: CountryTree,
  areas: TreeAreas,
  city: NamedCity,
  places: readonly number[],
  all: ReadonlySet<number>,
): { first: number; isWider: boolean } {
  const units = places.filter((place) => !areas.isLeaf(place));
  const whole = units.find((unit) => isCity(areas, city, unit));
  const leaves = places.filter((place) => areas.isLeaf(place));
  const first = whole ?? mainLeaf(tree, areas, city, leaves, all);
  if (first !== undefined) return { first, isWider: false };
  const smallest = units.at(-1) as number;
  return { first: smallest, isWider: isWiderThan(areas, city, smallest) };
}

/**
 * The leaf of the lowest code, among the leaves near the nearest one, in the best unit: first a unit that is one of the
 * city's places or lies in one, then the unit with the most leaves, then the nearest unit. Undefined without leaves.
 */
function mainLeaf(
  tree: CountryTree,
  areas: TreeAreas,
  { latitude, longitude, population }: NamedCity,
  leaves: readonly number[],
  all: ReadonlySet<number>,
): number | undefined {
  const leavesByUnit = groupBy(leaves, (leaf) => tree.parents[leaf] as number);
  const units = [...all].filter((place) => !areas.isLeaf(place));
  const reachKm = cityRadiusKm(population) + SAME_SPOT_KM;
  const keepNearest = (siblings: readonly number[]): readonly number[] => {
    const distances = siblings.map((leaf) => areas.kmTo(latitude, longitude, leaf));
    const limitKm = Math.max(reachKm, Math.min(...distances) + SAME_SPOT_KM);
    return siblings.filter((_, index) => (distances[index] as number) <= limitKm);
  };
  const groups = [...leavesByUnit].map(([unit, siblings]) => ({
    siblings: keepNearest(siblings),
    // Leaves without a unit have depth 0.
    depth: unit === NO_PARENT ? 0 : units.filter((place) => place === unit || areas.isWithin(unit, place)).length,
    km: Math.min(...siblings.map((leaf) => areas.kmTo(latitude, longitude, leaf))),
  }));
  groups.sort((a, b) => b.depth - a.depth || b.siblings.length - a.siblings.length || a.km - b.km);
  const codeOf = (leaf: number): string => tree.postalCodes[leaf] ?? '';
  return groups[0]?.siblings.toSorted((a, b) => compareCodePoints(codeOf(a), codeOf(b)) || a - b)[0];
}

/*
 * Decides whether a place lies in the admin unit of a city. Gazetteer and release use the same authority's codes in
 * some countries (CN, FR, US) and different ones in others (DE). The country's surest matches show which: where nearly
 * all have equal codes, codes are compared. Elsewhere each gazetteer code is mapped to the release's codes or units in
 * which its cities were found.
 */

/** Minimum number of sure matches before codes are compared: fewer may agree by chance. */
const MIN_SURE_MATCHES = 5;
/** Minimum share of sure matches with equal codes for one authority's codes; the rest allows for reformed units. */
const AGREEING_SHARE = 0.97;
/** Minimum number of cities with a gazetteer code before a unit without any of them counts as different. */
const MIN_CITIES_OF_CODE = 5;
/** Minimum share of a gazetteer code's cities in a unit for the two to be the same; below it they are strays. */
const MIN_SHARE_OF_CODE = 0.1;

export class AdminAgreement {
  private sureMatches = 0;
  private equalCodes = 0;
  private readonly unitsByCode = new Map<string, { cities: number; readonly units: Map<string, number> }>();

  /**
   * `level` (1 or 2) selects the admin codes to compare. `releaseCodes` holds all codes of that level in the country's
   * rows.
   */
  constructor(
    private readonly level: 1 | 2,
    private readonly releaseCodes: ReadonlySet<string>,
  ) {}

  /**
   * Learns from a city whose place is known. `units` are the codes or other keys of the release's units that hold the
   * nearby places of the city's name.
   */
  learn(city: City, units: ReadonlySet<string>): void {
    const code = this.codeOf(city);
    if (code === '' || units.size === 0) return;
    this.sureMatches++;
    if (units.has(code)) this.equalCodes++;
    const known = this.unitsByCode.get(this.keyOf(city)) ?? { cities: 0, units: new Map<string, number>() };
    this.unitsByCode.set(this.keyOf(city), known);
    known.cities++;
    for (const unit of units) known.units.set(unit, (known.units.get(unit) ?? 0) + 1);
  }

  agreementOf(city: City, unit: string): Agreement {
    const code = this.codeOf(city);
    if (code === '' || unit === '') return 'unknown';
    if (this.sureMatches >= MIN_SURE_MATCHES && this.equalCodes >= AGREEING_SHARE * this.sureMatches) {
      if (code === unit) return 'same';
      // A code that the release lacks may be an older or newer one of the same unit.
      return this.releaseCodes.has(code) ? 'different' : 'unknown';
    }
    const known = this.unitsByCode.get(this.keyOf(city));
    if (known === undefined) return 'unknown';
    const here = known.units.get(unit) ?? 0;
    // A count of one may be the city that is being matched.
    if (here <= 1) return known.cities >= MIN_CITIES_OF_CODE ? 'different' : 'unknown';
    return here >= MIN_SHARE_OF_CODE * known.cities ? 'same' : 'unknown';
  }

  private codeOf({ adminCodes }: City): string {
    return adminCodes[this.level - 1] as string;
  }

  /** Includes the code of level 1: units of level 1 may reuse each other's codes of level 2. */
  private keyOf({ adminCodes }: City): string {
    return adminCodes.slice(0, this.level).join('.');
  }
}
