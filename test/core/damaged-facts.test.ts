/**
 * Verifying finds facts of places that lead to nothing, in a snapshot with populations, several time zones, and a name that
 * big cities of two countries have.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createBuilderPool } from '../../build-index/tasks/builder-pool.js';
import { verifySnapshot } from '../../build-index/verifying/verify-snapshot.js';
import { type Bundle, decodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { NAME_INDEX_SCHEMA } from '../../src/core/snapshot/name-index.js';
import { damageStructure, manifestOf, structureBytes } from '../fixtures/damage.js';
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

test('the snapshot has what is damaged, and is sound', async () => {
  const text = Buffer.from(structureBytes(bytes, 'place-facts', 'PT')).toString('latin1');
  expect(text).toContain('Atlantic/Azores\nEurope/Lisbon\nPT-20\n23\nPT-11\n14\nPT-13\n17\n');
  expect(await verify(() => {})).toBe('sound');
});

test.each<[string, (facts: Facts) => void]>([
  ['a text that ends before it starts', ({ textStarts }) => textStarts.copyWithin(2, 0, 1)],
  ['a unit that is not on the first level', ({ units }) => units.fill(5, 2)],
  ['a zone that is not there', ({ zones }) => zones.fill(2, 6)],
  ['people of one place twice', ({ populated }) => populated.fill(populated[0] as number)],
  ['people of no place', ({ populated }) => populated.fill(99, 2)],
  ['bounds of no place', ({ boundedUnits }) => boundedUnits.fill(99, 2)],
])('%s is found', async (_, change) => {
  expect(await verify(change)).toMatch(/^STRUCTURE_INVALID: expected place-facts of PT\b/);
});

type WorldNames = Bundle<(typeof SECTION_SCHEMAS)['world-name-index']>;

test.each<[string, (names: WorldNames) => void]>([
  ['a country that is not there', ({ bigCityCountries }) => bigCityCountries.fill(999, 0, 1)],
  ['names in disorder', ({ bigCityNames }) => bigCityNames.reverse()],
])('big cities: %s is found', async (_, change) => {
  const damaged = damageStructure(bytes, 'world-name-index', undefined, change);
  expect(await verifyBytes(damaged)).toMatch(/^STRUCTURE_INVALID: expected world-name-index\b/);
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
