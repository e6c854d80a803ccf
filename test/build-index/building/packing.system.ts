/**
 * A packed snapshot is, to the byte, the snapshot that a build of the same countries gives. What can't be packed leaves
 * the earlier file.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packSnapshot } from '../../../build-index/building/pack-snapshot.js';
import { findAbsentCountry } from '../../../src/core/lookup/absent-countries.js';
import { openSnapshot } from '../../../src/core/snapshot/snapshot.js';
import { runHere } from '../../cli/running.js';
import { damageStructure, withByte, withVersion } from '../../fixtures/damage.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { cityLineOf, cityOf } from '../../fixtures/gazetteer.js';
import { type FixtureRow, HAND_MADE_ROWS, type RowsByCountry } from '../../fixtures/hand-made-release.js';
import { poolHere } from '../../fixtures/pool-here.js';
import { runProgram } from '../../fixtures/program.js';
import { silentProgress } from '../../fixtures/silent-progress.js';

/** "Springfield" is a big city with data, one that loses its data, and one that never has any. */
const CITIES = [
  cityOf('US', 'Springfield', 39.8, -89.64, { population: 300_000, otherNames: ['Spring City'] }),
  cityOf('DE', 'Springfield', 48.1, 11.5, { population: 200_000 }),
  cityOf('JP', 'Springfield', 35.6, 139.7, { population: 150_000 }),
  cityOf('DE', 'Munich', 48.14, 11.57, { population: 1_500_000, otherNames: ['München', 'Monaco di Baviera'] }),
  cityOf('JP', 'Tokyo', 35.69, 139.69, { population: 8_000_000, featureCode: 'PPLC', otherNames: ['東京'] }),
  cityOf('AU', 'Ernestina', -23.7, 143.5, { population: 20_000 }),
  cityOf('AD', 'Canillo', 42.57, 1.6, { population: 4_000 }),
];

/** The codes have another form than the one that data/countries.tsv gives for the country. */
const ROWS: RowsByCountry = { ...HAND_MADE_ROWS, FO: [['FO-1234', 'Tórshavn', '', '', '', 62.01, -6.77]] };
const CODES = Object.keys(ROWS).filter((code) => code !== 'AN');

let folder: TemporaryFolder;
const inFolder = (...names: string[]): string => join(folder.path, ...names);

beforeAll(async () => {
  folder = createTemporaryFolder();
  writeRelease(inFolder('before'), {
    ...ROWS,
    AD: (ROWS.AD as readonly FixtureRow[]).map(([code, name, unit, ...rest]) => [code, name, `Old ${unit}`, ...rest]),
  });
  writeRelease(inFolder('release'), ROWS);
  writeFileSync(inFolder('release', 'cities500.txt'), `${CITIES.map(cityLineOf).join('\n')}\n`);
  await buildFrom(inFolder('before'), inFolder('before.snapshot'));
  await build('whole.snapshot', null);
});
afterAll(() => folder?.remove());

/** Without a name the snapshot is named by its content. */
async function build(
  name: string,
  countries: readonly string[] | null,
  releaseName: string | null = 'r1',
): Promise<void> {
  const previousPath = inFolder('before.snapshot');
  await buildFrom(inFolder('release'), inFolder(name), { countries, previousPath, releaseName });
}

async function pack(countries: readonly string[], source = 'whole.snapshot', out = 'packed.snapshot') {
  const options = { source: inFolder(source), outPath: inFolder(out), countries };
  return await packSnapshot(options, poolHere, silentProgress);
}

/** Buffers, since a difference would print millions of numbers. */
const isSame = (one: string, other: string): boolean =>
  readFileSync(inFolder(one)).equals(readFileSync(inFolder(other)));

