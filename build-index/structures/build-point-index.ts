/** Writes the k-d trees of a country's leaves (src/core/snapshot/point-index.ts). */

import KDBush from 'kdbush';
import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { comparePlaceIds } from '../../src/core/snapshot/place-id.js';
import { isLeafType } from '../../src/core/snapshot/place-tree.js';
import { POINT_INDEX_SCHEMA, POINT_NODE_SIZE, POINT_TIERS } from '../../src/core/snapshot/point-index.js';
import { compareCodePoints } from '../ordering/name-order.js';
import { type CountryTree, tierOf } from '../tree/country-tree.js';
import { startsOf } from './part-starts.js';

/** A tier whose codes are its own. */
type BuiltTier = Record<'places' | 'codeStarts' | 'codes', Uint32Array> & { readonly coords: Float64Array };

/** `codeOf` has the number of each leaf's code, by place. */
export function buildPointIndex(tree: CountryTree, codeOf: Uint32Array): Uint8Array[] {
  const leavesByTier = POINT_TIERS.map((): number[] => []);
  for (let place = 0; place < tree.placeCount; place++) {
    if (isLeafType(tree.types[place])) leavesByTier[tierOf(tree, place)]?.push(place);
  }
  const tiers = leavesByTier.map((leaves) => buildTier(tree, leaves, codeOf));
  const tierStarts = startsOf(tiers.map(({ places }) => places.length));
  const places = new Uint32Array(tierStarts[tiers.length] as number);
  const coords = new Float64Array(places.length * 2);
  const codeStarts = new Uint32Array(places.length + 1);
  const codes = new Uint32Array(tiers.reduce((sum, tier) => sum + tier.codes.length, 0));
  let codeCount = 0;
  tiers.forEach((tier, index) => {
    const start = tierStarts[index] as number;
    places.set(tier.places, start);
    coords.set(tier.coords, start * 2);
    codeStarts.set(
      tier.codeStarts.map((codeStart) => codeStart + codeCount),
      start,
    );
    codes.set(tier.codes, codeCount);
    codeCount += tier.codes.length;
  });
  return encodeBundle(POINT_INDEX_SCHEMA, { tierStarts, places, coords, codeStarts, codes });
}

function buildTier(tree: CountryTree, leaves: readonly number[], codeOf: Uint32Array): BuiltTier {
  const { latitudes, longitudes } = tree;
  const pointsByMeridian = new Map<number, Map<number, number>>();
  /** The place that represents each point, and the point of each leaf. */
  const representatives: number[] = [];
  const points = leaves.map((place) => {
    const longitude = longitudes[place] as number;
    const latitude = latitudes[place] as number;
    let onMeridian = pointsByMeridian.get(longitude);
    if (onMeridian === undefined) {
      onMeridian = new Map();
      pointsByMeridian.set(longitude, onMeridian);
    }
    const point = onMeridian.get(latitude) ?? representatives.length;
    const other = representatives[point];
    if (other === undefined) onMeridian.set(latitude, point);
    if (other === undefined || compareByCodeNameId(tree, place, other) < 0) representatives[point] = place;
    return point;
  });
  const kdbush = new KDBush(representatives.length, POINT_NODE_SIZE, Float64Array);
  for (const place of representatives) kdbush.add(longitudes[place] as number, latitudes[place] as number);
  kdbush.finish();
  return {
    places: Uint32Array.from(kdbush.ids, (point) => representatives[point] as number),
    coords: kdbush.coords as Float64Array,
    ...listCodes(
      points,
      leaves.map((place) => codeOf[place] as number),
      kdbush.ids,
    ),
  };
}

/**
 * The codes of each point in the order `ids` of points, from the point and the code of each leaf: each code once,
 * ascending.
 */
function listCodes(
  points: readonly number[],
  codes: readonly number[],
  ids: ArrayLike<number>,
): Pick<BuiltTier, 'codeStarts' | 'codes'> {
  const positions = new Uint32Array(ids.length);
  for (let position = 0; position < ids.length; position++) positions[ids[position] as number] = position;
  const codeLimit = codes.reduce((most, code) => Math.max(most, code), 0) + 1;
  // Position and code as one number, so that the order of the numbers is that of the list.
  const keys = Float64Array.from(
    points,
    (point, leaf) => (positions[point] as number) * codeLimit + (codes[leaf] as number),
  ).sort();
  const distinct = keys.filter((key, at) => key !== keys[at - 1]);
  const codeStarts = new Uint32Array(ids.length + 1);
  for (let at = 0; at < distinct.length; at++) {
    codeStarts[Math.floor((distinct[at] as number) / codeLimit) + 1] = at + 1;
  }
  return { codeStarts, codes: Uint32Array.from(distinct, (key) => key % codeLimit) };
}

/** Negative if place `a` represents a point rather than place `b`: the lower code, then name, then id. */
function compareByCodeNameId({ postalCodes, names, ids }: CountryTree, a: number, b: number): number {
  return (
    compareCodePoints(postalCodes[a] as string, postalCodes[b] as string) ||
    compareCodePoints(names[a] as string, names[b] as string) ||
    comparePlaceIds(ids, a, b)
  );
}
