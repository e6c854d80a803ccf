/** Outlines: as text and back, none of a damaged text, and the packaged ones where the countries are. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeRing, encodeRing, Outlines, packagedOutlines, type Ring } from '../../../src/site/map/outlines.js';

describe('the text of a ring', () => {
  const coordinate = (most: number) => fc.integer({ min: -most * 1000, max: most * 1000 }).map((value) => value / 1000);
  const point = fc.tuple(coordinate(180), coordinate(90));

  test('has its points, but one that equals the point before, and the last', () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 40 }), (points) => {
        const kept = points.filter((one, at) => at === 0 || one.join() !== (points[at - 1] as number[]).join());
        const decoded = decodeRing(encodeRing([...points, points[0] as [number, number]]));
        expect([...decoded]).toEqual(kept.flat().map((value) => (value === 0 ? 0 : value)));
      }),
      { seed: 29 },
    );
  });

  test('is as its description says', () => {
    expect(
      encodeRing([
        [0, 0],
        [0.001, 0],
        [0, -0.001],
        [0, 0],
      ]),
    ).toBe('??A?@@');
    expect([...decodeRing('??A?@@')]).toEqual([0, 0, 0.001, 0, 0, -0.001]);
  });

  test.each(['?', '???', '_', '?_', '??\t?', '~~~~~~?', 'é?'])('%j is none', (text) => {
    expect(() => decodeRing(text)).toThrow('no outline');
  });
});

test('a country without an outline has no rings, and a damaged line is told of', () => {
  const outlines = new Outlines('AA\t??_ibE??_ibE\nBB\t?\n');
  expect(outlines.ringsOf('AA')).toMatchObject([{ west: 0, south: 0, east: 100, north: 100 }]);
  expect(outlines.ringsOf('ZZ')).toEqual([]);
  expect(() => outlines.ringsOf('BB')).toThrow('no outline');
});

/** By the even-odd rule, as it is drawn. */
function contains(rings: readonly Ring[], longitude: number, latitude: number): boolean {
  let isInside = false;
  for (const { coords } of rings) {
    for (let at = 0, before = coords.length - 2; at < coords.length; before = at, at += 2) {
      const [x1, y1, x2, y2] = [coords[before], coords[before + 1], coords[at], coords[at + 1]] as [
        number,
        number,
        number,
        number,
      ];
      if (y1 > latitude !== y2 > latitude && longitude < ((x2 - x1) * (latitude - y1)) / (y2 - y1) + x1)
        isInside = !isInside;
    }
  }
  return isInside;
}

describe('the packaged outlines', () => {
  const outlines = packagedOutlines();

  test.each([
    ['DE', 11.57, 48.14, true],
    ['DE', 13.05, 47.8, false],
    ['AT', 13.05, 47.8, true],
    ['US', -149.9, 61.2, true],
    ['US', -155.5, 19.6, true],
    ['US', -66.4, 18.2, false],
    ['PR', -66.4, 18.2, true],
    ['FR', 55.5, -21.1, true],
    ['RE', 55.5, -21.1, true],
    ['RE', 2.3, 48.9, false],
    ['GP', -61.7, 16.1, true],
    ['SJ', 16, 78.5, true],
    ['NO', 10.7, 60, true],
    ['CY', 33.3, 35.3, true],
    ['FJ', 178, -17.8, true],
    ['RU', 182, 67, true],
    ['RU', 100, 60, true],
    ['RU', 188, 60, false],
    ['ZA', 28.2, -29.5, false],
    ['LS', 28.2, -29.5, true],
    ['XK', 21, 42.6, true],
  ] as const)('of %s: %d, %d is inside: %s', (code, longitude, latitude, isInside) => {
    expect(contains(outlines.ringsOf(code), longitude, latitude)).toBe(isInside);
  });

  test('are rings of three points and more within the degrees there are', () => {
    expect(outlines.codes.size).toBeGreaterThan(235);
    const faulty = [...outlines.codes].flatMap((code) =>
      outlines.ringsOf(code).filter(({ coords, west, south, east, north }) => {
        // Navassa lies 119 degrees east of the largest of its islands, Wake.
        const isWithin = west >= -200 && east <= 290 && east - west < 180 && south >= -60 && north <= 84;
        return coords.length < 6 || !isWithin;
      }),
    );
    expect(faulty).toEqual([]);
  });
});

test('an outline is one piece across the antimeridian', () => {
  for (const code of ['RU', 'US', 'FJ', 'NZ', 'KI', 'CA']) {
    const rings = packagedOutlines().ringsOf(code);
    const [west, east] = [Math.min(...rings.map((one) => one.west)), Math.max(...rings.map((one) => one.east))];
    expect(east - west).toBeLessThan(190);
  }
});
