/**
 * Ids for collected places, by what identifies each: a leaf by country, postal code and name as the release has them;
 * a unit by country and the types and names from the root down. Where several leaves share code and name, the first by
 * the units above it, then by coordinates, has the plain id, and the others say where they lie as well.
 */
import { buildSlots } from '../../src/format/hash.js';
import { hashPlaceId } from '../../src/format/id-index.js';
import { comparePlaceIds, ID_BYTES, writePlaceId } from '../../src/format/place-id.js';
import { type CollectedPlaces, LEAF_TYPE, PLACE_TYPES } from './collecting.js';
import { compareCodePoints } from './name-order.js';

/** Between the parts of an identity; no part can hold it, since rows have no control characters left. */
const SEPARATOR = '\u0000';

/** The ids of all places, 16 bytes each. */
export function identifyPlaces(places: CollectedPlaces, countryCode: string): Uint8Array {
  const placeCount = places.parents.length;
  const ids = new Uint8Array(placeCount * ID_BYTES);
  for (let place = 0; place < placeCount; place++) {
    const identity =
      places.types[place] === LEAF_TYPE
        ? leafIdentity(places, place, countryCode)
        : ['unit', countryCode, ...namesDownTo(places, place)].join(SEPARATOR);
    writePlaceId(identity, ids, place * ID_BYTES);
  }
  for (const leaves of findEqualIds(ids, placeCount)) identifyNamesakes(places, leaves, countryCode, ids);
  return ids;
}

/** The groups of places that have one id; by comparing hashes, since nearly every place is alone. */
function findEqualIds(ids: Uint8Array, placeCount: number): Iterable<number[]> {
  const slots = buildSlots(placeCount, (place) => hashPlaceId(ids, place * ID_BYTES));
  const mask = slots.length - 1;
  const groups = new Map<number, number[]>();
  for (let place = 0; place < placeCount; place++) {
    // The first place of the probe sequence with this id: the one of the lowest number, since it was put in first.
    let slot = hashPlaceId(ids, place * ID_BYTES) & mask;
    while (comparePlaceIds(ids, (slots[slot] as number) - 1, place) !== 0) slot = (slot + 1) & mask;
    const first = (slots[slot] as number) - 1;
    if (first === place) continue;
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [first, place]);
    else group.push(place);
  }
  return groups.values();
}

function identifyNamesakes(places: CollectedPlaces, leaves: number[], countryCode: string, ids: Uint8Array): void {
  const sorted = leaves
    .map((leaf) => ({
      leaf,
      units: namesDownTo(places, leaf).slice(0, -1).join(SEPARATOR),
      position: `${places.latitudes[leaf]}${SEPARATOR}${places.longitudes[leaf]}`,
    }))
    .sort((a, b) => compareCodePoints(a.units, b.units) || compareCodePoints(a.position, b.position));
  sorted.slice(1).forEach(({ leaf, units, position }, index) => {
    const identity = leafIdentity(places, leaf, countryCode);
    // Two leaves differ in their units or, where those are the same, in their position.
    const parts = sorted[index]?.units === units ? [identity, units, position] : [identity, units];
    writePlaceId(parts.join(SEPARATOR), ids, leaf * ID_BYTES);
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
