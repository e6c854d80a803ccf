/** The boxes around a circle: every point of the circle lies in one, and they reach no further than they must. */

import { expect, test } from '@jest/globals';
import { distance } from 'geokdbush';
import { type Box, boxesAround } from '../../src/core/snapshot/point-index.js';
import { createRandom } from '../fixtures/random.mjs';

const KM_PER_DEGREE = (Math.PI * 6371) / 180;

const holds = ({ minLat, maxLat, minLng, maxLng }: Box, lat: number, lng: number): boolean =>
  lat >= minLat && lat <= maxLat && lng >= minLng && lng <= maxLng;

test('a circle on the equator', () => {
  const [box, ...others] = boxesAround(0, 10, KM_PER_DEGREE);
  expect(others).toEqual([]);
  expect(box?.minLat).toBeCloseTo(-1, 4);
  expect(box?.maxLat).toBeCloseTo(1, 4);
  expect(box?.minLng).toBeCloseTo(9, 4);
  expect(box?.maxLng).toBeCloseTo(11, 4);
});

test('a circle further north reaches over more degrees of longitude', () => {
  const [box] = boxesAround(60, 10, KM_PER_DEGREE);
  expect((box?.maxLng as number) - 10).toBeCloseTo(2.0006, 3);
});

test('a circle across the antimeridian, from both sides, and one that touches it', () => {
  expect(boxesAround(0, 179.5, KM_PER_DEGREE).map(({ minLng, maxLng }) => [minLng, maxLng])).toEqual([
    [-180, expect.closeTo(-179.5, 4)],
    [expect.closeTo(178.5, 4), 180],
  ]);
  expect(boxesAround(0, -179.5, KM_PER_DEGREE).map(({ minLng, maxLng }) => [minLng, maxLng])).toEqual([
    [-180, expect.closeTo(-178.5, 4)],
    [expect.closeTo(179.5, 4), 180],
  ]);
  expect(boxesAround(0, 179, KM_PER_DEGREE)).toHaveLength(2);
});

test('a circle that holds a pole lies at every longitude', () => {
  expect(boxesAround(89.5, 33, KM_PER_DEGREE)).toEqual([
    { minLat: expect.closeTo(88.5, 4), maxLat: 90, minLng: -180, maxLng: 180 },
  ]);
  expect(boxesAround(-90, 0, KM_PER_DEGREE)[0]).toMatchObject({ minLat: -90, minLng: -180, maxLng: 180 });
});

test('every point as near as the radius lies in a box', () => {
  const random = createRandom(80);
  let near = 0;
  for (let round = 0; round < 100_000; round++) {
    const lat = random() < 0.2 ? 90 - random() * 3 : random() * 180 - 90;
    const lng = random() < 0.2 ? 180 - random() * 2 : random() * 360 - 180;
    const radiusKm = random() * 200;
    const [otherLat, otherLng] = [
      Math.max(-90, Math.min(90, lat + (random() - 0.5) * 4)),
      random() < 0.3 ? random() * 360 - 180 : ((lng + (random() - 0.5) * 8 + 540) % 360) - 180,
    ];
    if (distance(lng, lat, otherLng, otherLat) > radiusKm) continue;
    near++;
    if (boxesAround(lat, lng, radiusKm).some((box) => holds(box, otherLat, otherLng))) continue;
    throw new Error(`${otherLat}, ${otherLng} is ${radiusKm} km or less from ${lat}, ${lng}, and in no box`);
  }
  expect(near).toBeGreaterThan(10_000);
});
