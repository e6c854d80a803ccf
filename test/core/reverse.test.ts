/** The nearest place: which country is asked, what happens at equal distances, and where nothing is near. */

import { beforeAll, expect, test } from '@jest/globals';
import { distance } from 'geokdbush';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { DomainError } from '../../src/core/use-cases/domain-error.js';
import { reverse } from '../../src/core/use-cases/nearby.js';
import { buildFixtureSnapshot, openFixture } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';
import { parseAnswer } from './answer.js';
import { createOracle, type OracleCountry, oracleNearest } from './oracle.js';

let snapshot: Snapshot;
let oracle: Map<string, OracleCountry>;
beforeAll(async () => {
  snapshot = await openFixture(HAND_MADE_ROWS);
  oracle = new Map(createOracle(snapshot).map((country) => [country.code, country]));
});

/** The name of the nearest place and its distance, or the code of the error. */
function nearest(lat: number, lng: number, country?: string): [string, number] | string {
  try {
    const { place, distanceKm } = parseAnswer(reverse(snapshot, { lat, lng, country }));
    return [place.name, distanceKm];
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

test('a place at the point itself is at 0 km', () => {
  expect(nearest(41.9024, 12.4533, 'VA')).toEqual(['Vatican City', 0]);
  expect(nearest(37.56, 126.97, 'KR')).toEqual(['Seoul', 0]);
});

test('distances are rounded to metres', () => {
  expect(nearest(41.9, 12.45, 'VA')).toEqual([
    'Vatican City',
    Number(distance(12.45, 41.9, 12.4533, 41.9024).toFixed(3)),
  ]);
});

test('one point, several places: the lowest code', () => {
  expect(nearest(0, 0, 'ST')).toEqual(['Null Island Too', 0]);
});

test('one distance, several points: the lowest code, then the name', () => {
  expect(nearest(0.5, 0.5, 'ST')[0]).toBe(distance(0.5, 0.5, 0, 0.5) <= distance(0.5, 0.5, 0.5, 0) ? 'North' : 'East');
  // Halfway to null island: code 2 stands before codes 8 and 9.
  expect(nearest(0.25, 0, 'ST')[0]).toBe('North');
  expect(nearest(0.2, 0, 'ST')[0]).toBe('Null Island Too');
});

test('across the antimeridian, from both sides', () => {
  expect(nearest(-16.8, 179.95, 'FJ')[0]).toBe('Taveuni West');
  expect(nearest(-16.8, -179.95, 'FJ')[0]).toBe('Taveuni East');
  // 180 and -180 are one meridian, but for the last bit of a sine.
  expect(nearest(-16.9, 180, 'FJ')).toEqual(['On the line', 0]);
  expect(nearest(-16.9, -180, 'FJ')).toEqual([expect.stringMatching(/^On the line/), 0]);
});

test('at the pole, whatever the longitude', () => {
  for (const lng of [-180, -90, 0, 77, 180]) {
    const [name, distanceKm] = nearest(-90, lng, 'AQ') as [string, number];
    expect([name, distanceKm]).toEqual(['Pole', 0]);
  }
  expect(parseAnswer(reverse(snapshot, { lat: -90, lng: 33, country: 'AQ' })).place.postalCode).toBe('BIQQ 1ZZ');
});

test('80 km is near, a little more is not', () => {
  const degreesPerKm = 180 / (Math.PI * 6371);
  expect(nearest(42.5 - 79.99 * degreesPerKm, 1.5, 'AD')).toEqual(['Andorra la Vella', 79.99]);
  expect(nearest(42.5 - 80.01 * degreesPerKm, 1.5, 'AD')).toBe('NO_NEARBY_PLACE');
  expect(nearest(90, 0, 'AD')).toBe('NO_NEARBY_PLACE');
});

test('without a country: that of the nearest centre, and all where that has nothing near or no data', () => {
  const random = createRandom(13);
  const outcomes = new Set<string>();
  const anywhere = Array.from({ length: 1500 }, () => [random() * 180 - 90, random() * 360 - 180] as const);
  const nearPlaces = [...oracle.values()].flatMap(({ places }) =>
    places.slice(0, 20).map(({ latitude, longitude }) => [latitude * 0.999, longitude * 0.999] as const),
  );
  for (const [lat, lng] of [...anywhere, ...nearPlaces]) {
    const [first] = snapshot.manifest.countries
      .flatMap(({ code, centre }) =>
        centre === null ? [] : [{ code, km: distance(lng, lat, centre.longitude, centre.latitude) }],
      )
      .sort((a, b) => a.km - b.km);
    const code = first?.code as string;
    const country = oracle.get(code);
    const found = nearest(lat, lng);
    const inferred = country === undefined ? undefined : oracleNearest(country, { lat, lng, radiusKm: 80 });
    if (inferred === undefined) expect(found).toEqual(nearest(lat, lng, 'any'));
    else expect(found[1]).toBe(Math.round(inferred.distanceKm * 1000) / 1000);
    outcomes.add(typeof found === 'string' ? found : inferred === undefined ? 'found elsewhere' : 'found');
  }
  expect([...outcomes]).toEqual(expect.arrayContaining(['NO_NEARBY_PLACE', 'found elsewhere']));
});

test('a locality comes before one that may lie elsewhere, and that before a recipient', async () => {
  const around = (unit: string, prefix: string, lat: number, lng: number): FixtureRow[] =>
    Array.from({ length: 16 }, (_, row): FixtureRow => {
      const [north, east] = [(row % 4) / 50, Math.floor(row / 4) / 50];
      return [`${prefix}${String(row).padStart(2, '0')}`, `${unit} ${row}`, 'Land', unit, '', lat + north, lng + east];
    });
  const cleaned = await buildFixtureSnapshot({
    FR: [
      ...around('Nord', '10', 45, 0),
      ...around('Sud', '20', 50, 0),
      // Amid Nord by its coordinates, of Sud by unit and code.
      ['2050', 'Astray', 'Land', 'Sud', '', 44.5, 0],
      ['30500 CEDEX 1', 'Roissy', 'Land', 'Nord', '', 45.001, 0],
      ['30501 CEDEX 1', 'Roissy', 'Land', 'Nord', '', 43, 2],
    ],
  });
  const inCleaned = openSnapshot(cleaned.path);
  const found = (lat: number, lng: number, country: string): string => {
    const { place } = parseAnswer(reverse(inCleaned, { lat, lng, country }));
    return `${place.name}, ${place.type}`;
  };
  expect(found(45.001, 0, 'FR')).toBe('Nord 0, locality');
  // The row astray has moved to the middle of its own, where it is rough: another one answers.
  expect(found(50.03, 0.03, 'FR')).toMatch(/^Sud \d+, locality$/);
  expect(found(43, 2, 'FR')).toBe('Roissy, recipient');
  expect(() => found(43, 2, 'any')).toThrow(DomainError);
  cleaned.cleanup();
});

test('a point at home is found without a country too', () => {
  expect(nearest(42.5, 1.5)).toEqual(['Andorra la Vella', 0]);
});
