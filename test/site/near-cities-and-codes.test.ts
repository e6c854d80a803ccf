/** The nearest cities and codes, against a search that looks at every point. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { codeRanksOf } from '../../src/core/lookup/code-ranks.js';
import { cityOf } from '../../src/core/snapshot/place-cities.js';
import { POINT_TIERS, pointTier } from '../../src/core/snapshot/point-index.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { distanceKm } from '../../src/core/snapshot/sphere.js';
import { type CoveredCountry, isCovered } from '../../src/site/reading/covered-country.js';
import { listNear } from '../../src/site/reading/near-cities-and-codes.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';

const LIMIT = 10;
const random = createRandom(11);

/** Cities of one to four rows around a point, some across a border and some beyond the antimeridian. */
function scatter(first: number, count: number, lat: number, lng: number): RowsByCountry[string] {
  return Array.from({ length: count }, (_, index) => {
    const longitude = lng + random() * 2 - 1;
    const wrapped = longitude > 180 ? longitude - 360 : longitude;
    return [
      String(first + index),
      `City ${first + (index >> 2)}`,
      '',
      '',
      '',
      lat + random() * 2 - 1,
      wrapped,
    ] as const;
  });
}

let snapshot: Snapshot;
beforeAll(async () => {
  snapshot = await openFixture({
    CH: scatter(1000, 300, 47.2, 9.5),
    LI: scatter(9000, 60, 47.14, 9.52),
    FJ: scatter(5000, 200, -17, 180),
    NO: scatter(3000, 100, 70.5, 25),
  });
});

function naive(home: CoveredCountry, lat: number, lng: number, by: 'city' | 'code', except: number): number[] {
  const nearest = new Map<string, number>();
  for (const country of snapshot.countries.filter(isCovered)) {
    const { ranks } = codeRanksOf(country.structures);
    const { places, coords } = pointTier(country.structures.points, POINT_TIERS.indexOf('sure'));
    places.forEach((place, at) => {
      const key = by === 'city' ? cityOf(country.structures, place) : ranks[place];
      if (country === home && key === except) return;
      const point = { latitude: coords[at * 2 + 1] as number, longitude: coords[at * 2] as number };
      const km = distanceKm({ latitude: lat, longitude: lng }, point);
      const name = `${country.entry.code} ${key}`;
      if (km <= 80) nearest.set(name, Math.min(km, nearest.get(name) ?? Infinity));
    });
  }
  return [...nearest.values()].sort((a, b) => a - b).slice(0, LIMIT);
}

describe.each([
  ['CH', 47.2, 9.5],
  ['LI', 47.14, 9.52],
  ['FJ', -17, 179.99],
  ['FJ', -17.3, -179.95],
  ['NO', 70.5, 25],
  ['NO', 71.2, 27],
] as const)('around a point of %s at %d, %d', (code, lat, lng) => {
  test.each(['city', 'code'] as const)('each %s once, the nearest first', (by) => {
    const home = snapshot.countryByCode.get(code) as CoveredCountry;
    const point = { latitude: lat, longitude: lng };
    const all = listNear(snapshot, { home, point, by, except: new Set(), limit: LIMIT });
    const except = all.find(({ country }) => country === home)?.key ?? 0;
    const found = listNear(snapshot, { home, point, by, except: new Set([except]), limit: LIMIT });
    expect(new Set(found.map(({ country, key }) => `${country.entry.code} ${key}`)).size).toBe(found.length);
    expect(found.some(({ country, key }) => country === home && key === except)).toBe(false);
    expect(found.map((near) => near.distanceKm)).toEqual(naive(home, lat, lng, by, except));
  });
});

test('nothing is near in mid-ocean', () => {
  const home = snapshot.countryByCode.get('CH') as CoveredCountry;
  const point = { latitude: 0, longitude: -140 };
  expect(listNear(snapshot, { home, point, by: 'city', except: new Set(), limit: LIMIT })).toEqual([]);
});
