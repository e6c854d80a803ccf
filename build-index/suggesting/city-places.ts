/**
 * The places that a search for a city finds: one main place for each city, with its importance, its main names and its
 * other names. The other places of a city are suggested only with their context. A second record of a city in the
 * gazetteer adds its names to the first.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { isLeafType } from '../../src/core/snapshot/place-type.js';
import { kmBetween, type Position } from '../../src/core/snapshot/sphere.js';
import type { PlacedCity } from '../cities/placed-cities.js';
import { shortNames } from '../data-tables/city-short-names.js';
import type { NamedCity } from '../gazetteer/read-gazetteer.js';
import { needsRomanising } from '../naming/romanising.js';
import type { CountryTree } from '../tree/country-tree.js';
import { createTranscriber } from './city-transcriptions.js';
import { cityImportance, weighPeople } from './importance.js';

/**
 * Minimum population, in people, of a city with all its other names. A third of those of smaller towns are
 * transliterations by machine, which nobody types.
 */
const MIN_KNOWN_ABROAD = 15_000;

/**
 * Maximum distance of a unit's centre from its city, in km: a wider unit would lead searches for the city elsewhere.
 */
const FAR_KM = 20;

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

export function findCityPlaces(
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
  return needsRomanising(name) ? !isLatin : name !== name.toLowerCase();
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
