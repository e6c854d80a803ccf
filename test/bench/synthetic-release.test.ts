/** The synthetic release of the benchmarks: the builder reads all of it, and it is as the given release but for its size. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createTally, parseRow, type Tally } from '../../build-index/reading/row.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { lineOf } from '../fixtures/hand-made-release.js';
import { seededRelease } from '../fixtures/seeded-release.js';
import { readCountryLines, writeCountryLines } from './release-files.mjs';
import { type Shapes, writeSyntheticRelease } from './synthetic-release.mjs';

const ROWS = seededRelease(7);
const COUNTRIES = Object.keys(ROWS);

let folder: TemporaryFolder;
let rowCount: number;
beforeEach(async () => {
  folder = createTemporaryFolder();
  rowCount = 0;
  mkdirSync(inFolder('given'));
  writeFileSync(inFolder('given', 'countryInfo.txt'), '');
  for (const [country, rows] of Object.entries(ROWS)) {
    const lines = rows.map((row) => (typeof row === 'string' ? row : lineOf(country, row)));
    rowCount += lines.length;
    await writeCountryLines(inFolder('given'), country, lines);
  }
});
afterEach(() => folder.remove());

const inFolder = (...names: string[]): string => join(folder.path, ...names);

async function write(name: string, wanted: number, seed?: number): Promise<Shapes> {
  mkdirSync(inFolder(name));
  const options = { rowCount: wanted, ...(seed === undefined ? {} : { seed }) };
  return await writeSyntheticRelease(inFolder('given'), inFolder(name), options);
}

/** What the builder's reader says of all rows of a release. */
async function read(name: string): Promise<Tally> {
  const tally = createTally();
  for (const countryCode of COUNTRIES) {
    for (const line of await readCountryLines(inFolder(name), countryCode)) {
      parseRow(line, { countryCode, tally, where: () => name });
    }
  }
  return tally;
}

test('of more rows: all of them can be read, and there are as many of everything for each row', async () => {
  const wanted = Math.round(rowCount * 3.4);
  const { real, synthetic } = await write('grown', wanted);
  expect(await read('given')).toMatchObject({ rowsRead: rowCount, rowsRejected: 0 });
  expect(await read('grown')).toMatchObject({ rowsRead: wanted, rowsRejected: 0 });
  const [given, grown] = [new Map(real.figures()), new Map(synthetic.figures())];
  for (const what of ['units per row', 'distinct names per row', 'places per code', 'distinct points per row']) {
    const ratio = (grown.get(what) as number) / (given.get(what) as number);
    expect([what, ratio > 0.9 && ratio < 1.1]).toEqual([what, true]);
  }
});

test('the rows of the given release come first, as they are', async () => {
  await write('grown', rowCount * 2);
  for (const country of COUNTRIES) {
    const given = await readCountryLines(inFolder('given'), country);
    const grown = await readCountryLines(inFolder('grown'), country);
    expect(grown.slice(0, given.length)).toEqual(given);
    expect(grown.slice(given.length).filter((line) => given.includes(line))).toEqual([]);
  }
});

test('of fewer rows it has some of the given ones', async () => {
  await write('small', Math.round(rowCount / 5));
  for (const country of COUNTRIES) {
    const given = new Set(await readCountryLines(inFolder('given'), country));
    const small = await readCountryLines(inFolder('small'), country);
    expect(small.length).toBeLessThan(given.size);
    expect(small.filter((line) => !given.has(line))).toEqual([]);
  }
});

test('the same seed gives the same files, another one others', async () => {
  for (const [name, seed] of [
    ['one', 1],
    ['again', 1],
    ['other', 2],
  ] as const)
    await write(name, rowCount * 2, seed);
  const filesOf = (name: string): string[] =>
    readdirSync(inFolder(name)).map((file) => readFileSync(inFolder(name, file), 'latin1'));
  expect(filesOf('again')).toEqual(filesOf('one'));
  expect(filesOf('other')).not.toEqual(filesOf('one'));
});
