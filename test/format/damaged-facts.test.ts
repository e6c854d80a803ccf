/**
 * Verifying finds facts of places and of countries that cannot be right, in a snapshot with populations, several time zones,
 * and a name that big cities of two countries have.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createBuilderPool } from '../../build-index/tasks/builder-pool.js';
import { verifySnapshot } from '../../build-index/verifying/verify-snapshot.js';
import { type Bundle, decodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { NAME_INDEX_SCHEMA } from '../../src/core/snapshot/name-index.js';
import { damageStructure, manifestOf, replaceManifest, structureBytes } from '../fixtures/damage.js';
import { buildFrom, createTemporaryFolder, type TemporaryFolder, writeRelease } from '../fixtures/fixture-snapshot.js';
import { cityLineOf, cityOf } from '../fixtures/gazetteer.js';
import type { SECTION_SCHEMAS } from '../fixtures/section-schemas.js';
import { silentProgress } from '../fixtures/silent-progress.js';

type Facts = Bundle<(typeof SECTION_SCHEMAS)['place-facts']>;

const pool = createBuilderPool(0);
let folder: TemporaryFolder;
let bytes: Uint8Array;
beforeAll(async () => {
  folder = createTemporaryFolder();
  const release = join(folder.path, 'release');
  writeRelease(release, {
    PT: [
      ['1000', 'Lisboa', 'Lisboa', '', '', 38.72, -9.14, ['14', '', '']],
      ['1001', 'Loures', 'Lisboa', '', '', 38.83, -9.17, ['14', '', '']],
      ['4000', 'Porto', 'Porto', '', '', 41.15, -8.61, ['17', '', '']],
      ['9500', 'Ponta Delgada', 'Azores', '', '', 37.74, -25.67, ['23', '', '']],
    ],
  });
  const cities = [
    cityOf('PT', 'Lisboa', 38.72, -9.14, { population: 517_802, timezone: 'Europe/Lisbon' }),
    cityOf('PT', 'Porto', 41.15, -8.61, { population: 249_633, timezone: 'Europe/Lisbon' }),
    cityOf('BR', 'Porto', -10, -50, { population: 150_000, timezone: 'America/Sao_Paulo' }),
    cityOf('PT', 'Ponta Delgada', 37.74, -25.67, { population: 20_056, timezone: 'Atlantic/Azores' }),
  ];
  writeFileSync(join(release, 'cities500.txt'), `${cities.map(cityLineOf).join('\n')}\n`);
  await buildFrom(release, join(folder.path, 'pt.snapshot'));
  bytes = readFileSync(join(folder.path, 'pt.snapshot'));
});
afterAll(() => folder.remove());

const verify = (change: (facts: Facts) => void): Promise<string> =>
  verifyBytes(damageStructure(bytes, 'place-facts', 'PT', change));

async function verifyBytes(damaged: Uint8Array): Promise<string> {
  const path = join(folder.path, 'damaged.snapshot');
  writeFileSync(path, damaged);
  return verifySnapshot(path, pool, silentProgress).then(
    () => 'sound',
    (error: Error) => error.message,
  );
}

/** Replaces a text by another of the same length. */
const replace =
  (from: string, to: string) =>
  ({ text }: Facts): void => {
    const at = Buffer.from(text).indexOf(from);
    if (at === -1 || from.length !== to.length) throw new Error(`${from} is not there`);
    text.set(Buffer.from(to), at);
  };

test('the snapshot has what is damaged, and is sound', async () => {
  const text = Buffer.from(structureBytes(bytes, 'place-facts', 'PT')).toString('latin1');
  expect(text).toContain('Atlantic/Azores\nEurope/Lisbon\nPT-20\n23\nPT-11\n14\nPT-13\n17\n');
  expect(await verify(() => {})).toBe('sound');
});

