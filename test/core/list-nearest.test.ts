/** The nearest places of all countries, against every leaf in turn; and the deepest places below others. */

import { beforeAll, expect, test } from '@jest/globals';
import { distance } from 'geokdbush';
import { childRange, deepestRange, levelRange, listAncestors } from '../../src/core/snapshot/place-tree.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { listNearest } from '../../src/core/use-cases/nearby.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';

let snapshot: Snapshot;
beforeAll(async () => {
  snapshot = await openFixture(HAND_MADE_ROWS);
});

/** The distances of all points within the radius, ascending. */
function everyDistance(lat: number, lng: number, radiusKm: number): number[] {
  const all = snapshot.countries.flatMap(({ structures }) => {
    const coords = structures?.points.coords ?? new Float64Array(0);
    return Array.from({ length: coords.length / 2 }, (_, at) =>
      distance(lng, lat, coords[at * 2] as number, coords[at * 2 + 1] as number),
    );
  });
  return all.filter((km) => km <= radiusKm).sort((a, b) => a - b);
}

test('they are the nearest, in their order, of whatever country, and whichever is searched first', () => {
  const random = createRandom(3);
  const centres = snapshot.countries.flatMap(({ structures }) => {
    const [lng, lat] = structures?.points.coords ?? [];
    return lng === undefined || lat === undefined ? [] : [[lat, lng] as const];
  });
  let foundCount = 0;
  for (const [centreLat, centreLng] of centres) {
    for (let round = 0; round < 10; round++) {
      const lat = Math.max(-90, Math.min(90, centreLat + random() * 2 - 1));
      const lng = ((centreLng + random() * 2 - 1 + 540) % 360) - 180;
      const home = snapshot.countries[Math.floor(random() * snapshot.countries.length)] as Country;
      const limit = round % 2 === 0 ? 7 : 1;
      const found = listNearest(snapshot, { lat, lng, radiusKm: 80, limit, home, tiers: ['sure'] }).map(
        ({ distanceKm }) => distanceKm,
      );
      const expected = everyDistance(lat, lng, 80).slice(0, limit);
      expect(found).toHaveLength(expected.length);
      for (const [at, km] of found.entries()) expect(km).toBeCloseTo(expected[at] as number, 6);
      foundCount += found.length;
    }
  }
  expect(foundCount).toBeGreaterThan(100);
});

test('the deepest places below siblings are the places of the lowest level that any of them has', () => {
  for (const { structures } of snapshot.countries) {
    if (structures === undefined) continue;
    const { tree } = structures;
    for (let place = 0; place < tree.placeCount; place++) {
      const below = Array.from({ length: tree.placeCount }, (_, other) => other).filter((other) =>
        listAncestors(tree, other).includes(place),
      );
      const depth = Math.max(0, ...below.map((other) => listAncestors(tree, other).length));
      const { start, end } = deepestRange(tree, childRange(tree, place));
      expect(Array.from({ length: end - start }, (_, index) => start + index)).toEqual(
        below.filter((other) => listAncestors(tree, other).length === depth),
      );
    }
    expect(deepestRange(tree, levelRange(tree, 1)).end).toBe(tree.placeCount);
  }
});
