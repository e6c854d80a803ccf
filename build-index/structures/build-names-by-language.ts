/**
 * Writes the names of a country's cities and first-level units in other languages (src/core/snapshot/names-by-language.ts)
 * from the table of alternate names; preferred names come first.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { LOCALITY_TYPE } from '../../src/core/snapshot/place-type.js';
import { isTooWideForMainPlace } from '../cities/choose-main-place.js';
import { cityDistanceLimitKm } from '../cities/distance-limits.js';
import type { PlacedCity } from '../cities/placed-cities.js';
import { TreeAreas } from '../cities/tree-areas.js';
import { chooseNames, type LanguageNames } from '../gazetteer/names-by-language.js';
import type { NamedCity, UnitNames } from '../gazetteer/read-gazetteer.js';
import { appendToGroup, memoize } from '../ordering/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { encodeNamesByLanguage } from './encode-names-by-language.js';

/** The chunks of the country's slice; none if no place has another name. */
export function buildNamesByLanguage(
  tree: CountryTree,
  cities: readonly PlacedCity[],
  unitNames: UnitNames,
): Uint8Array[] {
  const namesOf = new Map<number, LanguageNames>();
  const areas = new TreeAreas(tree);
  const fold = memoize(foldText);
  for (const placed of cities) {
    const names = chooseNames(placed.city.alternateNames);
    if (names.size > 0)
      for (const place of listNamedPlaces(tree, areas, placed, names, fold)) namesOf.set(place, names);
  }
  for (const [unit, code] of matchUnits(tree, areas, cities)) {
    const names = chooseNames(unitNames.get(code) ?? []);
    // Of a city that is a unit the city's names are the shorter ones: "Prag", not "Hauptstadt Prag".
    if (names.size > 0) namesOf.set(unit, new Map([...names, ...(namesOf.get(unit) ?? [])]));
  }
  return encodeNamesByLanguage(
    [...namesOf].sort(([one], [other]) => one - other),
    (place) => tree.names[place] as string,
  );
}

/**
 * The places that are a city and not only in it: its main place, and those with a name of the city or of the main place.
 * A unit that is wider than the city is the city only where no smaller place has the name.
 */
function listNamedPlaces(
  tree: CountryTree,
  areas: TreeAreas,
  { city, kind, places, isWider, isSynthesised }: PlacedCity,
  names: LanguageNames,
  fold: (name: string) => string,
): readonly number[] {
  const [first] = places;
  if (first === undefined || isSynthesised) return places;
  if (kind === 'shared place') return [];
  const foldedNames = (place: number): string[] =>
    [tree.names[place], tree.localNames[place]].map((name) => fold(name as string));
  const known = new Set([...[city.name, city.asciiName, ...names.values()].map(fold), ...foldedNames(first)]);
  const own = places.filter((place) => {
    // A first-level unit has names in the table.
    if (place === first) return !isWider || tree.parents[place] !== NO_PARENT;
    return foldedNames(place).some((name) => known.has(name)) && !isWiderUnit(areas, city, place);
  });
  return addNamesakes(tree, areas, city, own);
}

/** Adds the leaves near of the same name in the same unit: a match has one of them. Siblings of a name are together. */
function addNamesakes(
  { names, parents, types, latitudes, longitudes }: CountryTree,
  areas: TreeAreas,
  { population }: NamedCity,
  places: readonly number[],
): readonly number[] {
  const all = new Set(places);
  for (const place of places) {
    if (types[place] !== LOCALITY_TYPE) continue;
    const [latitude, longitude] = [latitudes[place] as number, longitudes[place] as number];
    const isNear = (other: number): boolean =>
      areas.kmTo(latitude, longitude, other) <= cityDistanceLimitKm(population);
    for (const step of [-1, 1]) {
      for (let at = place + step; names[at] === names[place] && parents[at] === parents[place]; at += step) {
        // Its own neighbours are added from there.
        if (all.has(at)) break;
        if (types[at] === LOCALITY_TYPE && isNear(at)) all.add(at);
      }
    }
  }
  return [...all];
}

function isWiderUnit(areas: TreeAreas, city: NamedCity, place: number): boolean {
  return !areas.isLeaf(place) && isTooWideForMainPlace(areas, city, place);
}

/**
 * The codes of first-level units: a unit has the code that most of the gazetteer's cities in it have, if most of the
 * cities with this code are in the unit. So no two units have one code, where the release divides a country otherwise.
 */
function matchUnits(
  tree: CountryTree,
  areas: TreeAreas,
  cities: readonly PlacedCity[],
): readonly (readonly [unit: number, code: string])[] {
  const pairs = new Map<string, { readonly unit: number; readonly code: string; count: number }>();
  const [codesOfUnits, unitsOfCodes] = [new Map<number, string[]>(), new Map<string, number[]>()];
  for (const { city, places } of cities) {
    const code = city.adminCodes[0];
    const [first] = places;
    const unit = first === undefined ? undefined : outermost(tree, first);
    if (code === '' || unit === undefined || areas.isLeaf(unit)) continue;
    const pair = pairs.get(`${unit} ${code}`) ?? { unit, code, count: 0 };
    pair.count++;
    pairs.set(`${unit} ${code}`, pair);
    appendToGroup(codesOfUnits, unit, code);
    appendToGroup(unitsOfCodes, code, unit);
  }
  return [...pairs.values()].flatMap(({ unit, code, count }) => {
    const all = Math.max(codesOfUnits.get(unit)?.length ?? 0, unitsOfCodes.get(code)?.length ?? 0);
    return 2 * count > all ? [[unit, code] as const] : [];
  });
}

function outermost({ parents }: CountryTree, place: number): number {
  let unit = place;
  for (let at = parents[unit] as number; at !== NO_PARENT; at = parents[unit] as number) unit = at;
  return unit;
}