describe('the same bytes as a build of', () => {
  test.each<[string, readonly string[]]>([
    ['one country', ['AD']],
    ['a country without admin units', ['VA']],
    ['two countries', ['DE', 'US']],
    ['some countries in another order', ['US', 'AD', 'KR', 'FO', 'AU']],
    ['all countries but one', CODES.filter((code) => code !== 'DE')],
  ])('%s', async (_, countries) => {
    await build('built.snapshot', countries);
    const report = await pack(countries);
    expect(isSame('packed.snapshot', 'built.snapshot')).toBe(true);
    expect(report.fileBytes).toBe(readFileSync(inFolder('built.snapshot')).length);
    const withData = report.manifest.countries.filter(({ slices }) => slices.length > 0).map(({ code }) => code);
    expect(withData).toEqual([...countries].sort());
  });

  test('all countries: the snapshot itself', async () => {
    await pack(CODES);
    expect(isSame('packed.snapshot', 'whole.snapshot')).toBe(true);
  });

  test('countries of a packed snapshot', async () => {
    await pack(['AD', 'DE', 'US', 'FO'], 'whole.snapshot', 'half.snapshot');
    await pack(['FO', 'DE'], 'half.snapshot');
    await build('built.snapshot', ['DE', 'FO']);
    expect(isSame('packed.snapshot', 'built.snapshot')).toBe(true);
  });

  test('a release without a name, which has a name by its content', async () => {
    await build('nameless.snapshot', null, null);
    await build('built.snapshot', ['AD', 'LT'], null);
    const { manifest } = await pack(['AD', 'LT'], 'nameless.snapshot');
    expect(manifest.release).toMatch(/^content-[0-9a-f]{8}$/);
    expect(manifest.release).not.toBe(openSnapshot(inFolder('nameless.snapshot')).release);
    expect(isSame('packed.snapshot', 'built.snapshot')).toBe(true);
  });

  test('countries that have old paths, cities of three countries with one name, and a format that was corrected', async () => {
    const { countryByCode, manifest } = openSnapshot(inFolder('whole.snapshot'));
    expect(countryByCode.get('AD')?.structures?.oldPaths.places.length).toBeGreaterThan(0);
    expect(manifest.countries.find(({ code }) => code === 'FO')?.givenFormat).toBe('###');
    const absentIn = (name: string) => {
      const snapshot = openSnapshot(inFolder(name));
      return ['Springfield', 'Munich', 'Spring City', 'Tokyo', 'Canillo'].map(
        (line) => findAbsentCountry(snapshot, line, false)?.country.entry.code,
      );
    };
    expect(absentIn('whole.snapshot')).toEqual([undefined, undefined, undefined, 'JP', undefined]);
    await pack(['US', 'AD']);
    expect(absentIn('packed.snapshot')).toEqual([undefined, 'DE', undefined, 'JP', undefined]);
    await pack(['AD']);
    expect(absentIn('packed.snapshot')).toEqual(['US', 'DE', 'US', 'JP', undefined]);
  });

  test('a published folder: of the snapshot in service there', async () => {
    mkdirSync(inFolder('published'), { recursive: true });
    const name = `r1-${openSnapshot(inFolder('whole.snapshot')).id}.snapshot`;
    writeFileSync(inFolder('published', name), readFileSync(inFolder('whole.snapshot')));
    symlinkSync(name, inFolder('published', 'current'));
    await build('built.snapshot', ['AX']);
    const { sourcePath } = await pack(['AX'], 'published');
    expect(sourcePath.endsWith(name)).toBe(true);
    expect(isSame('packed.snapshot', 'built.snapshot')).toBe(true);
  });
});

