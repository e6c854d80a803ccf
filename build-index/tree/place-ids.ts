/**
 * Ids for collected places, by what identifies each: a leaf by country, postal code and name as the release has them;
 * a unit by country and the types and names from the root down. Where several leaves share code and name, the first by
 * the names above it, then by coordinates, has the plain id, and the others say where they lie as well.
 */
import { createPlaceIdHex } from '../../src/format/place-id.js';
import { type CollectedPlaces, LEAF_TYPE, PLACE_TYPES } from './collecting.js';
import { compareCodePoints } from './name-order.js';

/** The id of each place, 32 hexadecimal digits. */
export function identifyPlaces(places: CollectedPlaces, countryCode: string): string[] {
  const ids: string[] = new Array(places.parents.length);
  const leavesByKey = new Map<string, number | number[]>();
  places.parents.forEach((_, place) => {
    if (places.types[place] !== LEAF_TYPE) {
      ids[place] = createPlaceIdHex(['unit', countryCode, ...namesDownTo(places, place)]);
      return;
    }
    const key = `${places.postalCodes[place]}\t${places.texts[place]}`;
    const others = leavesByKey.get(key);
    if (others === undefined) leavesByKey.set(key, place);
    else if (typeof others === 'number') leavesByKey.set(key, [others, place]);
    else others.push(place);
  });
  for (const leaves of leavesByKey.values()) {
    if (typeof leaves === 'number') ids[leaves] = createPlaceIdHex(leafKey(places, leaves, countryCode));
    else identifyNamesakes(places, leaves, countryCode, ids);
  }
  return ids;
}

function identifyNamesakes(places: CollectedPlaces, leaves: number[], countryCode: string, ids: string[]): void {
  const position = (leaf: number): string => `${places.latitudes[leaf]}\t${places.longitudes[leaf]}`;
  const unitsAbove = (leaf: number): string => namesDownTo(places, leaf).slice(0, -1).join('\t');
  const sorted = leaves
    .map((leaf) => ({ leaf, units: unitsAbove(leaf), position: position(leaf) }))
    .sort((a, b) => compareCodePoints(a.units, b.units) || compareCodePoints(a.position, b.position));
  sorted.forEach(({ leaf, units, position }, index) => {
    const key = leafKey(places, leaf, countryCode);
    if (index > 0) key.push(units);
    // Two leaves differ in their units or, where those are the same, in their position.
    if (index > 0 && sorted[index - 1]?.units === units) key.push(position);
    ids[leaf] = createPlaceIdHex(key);
  });
}

function leafKey(places: CollectedPlaces, leaf: number, countryCode: string): string[] {
  return ['leaf', countryCode, places.postalCodes[leaf] as string, places.texts[leaf] as string];
}

/** The release's names from the root down to `place`, each with its type: a name may stand in any admin column. */
function namesDownTo(places: CollectedPlaces, place: number): string[] {
  const names: string[] = [];
  for (let at = place; at !== -1; at = places.parents[at] as number) {
    names.unshift(`${PLACE_TYPES[places.types[at] as number]}:${places.texts[at]}`);
  }
  return names;
}
