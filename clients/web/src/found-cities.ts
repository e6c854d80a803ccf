/** What a postal code says of the rest of an address: its cities, and its state where all its places have the same. */

import type { FoundCode, Place, Unit } from './answers.js';
import { foldText } from './combobox.js';

export interface City {
  readonly name: string;
  /** The state, or the units of a country whose addresses have none, to tell cities of one name apart. */
  readonly detail: string;
  readonly place: Place;
}

/** Of this country the data has first parts of codes with the names of areas, which are no towns of an address. */
const NAMES_AREAS = 'CA';
/** Of this one it has several places for the first part of a code, and seldom the post town that the whole code has. */
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
  // What other places of the code lie in is the city that most people mean: Sydney, and not Barangaroo in it.
  const units = new Set(places.flatMap(({ ancestors }) => ancestors.map(({ localName }) => localName)));
  const rank = ({ place }: City): number => (units.has(place.localName) ? 0 : 1);
  return [...cities.values()].sort((a, b) => rank(a) - rank(b));
}

/**
 * The one city that the code decides on, if it does: the only one, or the one whose name the others begin with, such as
 * Dresden beside Dresden Friedrichstadt.
 */
export function decidedCity({ match }: FoundCode, cities: readonly City[]): City | undefined {
  // Of the places of a code one alone may have a name in the form's language.
  const isOf = (whole: string, name: string): boolean => `${name} `.startsWith(`${whole} `);
  const decided = cities.find(({ name, place: { localName } }) =>
    cities.every((one) => isOf(name, one.name) || isOf(localName, one.place.localName)),
  );
  const isSure = match !== 'partial' || decided?.place.countryCode !== NAMES_PLACES;
  return isSure ? decided : undefined;
}

/** The unit of this type in which all places of the code lie; undefined if there is none. */
export function commonUnit({ places }: Pick<FoundCode, 'places'>, type: string | undefined): Unit | undefined {
  const units = places.map(({ ancestors }) => ancestors.find((unit) => unit.type === type));
  const [first] = units;
  return units.every((unit) => unit?.id === first?.id) ? first : undefined;
}

/** A letter of another script. */
const OTHER_LETTER = /[^\P{L}\p{sc=Latn}]/u;

/** The name in the form's language; where the data has none, the Latin one for a language in Latin letters, or else the local one. */
export function nameOf({ name, localName }: Pick<Unit, 'name' | 'localName'>, isLatin: boolean): string {
  return isLatin || OTHER_LETTER.test(name) ? name : localName;
}
