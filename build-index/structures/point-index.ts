/** Writes the k-d tree of a country's leaves (src/format/point-index.ts). */
import KDBush from 'kdbush';
import { encodeBundle } from '../../src/format/array-bundle.js';
import { POINT_INDEX_SCHEMA, POINT_NODE_SIZE } from '../../src/format/point-index.js';
import { LEAF_TYPE } from '../tree/collecting.js';
import type { CountryTree } from '../tree/country-tree.js';
import { compareCodePoints } from '../tree/name-order.js';

/** `orderedPlaces` is every place of the country by name then id. */
export function buildPointIndex(tree: CountryTree, orderedPlaces: Uint32Array): Uint8Array[] {
  const { types, latitudes, longitudes, postalCodes } = tree;
  const standsFor = new Map<number, Map<number, number>>();
  for (const place of orderedPlaces) {
    if (types[place] !== LEAF_TYPE) continue;
    const longitude = longitudes[place] as number;
    const latitude = latitudes[place] as number;
    let onMeridian = standsFor.get(longitude);
    if (onMeridian === undefined) {
      onMeridian = new Map();
      standsFor.set(longitude, onMeridian);
    }
    const other = onMeridian.get(latitude);
    // Places come by name then id, so of two with one code the first stays.
    const isLower =
      other === undefined || compareCodePoints(postalCodes[place] as string, postalCodes[other] as string) < 0;
    if (isLower) onMeridian.set(latitude, place);
  }
  const places = [...standsFor.values()].flatMap((onMeridian) => [...onMeridian.values()]);
  const kdbush = new KDBush(places.length, POINT_NODE_SIZE, Float64Array);
  for (const place of places) kdbush.add(longitudes[place] as number, latitudes[place] as number);
  kdbush.finish();
  return encodeBundle(POINT_INDEX_SCHEMA, {
    places: Uint32Array.from(kdbush.ids, (point) => places[point] as number),
    coords: kdbush.coords as Float64Array,
  });
}
