/**
 * Applies a gazetteer to the tree of a country: adds synthesised cities (synthesised-cities.ts), replaces romanised
 * names by common ones, and moves places that the release has far from their city. Returns the changed tree and the
 * matches by its place numbers; both are unchanged if the gazetteer changes nothing.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { isCoarsePositionAt, POSITION_SOURCES } from '../../src/core/snapshot/place-positions.js';
import type { Position } from '../../src/core/snapshot/sphere.js';
import { listGazetteerNames, type NamedCity } from '../gazetteer/read-gazetteer.js';
import { needsRomanising } from '../naming/romanising.js';
import { appendToGroup } from '../ordering/grouping.js';
import { amendTree } from '../tree/amended-tree.js';
import type { CountryTree } from '../tree/country-tree.js';
import { isTooWideForMainPlace } from './choose-main-place.js';
import { type CityMatch, MATCH_KINDS } from './city-match.js';
import { CitySites } from './city-sites.js';
import { cityRadiusKm } from './city-size.js';
import { NEAR_KM } from './distance-limits.js';
import { matchMisplaced } from './misplaced-cities.js';
import { planSynthesisedCities } from './synthesised-cities.js';
import { TreeAreas } from './tree-areas.js';

/** Countries that romanise by law, where the gazetteer has many names in older systems: Chinju, Kimhae. */
const WELL_ROMANISED: ReadonlySet<string> = new Set(['KR']);
/** A sign for a silent letter, typical of scholarly romanisation: Mezgor'e. */
const SCHOLARLY = /['’ʹ]/;
/** The number of a post office after the folded name of its town: "Kazan 4". */
const NUMBER = / \d+$/;

const BY_HAND = POSITION_SOURCES.indexOf('hand');

/** How a city was matched; `inside`: a place was synthesised inside an admin unit, without any matching place. */
export const PLACED_KINDS = [...MATCH_KINDS.slice(0, -2), 'inside', 'in larger city', 'none'] as const;
export type PlacedKind = (typeof PLACED_KINDS)[number];

/** A match; if the city was synthesised, its place is the only one in `places`. */
export interface PlacedCity extends Omit<CityMatch, 'kind'> {
  readonly kind: PlacedKind;
  readonly isSynthesised: boolean;
}

export interface PlacedCities {
  readonly tree: CountryTree;
  readonly cities: readonly PlacedCity[];
  /** Number of places with a common name instead of the romanised one. */
  readonly renamedCount: number;
  /** Number of the release's places that have the gazetteer's coordinates. */
  readonly movedCount: number;
}

export function placeCitiesInTree(
  tree: CountryTree,
  found: readonly CityMatch[],
  areas: TreeAreas = new TreeAreas(tree),
): PlacedCities {
  const sites = new CitySites(tree, areas, found);
  const matches = matchMisplaced(tree, areas, found, sites);
  const synthesised = planSynthesisedCities(tree, areas, matches, sites);
  const names = findCommonNames(tree, matches);
  const positions = findPositions(tree, areas, matches, synthesised);
  if (synthesised.size === 0 && names.size === 0 && positions.size === 0) {
    return {
      tree,
      cities: matches.map((match) => ({ ...match, isSynthesised: false })),
      renamedCount: 0,
      movedCount: 0,
    };
  }
  const amended = amendTree(tree, { added: [...synthesised.values()], names, positions });
  const renumber = (place: number): number => amended.numbers[place] as number;
  let added = tree.placeCount;
  const cities = matches.map((match, index): PlacedCity => {
    const parts = match.parts.map(renumber).sort((a, b) => a - b);
    if (!synthesised.has(index)) return { ...match, places: match.places.map(renumber), parts, isSynthesised: false };
    // The matched place (a wide unit of the city's name, or its chief post office) stays a separate place.
    const kind = match.kind === 'none' || match.kind === 'in larger city' ? 'inside' : match.kind;
    return { ...match, kind, places: [renumber(added++)], parts, isWider: false, isSynthesised: true };
  });
  return { tree: amended.tree, cities, renamedCount: names.size, movedCount: positions.size };
}

/**
 * The gazetteer's positions for places far from their city: its leaves, its units no wider than the city, and its
 * numbered post offices ("Kazan 4") with coarse coordinates.
 */
function findPositions(
  tree: CountryTree,
  areas: TreeAreas,
  matches: readonly CityMatch[],
  synthesised: ReadonlyMap<number, unknown>,
): ReadonlyMap<number, Position> {
  const positions = new Map<number, Position>();
  const officesOf = coarseLeavesByName(tree, areas);
  /** Whether a place lies outside the city and its surroundings, and was not placed by a correction. */
  const isOutside = (place: number, { latitude, longitude, population }: NamedCity): boolean =>
    tree.sources[place] !== BY_HAND && areas.kmTo(latitude, longitude, place) > cityRadiusKm(population) + NEAR_KM;
  matches.forEach(({ city, kind, places, isFar, isWider }, index) => {
    const [first] = places;
    if (first === undefined || kind === 'shared place' || synthesised.has(index)) return;
    // A unit lies in the middle of its leaves, which is seldom the middle of the city that it is.
    if (!areas.isLeaf(first) && !isWider && tree.sources[first] !== BY_HAND) positions.set(first, city);
    for (const office of officesOf(city, areas.rootOf(first))) positions.set(office, city);
    // A corrected place near the city doesn't confirm the positions of the city's other places.
    if (!isFar && !places.some((place) => tree.sources[place] === BY_HAND)) return;
    for (const place of places.filter((one) => isOutside(one, city))) {
      if (areas.isLeaf(place) || !isTooWideForMainPlace(areas, city, place)) positions.set(place, city);
    }
  });
  return positions;
}

/** Finds the coarse leaves of a first-level unit with a city's name, followed by a number or not. */
function coarseLeavesByName(tree: CountryTree, areas: TreeAreas): (city: NamedCity, root: number) => readonly number[] {
  const byName = new Map<string, number[]>();
  for (let place = 0; place < tree.placeCount; place++) {
    if (!isCoarsePositionAt(tree.sources, place)) continue;
    const names = [tree.names[place] as string, tree.localNames[place] as string];
    for (const name of new Set(names.map((one) => foldText(one).replace(NUMBER, '')))) {
      const key = `${areas.rootOf(place)} ${name}`;
      appendToGroup(byName, key, place);
    }
  }
  return (city, root) =>
    byName.size === 0
      ? []
      : [city.name, ...listGazetteerNames(city)].flatMap((name) => byName.get(`${root} ${foldText(name)}`) ?? []);
}

/**
 * The gazetteer's names, by place, that replace romanised ones. The release's name of the place must be one of the
 * city's names in full: a district that matched by its core name keeps its own name.
 */
function findCommonNames(tree: CountryTree, matches: readonly CityMatch[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  if (WELL_ROMANISED.has(tree.countryCode)) return names;
  for (const { city, kind, places, isWider } of matches) {
    const [first] = places;
    if (first === undefined || kind === 'shared place' || isWider || tree.isRomanised[first] === 0) continue;
    if (needsRomanising(city.name) || SCHOLARLY.test(city.name)) continue;
    const released = foldText(tree.localNames[first] as string);
    if (![city.name, ...listGazetteerNames(city)].some((name) => foldText(name) === released)) continue;
    for (const place of places) {
      if (tree.isRomanised[place] === 0 || tree.localNames[place] !== tree.localNames[first]) continue;
      // A difference only in accents and apostrophes is no reason to rename: Ust’-Katav.
      if (foldText(tree.names[place] as string) !== foldText(city.name)) names.set(place, city.name);
    }
  }
  return names;
}
