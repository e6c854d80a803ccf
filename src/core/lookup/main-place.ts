/** The main place of a postal code, for answers that have room for one place. */

import { populationOf } from '../snapshot/place-facts.js';
import { isRecipient } from '../snapshot/place-fields.js';
import { isPlace } from '../snapshot/place-tree.js';
import type { PostcodeMatch } from '../snapshot/postcode-index.js';
import type { CountryStructures } from '../snapshot/snapshot.js';

/** Maximum number of places that are compared: as many as a response has. */
const MAX_COMPARED = 100;

/** Of the places of a code, recipients aside, the one with most people, or else the first by name. */
export function mainPlaceOf(structures: CountryStructures, { places }: PostcodeMatch): number | undefined {
  const shown = [...places.subarray(0, MAX_COMPARED)].filter((place) => isPlace(structures.tree, place));
  if (shown.length < 2) return shown[0];
  const localities = shown.filter((place) => !isRecipient(structures, place));
  let main: number | undefined;
  let most = -1;
  for (const place of localities.length > 0 ? localities : shown) {
    const people = populationOf(structures, place) ?? 0;
    if (people > most) [main, most] = [place, people];
  }
  return main;
}
