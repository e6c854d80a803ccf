/**
 * Checks data/countries.tsv against what can be checked without a network: its shape, the time zones and currencies
 * that the runtime knows, and the two facts a request without a country depends on, completeness and the centres.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { shortNames } from '../../build-index/data-tables/city-short-names.js';
import { readGazetteer } from '../../build-index/gazetteer/read-gazetteer.js';
import { findGazetteer } from '../../build-index/reading/gazetteer-files.js';
import { openRelease } from '../../build-index/reading/release.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';

const COLUMNS = [
  'code',
  'alpha3',
  'name',
  'region',
  'subRegion',
  'currencyCode',
  'timezone',
  'latitude',
  'longitude',
  'postalCodeFormat',
  'population',
] as const;
type Country = Record<(typeof COLUMNS)[number], string>;

const text = readFileSync(join(import.meta.dirname, '../../data/countries.tsv'), 'utf8');
const lines = text.split('\n');
const countries = lines
  .slice(1, -1)
  .map((line) => Object.fromEntries(line.split('\t').map((value, index) => [COLUMNS[index], value])) as Country);

const SUB_REGIONS = new Set([
  'Australia and New Zealand',
  'Central Asia',
  'Eastern Asia',
  'Eastern Europe',
  'Latin America and the Caribbean',
  'Melanesia',
  'Micronesia',
  'Northern Africa',
  'Northern America',
  'Northern Europe',
  'Polynesia',
  'South-eastern Asia',
  'Southern Asia',
  'Southern Europe',
  'Sub-Saharan Africa',
  'Western Asia',
  'Western Europe',
]);
/** ISO 4217 codes newer than the currency tables of some supported runtimes. */
const NEW_CURRENCIES = ['SLE', 'XCG', 'ZWG'];

const without = (test: (country: Country) => boolean) => countries.filter((c) => !test(c)).map(({ code }) => code);

function distanceKm(country: Country, latitude: number, longitude: number): number {
  const radians = Math.PI / 180;
  const lat = Number(country.latitude);
  const a =
    Math.sin(((lat - latitude) * radians) / 2) ** 2 +
    Math.cos(lat * radians) *
      Math.cos(latitude * radians) *
      Math.sin(((Number(country.longitude) - longitude) * radians) / 2) ** 2;
  return 2 * 6371 * Math.asin(Math.sqrt(a));
}

const nearest = (latitude: number, longitude: number) =>
  countries.reduce((a, b) => (distanceKm(b, latitude, longitude) < distanceKm(a, latitude, longitude) ? b : a)).code;

