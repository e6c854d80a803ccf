/**
 * The forms that a release comes in: a folder of texts or zips, allCountries with its countries mixed, and what is
 * wrong with those that cannot be read.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BuildReport } from '../../../build-index/building/build-snapshot.js';
import { openSnapshot } from '../../../src/core/snapshot/snapshot.js';
import {
  buildFrom,
  createTemporaryFolder,
  fileTextOf,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import {
  type FixtureRow,
  HAND_MADE_ROWS,
  lineOf,
  type RowsByCountry,
  rowOf,
} from '../../fixtures/hand-made-release.js';
import { createRandom } from '../../fixtures/random.mjs';
import { seededRelease } from '../../fixtures/seeded-release.js';
import { zipOf } from '../../fixtures/zip-writer.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder.remove());

const inFolder = (...names: string[]): string => join(folder.path, ...names);
const writeRows = (country: string, name = `${country}.txt`): Buffer => {
  const content = Buffer.from(fileTextOf(country, HAND_MADE_ROWS[country] ?? []));
  if (name.endsWith('.txt')) writeFileSync(inFolder(name), content);
  return content;
};

/** Builds what lies at `path`. The bytes of the snapshot, and the report. */
async function build(path: string): Promise<{ bytes: Buffer; report: BuildReport }> {
  const outPath = inFolder('out', 'places.snapshot');
  const report = await buildFrom(path, outPath);
  return { bytes: readFileSync(outPath), report };
}

describe('allCountries', () => {
  /** Lines of all countries mixed, each country's in their own order. */
  function interleave(rowsByCountry: RowsByCountry, seed: number): string[] {
    const random = createRandom(seed);
    const queues = Object.entries(rowsByCountry).map(([country, rows]) =>
      rows.map((row) => (typeof row === 'string' ? row : lineOf(country, row))),
    );
    const lines: string[] = [];
    for (let open = queues; open.length > 0; open = open.filter((queue) => queue.length > 0)) {
      const queue = open[Math.floor(random() * open.length)] as string[];
      lines.push(...queue.splice(0, 1 + Math.floor(random() * 3)));
    }
    return lines;
  }

  test.each<[string, string, string]>([
    ['line feeds', '\n', ''],
    ['carriage returns and a byte order mark', '\r\n', '\ufeff'],
  ])('gives the same snapshot as a folder of files, with %s', async (_, lineEnd, mark) => {
    const seeded = Object.entries(seededRelease(9)).map(([country, list]) => [country, list.slice(0, 200)]);
    const rows = { ...Object.fromEntries(seeded), AD: HAND_MADE_ROWS.AD ?? [], FJ: HAND_MADE_ROWS.FJ ?? [] };
    writeRelease(inFolder('files'), rows);
    mkdirSync(inFolder('all'));
    writeFileSync(inFolder('all', 'allCountries.txt'), mark + interleave(rows, 1).join(lineEnd));
    const files = await build(inFolder('files'));
    const all = await build(inFolder('all'));
    const single = await build(inFolder('all', 'allCountries.txt'));
    expect(all.bytes.equals(files.bytes)).toBe(true);
    expect(single.bytes.equals(files.bytes)).toBe(true);
    const { problems: _problems, ...counts } = files.report.tally;
    expect(all.report.tally).toMatchObject(counts);
    expect(readdirSync(inFolder('out'))).toEqual(['places.snapshot']);
  });

  test('a zip of it too', async () => {
    const lines = interleave({ AD: HAND_MADE_ROWS.AD ?? [], BG: HAND_MADE_ROWS.BG ?? [] }, 2);
    const content = Buffer.from(`${lines.join('\n')}\n`);
    mkdirSync(inFolder('zip'));
    mkdirSync(inFolder('text'));
    writeFileSync(inFolder('zip', 'allCountries.zip'), zipOf([{ name: 'allCountries.txt', content }]));
    writeFileSync(inFolder('text', 'allCountries.txt'), content);
    const { report } = await build(inFolder('zip', 'allCountries.zip'));
    expect(report.manifest.sourceDate).toBe('2026-03-30');
    const sections = (await build(inFolder('text'))).report.manifest.sections;
    expect(report.manifest.sections).toEqual(sections);
  });

  /** The examples of a problem kind in a build of these lines as allCountries.txt. */
  async function examplesOf(lines: readonly string[]): Promise<string[]> {
    writeFileSync(inFolder('allCountries.txt'), lines.join('\n'));
    const { report } = await build(inFolder('allCountries.txt'));
    return Object.values(report.tally.problems).flatMap(({ examples }) => examples);
  }
  const good = (country: string, code: string): string => lineOf(country, [code, 'Ulm', '', '', '', 1, 1]);

  test('examples name the lines of allCountries.txt', async () => {
    const lines = [good('DE', '1'), good('AT', '1'), 'DE\tbad', 'AT\tbad', good('DE', '2'), 'DE\tworse', 'nonsense'];
    const examples = await examplesOf(lines);
    expect(examples.map((example) => example.split(' ').slice(0, 2).join(' ')).sort()).toEqual([
      'allCountries.txt:3: DE\tbad',
      'allCountries.txt:4: AT\tbad',
      'allCountries.txt:6: DE\tworse',
      'allCountries.txt:7: nonsense',
    ]);
  });

  test('and still do behind a blank line', async () => {
    expect(await examplesOf([good('DE', '1'), '', good('DE', '2'), 'DE\tbad'])).toEqual([
      'allCountries.txt:4: DE\tbad',
    ]);
  });
});

