/** Points on the sphere: their means, and the boxes around circles. */

import { describe, expect, test } from '@jest/globals';
import { distance } from 'geokdbush';
import { type BoundingBox, boxesAround, SphericalMeans } from '../../src/core/snapshot/sphere.js';
import { createRandom } from '../fixtures/random.mjs';

type Point = readonly [number, number];

function meanOf(points: readonly Point[]): Point | undefined {
  const means = new SphericalMeans(1);
  for (const [latitude, longitude] of points) means.addPoint(0, latitude, longitude);
  const mean = means.get(0);
  return mean === undefined ? undefined : [mean.latitude, mean.longitude];
}

test.each<[string, Point[], Point]>([
  ['one point', [[48.1345, 11.571]], [48.1345, 11.571]],
  [
    'one point twice',
    [
      [48.1345, 11.571],
      [48.1345, 11.571],
    ],
    [48.1345, 11.571],
  ],
  ['null island', [[0, 0]], [0, 0]],
  [
    'along the equator',
    [
      [0, 10],
      [0, 20],
    ],
    [0, 15],
  ],
  [
    'across null island',
    [
      [1, 1],
      [-1, -1],
    ],
    [0, 0],
  ],
  [
    'across the antimeridian',
    [
      [-16, 179],
      [-16, -177],
    ],
    [-16.0093, -179],
  ],
  [
    'around the south pole',
    [
      [-89, 0],
      [-89, 90],
      [-89, 180],
      [-89, -90],
    ],
    [-90, 0],
  ],
  [
    'two thirds of the way',
    [
      [0, 0],
      [0, 90],
      [0, 90],
    ],
    [0, 63.4349],
  ],
])('%s', (_, points, [latitude, longitude]) => {
  const mean = meanOf(points) as Point;
  expect(mean[0]).toBeCloseTo(latitude, 4);
  // At a pole every longitude is the same point.
  if (Math.abs(latitude) < 90) expect(mean[1]).toBeCloseTo(longitude, 4);
});

test('on the antimeridian itself it is 180, from either side', () => {
  const mean = meanOf([
    [0, 179.9],
    [0, -179.9],
  ]) as Point;
  expect(Math.abs(mean[1])).toBe(180);
});

test.each<[string, Point[]]>([
  [
    'both poles',
    [
      [90, 0],
      [-90, 0],
    ],
  ],
  [
    'antipodes',
    [
      [10, 20],
      [-10, -160],
    ],
  ],
  [
    'three on a circle',
    [
      [0, 0],
      [0, 120],
      [0, -120],
    ],
  ],
])('%s have no mean', (_, points) => expect(meanOf(points)).toBeUndefined());

test('never minus zero, and four decimals', () => {
  const mean = meanOf([[-0.00001, -0.00001]]) as Point;
  expect(mean.every((degrees) => Object.is(degrees, 0))).toBe(true);
  expect(meanOf([[12.345678, 1.000049]])).toEqual([12.3457, 1]);
});

test('a mean of sums is the mean of all points', () => {
  const means = new SphericalMeans(3);
  const west: Point[] = [
    [10, -10],
    [12, -12],
    [14, -11],
  ];
  const east: Point[] = [[40, 30]];
  for (const [latitude, longitude] of west) means.addPoint(1, latitude, longitude);
  for (const [latitude, longitude] of east) means.addPoint(2, latitude, longitude);
  means.addSum(0, 1);
  means.addSum(0, 2);
  const [latitude, longitude] = meanOf([...west, ...east]) as Point;
  expect(means.get(0)).toEqual({ latitude, longitude });
});

/** The boxes around a circle: every point of the circle lies in one, and they reach no further than they must. */
describe('boxes', () => {
  const KM_PER_DEGREE = (Math.PI * 6371) / 180;

  const holds = ({ minLat, maxLat, minLng, maxLng }: BoundingBox, lat: number, lng: number): boolean =>
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
});
