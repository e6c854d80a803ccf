/** Writes the k-d tree of a country's leaves (src/format/point-index.ts). */
import KDBush from 'kdbush';
import { encodeBundle } from '../../src/format/array-bundle.js';
import { comparePlaceIds } from '../../src/format/place-id.js';
import { LEAF_TYPE } from '../../src/format/place-levels.js';
import { POINT_INDEX_SCHEMA, POINT_NODE_SIZE } from '../../src/format/point-index.js';
import type { CountryTree } from '../tree/country-tree.js';
import { compareCodePoints } from '../tree/name-order.js';

export function buildPointIndex(tree: CountryTree): Uint8Array[] {
  const { types, latitudes, longitudes } = tree;
  const standsFor = new Map<number, Map<number, number>>();
  for (let place = 0; place < tree.placeCount; place++) {
    if (types[place] !== LEAF_TYPE) continue;
    const longitude = longitudes[place] as number;
    const latitude = latitudes[place] as number;
    let onMeridian = standsFor.get(longitude);
    if (onMeridian === undefined) {
      onMeridian = new Map();
      standsFor.set(longitude, onMeridian);
    }
    const other = onMeridian.get(latitude);
    if (other === undefined || compareByCodeNameId(tree, place, other) < 0) onMeridian.set(latitude, place);
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

/** Negative where place `a` stands for a point rather than place `b`: the lower code, then name, then id. */
function compareByCodeNameId({ postalCodes, names, ids }: CountryTree, a: number, b: number): number {
  return (
    compareCodePoints(postalCodes[a] as string, postalCodes[b] as string) ||
    compareCodePoints(names[a] as string, names[b] as string) ||
    comparePlaceIds(ids, a, b)
  );
}
