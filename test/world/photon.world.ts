/**
 * Photon's reverse for the 3,000 largest cities of the gazetteer, one kilometre beside their centres: country and city of
 * those that the snapshot has at their place. The country is another one only where the point lies there.
 */

import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type City, parseCityRow } from '../../build-index/gazetteer/city-row.js';
import { lookUpTable, MAX_LINE_LENGTH, readLines } from '../../build-index/reading/table-lines.js';
import { photonReverse } from '../../src/core/answers/photon.js';
import { findCountryAt } from '../../src/core/lookup/country-at-point.js';
import { listNearbyPlaces } from '../../src/core/lookup/nearby.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import { populationOf } from '../../src/core/snapshot/place-facts.js';
import { readNameField, readPointField } from '../../src/core/snapshot/place-fields.js';
import { distanceKm, type Position } from '../../src/core/snapshot/sphere.js';
import { createRandom } from '../fixtures/random.mjs';
import { Failures, openWithCities, percent, printFigures, structuresOf } from './world.js';

const CITIES = 3_000;
/** Minimum share of the cities whose country and city are right. */
const LEAST_SHARE = 0.97;
/** A kilometre in degrees of latitude. */
const KILOMETRE = 1 / 111.195;
/** Kilometres from its centre within which the snapshot has a city. */
const AT_CENTRE_KM = 2;
/** Kilometres within which a city may also have the name of a larger one. */
const AROUND_KM = 30;

interface Found {
  readonly name: string;
  readonly city?: string;
  readonly countrycode: string;
}

test('cities are found one kilometre beside their centres', async () => {
  const snapshot = openWithCities();
  const random = createRandom(44);
  const failures = new Failures();
  const counts = { found: 0, right: 0, country: 0 };
  const filters = { limit: 1, layers: [], tags: [], dedupe: true, radius: undefined };
  const misses: string[] = [];
  const cities = await readCities((code) => snapshot.countryByCode.get(code)?.structures !== undefined);
  for (const city of cities) {
    const names = namesOf(city);
    const isName = (text = ''): boolean => names.some((name) => isSame(foldText(text), name));
    const larger = cities.filter(
      (one) =>
        one.countryCode === city.countryCode && one.population > city.population && distanceKm(one, city) < AROUND_KM,
    );
    const isLarger = (text = ''): boolean =>
      larger.some((one) => namesOf(one).some((name) => isSame(foldText(text), name)));
    const structures = structuresOf(snapshot, city.countryCode);
    const home = snapshot.countryByCode.get(city.countryCode);
    const hasPeople = (place: number): boolean => populationOf(structures, place) !== null;
    const around = {
      lat: city.latitude,
      lng: city.longitude,
      radiusKm: AT_CENTRE_KM,
      limit: 100,
      tiers: ['sure'] as const,
    };
    const isKnown =
      listNearbyPlaces(snapshot, { ...around, countries: home && [home] }).some(
        ({ place }) => hasPeople(place) && isName(readNameField(structures, place)),
      ) ||
      Array.from(structures.facts.populated).some(
        (place) =>
          distanceKm(readPointField(structures, place), city) < AT_CENTRE_KM &&
          isName(readNameField(structures, place)),
      );
    if (!isKnown) continue;
    counts.found++;
    const point = beside(city, random() * 2 * Math.PI);
    const { features } = JSON.parse(
      Buffer.from(
        photonReverse(snapshot, { ...filters, lat: point.latitude, lon: point.longitude }),
        'latin1',
      ).toString(),
    ) as { features: { properties: Found }[] };
    const [feature] = features;
    const where = `${city.countryCode} ${city.name}: ${feature?.properties.countrycode} ${feature?.properties.name}`;
    if (feature !== undefined && feature.properties.countrycode !== city.countryCode) {
      counts.country++;
      const at = findCountryAt(snapshot, point.latitude, point.longitude)?.entry.code;
      if (feature.properties.countrycode !== at) failures.add(where);
    } else if ([feature?.properties.city, feature?.properties.name].some((text) => isName(text) || isLarger(text)))
      counts.right++;
    else misses.push(where);
  }
  printFigures(
    `Photon's reverse: of ${counts.found} cities ${percent(counts.right, counts.found)} are right, ` +
      `${counts.country} in another country, where the point lies\n  ${misses.slice(0, 30).join('; ')}`,
  );
  expect(failures.shown).toEqual([]);
  expect(counts.found).toBeGreaterThan(2_000);
  expect(counts.right / counts.found).toBeGreaterThan(LEAST_SHARE);
});

function namesOf({ name, asciiName, otherNames }: City): string[] {
  return [name, asciiName, ...otherNames].map(foldText).filter((text) => text !== '');
}

/** The name, or with a number, a kind or a part behind it: "Marseille 03". */
function isSame(text: string, name: string): boolean {
  const [short, long] = text.length < name.length ? [text, name] : [name, text];
  return short.length >= 3 && long.startsWith(short);
}

function beside({ latitude, longitude }: Position, angle: number): Position {
  const east = (KILOMETRE * Math.cos(angle)) / Math.cos((latitude * Math.PI) / 180);
  return { latitude: latitude + KILOMETRE * Math.sin(angle), longitude: longitude + east };
}

/** The largest of countries with data, without parts of cities. */
async function readCities(hasData: (countryCode: string) => boolean): Promise<City[]> {
  const folder = join(process.env.WORLD_RELEASES as string, 'gazetteer');
  const cities: City[] = [];
  const take = (bytes: Buffer): void => {
    const city = parseCityRow(bytes.toString());
    if (typeof city === 'object' && city.featureCode !== 'PPLX' && hasData(city.countryCode)) cities.push(city);
  };
  await readLines((await lookUpTable(join(folder, 'cities15000.zip'))).file, take, MAX_LINE_LENGTH);
  return cities.sort((a, b) => b.population - a.population).slice(0, CITIES);
}