describe('a folder', () => {
  test('of zips: the newest date is the release, and the snapshot is that of the texts', async () => {
    mkdirSync(inFolder('zips'));
    mkdirSync(inFolder('texts'));
    for (const [index, country] of ['AD', 'BG', 'KR'].entries()) {
      const content = writeRows(country, join('texts', `${country}.txt`));
      const readme = { name: 'readme.txt', content: Buffer.from('Readme for GeoNames Postal Code files') };
      const rows = { name: `${country}.txt`, content, date: [2026, 3, 28 + (index % 2)] as const };
      writeFileSync(inFolder('zips', `${country}.zip`), zipOf([readme, rows]));
    }
    const zips = await buildFrom(inFolder('zips'), inFolder('a.snapshot'), { releaseName: null });
    const texts = await buildFrom(inFolder('texts'), inFolder('b.snapshot'), { releaseName: null });
    expect(zips.manifest.release).toBe('2026-03-29');
    expect(zips.manifest.sourceDate).toBe('2026-03-29');
    expect(texts.manifest.release).toMatch(/^content-[0-9a-f]{8}$/);
    expect(texts.manifest.sections).toEqual(zips.manifest.sections);
  });

  test('says what it did not read, and reads only the countries asked for', async () => {
    for (const country of ['AD', 'BG', 'AN']) writeRows(country);
    for (const name of ['readme.txt', 'XXX.txt', 'ad.txt', 'DE.csv', 'allCountries.txt']) {
      writeFileSync(inFolder(name), 'nothing of use');
    }
    const report = await buildFrom(folder.path, inFolder('out', 'p.snapshot'), { countries: ['BG', 'AN'] });
    expect([...report.ignoredFiles].sort()).toEqual(['DE.csv', 'XXX.txt', 'ad.txt', 'allCountries.txt', 'readme.txt']);
    const { countries } = openSnapshot(inFolder('out', 'p.snapshot'));
    expect(countries.flatMap(({ entry, structures }) => (structures === undefined ? [] : entry.code))).toEqual(['BG']);
    expect(report.tally.problems['rejected: no country of ISO 3166-1']?.count).toBe(1);
  });

  test('with countryInfo.txt takes the names in it', async () => {
    writeRows('AD');
    const columns = Array.from({ length: 19 }, (_, index) => ({ 0: 'AD', 4: 'Principality' })[index] ?? '');
    writeFileSync(inFolder('countryInfo.txt'), `#ISO\n${columns.join('\t')}\n`);
    const { report } = await build(folder.path);
    expect(report.manifest.countries.find(({ code }) => code === 'AD')).toMatchObject({
      name: 'Principality',
      slug: 'principality',
    });
    expect(report.ignoredFiles).not.toContain('countryInfo.txt');
  });
});