test.each<[string, (facts: Facts) => void, string]>([
  ['a zone that is no name', replace('Europe/Lisbon', 'europe/lisbon'), 'time zones, ascending'],
  ['zones in disorder', replace('Atlantic/Azores', 'Pacific/Azoresx'), 'time zones, ascending'],
  ['a code of another country', replace('PT-11', 'ES-11'), 'a code of ISO 3166-2 of PT, once'],
  ['a code of two units', replace('PT-11', 'PT-13'), 'a code of ISO 3166-2 of PT, once'],
  ['a code in small letters', replace('PT-11', 'PT-1a'), 'a code of ISO 3166-2 of PT, once'],
  ['a release’s code with a quotation mark', replace('\n14\n', '\n1"\n'), 'a code of the release'],
  ['a text without its line feed', replace('\n14\n', '\n140'), 'texts with a line feed behind each'],
  ['a unit that is not on the first level', ({ units }) => units.fill(5, 2), 'the first-level units'],
  [
    'a unit with the zone of fewer of its leaves',
    ({ zones }) => void zones.copyWithin(1, 0, 1),
    'the zone of most leaves',
  ],
  ['a zone that is not there', ({ zones }) => zones.fill(2, 6), '2 time zones'],
  ['a zone of no place', ({ zones }) => zones.fill(1), 'only time zones in use'],
  ['people of one place twice', ({ populated }) => populated.fill(populated[0] as number), 'places with a population'],
  ['people of no place', ({ populated }) => populated.fill(99, 2), 'places with a population'],
  ['nobody', ({ populations }) => populations.fill(0, 1, 2), 'people in place'],
  ['bounds of another unit', ({ boundedUnits }) => boundedUnits.fill(3, 2), 'the units with sure leaves'],
  ['bounds a centimetre off', ({ bounds }) => bounds.set([(bounds[0] as number) - 1]), 'the bounds of their leaves'],
])('%s is found', async (_, change, expected) => {
  expect(await verify(change)).toMatch(new RegExp(`^STRUCTURE_INVALID: expected place-facts of PT: ${expected}`));
});

type WorldNames = Bundle<(typeof SECTION_SCHEMAS)['world-name-index']>;

test.each<[string, (names: WorldNames) => void, string]>([
  ['a name twice for one country', ({ bigCityCountries }) => bigCityCountries.fill(1), 'each name of a big city once'],
  [
    'a country that is not there',
    ({ bigCityCountries }) => bigCityCountries.fill(999, 0, 1),
    'big cities of countries',
  ],
  ['names in disorder', ({ bigCityNames }) => bigCityNames.reverse(), 'hashes of bigCityNames ascending'],
])('big cities: %s is found', async (_, change, expected) => {
  const damaged = damageStructure(bytes, 'world-name-index', undefined, change);
  expect(await verifyBytes(damaged)).toMatch(new RegExp(`^STRUCTURE_INVALID: expected world-name-index: ${expected}`));
});

test('a name of big cities in two countries has the country of the larger city first', () => {
  const { countries } = manifestOf(bytes);
  const { bigCityNames, bigCityCountries } = decodeBundle(
    NAME_INDEX_SCHEMA,
    structureBytes(bytes, 'world-name-index'),
    'world-name-index',
  );
  const codesOf = (name: string): (string | undefined)[] =>
    [...bigCityCountries]
      .filter((_, at) => bigCityNames[at] === hashText(name))
      .map((number) => countries[number]?.code);
  expect([codesOf('porto'), codesOf('lisboa'), codesOf('ponta delgada')]).toEqual([['PT', 'BR'], ['PT'], []]);
});

test.each([
  ['a country without data', 'BR', 'STRUCTURE_INVALID: expected country-answers: the manifest'],
  // Its answer has the format that fits its codes.
  ['a country with data', 'PT', 'sound'],
])('another given format of %s', async (_, code, expected) => {
  const damaged = replaceManifest(bytes, (manifest) => ({
    ...manifest,
    countries: manifest.countries.map((entry) => (entry.code === code ? { ...entry, givenFormat: '#' } : entry)),
  }));
  expect(await verifyBytes(damaged)).toMatch(new RegExp(`^${expected}`));
});
