/** The main place of a postal code and its city, for answers that have room for one. */

import { cityOfPlace } from '../snapshot/place-cities.js';
import { populationOf } from '../snapshot/place-facts.js';
import { isRecipient } from '../snapshot/place-fields.js';
import { isPlace } from '../snapshot/place-tree.js';
import { hasRecipients } from '../snapshot/point-index.js';
import type { PostcodeMatch } from '../snapshot/postcode-index.js';
import type { CountryStructures } from '../snapshot/snapshot.js';

/** Maximum number of places that are compared: as many as a response has. */
const MAX_COMPARED = 100;

/**
 * Of the places of a code, recipients aside, one of the city that over half of them belong to. Otherwise the place with most
 * people, or where no place has people, one of the city with most people. Of several the first by name.
 */
export function mainPlaceOf(
  structures: CountryStructures,
  { places }: Pick<PostcodeMatch, 'places'>,
): number | undefined {
  const shown = [...places.subarray(0, MAX_COMPARED)].filter((place) => isPlace(structures.tree, place));
  if (shown.length < 2) return shown[0];
  const mayBeRecipients = hasRecipients(structures.points);
  const localities = mayBeRecipients ? shown.filter((place) => !isRecipient(structures, place)) : shown;
  const compared = ofMostCommonCity(structures, localities.length > 0 ? localities : shown);
  return (
    placeWithMost(compared, (place) => populationOf(structures, place)) ??
    placeWithMost(compared, (place) => populationOf(structures, cityOfPlace(structures, place))) ??
    compared[0]
  );
}

/** The first of the places with most people; undefined if none has people. */
function placeWithMost(places: readonly number[], peopleOf: (place: number) => number | null): number | undefined {
  let [main, most]: [number | undefined, number] = [undefined, 0];
  for (const place of places) {
    const people = peopleOf(place) ?? 0;
    if (people > most) [main, most] = [place, people];
  }
  return main;
}

/** The city of the main place of a code; the main place itself if it has no city. */
export function cityOfPostcode(
  structures: CountryStructures,
  match: Pick<PostcodeMatch, 'places'>,
): number | undefined {
  const main = mainPlaceOf(structures, match);
  return main === undefined ? undefined : cityOfPlace(structures, main);
}

/** The places of the city that over half of these belong to; all where there is none. */
function ofMostCommonCity(structures: CountryStructures, places: readonly number[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const place of places) {
    const city = cityOfPlace(structures, place);
    const count = (counts.get(city) ?? 0) + 1;
    if (2 * count > places.length) return places.filter((other) => cityOfPlace(structures, other) === city);
    counts.set(city, count);
  }
  return places;
}
