/**
 * Ids for collected places, by what identifies each: a leaf by country, postal code and name as the release has them;
 * a unit by country and the types and names from the root down. Where several leaves share code and name, the first by
 * the names above it, then by coordinates, has the plain id, and the others say where they lie as well.
 */
import { createPlaceIdHex } from '../../src/format/place-id.js';
import { type CollectedPlaces, LEAF_TYPE, PLACE_TYPES } from './collecting.js';
import { compareCodePoints } from './name-order.js';

/** Between the parts of an identity; no part can hold it, since rows have no control characters left. */
const SEPARATOR = '\u0000';

/** The id of each place, 32 hexadecimal digits. */
export function identifyPlaces(places: CollectedPlaces, countryCode: string): string[] {
  const ids: string[] = [];
  const leafIdentities = new Map<string, number>();
  const namesakes = new Map<string, number[]>();
  for (let place = 0; place < places.parents.length; place++) {
    if (places.types[place] !== LEAF_TYPE) {
      ids.push(createPlaceIdHex(['unit', countryCode, ...namesDownTo(places, place)].join(SEPARATOR)));
      continue;
    }
    const identity = leafIdentity(places, place, countryCode);
    ids.push(createPlaceIdHex(identity));
    const first = leafIdentities.get(identity);
    if (first === undefined) {
      leafIdentities.set(identity, place);
      continue;
    }
    const others = namesakes.get(identity);
    if (others === undefined) namesakes.set(identity, [first, place]);
    else others.push(place);
  }
  for (const [identity, leaves] of namesakes) identifyNamesakes(places, leaves, identity, ids);
  return ids;
}

function identifyNamesakes(places: CollectedPlaces, leaves: number[], identity: string, ids: string[]): void {
  const sorted = leaves
    .map((leaf) => ({
      leaf,
      units: namesDownTo(places, leaf).slice(0, -1).join(SEPARATOR),
      position: `${places.latitudes[leaf]}${SEPARATOR}${places.longitudes[leaf]}`,
    }))
    .sort((a, b) => compareCodePoints(a.units, b.units) || compareCodePoints(a.position, b.position));
  sorted.forEach(({ leaf, units, position }, index) => {
    // Two leaves differ in their units or, where those are the same, in their position.
    const parts = sorted[index - 1]?.units === units ? [identity, units, position] : [identity, units];
    ids[leaf] = createPlaceIdHex(index === 0 ? identity : parts.join(SEPARATOR));
  });
}

function leafIdentity(places: CollectedPlaces, leaf: number, countryCode: string): string {
  return `leaf${SEPARATOR}${countryCode}${SEPARATOR}${places.postalCodes[leaf]}${SEPARATOR}${places.texts[leaf]}`;
}

/** The release's names from the root down to `place`, each with its type: a name may stand in any admin column. */
function namesDownTo(places: CollectedPlaces, place: number): string[] {
  const names: string[] = [];
  for (let at = place; at !== -1; at = places.parents[at] as number) {
    names.unshift(`${PLACE_TYPES[places.types[at] as number]}:${places.texts[at]}`);
  }
  return names;
}
