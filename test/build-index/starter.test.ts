/**
 * Checks the starter dataset: the rows made from the package `zipcodes`, the hand-written files, and the folder that
 * joins the two. What a row must satisfy is one list of checks, applied to both sources.
 */

import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type City, parseCityRow } from '../../build-index/gazetteer/city-row.js';
import { repairCanadianName, repairUnitedStatesName } from '../../build-index/starter/repairing-names.js';
import { type SkipReason, type StarterRelease, starterRows, writeStarterRelease } from '../../build-index/starter.js';

const data = join(import.meta.dirname, '../../data');
const formats = new Map(
  readFileSync(join(data, 'countries.tsv'), 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .map((columns) => [columns[0], columns.at(-1)] as const),
);

/** Canada's package holds the first half of the code only, as GeoNames does. */
function codePattern(country: string): RegExp {
  const format = country === 'CA' ? '@#@' : formats.get(country);
  if (!format) throw new Error(`${country} has no postal code format`);
  const alternatives = format.split('|').map((f) => f.replaceAll('#', '\\d').replaceAll('@', '[A-Z]'));
  return new RegExp(`^(?:${alternatives.join('|')})$`);
}

function problems(country: string, line: string, pattern: RegExp): string[] {
  const columns = line.split('\t');
  const [code, postalCode = '', name = ''] = columns;
  const [latitude = '', longitude = '', accuracy = ''] = columns.slice(9);
  const found: string[] = [];
  if (columns.length !== 12) found.push('columns');
  if (code !== country) found.push('country');
  if (!pattern.test(postalCode)) found.push('code');
  if (name === '') found.push('name');
  if (columns.some((column) => column !== column.trim() || column.includes('\uFFFD'))) found.push('characters');
  if (line !== line.normalize('NFC')) found.push('normal form');
  if (!/^-?\d{1,2}\.\d{4}$/.test(latitude) || Math.abs(Number(latitude)) > 90) found.push('latitude');
  if (!/^-?\d{1,3}\.\d{4}$/.test(longitude) || Math.abs(Number(longitude)) > 180) found.push('longitude');
  if (!/^[1-6]?$/.test(accuracy)) found.push('accuracy');
  return found.map((problem) => `${problem}: ${line}`);
}

const readLines = async (path: string) => (await readFile(path, 'utf8')).split('\n');

describe('writeStarterRelease', () => {
  let folder: string;
  let release: StarterRelease;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'starter-'));
    release = await writeStarterRelease(join(folder, 'first'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('writes the cities of its countries, and of no other, with their other names', async () => {
    const lines = (await readLines(join(folder, 'first', 'cities1000.txt'))).slice(0, -1);
    expect(lines).toHaveLength(release.cityCount);
    const parsed = lines.map(parseCityRow).filter((city) => city !== 'left out: no longer inhabited');
    expect(parsed.filter((city) => typeof city === 'string')).toEqual([]);
    const cities = parsed as City[];
    expect(new Set(cities.map(({ countryCode }) => countryCode))).toContain('US');
    expect(cities.filter(({ countryCode }) => !(countryCode in release.rowCounts))).toEqual([]);
    const [sofia] = cities.filter(({ countryCode, name }) => countryCode === 'BG' && name === 'Sofia');
    expect(sofia).toMatchObject({ featureCode: 'PPLC', otherNames: expect.arrayContaining(['София']) });
    expect(sofia?.population).toBeGreaterThan(1_000_000);
  });

  test('writes well-formed, sorted, distinct rows, as many as it reports', async () => {
    const names = await readdir(join(folder, 'first'));
    const rowFiles = Object.keys(release.rowCounts).map((country) => `${country}.txt`);
    expect(names.sort()).toEqual([...rowFiles, 'cities1000.txt']);
    for (const name of rowFiles) {
      const country = name.slice(0, 2);
      const lines = await readLines(join(folder, 'first', name));
      expect(lines.pop()).toBe('');
      expect(lines).toHaveLength(release.rowCounts[country] ?? -1);
      expect(lines).toEqual([...new Set(lines)].sort());
      const pattern = codePattern(country);
      expect(lines.flatMap((line) => problems(country, line, pattern))).toEqual([]);
    }
  });

  test('writes the same bytes each time', async () => {
    await writeStarterRelease(join(folder, 'second'));
    const names = await readdir(join(folder, 'first'));
    expect(await readdir(join(folder, 'second'))).toEqual(names);
    for (const name of names) {
      const [first, second] = await Promise.all(['first', 'second'].map((run) => readFile(join(folder, run, name))));
      expect({ name, same: second !== undefined && first?.equals(second) }).toEqual({ name, same: true });
    }
  });

  test('joins both sources, and counts what it left out', () => {
    expect(release.rowCounts).toMatchObject({ US: 41687, CA: 1610, PR: 176, UM: 1, AD: 28, GE: 35 });
    expect(release.skippedCounts).toEqual({ military: 649, noCoordinates: 10, outsideCountry: 1, unknownState: 0 });
  });
});

describe('starterRows', () => {
  const skipped: [SkipReason, string][] = [];
  const rows = [...starterRows((reason, code) => skipped.push([reason, code]))];
  const byCode = new Map(rows.map(({ line }) => [line.split('\t')[1], line.split('\t')]));

  test('gives a state its name and abbreviation', () => {
    expect(byCode.get('10001')).toEqual([
      'US',
      '10001',
      'New York',
      'New York',
      'NY',
      '',
      '',
      '',
      '',
      '40.7484',
      '-73.9967',
      '',
    ]);
    expect(byCode.get('X0A')?.slice(3, 5)).toEqual(['Nunavut', 'NU']);
  });

  test('gives territories their own country', () => {
    expect(byCode.get('96799')?.slice(0, 5)).toEqual(['AS', '96799', 'Pago Pago', '', '']);
    expect(byCode.get('96898')?.slice(0, 5)).toEqual(['UM', '96898', 'Wake Island', '', '']);
    const countries = [...new Set(rows.map(({ country }) => country))].sort();
    expect(countries).toEqual(['AS', 'CA', 'FM', 'GU', 'MH', 'MP', 'PR', 'PW', 'UM', 'US', 'VI']);
  });

  test('skips what has no true position', () => {
    expect(skipped).toContainEqual(['military', '09001']);
    expect(skipped).toContainEqual(['noCoordinates', 'H0H']);
    expect(skipped).toContainEqual(['noCoordinates', 'E1H']);
    expect(skipped).toContainEqual(['outsideCountry', '10200']);
  });
});

describe('hand-written files', () => {
  const rows = async (country: string) =>
    (await readLines(join(data, 'starter', `${country}.txt`))).slice(0, -1).map((line) => line.split('\t'));

  test('are listed with their row counts in the README', async () => {
    const listed = (await readLines(join(data, 'starter/README.md')))
      .map((line) => /^\| ([A-Z]{2}) \| .+? \| (\d+) \|/.exec(line))
      .filter((match) => match !== null)
      .map(([, country, count]) => `${country} ${count}`);
    const files = (await readdir(join(data, 'starter'))).filter((name) => name.endsWith('.txt')).sort();
    const counted = await Promise.all(files.map(async (f) => `${f.slice(0, 2)} ${(await rows(f.slice(0, 2))).length}`));
    expect(listed).toEqual(counted);
  });

  test('show every case the service knows', async () => {
    const monaco = await rows('MC');
    expect(new Set(monaco.map((row) => row[1])).size).toBe(1);
    expect(monaco.length).toBeGreaterThan(5);
    const reykjavik = (await rows('IS')).filter((row) => row[2] === 'Reykjavík');
    expect(new Set(reykjavik.map((row) => row[1])).size).toBeGreaterThan(5);
    expect((await rows('MQ')).every((row) => row[3] && row[5] && row[7])).toBe(true);
    expect((await rows('LI')).every((row) => row[3] && !row[5] && row[7])).toBe(true);
    expect((await rows('RE')).some((row) => row[2] === row[7])).toBe(true);
    expect((await rows('GE')).every((row) => /^\p{Script=Georgian}[^/]* \/ [A-Z]/u.test(row[2] ?? ''))).toBe(true);
    expect((await rows('BG')).every((row) => /^\p{Script=Cyrillic}[^/]* \/ [A-Z]/u.test(row[2] ?? ''))).toBe(true);
  });
});

describe('name repairs', () => {
  test.each([
    ['Mcallen', 'McAllen'],
    ['King Of Prussia', 'King of Prussia'],
    ['Howey In The Hills', 'Howey in the Hills'],
    ['Shaw A F B', 'Shaw AFB'],
    ['O Fallon', "O'Fallon"],
    ['Coeur D Alene', "Coeur d'Alene"],
    ['West Des Moines', 'West Des Moines'],
    ['Round O', 'Round O'],
  ])('United States: %s', (name, expected) => expect(repairUnitedStatesName(name)).toBe(expected));

  test.each([
    ['Cap-pel\uFFFD', 'Cap-Pelé'],
    ['Saint-jean- Sur-richelieu East', 'Saint-Jean-sur-Richelieu East'],
    ["R\uFFFDgion D'oka (oka)", "Région d'Oka (Oka)"],
    ["L'\uFFFDle-des-soeurs", "L'Île-des-Soeurs"],
    ['Calgary (bridgeland / Greenview / Zoo / Yyc)', 'Calgary (Bridgeland / Greenview / Zoo / YYC)'],
    [
      "Scarborough (clarks Corners / Tam O'shanter / Sullivan)",
      "Scarborough (Clarks Corners / Tam O'Shanter / Sullivan)",
    ],
    ["St. John's North", "St. John's North"],
    ['Lake Of The Woods East Shore (ingolf)', 'Lake of the Woods East Shore (Ingolf)'],
  ])('Canada: %s', (name, expected) => expect(repairCanadianName(name)).toBe(expected));
});
