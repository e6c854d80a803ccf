/**
 * The importance of a place, as one number. A gazetteer city has its population: doubled for the capital of a country
 * (and at least a big city's), times 1.5 for the seat of a first-level admin unit, halved for a section of a city.
 * Other places rank below all cities, by the number of postal codes below them.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { BIG_CITY } from '../../src/core/snapshot/name-index.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { isLeafType } from '../../src/core/snapshot/place-type.js';
import type { Position } from '../../src/core/snapshot/sphere.js';
import { createTranscriber, shortNames } from '../gazetteer/city-names.js';
import { isCity } from '../gazetteer/place-order.js';
import type { PlacedCity } from '../gazetteer/placed-cities.js';
import { CAPITAL, listNames, type NamedCity, SEAT, SECTION } from '../gazetteer/read-gazetteer.js';
import { TreeAreas } from '../gazetteer/tree-areas.js';
import { isInAnotherScript } from '../naming/romanising.js';
import { memoize } from '../reading/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { kmBetween } from '../tree/name-order.js';

/**
 * Minimum population, in people, of a city with all its other names. A third of those of smaller towns are
 * transliterations by machine, which nobody types.
 */
const MIN_KNOWN_ABROAD = 15_000;

/** The lowest importance of a city: more than the number of postal codes of any place. */
const OTHER_PLACES = 10_000_000;
/** The highest importance that a 32-bit integer holds. */
const HIGHEST = 0xffff_ffff;

/** The importance of a city with this weighted population. */
export function cityImportance(people: number): number {
  return Math.min(HIGHEST, OTHER_PLACES + Math.round(people));
}

/** The weighted population of a city with this importance. */
export function cityPeople(importance: number): number {
  return importance - OTHER_PLACES;
}

/**
 * Maximum distance of a unit's centre from its city, in km: a wider unit would lead searches for the city elsewhere.
 */
const FAR_KM = 20;

/** The weighted population: capitals always count as big cities, and sections rank below cities of the same name. */
function weighPeople({ featureCode, population }: Pick<NamedCity, 'featureCode' | 'population'>): number {
  if (featureCode === CAPITAL) return Math.max(BIG_CITY, population * 2);
  if (featureCode === SECTION) return population / 2;
  return featureCode === SEAT ? population * 1.5 : population;
}

export interface CityPlace {
  readonly importance: number;
  /** The gazetteer's main names and the everyday short names, which a search treats as the place's own. */
  readonly mainNames: readonly string[];
  /** The city's other names, as written, and its transcriptions. */
  readonly otherNames: readonly string[];
}

/** The places of a country that are cities. */
export interface CityPlaces {
  /** By the city's main place. */
  readonly byPlace: ReadonlyMap<number, CityPlace>;
  /** The other places of cities. */
  readonly others: ReadonlySet<number>;
}

export function placeCities(
  tree: CountryTree,
  matches: readonly Pick<PlacedCity, 'city' | 'kind' | 'places' | 'parts' | 'otherNames'>[],
): CityPlaces {
  const isLatin = new Intl.Locale(`und-${tree.countryCode}`).maximize().script === 'Latn';
  const byPlace = new Map<number, CityPlace>();
  const others = new Set<number>();
  const transcribe = createTranscriber(tree.countryCode);
  /** By place of a city, the city's main place. */
  const mainPlaces = new Map<number, number>();
  for (const { city, kind, places, parts, otherNames } of matches) {
    if (kind === 'shared place') continue;
    const isInParts = kind === 'parts by name' && places.length === 0;
    const candidates = isInParts ? parts : places;
    const first = isInParts ? nearestOf(tree, parts, city) : chooseMeant(tree, places, city);
    if (first === undefined || byPlace.has(first)) continue;
    const localNames = isInParts ? [] : places.map((place) => tree.localNames[place] as string);
    const transcribed = city.population >= MIN_KNOWN_ABROAD ? transcribe(city, localNames) : [];
    byPlace.set(first, cityPlaceOf(city, otherNames, transcribed, isLatin));
    for (const place of candidates) {
      mainPlaces.set(place, first);
      if (place !== first && !isRegionOfOtherName(tree, place, city)) others.add(place);
    }
  }
  // A second record of a city adds its names, and its importance if that is higher.
  for (const { city, kind, places, otherNames } of matches) {
    if (kind !== 'shared place') continue;
    const [shared] = places as [number];
    const first = mainPlaces.get(shared) ?? shared;
    byPlace.set(first, joinCities(cityPlaceOf(city, otherNames, [], isLatin), byPlace.get(first)));
  }
  for (const place of byPlace.keys()) others.delete(place);
  return { byPlace, others };
}

