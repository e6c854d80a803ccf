/**
 * Checks the k-d trees: each tier is a valid tree, contains the point of each of its leaves once, the right place
 * represents each point, and each point has the codes of its leaves.
 */
import { isCoarse, POSITION_SOURCES } from '../../src/format/place-positions.js';
import { POINT_NODE_SIZE, POINT_TIERS, type PointTier, pointTier } from '../../src/format/point-index.js';
import { codePlaces } from '../../src/store/postcode-index.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import { compareCodePoints } from '../tree/name-order.js';
import type { PlaceFields } from './check-answers.js';
import { fail } from './fail.js';

export function checkPoints(structures: CountryStructures, fields: PlaceFields, code: string): void {
  const { points, positions, orders } = structures;
  const codeOf = codeNumbers(structures);
  const leavesByTier = POINT_TIERS.map((): number[] => []);
  for (const place of orders.all) {
    if (fields.postalCodes[place] === null) continue;
    const source = POSITION_SOURCES[positions.sources[place] as number];
    const tier = fields.types[place] === 'recipient' ? 'recipient' : isCoarse(source) ? 'coarse' : 'sure';
    leavesByTier[POINT_TIERS.indexOf(tier)]?.push(place);
  }
  leavesByTier.forEach((leaves, tier) => {
    const where = `point-index of ${code}, ${POINT_TIERS[tier]}`;
    checkRepresentatives(pointTier(points, tier), leaves, fields, where);
    checkCodes(pointTier(points, tier), leaves, fields, codeOf, where);
    checkHalves(pointTier(points, tier), where);
  });
}

/** Checks that the points are those of the leaves, and that the right leaf represents each. */
function checkRepresentatives(
  { coords, places }: PointTier,
  leaves: readonly number[],
  fields: PlaceFields,
  where: string,
): void {
  const representatives = new Map<number, Map<number, number>>();
  let pointCount = 0;
  for (const place of leaves) {
    const lng = fields.longitudes[place] as number;
    const lat = fields.latitudes[place] as number;
    const onMeridian = representatives.get(lng) ?? new Map<number, number>();
    const other = onMeridian.get(lat);
    if (onMeridian.size === 0) representatives.set(lng, onMeridian);
    if (other === undefined) pointCount++;
    if (other === undefined || compareByCodeNameId(fields, place, other) < 0) onMeridian.set(lat, place);
  }
  if (places.length !== pointCount) fail(where, `${pointCount} points`, places.length);
  places.forEach((place, index) => {
    const onMeridian = representatives.get(coords[index * 2] as number);
    const expected = onMeridian?.get(coords[index * 2 + 1] as number);
    if (expected !== place) fail(where, `place ${expected} to represent point ${index}`, place);
    onMeridian?.delete(coords[index * 2 + 1] as number);
  });
}

/** The number of each leaf's code in the postcode index, by place. */
function codeNumbers({ postcodes, tree }: CountryStructures): Uint32Array {
  const codeOf = new Uint32Array(tree.placeCount);
  for (let code = 0; code < postcodes.codeCount; code++) {
    for (const place of codePlaces(postcodes, code)) codeOf[place] = code;
  }
  return codeOf;
}

/** Checks that each point has the codes of the leaves there, ascending and once. */
function checkCodes(
  { coords, places, codeStarts, codes }: PointTier,
  leaves: readonly number[],
  { latitudes, longitudes }: PlaceFields,
  codeOf: Uint32Array,
  where: string,
): void {
  const codesByPoint = new Map<string, Set<number>>();
  for (const place of leaves) {
    const key = `${longitudes[place]} ${latitudes[place]}`;
    const ofPoint = codesByPoint.get(key);
    if (ofPoint === undefined) codesByPoint.set(key, new Set([codeOf[place] as number]));
    else ofPoint.add(codeOf[place] as number);
  }
  places.forEach((_, point) => {
    const [start, end] = [codeStarts[point] as number, codeStarts[point + 1] as number];
    const expected = codesByPoint.get(`${coords[point * 2]} ${coords[point * 2 + 1]}`) as Set<number>;
    const isRight = (code: number, at: number): boolean =>
      expected.has(code) && (at === 0 || (codes[start + at - 1] as number) < code);
    const found = codes.subarray(start, end);
    if (!(end - start === expected.size && found.every(isRight)))
      fail(where, `the ${expected.size} codes of point ${point}`, found.subarray(0, 10).join());
  });
}

/** Checks that each middle point separates the points before it from the points after it. */
function checkHalves({ coords, places }: PointTier, where: string): void {
  const checkNode = (left: number, right: number, axis: number): void => {
    if (right - left <= POINT_NODE_SIZE) return;
    const middle = (left + right) >> 1;
    const split = coords[middle * 2 + axis] as number;
    for (let index = left; index <= right; index++) {
      const value = coords[index * 2 + axis] as number;
      const inPlace = index < middle ? value <= split : value >= split;
      if (!inPlace) fail(where, `point ${index} on its side of ${split}`, value);
    }
    checkNode(left, middle - 1, 1 - axis);
    checkNode(middle + 1, right, 1 - axis);
  };
  checkNode(0, places.length - 1, 0);
}

/** Negative if place `a` represents a point rather than place `b`: the lower code, then name, then id. */
function compareByCodeNameId({ postalCodes, names, ids }: PlaceFields, a: number, b: number): number {
  return (
    compareCodePoints(postalCodes[a] as string, postalCodes[b] as string) ||
    compareCodePoints(names[a] as string, names[b] as string) ||
    compareCodePoints(ids[a] as string, ids[b] as string)
  );
}