describe('refused, and the earlier file stays', () => {
  const bytesOf = (): Uint8Array => readFileSync(inFolder('whole.snapshot'));

  test.each<[string, () => Uint8Array, readonly string[], RegExp]>([
    ['a country without data', bytesOf, ['AD', 'JP'], /has no data of JP; it has data of AD, AQ, AU, AX, /],
    ['what is no country', bytesOf, ['ZZ', 'AD', 'QQ'], /has no data of ZZ, QQ; it has data of AD, /],
    ['a flipped bit in a country that is not packed', () => flipped(0), ['US'], /^SECTION_DAMAGED: /],
    ['a flipped bit in the index of the world', () => flipped(14), ['US'], /^SECTION_DAMAGED: /],
    ['half a file', () => bytesOf().subarray(0, bytesOf().length >> 1), ['US'], /^LENGTH_MISMATCH: /],
    ['another format', () => withVersion(bytesOf(), 8), ['US'], /^FORMAT_VERSION: .*version 8; build .* again/],
    [
      'a country whose structures contradict each other, with right checksums',
      () => damageStructure(bytesOf(), 'name-index', 'AD', ({ rankStarts }) => rankStarts.fill(0xfffffff0, 1, -1)),
      ['AD'],
      /^STRUCTURE_INVALID: .*name-index of AD/,
    ],
    [
      "an index of the world with other places than the countries', with right checksums",
      () => damageStructure(bytesOf(), 'world-name-index', undefined, ({ places }) => places.reverse()),
      ['AD', 'US'],
      /^STRUCTURE_INVALID: .*world-name-index: the ranks of each country/,
    ],
    [
      'an index of the world with too few places of a country, with right checksums',
      () => damageStructure(bytesOf(), 'world-name-index', undefined, ({ countries }) => countries.fill(1)),
      ['AD'],
      /^STRUCTURE_INVALID: .*world-name-index: the ranks of each country/,
    ],
    [
      'answers of countries that are no JSON, with right checksums',
      () => withByte(bytesOf(), textOfAnswers(), 0x5b),
      ['AD'],
      /^STRUCTURE_INVALID: .*country-answers: an object of JSON for AD/,
    ],
  ])('%s', async (_, damaged, countries, message) => {
    writeFileSync(inFolder('damaged.snapshot'), damaged());
    writeFileSync(inFolder('packed.snapshot'), 'earlier');
    await expect(pack(countries, 'damaged.snapshot')).rejects.toThrow(message);
    expect(readFileSync(inFolder('packed.snapshot'), 'utf8')).toBe('earlier');
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  /** With another first byte of a section. */
  function flipped(section: number): Uint8Array {
    const at = openSnapshot(inFolder('whole.snapshot')).manifest.sections[section]?.offset as number;
    const bytes = Uint8Array.from(bytesOf());
    bytes[at] = (bytes[at] as number) ^ 1;
    return bytes;
  }

  /** Where the first country's object starts in the file. */
  function textOfAnswers(): number {
    return Buffer.from(bytesOf()).indexOf('{"code":"AD"');
  }
});

describe('the command', () => {
  const run = (...args: string[]) => runProgram(['pack', ...args]);

  test('takes codes in any case, and reports as one object of JSON', async () => {
    await build('built.snapshot', ['DE', 'VA']);
    const { exitCode, stdout } = run('va,DE', '--from', inFolder('whole.snapshot'), '--out', inFolder('c'), '--json');
    expect(exitCode).toBe(0);
    expect(isSame('c', 'built.snapshot')).toBe(true);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ file: inFolder('c'), from: inFolder('whole.snapshot'), release: 'r1' },
      ...{ bytes: readFileSync(inFolder('c')).length, countries: [{ code: 'DE' }, { code: 'VA', places: 1 }] },
    });
  });

  test.each<[string, () => string[], RegExp]>([
    ['a folder to write', () => ['DE', '--from', inFolder('whole.snapshot'), '--out', folder.path], /is a folder/],
    ['a source that is not there', () => ['DE', '--from', inFolder('none'), '--out', inFolder('no')], /none/],
    ['no data', () => ['FR', '--from', inFolder('whole.snapshot'), '--out', inFolder('no')], /of FR;/],
  ])('%s: exit code 1', async (_, args, message) => {
    expect(await runHere('pack', ...args())).toEqual({ code: 1, out: '', error: expect.stringMatching(message) });
    expect(existsSync(inFolder('no'))).toBe(false);
  });
});
