/**
 * The importance of a place, as one number. A gazetteer city has its population: doubled for the capital of a country
 * (and at least a big city's), times 1.5 for the seat of a first-level admin unit, halved for a section of a city.
 * Other places rank below all cities, by the number of postal codes below them.
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

/** The lowest importance of a city: more than the number of postal codes of any place. */
const OTHER_PLACES = 10_000_000;
/** The highest importance that a 32-bit integer holds. */
const HIGHEST = 0xffff_ffff;

/** The importance of a city with this weighted population. */
export function cityImportance(people: number): number {
  return Math.min(HIGHEST, OTHER_PLACES + Math.round(people));
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
  /** The gazetteer's main names, which a search treats as the place's own. */
  readonly mainNames: readonly string[];
  /** The city's other names, as written. */
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
