/** Maps: every point is where it should be, wherever on the globe the country lies, and few far points do not shrink it. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { drawCountryMaps, drawOnTop, isOn } from '../../src/site/map/country-map.js';
import { fitProjections } from '../../src/site/map/projection.js';

const coordsOf = (points: readonly (readonly [number, number])[]): Float64Array => Float64Array.from(points.flat());

/** The middles of the dots of a drawing, from its moves. */
function dotsIn(svg: string): Set<string> {
  const dots = new Set<string>();
  let [x, y] = [0, 0];
  for (const [, kind, first, second] of svg.matchAll(/([Mm])(-?[\d.]+) (-?[\d.]+)h0/g)) {
    if (kind === 'M') [x, y] = [Number(first), Number(second)];
    else x += Number(first);
    dots.add(`${x} ${y}`);
  }
  return dots;
}

describe('the map of all points', () => {
  const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true });

  test('has a dot for each point, and no other', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(degrees(180), degrees(90)), { minLength: 1, maxLength: 60 }), (points) => {
        const { whole } = drawCountryMaps({ coords: coordsOf(points) });
        const expected = new Set(
          points.map(([longitude, latitude]) => {
            expect(isOn(whole, { longitude, latitude })).toBe(true);
            return `${Math.floor(whole.x(longitude)) + 0.5} ${Math.floor(whole.y(latitude)) + 0.5}`;
          }),
        );
        expect(dotsIn(whole.svg)).toEqual(expected);
      }),
      { seed: 5 },
    );
  });

  test('is in one piece across the antimeridian, with north above and east to the right', () => {
    const { whole } = fitProjections(
      coordsOf([
        [179.9, -16.8],
        [-179.9, -16.8],
        [178.4, -18.1],
      ]),
    );
    expect(whole.x(-179.9)).toBeGreaterThan(whole.x(179.9));
    expect(whole.x(179.9)).toBeGreaterThan(whole.x(178.4));
    expect(whole.y(-16.8)).toBeLessThan(whole.y(-18.1));
    expect(whole.x(180)).toBeCloseTo(whole.x(-180), 6);
    expect(Math.max(whole.width, whole.height)).toBeLessThan(100);
  });

  test('of a single point has it in the middle', () => {
    const { main, whole } = fitProjections(coordsOf([[12.45, 41.9]]));
    expect(main).toBe(whole);
    expect([whole.x(12.45), whole.y(41.9)]).toEqual([whole.width / 2, whole.height / 2]);
  });
});

test('a few points far out are left to the map of all points', () => {
  const near = Array.from(
    { length: 100 },
    (_, index) => [10 + (index % 10) / 10, 50 + Math.floor(index / 10) / 10] as const,
  );
  const { main, whole } = drawCountryMaps({ coords: coordsOf([...near, [-60, 4]]) });
  expect(main).not.toBe(whole);
  expect(near.every(([longitude, latitude]) => isOn(main, { longitude, latitude }))).toBe(true);
  expect(isOn(main, { longitude: -60, latitude: 4 })).toBe(false);
  expect(isOn(whole, { longitude: -60, latitude: 4 })).toBe(true);
  expect(dotsIn(main.svg).size).toBeGreaterThan(3 * dotsIn(whole.svg).size);
});

test('what lies in a place stands on the dots of the country', () => {
  const points = [
    [9.5, 47.1],
    [9.52, 47.2],
    [9.6, 47.15],
  ] as const;
  const { main } = drawCountryMaps({ coords: coordsOf(points) });
  const around = points.map(([longitude, latitude]) => ({ longitude, latitude }));
  const drawn = drawOnTop(main, { longitude: 9.5, latitude: 47.1 }, around).text;
  const [, path = ''] = /class="within"[^>]* d="([^"]*)"/.exec(drawn) ?? [];
  expect(dotsIn(path)).toEqual(dotsIn(main.svg));
  expect(drawn).toContain('class="here"');
  expect(drawOnTop(main, { longitude: 9.5, latitude: 47.1 }, []).text).not.toContain('within');
});

test('a damaged file makes a map without what can not be drawn', () => {
  const { main } = drawCountryMaps({
    coords: coordsOf([
      [9.5, 47.1],
      [Number.NaN, Number.NaN],
      [1e300, -1e300],
    ]),
  });
  expect(main.svg).toMatch(/^<svg [^>]+>.*<\/svg>$/);
});
