/**
 * How important a place is, as one number: cities of the gazetteer by their people, which count double for the capital of
 * a country (and as those of a big city at least), half as much again for the seat of an admin unit of the first level, and
 * half for a section of a city; all other places behind all cities, by the postal codes below them.
 */
import { foldText } from '../../src/format/fold-text.js';
import { BIG_CITY } from '../../src/format/name-index.js';
import { isLeafType } from '../../src/format/place-levels.js';
import { NO_PARENT } from '../../src/format/place-tree.js';
import { CAPITAL, SEAT, SECTION } from '../gazetteer/city-row.js';
import type { PlacedCity } from '../gazetteer/placed-cities.js';
import type { NamedCity } from '../gazetteer/read-gazetteer.js';
import type { CountryTree } from '../tree/country-tree.js';
import { kmBetween } from '../tree/distance.js';
import type { Position } from '../tree/spherical-mean.js';

/** More postal codes than any place has. */
const OTHER_PLACES = 10_000_000;
const HIGHEST = 0xffff_ffff;

/** The importance of a city of so many people, its rank among cities aside. */
export function cityImportance(people: number): number {
  return Math.min(HIGHEST, OTHER_PLACES + Math.round(people));
}

/** A unit with its middle so far from a city is wider than it, and leads who looks for the city elsewhere. */
const FAR_KM = 20;

/** The capital of a country is a big city, however small it is. A section of a city is less than a city of its name. */
function weighPeople({ featureCode, population }: Pick<NamedCity, 'featureCode' | 'population'>): number {
  if (featureCode === CAPITAL) return Math.max(BIG_CITY, population * 2);
  if (featureCode === SECTION) return population / 2;
  return featureCode === SEAT ? population * 1.5 : population;
}

export interface CityPlace {
  readonly importance: number;
  /** The names that the gazetteer shows, which are found as the place's own. */
  readonly mainNames: readonly string[];
  /** What else the city is called, as it is written. */
  readonly otherNames: readonly string[];
}

/** The places of a country that are cities. */
export interface CityPlaces {
  /** By the place that people mean. */
  readonly byPlace: ReadonlyMap<number, CityPlace>;
  /** All other places that are a city. */
  readonly others: ReadonlySet<number>;
}

export function placeCities(
  tree: CountryTree,
  matches: readonly Pick<PlacedCity, 'city' | 'kind' | 'places' | 'parts' | 'otherNames'>[],
): CityPlaces {
  const byPlace = new Map<number, CityPlace>();
  const others = new Set<number>();
  for (const { city, kind, places, parts, otherNames } of matches) {
    const isInParts = kind === 'parts by name' && places.length === 0;
    const candidates = isInParts ? parts : places;
    const first = isInParts ? nearestOf(tree, parts, city) : chooseMeant(tree, places, city);
    if (first === undefined || byPlace.has(first)) continue;
    byPlace.set(first, {
      importance: cityImportance(weighPeople(city)),
      mainNames: [city.name, city.asciiName],
      otherNames,
    });
    for (const place of candidates) {
      if (place !== first && !isRegionOfOtherName(tree, place, city)) others.add(place);
    }
  }
  for (const place of byPlace.keys()) others.delete(place);
  return { byPlace, others };
}

/** Pernambuco is another name of Recife, and no other Recife. */
function isRegionOfOtherName(tree: CountryTree, place: number, { name, asciiName }: NamedCity): boolean {
  if (isLeafType(tree.types[place]) || tree.parents[place] !== NO_PARENT) return false;
  const mainNames = [name, asciiName].map(foldText);
  return ![tree.names[place], tree.localNames[place]].some((own) => mainNames.includes(foldText(own as string)));
}

/** The place that people mean, unless its middle is far from the city and another place that is the city is nearer. */
function chooseMeant(tree: CountryTree, places: readonly number[], city: Position): number | undefined {
  const [first] = places;
  return first === undefined || kmTo(tree, first, city) <= FAR_KM ? first : nearestOf(tree, places, city);
}

function nearestOf(tree: CountryTree, places: readonly number[], city: Position): number | undefined {
  let [nearest, least]: [number | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const place of places) {
    const km = kmTo(tree, place, city);
    if (km < least) [nearest, least] = [place, km];
  }
  return nearest;
}

function kmTo({ latitudes, longitudes }: CountryTree, place: number, { latitude, longitude }: Position): number {
  return kmBetween(latitudes[place] as number, longitudes[place] as number, latitude, longitude);
}
