/** Maps of countries: every point is where it should be, wherever on the globe the country lies, and its far parts too. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type CountryMap, drawCountryMap, findCountryMapParts } from '../../../src/site/map/country-map.js';
import { Outlines, packagedOutlines } from '../../../src/site/map/outlines.js';
import { cellsIn } from './light-cells.js';

const coordsOf = (points: readonly (readonly [number, number])[]): Float64Array => Float64Array.from(points.flat());
/** `count` points in a square of a degree. */
const cluster = (count: number, west: number, south: number): (readonly [number, number])[] =>
  Array.from({ length: count }, (_, at) => [west + (at % 7) / 7, south + (at % 11) / 11] as const);

const NO_OUTLINES = new Outlines('');
/** The map of points that have a code each. */
const draw = (coords: Float64Array, outlines = NO_OUTLINES, code = 'AD'): CountryMap =>
  drawCountryMap({ coords, light: new Float64Array(coords.length / 2).fill(1) }, outlines, code);

describe('the lights', () => {
  test('are one for each cell that has a point, and no other, on both sides of the antimeridian', () => {
    const near = (most: number) => fc.double({ min: 0, max: most, noNaN: true });
    const country = fc.tuple(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.double({ min: -80, max: 77, noNaN: true }),
      fc.array(fc.tuple(near(3), near(3)), { minLength: 1, maxLength: 60 }),
    );
    fc.assert(
      fc.property(country, ([west, south, offsets]) => {
        const points = offsets.map(([east, north]) => [((west + east + 540) % 360) - 180, south + north] as const);
        const map = draw(coordsOf(points));
        const [, cell] = /scale\((\d+)\)/.exec(map.svg) ?? [];
        const expected = points.map(([longitude, latitude]) => {
          const spot = map.find({ longitude, latitude });
          if (spot === undefined) throw new Error('not on the map');
          return `${Math.floor(spot.x / Number(cell))} ${Math.floor(spot.y / Number(cell))}`;
        });
        expect(cellsIn(map.svg)).toEqual(new Set(expected));
      }),
      { seed: 5 },
    );
  });

  test('stand north above south and west before east, across the antimeridian too', () => {
    const map = draw(
      coordsOf([
        [179.9, -16.8],
        [-179.9, -16.8],
        [178.4, -18.1],
      ]),
    );
    const [taveuni, east, suva] = [
      [179.9, -16.8],
      [-179.9, -16.8],
      [178.4, -18.1],
    ].map(([longitude, latitude]) => map.find({ longitude: longitude as number, latitude: latitude as number }));
    expect(east?.x).toBeGreaterThan(taveuni?.x as number);
    expect(taveuni?.x).toBeGreaterThan(suva?.x as number);
    expect(taveuni?.y).toBeLessThan(suva?.y as number);
  });

  test('of a single point is in the middle', () => {
    const map = draw(coordsOf([[12.45, 41.9]]));
    expect(map.find({ longitude: 12.45, latitude: 41.9 })).toMatchObject({ x: map.width / 2, y: map.height / 2 });
  });
});

describe('the parts of a country', () => {
  test('are its largest, and others where they are far', () => {
    const coords = coordsOf([...cluster(300, -100, 40), ...cluster(40, -150, 64), ...cluster(20, -157, 20)]);
    const parts = findCountryMapParts(coords, []);
    expect(parts.map(({ west }) => Math.round(west))).toEqual([-100, -150, -157]);
    const map = draw(coords);
    const main = map.find({ longitude: -99.5, latitude: 40.5 });
    const alaska = map.find({ longitude: -149.5, latitude: 64.5 });
    expect(alaska?.y).toBeGreaterThan(main?.y as number);
    expect(map.find({ longitude: -120, latitude: 75 })).toBeUndefined();
    expect(map.svg.match(/<rect [^>]+ rx/g)).toHaveLength(2);
  });

  test('have frames apart from the edge of the drawing', () => {
    const coords = coordsOf([...cluster(300, -100, 40), ...cluster(40, -150, 64), ...cluster(20, -157, 20)]);
    const { svg, width, height } = draw(coords);
    const frames = [...svg.matchAll(/<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)" rx/g)].map((frame) =>
      frame.slice(1).map(Number),
    );
    expect(frames).toHaveLength(2);
    for (const [x = 0, y = 0, wide = 0, high = 0] of frames) {
      expect(Math.min(x, y, width - x - wide, height - y - high)).toBeGreaterThanOrEqual(1);
    }
  });

  test('are one where a group lies near, or within the bounds of the others', () => {
    expect(findCountryMapParts(coordsOf([...cluster(300, 10, 50), ...cluster(40, 13, 50)]), [])).toHaveLength(1);
    const ring = [...cluster(100, 0, 0), ...cluster(90, 10, 0), ...cluster(80, 0, 10), ...cluster(20, 10, 10)];
    expect(findCountryMapParts(coordsOf(ring), [])).toHaveLength(4);
  });

  test('do not count a few points in the sea, which are mistakes, but a few on an island', () => {
    const near = cluster(100, -71, -33);
    const rings = packagedOutlines().ringsOf('CL');
    const [easterIsland, ocean] = [
      [-109.4, -27.1],
      [-130, -40],
    ] as const;
    expect(findCountryMapParts(coordsOf([...near, easterIsland]), rings)).toHaveLength(2);
    expect(findCountryMapParts(coordsOf([...near, ocean]), rings)).toHaveLength(1);
  });

  test('are at most five, and their bounds take in their coasts', () => {
    const far = [0, 1, 2, 3, 4, 5, 6].flatMap((at) => cluster(20 + at, -170 + at * 40, at % 2 === 0 ? 0 : 40));
    expect(findCountryMapParts(coordsOf(far), [])).toHaveLength(5);
    const [iceland] = findCountryMapParts(coordsOf(cluster(50, -21.5, 64)), packagedOutlines().ringsOf('IS'));
    expect(iceland?.west).toBeGreaterThan(-22);
    const around = [...cluster(50, -24, 65), ...cluster(50, -15, 65), ...cluster(50, -19, 63.5)];
    const [most] = findCountryMapParts(coordsOf(around), packagedOutlines().ringsOf('IS'));
    expect(most?.west).toBeLessThan(-24);
  });
});

test('land is drawn where it is precise enough, with that of neighbours, and not in a country of a few km', () => {
  const corners = (...points: [number, number][]): string => draw(coordsOf(points), packagedOutlines(), 'LI').svg;
  expect(corners([9.5, 47.06], [9.55, 47.1])).not.toContain('evenodd');
  const [foreign, own] = [...corners([9.5, 47.06], [9.55, 47.35]).matchAll(/<path fill="[^"]+" d="([^"]+)"/g)];
  expect(foreign?.[1]).not.toBe('');
  expect(own?.[1]).not.toBe('');
});

test('a damaged file makes a map without what can not be drawn', () => {
  for (const points of [
    [
      [9.5, 47.1],
      [Number.NaN, Number.NaN],
      [1e300, -1e300],
    ],
    [[Number.NaN, 0]],
    [],
  ]) {
    const { svg } = draw(coordsOf(points as [number, number][]));
    expect(svg).toMatch(/^<svg [^>]+>.*<\/svg>$/);
    expect(svg).not.toContain('NaN');
  }
});
