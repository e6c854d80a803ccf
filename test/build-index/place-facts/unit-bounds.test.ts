/** The bounds of units against a naive search of the smallest box, also across the antimeridian. */

import { describe, expect, test } from '@jest/globals';
import { findBounds } from '../../../build-index/place-facts/unit-bounds.js';
import type { CountryTree } from '../../../build-index/tree/country-tree.js';
import { isCoarsePositionAt, POSITION_SOURCES } from '../../../src/core/snapshot/place-positions.js';
import { isLeafType, LOCALITY_TYPE, PLACE_TYPES } from '../../../src/core/snapshot/place-type.js';
import { treeOf } from '../../fixtures/collected-rows.js';
import { type FixtureRow, rowsOf } from '../../fixtures/hand-made-release.js';
import { createRandom } from '../../fixtures/random.mjs';
import { seededRelease } from '../../fixtures/seeded-release.js';

type Box = readonly [west: number, south: number, east: number, north: number];

/** By unit, in degrees. */
function boundsOf(tree: Parameters<typeof findBounds>[0]): Map<number, Box> {
  const { units, bounds } = findBounds(tree);
  const boxAt = (at: number): number[] => Array.from(bounds.subarray(4 * at, 4 * at + 4), (side) => side / 1e7);
  return new Map(Array.from(units, (unit, at) => [unit, boxAt(at) as unknown as Box]));
}

/** The leaves in a unit whose positions are sure. */
function sureLeavesOf(tree: CountryTree, unit: number): number[] {
  return Array.from(tree.parents, (_, place) => place).filter((leaf) => {
    let at = leaf;
    while (at !== unit && at < tree.placeCount) at = tree.parents[at] as number;
    return at === unit && tree.types[leaf] === LOCALITY_TYPE && !isCoarsePositionAt(tree.sources, leaf);
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
  const rowOf = (lat: number, lng: number, index: number): FixtureRow => {
    return [`${1000 + index}`, `P${index}`, 'Unit', '', '', lat, lng];
  };
  const tree = treeOf(
    'FJ',
    points.map(([lat, lng], index) => rowOf(lat, lng, index)),
  );
  // Rows of a few points are estimates of each other.
  return { ...tree, sources: tree.sources.fill(0) };
}

describe('a unit', () => {
  /** Points as "latitude longitude", a box from west to north. */
  test.each([
    ['Fiji', '-18.1 178.4, -17.6 177.4, -16.8 -179.9', '177.4 -18.1 -179.9 -16.8'],
    ['Russia', '55.7 37.6, 54.7 20.5, 64.7 177.5, 66.2 -169.8', '20.5 54.7 -169.8 66.2'],
    ['New Zealand with the Chathams', '-36.8 174.7, -46.4 168.3, -43.9 -176.5', '168.3 -46.4 -176.5 -36.8'],
    ['Hawaii and Guam, closer across the Pacific', '21.3 -157.8, 13.4 144.7', '144.7 13.4 -157.8 21.3'],
    ['exactly half of the earth', '0 -90, 1 90', '-90 0 90 1'],
    ['both sides of the antimeridian itself', '5 180, 6 -180', '180 5 -180 6'],
    ['one point', '1.5 2.5', '2.5 1.5 2.5 1.5'],
    ['the prime meridian and the equator', '-0.1 -0.2, 0.3 0.4', '-0.2 -0.1 0.4 0.3'],
    [
      'more decimals than the format has, rounded outwards',
      '1.00000004 -2.00000006, 1.00000014 -2.00000001',
      '-2.0000001 1 -2 1.0000002',
    ],
    ['a position at a pole, which is none', '90 0, 46.8 -71.2, 58.7 -65.9', '-71.2 46.8 -65.9 58.7'],
    ['nothing but a pole', '-90 12', undefined],
    ['a point beside a pole', '-89.9976 139.2729', '139.2729 -89.9976 139.2729 -89.9976'],
  ])('%s', (_, points, box) => {
    const tree = treeOfPoints(points.split(', ').map((point) => point.split(' ').map(Number) as [number, number]));
    expect([...boundsOf(tree).values()].map((sides) => sides.join(' '))).toEqual(box === undefined ? [] : [box]);
  });

  test('only sure localities count', () => {
    const tree = treeOfPoints([1, 2, 3].map((degree) => [degree, degree]));
    const leaves = [...tree.types.keys()].filter((place) => isLeafType(tree.types[place]));
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
  const anywhere = rowsOf(60, (index) => {
    const rounded = (degrees: number): number => Math.round(degrees * 1e4) / 1e4;
    const lng = rounded((index % 3 === 0 ? 0 : 175) + random() * 360);
    const [lat, district] = [rounded(random() * 160 - 80), index % 2 ? `V${index % 10}` : ''];
    return [`${1000 + index}`, `P${index}`, `U${index % 5}`, district, '', lat, lng > 180 ? rounded(lng - 360) : lng];
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
