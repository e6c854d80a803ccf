/** The nearest locality against all distances: of equally near ones the first, on any meridian, and none too far away. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TreeAreas } from '../../../build-index/cities/tree-areas.js';
import type { CountryTree } from '../../../build-index/tree/country-tree.js';
import { LOCALITY_TYPE } from '../../../src/core/snapshot/place-type.js';
import { kmBetween } from '../../../src/core/snapshot/sphere.js';

/** Halves of a degree, so that positions coincide and distances are equal. */
const latitude = fc.integer({ min: -180, max: 180 }).map((half) => half / 2);
const longitude = fc
  .oneof(fc.integer({ min: -360, max: 360 }), fc.integer({ min: -2, max: 2 }))
  .map((half) => half / 2);
const point = fc.tuple(latitude, longitude);

test('the nearest locality is the first of the least distance', () => {
  const radius = fc.constantFrom(10, 120, 2_000, 25_000);
  const property = fc.property(fc.array(point, { maxLength: 30 }), point, radius, (points, [lat, lng], radiusKm) => {
    const tree = {
      parents: points.map(() => -1),
      types: points.map(() => LOCALITY_TYPE),
      latitudes: Float64Array.from(points, ([latitude]) => latitude),
      longitudes: Float64Array.from(points, ([, longitude]) => longitude),
    };
    const distances = points.map(([latitude, longitude]) => kmBetween(lat, lng, latitude, longitude));
    const least = Math.min(...distances);
    const expected = least <= radiusKm ? distances.indexOf(least) : undefined;
    const areas = new TreeAreas(tree as unknown as CountryTree);
    expect(areas.nearestLeaf(lat, lng, radiusKm)).toBe(expected);
  });
  fc.assert(property, { seed: 55, numRuns: 2_000 });
});
