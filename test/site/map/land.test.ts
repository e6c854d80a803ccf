/** Outlines in a rectangle: what is inside stays inside, in cells that hold every window, also across the antimeridian. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { drawLandCell, findLandCell, parseLandCell } from '../../../src/site/map/country-map.js';
import { type Bounds, hasLand, landPath, Outlines, packagedOutlines, type Ring } from '../../../src/site/map/land.js';

function ringOf(points: readonly (readonly [number, number])[]): Ring {
  const [longitudes, latitudes] = [points.map(([longitude]) => longitude), points.map(([, latitude]) => latitude)];
  return {
    coords: Float64Array.from(points.flat()),
    west: Math.min(...longitudes),
    east: Math.max(...longitudes),
    south: Math.min(...latitudes),
    north: Math.max(...latitudes),
  };
}

/** Rings of a path, as points. */
function readPath(path: string): number[][][] {
  return [...path.matchAll(/M(-?\d+) (-?\d+)l([^z]*)z/g)].map(([, x, y, moves = '']) => {
    const numbers = (moves.match(/-?\d+/g) ?? []).map(Number);
    const points = [[Number(x), Number(y)]];
    for (let at = 0; at < numbers.length; at += 2) {
      const [lastX, lastY] = points[points.length - 1] as [number, number];
      points.push([lastX + (numbers[at] as number), lastY + (numbers[at + 1] as number)]);
    }
    return points;
  });
}

function areaOf(points: readonly (readonly number[])[]): number {
  let sum = 0;
  for (const [at, [x, y]] of (points as [number, number][]).entries()) {
    const [nextX, nextY] = points[(at + 1) % points.length] as [number, number];
    sum += x * nextY - nextX * y;
  }
  return Math.abs(sum / 2);
}

const SQUARE = ringOf([
  [10, 10],
  [30, 10],
  [30, 30],
  [10, 30],
]);

describe('a path', () => {
  test('has the part of a square that lies in the bounds, at its scale', () => {
    const corner = fc.integer({ min: -20, max: 40 });
    const size = fc.integer({ min: 4, max: 60 });
    fc.assert(
      fc.property(corner, corner, size, size, (west, south, across, up) => {
        const bounds = { west, south, east: west + across, north: south + up };
        const overlap = (from: number, to: number): number => Math.max(0, Math.min(30, to) - Math.max(10, from));
        const expected = overlap(west, bounds.east) * overlap(south, bounds.north) * 100;
        const rings = readPath(landPath([SQUARE], bounds, across * 10, up * 10));
        expect(rings.reduce((sum, ring) => sum + areaOf(ring), 0)).toBe(expected);
        expect(hasLand([SQUARE], bounds)).toBe(expected > 0);
        for (const [x, y] of rings.flat() as [number, number][]) {
          expect(x >= 0 && x <= across * 10 && y >= 0 && y <= up * 10).toBe(true);
        }
      }),
      { seed: 5 },
    );
  });

  test('is there too where the bounds are beyond 180 degrees', () => {
    const island = ringOf([
      [-179, -18],
      [-178, -18],
      [-178, -17],
      [-179, -17],
    ]);
    const bounds = { west: 177, east: 183, south: -20, north: -15 };
    const [ring = []] = readPath(landPath([island], bounds, 600, 500));
    expect(ring.map(([x]) => x).sort()).toEqual([400, 400, 500, 500]);
  });

  test('is without specks, and without points that are as good as the point before', () => {
    const bounds = { west: 0, east: 10, south: 0, north: 10 };
    expect(
      landPath(
        [
          ringOf([
            [5, 5],
            [5.002, 5],
            [5.002, 5.002],
          ]),
        ],
        bounds,
        1000,
        1000,
      ),
    ).toBe('');
    const dense = ringOf(
      Array.from({ length: 1000 }, (_, at) => [5 + Math.cos(at / 159.155), 5 + Math.sin(at / 159.155)]),
    );
    const [ring = []] = readPath(landPath([dense], bounds, 100, 100));
    expect(ring.length).toBeLessThan(50);
    expect(Math.abs(areaOf(ring) - Math.PI * 100)).toBeLessThan(30);
  });
});

describe('a cell', () => {
  const everywhere = [
    ringOf([
      [-180, -90],
      [180, -90],
      [180, 90],
      [-180, 90],
    ]),
  ];

  test('contains the window, is at most four times as wide as it, and is found by its name', () => {
    const place = fc.tuple(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.double({ min: -80, max: 80, noNaN: true }),
    );
    fc.assert(
      fc.property(place, fc.double({ min: 0.4, max: 9, noNaN: true }), ([longitude, latitude], half) => {
        const window = {
          west: longitude - half,
          east: longitude + half,
          south: latitude - half,
          north: latitude + half,
        };
        const cell = findLandCell(window, everywhere);
        if (cell === undefined) throw new Error('no cell');
        const { west, east, south, north } = cell.bounds;
        expect(west <= window.west && east >= window.east && south <= window.south && north >= window.north).toBe(true);
        expect((east - west) / (2 * half)).toBeLessThanOrEqual(4.0001);
        const named = parseLandCell(cell.name)?.bounds as Bounds;
        expect(Math.abs((named.west - west) % 360)).toBe(0);
        expect([named.south, named.north]).toEqual([south, north]);
      }),
      { seed: 7 },
    );
  });

  test.each([
    '',
    '9-0-0',
    '0-2-0',
    '0-0-1',
    '1-4-0',
    '1-0-2',
    '8-512-0',
    '8-0-256',
    '1-0',
    '1--1-0',
    '01-0-0',
    '1-0-0-0',
  ])('%j is none', (name) => expect(parseLandCell(name)).toBeUndefined());

  test('is looked for only where land is, and in windows of the world', () => {
    expect(findLandCell({ west: 40, east: 41, south: 20, north: 21 }, [SQUARE])).toBeUndefined();
    expect(findLandCell({ west: 20, east: 21, south: 20, north: 21 }, [SQUARE])).toBeDefined();
    expect(findLandCell({ west: -180, east: 180, south: -90, north: 90 }, [SQUARE])).toBeUndefined();
    expect(findLandCell({ west: Number.NaN, east: 1, south: 0, north: 1 }, [SQUARE])).toBeUndefined();
  });

  test('has less than 30 kB even of the country with most coast', () => {
    const rings = packagedOutlines().ringsOf('CA');
    for (const name of ['1-0-0', '2-1-0', '3-3-0', '3-4-0', '4-8-1']) {
      const cell = parseLandCell(name);
      if (cell === undefined) throw new Error(name);
      const { length } = drawLandCell(cell, rings);
      expect(length).toBeLessThan(30_000);
      expect(length).toBeGreaterThan(10_000);
    }
  });

  test('of a country without an outline is empty', () => {
    const cell = parseLandCell('0-0-0');
    expect(cell && drawLandCell(cell, new Outlines('').ringsOf('DE'))).toContain(' d=""');
  });
});
