/** What a postal code tells about the rest of an address: its cities, and its state if all its places are in one. */

import type { FoundCode, Place, Unit } from './api-answers.js';
import { nameOf } from './place-name.js';

export interface City {
  readonly name: string;
  /** The state, or the units of a country whose addresses have none, to tell cities of one name apart. */
  readonly detail: string;
  readonly place: Place;
}

/** The country whose places are areas of first parts of codes: an area that is no part of a city is no town either. */
const NAMES_AREAS = 'CA';
/** The country with several places for the first part of a code, seldom with the post town of the whole code. */
const NAMES_PLACES = 'GB';

/** Whether a place is a part of a city. */
function isPart({ id, city }: Place): boolean {
  return (city?.id ?? id) !== id;
}

/** The name of the city of a place. Only places and units have local names. */
export function cityNameOf(place: Place, isLatin: boolean): string {
  const { city = place } = place;
  const unit = [place, ...place.ancestors].find(({ id }) => id === city.id);
  return unit === undefined ? city.name : nameOf(unit, isLatin);
}

/** The cities of the code, each once. `isLatin` tells whether the form's language is written in Latin letters. */
export function citiesOf({ places }: FoundCode, isLatin: boolean): readonly City[] {
  const cities = new Map<string, City>();
  const localities = places.filter(({ type }) => type !== 'recipient');
  for (const place of localities.length > 0 ? localities : places) {
    if (place.countryCode === NAMES_AREAS && !isPart(place)) continue;
    const name = cityNameOf(place, isLatin);
    // The inner units around a part can be parts too.
    const detail = place.ancestors
      .filter((_, at) => at === 0 || !isPart(place))
      .map((unit) => nameOf(unit, isLatin))
      .filter((unit) => unit !== name)
      .reverse()
      .join(', ');
    const known = place.city?.id ?? name;
    if (!cities.has(known)) cities.set(known, { name, detail, place });
  }
  return [...cities.values()];
}

/** The only city of the code; undefined if there are several, or if it is not sure. */
export function decidedCity({ match }: FoundCode, [city, another]: readonly City[]): City | undefined {
  const isOpen = match === 'partial' && city?.place.countryCode === NAMES_PLACES && !isPart(city.place);
  return another === undefined && !isOpen ? city : undefined;
}

/** The unit of this type in which all places of the code lie; undefined if there is none. */
export function unitOfCities({ places }: Pick<FoundCode, 'places'>, type: string | undefined): Unit | undefined {
  const units = places.map(({ ancestors }) => ancestors.find((unit) => unit.type === type));
  const [first] = units;
  return units.every((unit) => unit?.id === first?.id) ? first : undefined;
}
