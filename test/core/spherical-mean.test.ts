/** Means on the sphere, where means of degrees go wrong. */

import { expect, test } from '@jest/globals';
import { SphericalMeans } from '../../src/core/snapshot/sphere.js';

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
