/** Writes the k-d trees of a country's leaves (src/format/point-index.ts). */
import KDBush from 'kdbush';
import { encodeBundle } from '../../src/format/array-bundle.js';
import { comparePlaceIds } from '../../src/format/place-id.js';
import { isLeafType } from '../../src/format/place-levels.js';
import { POINT_INDEX_SCHEMA, POINT_NODE_SIZE, POINT_TIERS, type PointTier } from '../../src/format/point-index.js';
import { type CountryTree, tierOf } from '../tree/country-tree.js';
import { compareCodePoints } from '../tree/name-order.js';

export function buildPointIndex(tree: CountryTree): Uint8Array[] {
  const leavesByTier = POINT_TIERS.map((): number[] => []);
  for (let place = 0; place < tree.placeCount; place++) {
    if (isLeafType(tree.types[place])) leavesByTier[tierOf(tree, place)]?.push(place);
  }
  const tiers = leavesByTier.map((leaves) => buildTier(tree, leaves));
  const tierStarts = new Uint32Array(tiers.length + 1);
  tiers.forEach(({ places }, tier) => {
    tierStarts[tier + 1] = (tierStarts[tier] as number) + places.length;
  });
  const places = new Uint32Array(tierStarts[tiers.length] as number);
  const coords = new Float64Array(places.length * 2);
  tiers.forEach((tier, index) => {
    places.set(tier.places, tierStarts[index]);
    coords.set(tier.coords, (tierStarts[index] as number) * 2);
  });
  return encodeBundle(POINT_INDEX_SCHEMA, { tierStarts, places, coords });
}

function buildTier(tree: CountryTree, leaves: readonly number[]): PointTier {
  const { latitudes, longitudes } = tree;
  const representatives = new Map<number, Map<number, number>>();
  for (const place of leaves) {
    const longitude = longitudes[place] as number;
    const latitude = latitudes[place] as number;
    let onMeridian = representatives.get(longitude);
    if (onMeridian === undefined) {
      onMeridian = new Map();
      representatives.set(longitude, onMeridian);
    }
    const other = onMeridian.get(latitude);
    if (other === undefined || compareByCodeNameId(tree, place, other) < 0) onMeridian.set(latitude, place);
  }
  const places = [...representatives.values()].flatMap((onMeridian) => [...onMeridian.values()]);
  const kdbush = new KDBush(places.length, POINT_NODE_SIZE, Float64Array);
  for (const place of places) kdbush.add(longitudes[place] as number, latitudes[place] as number);
  kdbush.finish();
  return {
    places: Uint32Array.from(kdbush.ids, (point) => places[point] as number),
    coords: kdbush.coords as Float64Array,
  };
}

/** Negative if place `a` represents a point rather than place `b`: the lower code, then name, then id. */
function compareByCodeNameId({ postalCodes, names, ids }: CountryTree, a: number, b: number): number {
  return (
    compareCodePoints(postalCodes[a] as string, postalCodes[b] as string) ||
    compareCodePoints(names[a] as string, names[b] as string) ||
    comparePlaceIds(ids, a, b)
  );
}
