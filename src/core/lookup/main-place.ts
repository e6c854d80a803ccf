/** The main place of a postal code and its city, for answers that have room for one. */

import { cityOf } from '../snapshot/place-cities.js';
import { populationOf } from '../snapshot/place-facts.js';
import { isRecipient } from '../snapshot/place-fields.js';
import { isPlace } from '../snapshot/place-tree.js';
import type { PostcodeMatch } from '../snapshot/postcode-index.js';
import type { CountryStructures } from '../snapshot/snapshot.js';

/** Maximum number of places that are compared: as many as a response has. */
const MAX_COMPARED = 100;

/**
 * Of the places of a code, recipients aside, one of the city that over half of them belong to, or else of the city with most
 * people: the city itself if it is among them, or else the first by name.
 */
export function mainPlaceOf(
  structures: CountryStructures,
  { places }: Pick<PostcodeMatch, 'places'>,
): number | undefined {
  const shown = [...places.subarray(0, MAX_COMPARED)].filter((place) => isPlace(structures.tree, place));
  if (shown.length < 2) return shown[0];
  const localities = shown.filter((place) => !isRecipient(structures, place));
  const compared = localities.length > 0 ? localities : shown;
  let main: number | undefined;
  let most = -1;
  for (const place of ofMostCommonCity(structures, compared)) {
    const city = cityOf(structures, place);
    const people = populationOf(structures, city ?? place) ?? 0;
    if (people > most || (place === city && cityOf(structures, main as number) === city))
      [main, most] = [place, people];
  }
  return main;
}

/** The city of the main place of a code; the main place itself if it has no city. */
export function cityOfPostcode(
  structures: CountryStructures,
  match: Pick<PostcodeMatch, 'places'>,
): number | undefined {
  const main = mainPlaceOf(structures, match);
  return main === undefined ? undefined : (cityOf(structures, main) ?? main);
}

/** The places of the city that over half of these belong to; all where there is none. */
function ofMostCommonCity(structures: CountryStructures, places: readonly number[]): readonly number[] {
  for (const place of places) {
    const city = cityOf(structures, place);
    const fellows = places.filter((other) => cityOf(structures, other) === city);
    if (2 * fellows.length > places.length) return fellows;
  }
  return places;
}
