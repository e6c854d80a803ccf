/**
 * Ids of collected places. A leaf's identity is its country, postal code and name in the release; a unit's is its
 * country and the types and names from the root down; a synthesised city's is its geonameid. A unit of which the release
 * has only a code is identified by that code, and is no part of the identities below it: naming it changes no other id.
 * Of several leaves with the same code and name, the first by its units' names, then by coordinates, has the plain id;
 * the identities of the other leaves include their units and, if needed, their coordinates.
 */

import { comparePlaceIds, createIds, idAt, idDigestAt, writePlaceId } from '../../src/core/snapshot/place-id.js';
import { isLeafType, PLACE_TYPES } from '../../src/core/snapshot/place-tree.js';
import { compareCodePoints } from '../ordering/name-order.js';
import { sortByKeys } from '../ordering/sort-keys.js';
import { type CollectedPlaces, NO_UNIT } from './collected-places.js';

/**
 * Separates the parts of an identity; no part contains it, since rows have no control characters.
 */
const SEPARATOR = '\u0000';

/** The ids of all places, as a list of place-id.ts. */
export function identifyPlaces(places: CollectedPlaces, countryCode: string): Uint8Array {
  const placeCount = places.parents.length;
  const ids = createIds(placeCount);
  for (let place = 0; place < placeCount; place++) {
    const identity = isLeafType(places.types[place])
      ? leafIdentity(places, place, countryCode)
      : unitIdentity(places, place, countryCode);
    writePlaceId(identity, ids, place);
  }
  for (const leaves of findSharedIds(ids, placeCount)) identifyLeavesOfOneId(places, leaves, countryCode, ids);
  return ids;
}

/** Writes the id of a synthesised city at `index` of a list of ids. */
export function identifyCity(countryCode: string, geonameId: number, ids: Uint8Array, index: number): void {
  writePlaceId(['city', countryCode, geonameId].join(SEPARATOR), ids, index);
}

/** The groups of places that share an id. Most ids are unique. */
function findSharedIds(ids: Uint8Array, placeCount: number): number[][] {
  const digests = new Float64Array(placeCount);
  for (let place = 0; place < placeCount; place++) digests[place] = idDigestAt(ids, place);
  const order = sortByKeys(digests);
  const groups: number[][] = [];
  for (let [start, end] = [0, 0]; start < placeCount; start = end) {
    const digest = digests[order[start] as number];
    while (end < placeCount && digests[order[end] as number] === digest) end++;
    // Of a million different ids, two share a digest in one of ten thousand builds: splitByIds separates them.
    if (end - start > 1) groups.push(...splitByIds([...order.subarray(start, end)], ids));
  }
  return groups;
}

/** Splits a group of equal digests into groups of equal ids, without single places. */
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

function identifyLeavesOfOneId(places: CollectedPlaces, leaves: number[], countryCode: string, ids: Uint8Array): void {
  const sorted = leaves
    .map((leaf) => ({
      leaf,
      units: namesDownTo(places, leaf).slice(0, -1).join(SEPARATOR),
      position: `${places.latitudes[leaf]}${SEPARATOR}${places.longitudes[leaf]}`,
      code: places.releaseCodes[leaf]?.[0] as string,
    }))
    .sort(
      (a, b) =>
        compareCodePoints(a.units, b.units) ||
        compareCodePoints(a.position, b.position) ||
        compareCodePoints(a.code, b.code),
    );
  sorted.slice(1).forEach(({ leaf, units, position, code }, index) => {
    const parts = [leafIdentity(places, leaf, countryCode), units];
    // Leaves of the same units have different positions, or lie in different units of which the release has only a code.
    if (sorted[index]?.units === units) parts.push(position);
    if (sorted[index]?.units === units && sorted[index].position === position) parts.push(code);
    writePlaceId(parts.join(SEPARATOR), ids, leaf);
  });
}

/** Whether a leaf has the plain id of its code and name. Of the leaves that share both, one has it. */
export function isPlainLeafId(places: CollectedPlaces, leaf: number, countryCode: string, ids: Uint8Array): boolean {
  const plain = createIds(1);
  writePlaceId(leafIdentity(places, leaf, countryCode), plain, 0);
  return Buffer.compare(idAt(plain, 0), idAt(ids, leaf)) === 0;
}

function leafIdentity(places: CollectedPlaces, leaf: number, countryCode: string): string {
  return `leaf${SEPARATOR}${countryCode}${SEPARATOR}${places.postalCodes[leaf]}${SEPARATOR}${places.texts[leaf]}`;
}

function unitIdentity(places: CollectedPlaces, unit: number, countryCode: string): string {
  const code = places.codeOnly.get(unit);
  const parts =
    code === undefined ? ['unit', countryCode, ...namesDownTo(places, unit)] : ['unit by code', countryCode, code];
  return parts.join(SEPARATOR);
}

/** The release's names from the root down to `place`, each with its type, since a name may be in any admin column. */
function namesDownTo(places: CollectedPlaces, place: number): string[] {
  const names: string[] = [];
  for (let at = place; at !== NO_UNIT; at = places.parents[at] as number) {
    if (places.codeOnly.has(at)) continue;
    names.unshift(`${PLACE_TYPES[places.types[at] as number]}:${places.texts[at]}`);
  }
  return names;
}