/** `isLatin`: whether the country writes Latin letters. */
function cityPlaceOf(
  city: NamedCity,
  otherNames: readonly string[],
  transcribed: readonly string[],
  isLatin: boolean,
): CityPlace {
  const isTyped = (name: string): boolean => city.population >= MIN_KNOWN_ABROAD || isWrittenName(name, isLatin);
  return {
    importance: cityImportance(weighPeople(city)),
    mainNames: [city.name, city.asciiName, ...shortNames(city)],
    otherNames: [...otherNames.filter(isTyped), ...transcribed],
  };
}

/**
 * Whether people write a small town so: in the country's script, with a capital. The gazetteer has small letters only for
 * transliterations from other scripts ("meng ta na" for Montana).
 */
function isWrittenName(name: string, isLatin: boolean): boolean {
  return isInAnotherScript(name) ? !isLatin : name !== name.toLowerCase();
}

function joinCities(one: CityPlace, other: CityPlace | undefined): CityPlace {
  if (other === undefined) return one;
  return {
    importance: Math.max(one.importance, other.importance),
    mainNames: [...new Set([...one.mainNames, ...other.mainNames])],
    otherNames: [...new Set([...one.otherNames, ...other.otherNames])],
  };
}

/** Whether a place is a region with another name of the city: Pernambuco is a name of Recife, but not the city. */
function isRegionOfOtherName(tree: CountryTree, place: number, { name, asciiName }: NamedCity): boolean {
  if (isLeafType(tree.types[place]) || tree.parents[place] !== NO_PARENT) return false;
  const mainNames = [name, asciiName].map(foldText);
  return ![tree.names[place], tree.localNames[place]].some((own) => mainNames.includes(foldText(own as string)));
}

/** The first place, or the nearest place if the first place's centre is far from the city. */
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

/*
 * The population of each place that is a city of the gazetteer. All places that stand for a city under its name have
 * it: Munich and every Munich with a postal code. A unit wider than its city has none (Los Angeles County), nor has a
 * place with only a part of the city's name ("Karachi Gpo").
 */

/** The largest number of people that the format has room for. A row with more is wrong. */
const MAX_PEOPLE = 0xffff_ffff;

/** By place, ascending. Of two cities of one place the larger counts. */
export function findPopulations(tree: CountryTree, cities: readonly PlacedCity[]): ReadonlyMap<number, number> {
  const areas = new TreeAreas(tree);
  const fold = memoize(foldText);
  const populations = new Map<number, number>();
  for (const { city, kind, places, isWider } of cities) {
    const [first] = places;
    const { population } = city;
    if (kind === 'shared place' || first === undefined || population === 0 || population > MAX_PEOPLE) continue;
    const isNamed = places.length === 1 ? () => true : createNameCheck(tree, city, first, fold);
    for (const place of places) {
      const isWhole = place === first ? !isWider : areas.isLeaf(place) || isCity(areas, city, place);
      if (!isWhole || !isNamed(place)) continue;
      populations.set(place, Math.max(population, populations.get(place) ?? 0));
    }
  }
  return new Map([...populations].sort(([a], [b]) => a - b));
}

/** Checks whether a place has one of the city's names, or the name of the city's main place. */
function createNameCheck(
  tree: CountryTree,
  city: PlacedCity['city'],
  first: number,
  fold: (name: string) => string,
): (place: number) => boolean {
  const { names, localNames } = tree;
  const all = new Set([city.name, city.asciiName, ...listNames(city), names[first] as string].map(fold));
  return (place) => all.has(fold(names[place] as string)) || all.has(fold(localNames[place] as string));
}