describe('a release that cannot be read', () => {
  const refusal = async (path = folder.path): Promise<unknown> =>
    await build(path).then(
      () => 'built',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  const adZip = (): Buffer => zipOf([{ name: 'AD.txt', content: writeRows('AD', 'none') }]);

  test.each<[string, () => void, RegExp]>([
    ['an empty folder', () => {}, /no XX\.zip/],
    [
      'one country twice',
      () => [writeRows('AD'), writeFileSync(inFolder('AD.zip'), adZip())],
      /both as \.txt and as \.zip/,
    ],
    ['not one good row', () => writeFileSync(inFolder('AD.txt'), 'AD\tbad\n\n'), /not one usable row/],
    ['an empty file', () => writeFileSync(inFolder('AD.txt'), ''), /not one usable row/],
    [
      'a zip that is none',
      () => writeFileSync(inFolder('AD.zip'), 'PK\x03\x04 and no more'),
      /AD\.zip: cannot be read/,
    ],
    ['an empty zip file', () => writeFileSync(inFolder('AD.zip'), ''), /AD\.zip: cannot be read/],
    ['a zip cut short', () => writeFileSync(inFolder('AD.zip'), adZip().subarray(0, -30)), /AD\.zip: cannot be read/],
    ['a zip without the file', () => writeFileSync(inFolder('BG.zip'), adZip()), /BG\.zip: holds no BG\.txt/],
    [
      'a zip with damaged content',
      () => {
        const zip = adZip();
        zip.write('X', zip.indexOf('Canillo'), 'latin1');
        writeFileSync(inFolder('AD.zip'), zip);
      },
      /AD\.zip.*(CRC|checksum)/i,
    ],
    ['a folder called like a file', () => mkdirSync(inFolder('AD.txt')), /AD\.txt: cannot be read/],
  ])('%s', async (_, prepare, message) => {
    prepare();
    const text = await refusal();
    expect(text).toMatch(/^ReleaseError: /);
    expect(text).toMatch(message);
  });

  test('a path where nothing is, and a country that is not there', async () => {
    expect(await refusal(inFolder('absent'))).toMatch(/^ReleaseError: .*absent/);
    writeRows('AD');
    await expect(buildFrom(folder.path, inFolder('o'), { countries: ['AD', 'FR'] })).rejects.toThrow('no rows of FR');
  });

  test('leaves the earlier snapshot as it was, and nothing beside it', async () => {
    writeRows('AD');
    const { bytes } = await build(folder.path);
    writeFileSync(inFolder('BG.zip'), adZip());
    expect(await refusal()).toMatch(/holds no BG\.txt/);
    expect(readFileSync(inFolder('out', 'places.snapshot')).equals(bytes)).toBe(true);
    expect(readdirSync(inFolder('out'))).toEqual(['places.snapshot']);
  });
});

test('rows that are hard on the format still make a sound snapshot', async () => {
  // The characters whose names are longest when written in Latin letters, in four levels and under a long code.
  const longest = '\u274e'.repeat(200);
  const rows: FixtureRow[] = [
    ['\u274e'.repeat(20), longest, longest, longest, longest, 1, 1],
    ['1', longest, longest, longest, longest, 1, 1],
    ['"\\', '"\\/<script>', '\u{10ffff}', '\ud7ff', '.', 1, 2],
  ];
  // A postal code of punctuation only gives no slug.
  writeRelease(inFolder('release'), { AD: rows, AX: [rowOf('1', 'Ulm'), rowOf('\u2014', 'Ulm')] });
  const { report } = await build(inFolder('release'));
  expect(report.tally).toMatchObject({ rowsRead: 5, rowsTaken: 5 });
});
