/**
 * Checks data/starter: it is a release like any other, whose every row the builder takes as it stands; its licence is
 * told wherever its data are; and scripts/cut-starter.py makes it.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findGazetteer, readGazetteer } from '../../build-index/gazetteer/read-gazetteer.js';
import { lookUpTable, openRelease, type RowFile, readLines } from '../../build-index/reading/release.js';
import { createTally, parseRow } from '../../build-index/reading/row.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { STARTER_DATE } from '../fixtures/starter-snapshot.js';

const root = join(import.meta.dirname, '../..');
const starter = join(root, 'data/starter');
const release = await openRelease(starter);
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

async function linesOf(file: RowFile): Promise<Buffer[]> {
  const lines: Buffer[] = [];
  await readLines(file, (line) => lines.push(Buffer.from(line)), 20_000);
  return lines;
}

test('it is a release of one date, and nothing else lies in it', () => {
  expect(release.countryFiles.length).toBeGreaterThan(15);
  expect(release.sourceDate).toBe(STARTER_DATE);
  expect(release.ignoredFiles).toEqual([]);
});

test('data/README.md lists its countries with their rows, none of which is rejected', async () => {
  const counted = await Promise.all(
    release.countryFiles.map(async (file) => {
      const tally = createTally();
      for (const [index, line] of (await linesOf(file)).entries()) {
        const where = () => `${file.textName}:${index + 1}`;
        parseRow(line.toString(), { countryCode: file.countryCode, tally, where });
      }
      expect({ file: file.textName, rejected: tally.rowsRejected }).toEqual({ file: file.textName, rejected: 0 });
      return `${file.countryCode} ${tally.rowsRead}`;
    }),
  );
  const rows = [...textOf('data/README.md').matchAll(/^\| ([A-Z]{2}) \| [^|]+ \| ([\d,]+) \|/gm)];
  expect(rows.map(([, code, count]) => `${code} ${count?.replace(',', '')}`)).toEqual(counted);
});

test('its cities are of its countries, in GeoNames’ order, and each is read', async () => {
  const files = await findGazetteer(starter, null);
  const lines = (await linesOf(files.cities as RowFile)).map((line) => line.toString().split('\t'));
  const codes = new Set(release.countryFiles.map(({ countryCode }) => countryCode));
  expect(lines.filter((columns) => !codes.has(columns[8] ?? ''))).toEqual([]);
  const tally = (await readGazetteer(files))?.tally;
  expect([tally?.citiesTaken, tally?.problems]).toEqual([lines.length, {}]);
  expect(textOf('data/README.md')).toContain(`${lines.length.toLocaleString('en-US')} rows`);
});

test.each(['data/README.md', 'README.md'])('%s credits GeoNames, with link, licence and date', (path) => {
  const text = textOf(path).replaceAll(/\s+/g, ' ');
  for (const part of [
    '[GeoNames](https://www.geonames.org/)',
    '[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/)',
    STARTER_DATE,
  ])
    expect(text).toContain(part);
});

describe('scripts/cut-starter.py', () => {
  let folder: TemporaryFolder;
  beforeAll(() => {
    folder = createTemporaryFolder();
  });
  afterAll(() => folder.remove());

  const cut = (from: string, name: string): string => {
    const out = join(folder.path, name);
    const args = [from, join(from, 'cities15000.zip'), out];
    execFileSync('python3', [join(root, 'scripts/cut-starter.py'), ...args], { stdio: 'pipe' });
    return out;
  };

  test('makes the same rows of its own output, and the same bytes each time', async () => {
    const [first, second] = [cut(starter, 'first'), cut(starter, 'second')];
    const names = readdirSync(starter);
    for (const out of [first, second]) expect(readdirSync(out)).toEqual(names);
    for (const name of names)
      expect([name, readFileSync(join(second, name)).equals(readFileSync(join(first, name)))]).toEqual([name, true]);
    // The zips as bytes; of the table the rows, since another version of zlib compresses them otherwise.
    for (const { textName } of release.countryFiles) {
      const name = textName.replace('.txt', '.zip');
      expect([name, readFileSync(join(first, name)).equals(readFileSync(join(starter, name)))]).toEqual([name, true]);
    }
    const linesIn = async (place: string) =>
      Buffer.concat(await linesOf((await lookUpTable(join(place, 'cities15000.zip'))).file));
    expect((await linesIn(first)).equals(await linesIn(starter))).toBe(true);
  });

  test('fails where a country is missing', () => {
    expect(() => cut(join(root, 'data'), 'none')).toThrow('AD.zip');
  });
});
