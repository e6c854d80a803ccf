/**
 * Ids for collected places. A leaf is identified by country, postal code and name as the release has them; a unit by
 * country and the types and names from the root down, a city that was made of its parts by its geonameid. Where several leaves share code and name, the first leaf by the
 * names of its units, then by coordinates, has the plain id; the identity of each further leaf says where it lies, too.
 */
import { comparePlaceIds, createIds, idAt, idDigestAt, writePlaceId } from '../../src/format/place-id.js';
import { isLeafType, PLACE_TYPES } from '../../src/format/place-levels.js';
import { type CollectedPlaces, NO_UNIT } from './collecting.js';
import { compareCodePoints } from './name-order.js';

/**
 * Stands between the parts of an identity; no part holds this character, since rows have no control characters left.
 */
const SEPARATOR = '\u0000';

/** The list of the ids of all places. */
export function identifyPlaces(places: CollectedPlaces, countryCode: string): Uint8Array {
  const placeCount = places.parents.length;
  const ids = createIds(placeCount);
  for (let place = 0; place < placeCount; place++) {
    const identity = isLeafType(places.types[place])
      ? leafIdentity(places, place, countryCode)
      : ['unit', countryCode, ...namesDownTo(places, place)].join(SEPARATOR);
    writePlaceId(identity, ids, place);
  }
  for (const leaves of findEqualIds(ids, placeCount)) identifyNamesakes(places, leaves, countryCode, ids);
  return ids;
}

/** Makes the id of a place that stands for a whole city number `index` of a list: its identity is the city's. */
export function identifyCity(countryCode: string, geonameId: number, ids: Uint8Array, index: number): void {
  writePlaceId(['city', countryCode, geonameId].join(SEPARATOR), ids, index);
}

/** The groups of places that share an id. Nearly every place shares none, and costs one look into a map. */
function findEqualIds(ids: Uint8Array, placeCount: number): number[][] {
  const firstByDigest = new Map<number, number>();
  const groups = new Map<number, number[]>();
  for (let place = 0; place < placeCount; place++) {
    // Two of a million ids share a digest once in ten thousand builds.
    const digest = idDigestAt(ids, place);
    const first = firstByDigest.get(digest);
    if (first === undefined) {
      firstByDigest.set(digest, place);
      continue;
    }
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [first, place]);
    else group.push(place);
  }
  return [...groups.values()].flatMap((group) => splitByIds(group, ids));
}

/** The parts of a group whose places share an id; parts of one place are left out. */
function splitByIds(group: readonly number[], ids: Uint8Array): number[][] {
  const sorted = group.toSorted((a, b) => comparePlaceIds(ids, a, b) || a - b);
  const parts: number[][] = [];
  sorted.forEach((place, index) => {
    const previous = sorted[index - 1];
    if (previous !== undefined && comparePlaceIds(ids, previous, place) === 0) parts.at(-1)?.push(place);
    else parts.push([place]);
  });
  return parts.filter((part) => part.length > 1);
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
    // Two leaves of the same units differ in their position.
    const parts = sorted[index]?.units === units ? [identity, units, position] : [identity, units];
    writePlaceId(parts.join(SEPARATOR), ids, leaf);
  });
}

/** Whether a leaf has the plain id of its code and name: one of the leaves that share both has. */
export function isPlainLeafId(places: CollectedPlaces, leaf: number, countryCode: string, ids: Uint8Array): boolean {
  const plain = createIds(1);
  writePlaceId(leafIdentity(places, leaf, countryCode), plain, 0);
  return Buffer.compare(idAt(plain, 0), idAt(ids, leaf)) === 0;
}

function leafIdentity(places: CollectedPlaces, leaf: number, countryCode: string): string {
  return `leaf${SEPARATOR}${countryCode}${SEPARATOR}${places.postalCodes[leaf]}${SEPARATOR}${places.texts[leaf]}`;
}

/** The release's names from the root down to `place`, each with its type: a name may stand in any admin column. */
function namesDownTo(places: CollectedPlaces, place: number): string[] {
  const names: string[] = [];
  for (let at = place; at !== NO_UNIT; at = places.parents[at] as number) {
    names.unshift(`${PLACE_TYPES[places.types[at] as number]}:${places.texts[at]}`);
  }
  return names;
}
