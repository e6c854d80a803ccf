/** What a postal code tells about the rest of an address: its cities, and its state if all its places are in one. */

import type { FoundCode, Place, Unit } from './api-answers.js';
import { nameOf } from './place-name.js';

export interface City {
  readonly name: string;
  /** The state, or the units of a country whose addresses have none, to tell cities of one name apart. */
  readonly detail: string;
  readonly place: Place;
}

/** The country whose places are areas of first parts of codes: only some are towns. */
const NAMES_AREAS = 'CA';
/** The country with several places for the first part of a code, of which at most the town is a post town. */
export const NAMES_HAMLETS = 'GB';

function cityIdOf({ id, city }: Place): string {
  return city?.id ?? id;
}

/** Whether a place is a part of a city. */
function isPart(place: Place): boolean {
  return cityIdOf(place) !== place.id;
}

/** Whether the gazetteer knows the city of a place. */
function isOfTown(place: Place): boolean {
  return isPart(place) || !!place.population;
}

/**
 * The name of the city of a place. Only places and units have local names. Where the data has the city by another
 * country's name, a unit around it has the same name as the place: Warszawa, around Warsaw.
 */
export function cityNameOf(place: Place, isLocal: boolean): string {
  const { name, city = place, ancestors } = place;
  if (isLocal) return [place, ...ancestors].find(({ id }) => id === city.id)?.localName ?? city.name;
  const units = ancestors.map((unit) => unit.name);
  const at = units.indexOf(name);
  return at >= 0 && at < units.indexOf(city.name) ? name : city.name;
}

/** The cities of the code, each once; none of a code that is not found. `isLocal` tells whether they have their local names. */
export function citiesOf({ places }: Pick<FoundCode, 'places'> = { places: [] }, isLocal: boolean): readonly City[] {
  const cities = new Map<string, City>();
  const localities = places.filter(({ type }) => type !== 'recipient');
  for (const place of localities.length > 0 ? localities : places) {
    if (place.countryCode === NAMES_AREAS && !isOfTown(place)) continue;
    const name = cityNameOf(place, isLocal);
    // The inner units around a part can be parts too.
    const detail = place.ancestors
      .filter((_, at) => at === 0 || !isPart(place))
      .map((unit) => nameOf(unit, isLocal))
      .filter((unit) => unit !== name)
      .reverse()
      .join(', ');
    const known = place.city?.id ?? name;
    if (!cities.has(known)) cities.set(known, { name, detail, place });
  }
  return [...cities.values()];
}

/** The only city of the code, or the post town of a partial code; undefined if there is none, or if it is not sure. */
export function decidedCity({ match, city: town }: FoundCode, cities: readonly City[]): City | undefined {
  const [first, another] = cities;
  if (match !== 'partial' || first?.place.countryCode !== NAMES_HAMLETS)
    return another === undefined ? first : undefined;
  return cities.find(({ place }) => cityIdOf(place) === town?.id && isOfTown(place));
}

/** The name of the town of an inferred code; undefined for any other code. */
export function townOf(found: FoundCode, isLocal: boolean): string | undefined {
  return found.town && (citiesOf(found, isLocal)[0]?.name ?? found.town);
}

/** The unit of this type in which all places of the code lie; undefined if there is none. */
export function unitOfCities({ places }: Pick<FoundCode, 'places'>, type: string | undefined): Unit | undefined {
  const units = places.map(({ ancestors }) => ancestors.find((unit) => unit.type === type));
  const [first] = units;
  return units.every((unit) => unit?.id === first?.id) ? first : undefined;
}
