/** What a postal code tells about the rest of an address: its cities, and its state if all its places are in one. */

import type { FoundCode, Place, Unit } from './api-answers.js';
import { foldText } from './fold-text.js';
import { nameOf } from './place-name.js';

export interface City {
  readonly name: string;
  /** The state, or the units of a country whose addresses have none, to tell cities of one name apart. */
  readonly detail: string;
  readonly place: Place;
}

/** The country whose places are areas of first parts of codes, which are no towns of an address. */
const NAMES_AREAS = 'CA';
/** The country with several places for the first part of a code, seldom with the post town of the whole code. */
const NAMES_PLACES = 'GB';

/** The cities of the code, each once. `isLatin` tells whether the form's language is written in Latin letters. */
export function citiesOf({ places }: FoundCode, isLatin: boolean): readonly City[] {
  const cities = new Map<string, City>();
  const localities = places.filter(({ type }) => type !== 'recipient');
  for (const place of localities.length > 0 ? localities : places) {
    if (place.countryCode === NAMES_AREAS) continue;
    const name = nameOf(place, isLatin);
    const detail = place.ancestors
      .map((unit) => nameOf(unit, isLatin))
      .filter((unit) => unit !== name)
      .reverse()
      .join(', ');
    const known = `${foldText(name)} ${foldText(detail)}`;
    if (!cities.has(known)) cities.set(known, { name, detail, place });
  }
  // A city that contains other places of the code comes first: most people mean Sydney, and not Barangaroo in it.
  const units = new Set(places.flatMap(({ ancestors }) => ancestors.map(({ localName }) => localName)));
  const rank = ({ place }: City): number => (units.has(place.localName) ? 0 : 1);
  return [...cities.values()].sort((a, b) => rank(a) - rank(b));
}

/**
 * The city that the code determines: its only city, or the one with whose name all others begin, such as Dresden beside
 * Dresden Friedrichstadt. Undefined if there is no such city.
 */
export function decidedCity({ match }: FoundCode, cities: readonly City[]): City | undefined {
  // Perhaps only one place of the code has a name in the form's language.
  const isOf = (whole: string, name: string): boolean => `${name} `.startsWith(`${whole} `);
  const decided = cities.find(({ name, place: { localName } }) =>
    cities.every((one) => isOf(name, one.name) || isOf(localName, one.place.localName)),
  );
  const isSure = match !== 'partial' || decided?.place.countryCode !== NAMES_PLACES;
  return isSure ? decided : undefined;
}

/** The unit of this type in which all places of the code lie; undefined if there is none. */
export function unitOfCities({ places }: Pick<FoundCode, 'places'>, type: string | undefined): Unit | undefined {
  const units = places.map(({ ancestors }) => ancestors.find((unit) => unit.type === type));
  const [first] = units;
  return units.every((unit) => unit?.id === first?.id) ? first : undefined;
}
