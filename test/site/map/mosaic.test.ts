/** The mosaic of codes: whose cell a spot lies in, what of a shore is drawn, and which codes have cells. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Snapshot } from '../../../src/core/snapshot/snapshot.js';
import { drawCells } from '../../../src/site/map/cells.js';
import { clippedRings, STEPS } from '../../../src/site/map/clipped-paths.js';
import { packagedMapFeatures, parseMapFeatures } from '../../../src/site/map/map-features.js';
import { windowAround } from '../../../src/site/map/map-window.js';
import { drawMosaic } from '../../../src/site/map/mosaic.js';
import { ringOf } from '../../../src/site/map/outlines.js';
import { listCodePoints } from '../../../src/site/reading/codes-in-view.js';
import { openFixture } from '../../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';

const SIZE = { width: 400, height: 330 };

/** By the even-odd rule. */
function contains(rings: readonly (readonly number[])[], x: number, y: number): boolean {
  let isInside = false;
  for (const ring of rings) {
    for (let at = 0, before = ring.length - 2; at < ring.length; before = at, at += 2) {
      const [x1, y1, x2, y2] = [ring[before], ring[before + 1], ring[at], ring[at + 1]] as number[] as Edge;
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside;
    }
  }
  return isInside;
}
type Edge = [number, number, number, number];

/** The corners of a path of relative lines. */
function ringsOfPath(path: string): number[][] {
  return [...path.matchAll(/M([^z]+)z/g)].map(([, ring = '']) => {
    const numbers = (ring.match(/-?\d+/g) ?? []).map(Number);
    let [x, y] = [0, 0];
    return numbers.flatMap((value, at) => {
      if (at % 2 === 0) x += value;
      else y += value;
      return at % 2 === 0 ? [] : [x, y];
    });
  });
}

const spot = fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 330 }));

test('a spot lies in the area of the group that has the point nearest to it, and in no other', () => {
  const grouped = fc.uniqueArray(fc.tuple(spot, fc.integer({ min: 0, max: 4 })), {
    selector: ([at]) => at.join(),
    minLength: 1,
    maxLength: 60,
  });
  fc.assert(
    fc.property(grouped, fc.array(spot, { minLength: 20, maxLength: 20 }), (points, spots) => {
      const areas = drawCells(
        points.flatMap(([at]) => at),
        points.map(([, group]) => group),
        5,
        SIZE,
      );
      for (const [x, y] of spots) {
        const far = points
          .map(([at, group]) => ({ group, km: Math.hypot(at[0] - x, at[1] - y) }))
          .sort((a, b) => a.km - b.km);
        const [nearest] = far;
        const other = far.find(({ group }) => group !== nearest?.group);
        if (nearest === undefined || (other !== undefined && other.km - nearest.km < 1e-3)) continue;
        expect(areas.map((rings) => contains(rings, x, y))).toEqual(areas.map((_, group) => group === nearest.group));
      }
    }),
    { seed: 41 },
  );
});

test('of a ring the part in the window is drawn, wherever on the globe', () => {
  const centre = fc.record({
    latitude: fc.double({ min: -60, max: 60, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  fc.assert(
    fc.property(centre, fc.array(spot, { minLength: 10, maxLength: 10 }), (middle, spots) => {
      const window = windowAround(middle, [], { ...SIZE, leastKm: 400 });
      // A star around a corner of the window, with points far outside of it.
      const corners = [9, 1, 9, 1, 9, 1, 9, 1].flatMap((reach, at) => [
        middle.longitude - 1 + reach * Math.cos((at * Math.PI) / 4),
        middle.latitude + 0.5 + reach * Math.sin((at * Math.PI) / 4),
      ]);
      const whole = corners.map((_, at) => {
        const { x, y } = window.locate({
          longitude: corners[at - (at % 2)] as number,
          latitude: corners[at - (at % 2) + 1] as number,
        });
        return at % 2 === 0 ? x * STEPS : y * STEPS;
      });
      const drawn = ringsOfPath(clippedRings([ringOf(Float64Array.from(corners))], window));
      for (const [x, y] of spots) {
        const around = [-6, 6].flatMap((dx) => [-6, 6].map((dy) => contains([whole], x * STEPS + dx, y * STEPS + dy)));
        // Steps are rounded.
        if (new Set(around).size === 1) expect(contains(drawn, x * STEPS, y * STEPS)).toBe(around[0]);
      }
    }),
    { seed: 43 },
  );
});

test('the packaged features are where they are on Earth, and a damaged line is told of', () => {
  const features = packagedMapFeatures();
  const bodensee = features.lake.filter(
    ({ west, east, south, north }) => west < 9.4 && east > 9.4 && south < 47.6 && north > 47.6,
  );
  expect(bodensee).toHaveLength(1);
  expect(Object.values(features).map(({ length }) => length > 0)).toEqual([true, true, true, true]);
  expect(() => parseMapFeatures('lake\t1\t?\n')).toThrow('no outline');
});

describe('a mosaic', () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = await openFixture(HAND_MADE_ROWS);
  });

  test('has a cell for each code of a locality, which leads to its page, and none for recipients', () => {
    const window = windowAround({ latitude: 42.55, longitude: 1.55 }, [], { ...SIZE, leastKm: 60 });
    const points = listCodePoints(snapshot, { lat: 42.55, lng: 1.55, radiusKm: 40 });
    const text = drawMosaic({
      home: 'AD',
      window,
      points,
      kindOf: ({ postcode }) => (postcode === 'AD100' ? 'own' : 'around'),
    });
    const links = [...text.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href);
    const codes = new Set(points.map(({ postcode }) => postcode));
    expect(codes.size).toBeGreaterThan(2);
    expect(new Set(links)).toEqual(new Set([...codes].map((code) => `/andorra/postcode/${code}`)));
    expect(text).toMatch(/<g class="cells own"><a href="\/andorra\/postcode\/AD100"/);
    expect(points.every(({ country, place }) => country.structures.tree.placeCount > place)).toBe(true);
  });
});
