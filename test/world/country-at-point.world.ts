/**
 * The country that contains a point, beside what GeoNames says: the countries of all cities with 100,000 people, and the
 * places of the release in each area of the outlines. And what `reverse` answers at these cities.
 */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { type City, parseCityRow } from '../../build-index/gazetteer/city-row.js';
import { lookUpTable, MAX_LINE_LENGTH, readLines } from '../../build-index/reading/table-lines.js';
import { reverse } from '../../src/core/answers/reverse.js';
import { findCountryAt } from '../../src/core/lookup/country-at-point.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { POINT_TIERS, pointTier } from '../../src/core/snapshot/point-index.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { countriesWithData, openWithCities, parseAnswer, percent, printFigures } from './world.js';

const LEAST_PEOPLE = 100_000;
/** Minimum share of the cities of the world whose country is right. */
const LEAST_SHARE_CONTAINED = 0.998;
/** Minimum share of the cities of countries with data at which a place of the right country is found. */
const LEAST_SHARE_FOUND = 0.995;

let snapshot: Snapshot;
let cities: readonly City[];
beforeAll(async () => {
  snapshot = openWithCities();
  cities = await readCities();
});

test('cities lie in their countries', () => {
  const wrong = cities.flatMap(({ name, latitude, longitude, countryCode }) => {
    const found = findCountryAt(snapshot, latitude, longitude)?.entry.code;
    return found === countryCode ? [] : [`${countryCode} ${name}: ${found}`];
  });
  const right = cities.length - wrong.length;
  printFigures(`countries around cities: ${percent(right, cities.length)} right; ${wrong.join('; ')}`);
  expect(cities.length).toBeGreaterThan(5_000);
  expect(right / cities.length).toBeGreaterThan(LEAST_SHARE_CONTAINED);
});

test('reverse finds a place of the right country at a city, and the error of the right country without data', () => {
  const wrong = { withData: [] as string[], withoutData: [] as string[] };
  const counts = { withData: 0, withoutData: 0 };
  for (const { name, latitude, longitude, countryCode } of cities) {
    const kind = snapshot.countryByCode.get(countryCode)?.structures === undefined ? 'withoutData' : 'withData';
    const found = answerAt(latitude, longitude);
    counts[kind]++;
    const isRight = kind === 'withData' ? found === countryCode : found.endsWith(`(${countryCode}).`);
    if (!isRight) wrong[kind].push(`${countryCode} ${name}: ${found}`);
  }
  for (const kind of ['withData', 'withoutData'] as const) {
    const right = counts[kind] - wrong[kind].length;
    printFigures(`reverse at cities, ${kind}: ${percent(right, counts[kind])} right; ${wrong[kind].join('; ')}`);
    expect(counts[kind]).toBeGreaterThan(1_000);
    expect(right / counts[kind]).toBeGreaterThan(LEAST_SHARE_FOUND);
  }
});

test('an area of the outlines is of a country with places there', () => {
  const { featuresContaining } = createRequire(import.meta.url)('@rapideditor/country-coder');
  const areas = new Map<string, { readonly given: Set<string | undefined>; readonly places: Set<string> }>();
  const sure = POINT_TIERS.indexOf('sure');
  for (const { code, structures } of countriesWithData(snapshot)) {
    const { coords } = pointTier(structures.points, sure);
    for (let at = 0; at < coords.length; at += 2) {
      const [lng, lat] = [coords[at] as number, coords[at + 1] as number];
      const [area] = featuresContaining([lng, lat]);
      if (area === undefined) continue;
      const name: string = area.properties.nameEn;
      const entry = areas.get(name) ?? { given: new Set(), places: new Set() };
      areas.set(name, entry);
      entry.given.add(findCountryAt(snapshot, lat, lng)?.entry.code);
      entry.places.add(code);
    }
  }
  const others = [...areas].flatMap(([name, { given, places }]) => {
    const covered = [...given].filter((code) => snapshot.countryByCode.get(code ?? '')?.structures !== undefined);
    const isOther = covered.length > 0 && !covered.some((code) => places.has(code ?? ''));
    return isOther ? [`${name}: ${[...places.keys()]}, not ${covered}`] : [];
  });
  expect(areas.size).toBeGreaterThan(100);
  expect(others).toEqual([]);
});

/** The country of the nearest place, or the message of the error. */
function answerAt(lat: number, lng: number): string {
  try {
    return parseAnswer<{ place: PlaceResource }>(reverse(snapshot, { lat, lng, country: undefined })).place.countryCode;
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    throw error;
  }
}

async function readCities(): Promise<City[]> {
  const table = join(process.env.WORLD_RELEASES as string, 'gazetteer', 'cities15000.zip');
  const read: City[] = [];
  const take = (bytes: Buffer): void => {
    const city = parseCityRow(bytes.toString());
    if (typeof city === 'object' && city.population >= LEAST_PEOPLE) read.push(city);
  };
  await readLines((await lookUpTable(table)).file, take, MAX_LINE_LENGTH);
  return read;
}
