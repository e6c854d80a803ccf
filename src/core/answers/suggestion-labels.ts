/**
 * The labels of a list of suggestions: the shortest text that tells each from the others. A label has the name, the city if
 * it has another name ("Gangnam-gu, Seoul, South Korea"), what tells the place from the places of its name, city and country
 * in the list, and the country. That is the first of these texts that no other of these places has:
 *
 *   nothing                                          "Berlin, Germany"
 *   the first-level unit                             "Springfield, Illinois, United States"
 *   a unit below it, with it                         "Birmingham, Jefferson, Alabama, United States"
 *   all units, the innermost first                   "Springfield, Clark, Ohio, United States"
 *   the postal code and the first-level unit         "Neustadt, 99762, Thuringia, Germany"
 *   the postal code and all units
 *
 * The label of a postal code has the city of its main place: "10115, Berlin, Germany". That of a country is its name. Places that are
 * alike in all of this have the same label.
 */

import type { ByteString } from '../snapshot/byte-string.js';

/** A place as labels see it: texts are JSON, names without quotes. */
export interface LabelledPlace {
  readonly name: ByteString;
  /** Empty if the place has none. */
  readonly postalCode: ByteString;
  /** The name of the city; empty if there is none. */
  readonly city: ByteString;
  /** Outermost first. */
  readonly units: readonly ByteString[];
  readonly country: ByteString;
}

/** The labels of places, in their order, as JSON strings without quotes. */
export function labelPlaces(places: readonly LabelledPlace[]): ByteString[] {
  return places.map((place) => {
    const others = places.filter(
      (other) =>
        other !== place &&
        other.name === place.name &&
        shownCity(other) === shownCity(place) &&
        other.country === place.country,
    );
    const told = others.length === 0 ? [] : distinguish(place, others);
    return labelOf(place.name, shownCity(place), told, place.country);
  });
}

/** The name of the city; empty if there is none, or if the place has that name too. */
function shownCity({ name, city }: LabelledPlace): ByteString {
  return city === name ? '' : city;
}

/** The texts of a label; a city that is empty has none. */
export function labelOf(
  name: ByteString,
  city: ByteString,
  told: readonly ByteString[],
  country: ByteString,
): ByteString {
  return join(city === '' ? [name, ...told, country] : [name, city, ...told.filter((text) => text !== city), country]);
}

/** What tells a place from other places of its name, city and country. */
function distinguish(place: LabelledPlace, others: readonly LabelledPlace[]): readonly ByteString[] {
  if (place.units.length === 0 && others.every(({ units }) => units.length > 0)) return [];
  const ownUnit = place.units.find((unit) => others.every(({ units }) => !units.includes(unit)));
  // A county alone tells nobody where it is: many states have a Jefferson.
  if (ownUnit !== undefined) return [...new Set([ownUnit, place.units[0] as ByteString])];
  const allUnits = [...place.units].reverse();
  const chain = join(place.units);
  if (others.every(({ units }) => join(units) !== chain)) return allUnits;
  const code = place.postalCode === '' ? [] : [place.postalCode];
  const isOwnCode = others.every(({ postalCode }) => postalCode !== place.postalCode);
  return isOwnCode ? [...code, ...place.units.slice(0, 1)] : [...code, ...allUnits];
}

function join(texts: readonly ByteString[]): ByteString {
  return texts.join(', ');
}
