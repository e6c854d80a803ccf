/** What the site reads of a snapshot: the nearest cities and codes against a search that looks at every point, and what it computes before the snapshot is served. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { runSync } from '../../src/base/cooperative.js';
import { citiesOf } from '../../src/core/lookup/cities.js';
import { POINT_TIERS, pointTier } from '../../src/core/snapshot/point-index.js';
import type { CountryStructures, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { distanceKm } from '../../src/core/snapshot/sphere.js';
import { listNear } from '../../src/site/reading/near-cities.js';
import { canonicalPlace, findChain } from '../../src/site/reading/unit-parts.js';
import { type CoveredCountry, isCovered, prepareInSteps, siteSnapshotOf } from '../../src/site/site-snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS, type RowsByCountry } from '../fixtures/hand-made-release.js';
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
    const { cities, ranks } = citiesOf(country.structures);
    const { places, coords } = pointTier(country.structures.points, POINT_TIERS.indexOf('sure'));
    places.forEach((place, at) => {
      const key = (by === 'city' ? cities : ranks)[place] as number;
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
    const all = listNear(snapshot, { home, point, by, except: undefined, limit: LIMIT });
    const except = all.find(({ country }) => country === home)?.key ?? 0;
    const found = listNear(snapshot, { home, point, by, except, limit: LIMIT });
    expect(new Set(found.map(({ country, key }) => `${country.entry.code} ${key}`)).size).toBe(found.length);
    expect(found.some(({ country, key }) => country === home && key === except)).toBe(false);
    const distances = found.map((near) => near.distanceKm);
    const expected = naive(home, lat, lng, by, except);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
    expect(distances).toHaveLength(expected.length);
    // A plane may take one of two that are equally far for the other.
    distances.forEach((km, at) => {
      expect(Math.abs(km - (expected[at] as number))).toBeLessThan(0.01 * km + 0.01);
    });
  });
});

test('nothing is near in mid-ocean', () => {
  const home = snapshot.countryByCode.get('CH') as CoveredCountry;
  const point = { latitude: 0, longitude: -140 };
  expect(listNear(snapshot, { home, point, by: 'city', except: undefined, limit: LIMIT })).toEqual([]);
});

/** The same snapshot with structures that can be taken away. */
function copyOf(snapshot: Snapshot): Snapshot {
  const countries = snapshot.countries.map((country) =>
    isCovered(country) ? { ...country, structures: { ...country.structures } } : country,
  );
  return { ...snapshot, countries };
}

function takeAway({ structures }: CoveredCountry): void {
  for (const name of Object.keys(structures)) Reflect.deleteProperty(structures, name);
}

test('after it, the cities and maps of all countries are read without the snapshot', async () => {
  const snapshot = copyOf(await openFixture(HAND_MADE_ROWS));
  const unprepared = copyOf(snapshot);
  runSync(prepareInSteps(snapshot));
  const covered = snapshot.countries.filter(isCovered);
  expect(covered.length).toBeGreaterThan(1);
  for (const country of covered) {
    takeAway(country);
    expect(citiesOf(country.structures).ranks.length).toBeGreaterThan(0);
    expect(siteSnapshotOf(snapshot).mapOf(country).svg).toMatch(/^<svg /);
  }
  for (const country of unprepared.countries.filter(isCovered)) {
    takeAway(country);
    expect(() => citiesOf(country.structures)).toThrow(TypeError);
    expect(() => siteSnapshotOf(unprepared).mapOf(country)).toThrow(TypeError);
  }
});

test('where every code of a damaged file claims all places, no more are read than the file has', async () => {
  const [country] = (await openFixture(HAND_MADE_ROWS)).countries.filter(isCovered) as [CoveredCountry];
  const { postcodes } = country.structures;
  const placeCount = postcodes.places.length;
  let readCount = 0;
  const places = new Proxy(postcodes.places, {
    get(target, name) {
      if (name === 'length') return placeCount;
      readCount++;
      return target[Number(name)];
    },
  });
  const placeStarts = postcodes.placeStarts.map((_, code) => (code % 2 === 0 ? 0 : placeCount));
  const structures = { ...country.structures, postcodes: { ...postcodes, placeStarts, places } };
  expect(postcodes.codeCount).toBeGreaterThan(2);
  expect(citiesOf(structures).codes).toHaveLength(1);
  expect(readCount).toBe(placeCount);
});

test('a unit with more than a thousand places has one page with its city if there is one city only', async () => {
  const rows = (region: string, city: string, first: number, count: number): RowsByCountry[string] =>
    Array.from({ length: count }, (_, at) => [String(first + at), city, region, '', '', 45, 25 + at / 1e4] as const);
  const snapshot = await openFixture({
    RO: [
      ...rows('Alone', 'Alone', 100_000, 1_100),
      ...rows('Pair', 'Pair', 200_000, 1_100),
      ...rows('Pair', 'Other', 300_000, 1),
    ],
  });
  const { structures } = snapshot.countryByCode.get('RO') as { readonly structures: CountryStructures };
  // Siblings are in the order of names: Alone, Pair; then the rows of Alone, Other, and the rows of Pair.
  const [alone, pair, firstOfAlone, lastOfPair] = [0, 1, 2, structures.tree.placeCount - 1];
  expect(findChain(structures, alone)).toEqual({ units: [alone], city: firstOfAlone });
  expect(canonicalPlace(structures, firstOfAlone + 5)).toBe(alone);
  expect(findChain(structures, pair)).toEqual({ units: [pair], city: undefined });
  expect(canonicalPlace(structures, lastOfPair)).toBe(citiesOf(structures).cities[lastOfPair]);
});
