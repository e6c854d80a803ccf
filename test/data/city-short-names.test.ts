/** Checks data/city-short-names.tsv: its shape, and that each line names the city that it means. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { shortNames } from '../../build-index/gazetteer/city-names.js';
import { findGazetteer, readGazetteer } from '../../build-index/gazetteer/read-gazetteer.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';

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
  const gazetteer = await readGazetteer(await findGazetteer(join(ROOT, 'data/starter'), null));
  const cities = [...(gazetteer?.citiesByCountry ?? [])].flatMap(([country, ofCountry]) =>
    ofCountry.map(({ geonameId, name }) => `${geonameId} ${country} ${name}`),
  );
  const countries = new Set(gazetteer?.citiesByCountry.keys());
  const expected = rows.flatMap(([id, country, name]) => (countries.has(country) ? [`${id} ${country} ${name}`] : []));
  expect(expected.length).toBeGreaterThan(15);
  expect(expected.filter((line) => !cities.includes(line))).toEqual([]);
});
