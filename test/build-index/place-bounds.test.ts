/** The bounds of units against a naive search of the smallest box, also across the antimeridian. */

import { describe, expect, test } from '@jest/globals';
import { findBounds } from '../../build-index/structures/build-place-facts.js';
import type { CountryTree } from '../../build-index/tree/country-tree.js';
import { isCoarseAt, POSITION_SOURCES } from '../../src/core/snapshot/place-facts.js';
import { isLeafType, LOCALITY_TYPE, PLACE_TYPES } from '../../src/core/snapshot/place-tree.js';
import { treeOf } from '../fixtures/gazetteer.js';
import type { FixtureRow } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';
import { seededRelease } from '../fixtures/seeded-release.js';

type Box = readonly [west: number, south: number, east: number, north: number];

/** By unit, in degrees. */
function boundsOf(tree: Parameters<typeof findBounds>[0]): Map<number, Box> {
  const { units, bounds } = findBounds(tree);
  return new Map(
    Array.from(
      units,
      (unit, at) => [unit, Array.from(bounds.subarray(4 * at, 4 * at + 4), (part) => part / 1e7)] as never,
    ),
  );
}

/** The leaves in a unit whose positions are sure. */
function sureLeavesOf(tree: CountryTree, unit: number): number[] {
  return Array.from(tree.parents, (_, place) => place).filter((leaf) => {
    let at = leaf;
    while (at !== unit && at < tree.placeCount) at = tree.parents[at] as number;
    return at === unit && tree.types[leaf] === LOCALITY_TYPE && !isCoarseAt(tree.sources, leaf);
  });
}

/** Degrees from west to east. */
const widthOf = (west: number, east: number): number => (west <= east ? east - west : east - west + 360);

/** Of all boxes with a leaf at their west and a leaf at their east, the narrowest with all leaves in it. */
function naiveBounds({ latitudes, longitudes }: CountryTree, leaves: readonly number[]): Box {
  const lngs = leaves.map((leaf) => longitudes[leaf] as number);
  const lats = leaves.map((leaf) => latitudes[leaf] as number);
  const boxes = lngs.flatMap((west) => lngs.map((east) => [west, east] as const));
  const whole = boxes.filter(([west, east]) => lngs.every((lng) => widthOf(west, lng) <= widthOf(west, east)));
  const [west, east] = whole.sort((a, b) => widthOf(...a) - widthOf(...b))[0] as (typeof whole)[number];
  return [west, Math.min(...lats), east, Math.max(...lats)];
}

function treeOfPoints(points: readonly (readonly [lat: number, lng: number])[]): CountryTree {
  const rows = points.map(
    ([lat, lng], index): FixtureRow => [String(1000 + index), `P${index}`, 'Unit', '', '', lat, lng],
  );
  const tree = treeOf('FJ', rows);
  // Rows of a few points are estimates of each other.
  return { ...tree, sources: tree.sources.fill(0) };
}

describe('a unit', () => {
  test.each<[string, [number, number][], Box]>([
    [
      'Fiji',
      [
        [-18.1, 178.4],
        [-17.6, 177.4],
        [-16.8, -179.9],
      ],
      [177.4, -18.1, -179.9, -16.8],
    ],
    [
      'Russia',
      [
        [55.7, 37.6],
        [54.7, 20.5],
        [64.7, 177.5],
        [66.2, -169.8],
      ],
      [20.5, 54.7, -169.8, 66.2],
    ],
    [
      'New Zealand with the Chathams',
      [
        [-36.8, 174.7],
        [-46.4, 168.3],
        [-43.9, -176.5],
      ],
      [168.3, -46.4, -176.5, -36.8],
    ],
    [
      'Hawaii and Guam, closer across the Pacific',
      [
        [21.3, -157.8],
        [13.4, 144.7],
      ],
      [144.7, 13.4, -157.8, 21.3],
    ],
    [
      'exactly half of the earth',
      [
        [0, -90],
        [1, 90],
      ],
      [-90, 0, 90, 1],
    ],
    [
      'both sides of the antimeridian itself',
      [
        [5, 180],
        [6, -180],
      ],
      [180, 5, -180, 6],
    ],
    ['one point', [[1.5, 2.5]], [2.5, 1.5, 2.5, 1.5]],
    [
      'the prime meridian and the equator',
      [
        [-0.1, -0.2],
        [0.3, 0.4],
      ],
      [-0.2, -0.1, 0.4, 0.3],
    ],
  ])('%s', (_, points, box) => {
    expect([...boundsOf(treeOfPoints(points)).values()]).toEqual([box]);
  });

  test('more decimals than the format has are rounded outwards', () => {
    const [box] = boundsOf(
      treeOfPoints([
        [1.00000004, -2.00000006],
        [1.00000014, -2.00000001],
      ]),
    ).values();
    expect(box).toEqual([-2.0000001, 1, -2, 1.0000002]);
  });

  test('a position at a pole is none', () => {
    const points = [
      [90, 0],
      [46.8, -71.2],
      [58.7, -65.9],
    ] as const;
    expect([...boundsOf(treeOfPoints(points)).values()]).toEqual([[-71.2, 46.8, -65.9, 58.7]]);
    expect(boundsOf(treeOfPoints([[-90, 12]])).size).toBe(0);
    expect([...boundsOf(treeOfPoints([[-89.9976, 139.2729]])).values()]).toEqual([
      [139.2729, -89.9976, 139.2729, -89.9976],
    ]);
  });

  test('only sure localities count', () => {
    const tree = treeOfPoints([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    const leaves = Array.from(tree.types, (_, place) => place).filter((place) => isLeafType(tree.types[place]));
    const [first, second, third] = leaves as [number, number, number];
    tree.sources[first] = POSITION_SOURCES.indexOf('coarse');
    tree.types[second] = PLACE_TYPES.indexOf('recipient');
    const only = tree.latitudes[third] as number;
    expect([...boundsOf(tree).values()]).toEqual([[only, only, only, only]]);
    tree.sources[third] = POSITION_SOURCES.indexOf('agreement');
    expect(boundsOf(tree).size).toBe(0);
  });
});

test('all units of seeded releases, and of points all over the earth, have the bounds of a naive search', () => {
  const random = createRandom(20260330);
  const anywhere = Array.from({ length: 60 }, (_, index): FixtureRow => {
    const lng = Math.round(((index % 3 === 0 ? 0 : 175) + random() * 360) * 1e4) / 1e4;
    return [
      String(1000 + index),
      `P${index}`,
      `U${index % 5}`,
      index % 2 ? `V${index % 10}` : '',
      '',
      Math.round((random() * 160 - 80) * 1e4) / 1e4,
      lng > 180 ? Math.round((lng - 360) * 1e4) / 1e4 : lng,
    ];
  });
  const seeded = seededRelease(7);
  let count = 0;
  for (const rows of [anywhere, ...Object.values(seeded)]) {
    const tree = treeOf('FJ', rows as readonly FixtureRow[]);
    const found = boundsOf(tree);
    for (let unit = 0; unit < tree.placeCount; unit++) {
      const leaves = isLeafType(tree.types[unit]) ? [] : sureLeavesOf(tree, unit);
      if (leaves.length > 60) continue;
      const expected = leaves.length === 0 ? undefined : naiveBounds(tree, leaves);
      expect([unit, found.get(unit)]).toEqual([unit, expected]);
      if (expected !== undefined) count++;
    }
  }
  expect(count).toBeGreaterThan(30);
});
