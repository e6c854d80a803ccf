/**
 * What a gazetteer changes in the tree of a country: cities that the release has in parts only
 * or not at all become places (made-cities.ts), a city whose name is romanised has the name that people use, and one that
 * the release has far off lies where the gazetteer has it. Returns the changed tree, and the matches by its numbers; both
 * as they were where nothing is to be changed.
 */
import { foldText } from '../../src/format/fold-text.js';
import { isInAnotherScript } from '../naming/romanising.js';
import { amendTree } from '../tree/amended-tree.js';
import type { CountryTree } from '../tree/country-tree.js';
import type { Position } from '../tree/spherical-mean.js';
import { planMadeCities } from './made-cities.js';
import { type CityMatch, MATCH_KINDS } from './match-cities.js';
import { isWiderThan } from './place-order.js';
import { listNames } from './read-gazetteer.js';
import { TreeAreas } from './tree-areas.js';

/** Their names are romanised by law, while the gazetteer has many by older systems: Chinju, Kimhae. */
const WELL_ROMANISED: ReadonlySet<string> = new Set(['KR']);
/** A letter without sound in a scholarly romanisation: Mezgor'e. */
const SCHOLARLY = /['’ʹ]/;

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
  const positions = findPositions(areas, matches, made);
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

/** The gazetteer's positions of cities that the release has far off: of the leaves, and of units no wider than the city. */
function findPositions(
  areas: TreeAreas,
  matches: readonly CityMatch[],
  made: ReadonlyMap<number, unknown>,
): ReadonlyMap<number, Position> {
  const positions = new Map<number, Position>();
  matches.forEach(({ city, places, isFar }, index) => {
    if (!isFar || made.has(index)) return;
    for (const place of places) {
      if (areas.isLeaf(place) || !isWiderThan(areas, city, place)) positions.set(place, city);
    }
  });
  return positions;
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
