/** Verifying finds facts of places that cannot be right, in a snapshot with populations and several time zones. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createBuilderPool } from '../../build-index/tasks/builder-pool.js';
import { verifySnapshot } from '../../build-index/verifying/verify-snapshot.js';
import type { Bundle } from '../../src/format/array-bundle.js';
import { damageStructure, type SCHEMAS, structureBytes } from '../fixtures/damage.js';
import { buildFrom, createTemporaryFolder, type TemporaryFolder, writeRelease } from '../fixtures/fixture-snapshot.js';
import { cityLineOf, cityOf } from '../fixtures/gazetteer.js';
import { silentProgress } from '../fixtures/silent-progress.js';

type Facts = Bundle<(typeof SCHEMAS)['place-facts']>;

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
    cityOf('PT', 'Ponta Delgada', 37.74, -25.67, { population: 20_056, timezone: 'Atlantic/Azores' }),
  ];
  writeFileSync(join(release, 'cities500.txt'), `${cities.map(cityLineOf).join('\n')}\n`);
  await buildFrom(release, join(folder.path, 'pt.snapshot'));
  bytes = readFileSync(join(folder.path, 'pt.snapshot'));
});
afterAll(() => folder.remove());

async function verify(change: (facts: Facts) => void): Promise<string> {
  const path = join(folder.path, 'damaged.snapshot');
  writeFileSync(path, damageStructure(bytes, 'place-facts', 'PT', change));
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
