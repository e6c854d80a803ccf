/** Points that show where an area or a city lies: a sample of its places, without those far out. */

import type { Range } from '../../core/snapshot/array-bundle.js';
import { readPointField } from '../../core/snapshot/place-fields.js';
import type { Position } from '../../core/snapshot/sphere.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { turn } from './map-window.js';

/** Number of points that show where an area lies: reading one costs 0.5 µs. */
const SAMPLE_SIZE = 200;
/** Share of the points on each side that are left out if they lie beyond the others by REACH times the others' span. */
const FAR_SHARE = 0.03;
const REACH = 0.4;

/** Of the places in the ranges and of the members. What lies far from the others is a mistake or an island. */
export function samplePlaces(
  { structures }: CoveredCountry,
  ranges: readonly Range[],
  members: ArrayLike<number>,
): readonly Position[] {
  const rangeCount = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  const total = rangeCount + members.length;
  const count = Math.min(total, SAMPLE_SIZE);
  let [passed, at] = [0, 0];
  const places = Array.from({ length: count }, (_, sample) => {
    const index = Math.floor((sample * total) / count);
    if (index >= rangeCount) return members[index - rangeCount] as number;
    // Samples ascend.
    for (let range = ranges[at] as Range; index >= passed + range.end - range.start; range = ranges[++at] as Range)
      passed += range.end - range.start;
    return (ranges[at] as Range).start + index - passed;
  });
  return withoutFar(places.map((place) => readPointField(structures, place)));
}

function withoutFar(points: readonly Position[]): readonly Position[] {
  const [first] = points;
  if (first === undefined) return [];
  const isLatitudeNear = nearTest(points.map(({ latitude }) => latitude));
  const isEastNear = nearTest(points.map(({ longitude }) => turn(longitude - first.longitude)));
  return points.filter(
    ({ latitude, longitude }) => isLatitudeNear(latitude) && isEastNear(turn(longitude - first.longitude)),
  );
}

function nearTest(values: readonly number[]): (value: number) => boolean {
  const sorted = Float64Array.from(values).sort();
  const skipped = Math.ceil(sorted.length * FAR_SHARE);
  const [low, high] = [sorted[skipped] ?? 0, sorted[sorted.length - 1 - skipped] ?? 0];
  const reach = sorted.length * FAR_SHARE < 1 ? Infinity : (high - low) * REACH;
  return (value) => value >= low - reach && value <= high + reach;
}