describe('countries.tsv', () => {
  test('has the header, 250 lines of eleven columns and a final line end', () => {
    expect(lines[0]).toBe(COLUMNS.join('\t'));
    expect(lines.at(-1)).toBe('');
    expect(countries).toHaveLength(250);
    expect(lines.slice(0, -1).filter((line) => line.split('\t').length !== COLUMNS.length)).toEqual([]);
    expect(lines.filter((line) => / {2}|^ | \t|\t | $|\r/.test(line))).toEqual([]);
  });

  test('has no code that is reserved, withdrawn or unknown to the runtime', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    expect(without(({ code }) => /^[A-Z]{2}$/.test(code) && names.of(code) !== undefined)).toEqual([]);
    // With 250 different codes, none of these among them, the list is complete.
    const others = 'AC AN BU CP CQ CS DD DG EA EU EZ FX IC NT QO SU TA TP UK UN XA XB YD YU ZR ZZ'.split(' ');
    expect(countries.filter(({ code }) => others.includes(code))).toEqual([]);
  });

  test('has populations: none is missing, and the largest are where most people live', () => {
    expect(without(({ population }) => /^[1-9]\d{0,9}$/.test(population) && Number(population) < 2 ** 32)).toEqual([]);
    const byPopulation = [...countries].sort((a, b) => Number(b.population) - Number(a.population));
    expect(byPopulation.slice(0, 4).map(({ code }) => code)).toEqual(['CN', 'IN', 'US', 'ID']);
    const people = countries.reduce((sum, { population }) => sum + Number(population), 0);
    expect(people / 1e9).toBeCloseTo(8, 0);
  });

  test('is sorted by a unique code, with unique three-letter codes and names', () => {
    const codes = countries.map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)].sort());
    expect(new Set(countries.map(({ alpha3 }) => alpha3)).size).toBe(250);
    expect(new Set(countries.map(({ name }) => name)).size).toBe(250);
    expect(without(({ alpha3 }) => /^[A-Z]{3}$/.test(alpha3))).toEqual([]);
  });

  test('has a continent and a sub-region of M49 everywhere but in Antarctica', () => {
    expect(without(({ region }) => ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'].includes(region))).toEqual([]);
    expect(without(({ subRegion }) => SUB_REGIONS.has(subRegion))).toEqual(['AQ']);
  });

  test('has currencies that exist, and one everywhere but in Antarctica', () => {
    const known = new Set([...Intl.supportedValuesOf('currency'), ...NEW_CURRENCIES]);
    expect(without(({ currencyCode }) => known.has(currencyCode))).toEqual(['AQ']);
    const withdrawn = ['ANG', 'BGN', 'HRK', 'MRO', 'SLL', 'STD', 'VEF', 'ZWL'];
    expect(countries.filter(({ currencyCode }) => withdrawn.includes(currencyCode))).toEqual([]);
  });

  test('has time zones in area/city form that the runtime accepts', () => {
    expect(without(({ timezone }) => /^[A-Z][a-z]+(\/[A-Z][A-Za-z_-]+)+$/.test(timezone))).toEqual([]);
    for (const { timezone } of countries) {
      expect(() => new Intl.DateTimeFormat('en', { timeZone: timezone })).not.toThrow();
    }
  });

  test('has a centre in plain decimals for every country', () => {
    const plain = (value: string, limit: number) =>
      /^-?\d{1,3}(\.\d{1,4})?$/.test(value) && Math.abs(Number(value)) <= limit;
    expect(without(({ latitude, longitude }) => plain(latitude, 90) && plain(longitude, 180))).toEqual([]);
  });

  test.each([
    ['Munich', 48.137, 11.575, 'AT'],
    ['Hanover', 52.37, 9.73, 'DE'],
    ['Vaduz', 47.141, 9.521, 'LI'],
    ['Reykjavík', 64.147, -21.943, 'IS'],
    ['Suva', -18.141, 178.442, 'FJ'],
    ['Gustavia', 17.896, -62.85, 'BL'],
    ['Cayenne', 4.922, -52.313, 'GF'],
    ['Null Island', 0, 0, 'ST'],
  ])('%s is nearest to the expected centre', (_, latitude, longitude, code) => {
    expect(nearest(latitude, longitude)).toBe(code);
  });

  test('has formats made of digits, letters and separators only', () => {
    const format = /^[#@A-Z0-9 -]+(\|[#@A-Z0-9 -]+)*$/;
    expect(without(({ postalCodeFormat }) => postalCodeFormat === '' || format.test(postalCodeFormat))).toEqual([]);
    expect(countries.filter(({ postalCodeFormat }) => postalCodeFormat !== '').length).toBeGreaterThan(180);
  });
});

describe('data/city-short-names.tsv', () => {
  const ROOT = join(import.meta.dirname, '../..');
  const lines = readFileSync(join(ROOT, 'data/city-short-names.tsv'), 'utf8').split('\n');
  const rows = lines.slice(0, -1).map((line) => line.split('\t') as [string, string, string, ...string[]]);

  test('each line has a geonameid, a country, a name and short names; fewer than 60 in all', () => {
    expect(lines.at(-1)).toBe('');
    for (const [geonameId, country, name, ...names] of rows) {
      expect([geonameId, country]).toEqual([expect.stringMatching(/^[1-9]\d*$/), expect.stringMatching(/^[A-Z]{2}$/)]);
      expect(names.length).toBeGreaterThan(0);
      for (const text of [name, ...names]) expect(foldText(text).length).toBeGreaterThan(1);
    }
    expect(new Set(rows.map(([geonameId]) => geonameId)).size).toBe(rows.length);
    expect(rows.flatMap(([, , , ...names]) => names).length).toBeLessThan(60);
  });

  test('a city is meant by its geonameid and its country', () => {
    expect(shortNames({ geonameId: 5368361, countryCode: 'US' })).toEqual(['LA']);
    expect(shortNames({ geonameId: 5368361, countryCode: 'AR' })).toEqual([]);
    expect(shortNames({ geonameId: 1, countryCode: 'US' })).toEqual([]);
  });

  test('the cities of the starter dataset have the ids, the countries and the names of the table', async () => {
    const { countryFiles } = await openRelease(join(ROOT, 'data/starter'));
    const gazetteer = await readGazetteer(await findGazetteer(join(ROOT, 'data/starter'), null, countryFiles, null));
    const cities = [...(gazetteer?.citiesByCountry ?? [])].flatMap(([country, ofCountry]) =>
      ofCountry.map(({ geonameId, name }) => `${geonameId} ${country} ${name}`),
    );
    const countries = new Set(gazetteer?.citiesByCountry.keys());
    const expected = rows.flatMap(([id, country, name]) =>
      countries.has(country) ? [`${id} ${country} ${name}`] : [],
    );
    expect(expected.length).toBeGreaterThan(15);
    expect(expected.filter((line) => !cities.includes(line))).toEqual([]);
  });
});
