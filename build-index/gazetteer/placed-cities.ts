/**
 * What a gazetteer changes in the tree of a country: cities that the release has in parts only
 * or not at all become places (made-cities.ts), a city whose name is romanised has the name that people use, and one that
 * the release has far off lies where the gazetteer has it. Returns the changed tree, and the matches by its numbers; both
 * as they were where nothing is to be changed.
 */
import { foldText } from '../../src/format/fold-text.js';
import { isCoarse, POSITION_SOURCES } from '../../src/format/place-positions.js';
import { isInAnotherScript } from '../naming/romanising.js';
import { amendTree } from '../tree/amended-tree.js';
import type { CountryTree } from '../tree/country-tree.js';
import type { Position } from '../tree/spherical-mean.js';
import { planMadeCities } from './made-cities.js';
import { type CityMatch, MATCH_KINDS } from './match-cities.js';
import { cityRadiusKm, NEAR_KM } from './nearness.js';
import { isWiderThan } from './place-order.js';
import { listNames, type NamedCity } from './read-gazetteer.js';
import { TreeAreas } from './tree-areas.js';

/** Their names are romanised by law, while the gazetteer has many by older systems: Chinju, Kimhae. */
const WELL_ROMANISED: ReadonlySet<string> = new Set(['KR']);
/** A letter without sound in a scholarly romanisation: Mezgor'e. */
const SCHOLARLY = /['’ʹ]/;
/** Behind the name of a town, folded, that of one of its post offices. */
const NUMBER = / \d+$/;

const BY_HAND = POSITION_SOURCES.indexOf('hand');

/** How a city was found, or that a place was made for it among places of other names. */
export const PLACED_KINDS = [...MATCH_KINDS.slice(0, -2), 'amid', 'inside', 'none'] as const;
export type PlacedKind = (typeof PLACED_KINDS)[number];

/** A match with the place that was made for the city, if one was: then it is the first place, and the only one. */
export interface PlacedCity extends Omit<CityMatch, 'kind'> {
  readonly kind: PlacedKind;
  readonly isMade: boolean;
}

export interface PlacedCities {
  readonly tree: CountryTree;
  readonly cities: readonly PlacedCity[];
  /** How many places have another name than the romanised one. */
  readonly renamedCount: number;
  /** How many places of the release have the coordinates of the gazetteer. */
  readonly movedCount: number;
}

export function placeInTree(
  tree: CountryTree,
  matches: readonly CityMatch[],
  areas: TreeAreas = new TreeAreas(tree),
): PlacedCities {
  const made = planMadeCities(tree, areas, matches);
  const names = findCommonNames(tree, matches);
  const positions = findPositions(tree, areas, matches, made);
  if (made.size === 0 && names.size === 0 && positions.size === 0) {
    return { tree, cities: matches.map((match) => ({ ...match, isMade: false })), renamedCount: 0, movedCount: 0 };
  }
  const amended = amendTree(tree, { added: [...made.values()], names, positions });
  const renumber = (place: number): number => amended.numbers[place] as number;
  let added = tree.placeCount;
  const cities = matches.map((match, index): PlacedCity => {
    const parts = match.parts.map(renumber).sort((a, b) => a - b);
    if (!made.has(index)) return { ...match, places: match.places.map(renumber), parts, isMade: false };
    // The wide unit of the city's name, or its chief post office, is a place of its own.
    const kind = match.kind === 'none' || match.kind === 'inside' ? 'amid' : match.kind;
    return { ...match, kind, places: [renumber(added++)], parts, isWider: false, isMade: true };
  });
  return { tree: amended.tree, cities, renamedCount: names.size, movedCount: positions.size };
}

/**
 * The gazetteer's positions of cities that the release has far off: of the leaves, of units no wider than the city, and of
 * post offices that are numbered after the city ("Kazan 4") and whose coordinates are coarse.
 */
function findPositions(
  tree: CountryTree,
  areas: TreeAreas,
  matches: readonly CityMatch[],
  made: ReadonlyMap<number, unknown>,
): ReadonlyMap<number, Position> {
  const positions = new Map<number, Position>();
  const officesOf = coarseLeavesByName(tree, areas);
  /** Whether a place that was not put there by hand lies outside the city and around. */
  const isOutside = (place: number, { latitude, longitude, population }: NamedCity): boolean =>
    tree.sources[place] !== BY_HAND && areas.kmTo(latitude, longitude, place) > cityRadiusKm(population) + NEAR_KM;
  matches.forEach(({ city, places, isFar }, index) => {
    const [first] = places;
    if (first === undefined || made.has(index)) return;
    for (const office of officesOf(city, areas.rootOf(first))) positions.set(office, city);
    // One place of a city that is right by hand says nothing for the others.
    if (!isFar && !places.some((place) => tree.sources[place] === BY_HAND)) return;
    for (const place of places.filter((one) => isOutside(one, city))) {
      if (areas.isLeaf(place) || !isWiderThan(areas, city, place)) positions.set(place, city);
    }
  });
  return positions;
}

/** Finds the coarse leaves of a first-level unit that bear a city's name, with a number behind it or without. */
function coarseLeavesByName(tree: CountryTree, areas: TreeAreas): (city: NamedCity, root: number) => readonly number[] {
  const byName = new Map<string, number[]>();
  for (let place = 0; place < tree.placeCount; place++) {
    if (!isCoarse(POSITION_SOURCES[tree.sources[place] as number])) continue;
    const names = [tree.names[place] as string, tree.localNames[place] as string];
    for (const name of new Set(names.map((one) => foldText(one).replace(NUMBER, '')))) {
      const key = `${areas.rootOf(place)} ${name}`;
      const leaves = byName.get(key);
      if (leaves === undefined) byName.set(key, [place]);
      else leaves.push(place);
    }
  }
  return (city, root) =>
    byName.size === 0
      ? []
      : [city.name, ...listNames(city)].flatMap((name) => byName.get(`${root} ${foldText(name)}`) ?? []);
}

/**
 * The gazetteer's names of cities whose places have another, romanised one. What the release calls the place must be one
 * of the city's names as it stands: a district that the city was found in by the core of its name keeps its own.
 */
function findCommonNames(tree: CountryTree, matches: readonly CityMatch[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  if (WELL_ROMANISED.has(tree.countryCode)) return names;
  for (const { city, places, isWider } of matches) {
    const [first] = places;
    if (first === undefined || isWider || tree.isRomanised[first] === 0) continue;
    if (isInAnotherScript(city.name) || SCHOLARLY.test(city.name)) continue;
    const released = foldText(tree.localNames[first] as string);
    if (![city.name, ...listNames(city)].some((name) => foldText(name) === released)) continue;
    for (const place of places) {
      if (tree.isRomanised[place] === 0 || tree.localNames[place] !== tree.localNames[first]) continue;
      // The gazetteer's accents and apostrophes are no reason to rename: Ust’-Katav.
      if (foldText(tree.names[place] as string) !== foldText(city.name)) names.set(place, city.name);
    }
  }
  return names;
}
