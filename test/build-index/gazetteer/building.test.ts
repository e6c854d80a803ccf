/** A gazetteer beside a release: where it is looked for, what is read of it, and that the snapshot's ids do not know it. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BuildReport } from '../../../build-index/building/build-snapshot.js';
import { buildAsJson, buildAsText } from '../../../build-index/commands/build-report.js';
import {
  type ALTERNATE_NAME_PROBLEM_KINDS,
  CITY_PROBLEM_KINDS,
  findGazetteer,
  geonameIdOf,
  listNames,
  parseAlternateName,
  parseCityRow,
  readGazetteer,
} from '../../../build-index/gazetteer/read-gazetteer.js';
import { ReleaseError } from '../../../build-index/reading/input-file.js';
import { MAX_LINE_LENGTH } from '../../../build-index/reading/row.js';
import { type ResponseData, readResponseData } from '../../../src/core/answers/response-data.js';
import { service } from '../../../src/core/answers/service.js';
import { openSnapshot } from '../../../src/core/snapshot/snapshot.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { alternateNameLineOf, cityLineOf, cityOf } from '../../fixtures/gazetteer.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { zipOf } from '../../fixtures/zip-writer.js';

const munich = cityOf('DE', 'Munich', 48.14, 11.57, { otherNames: ['München', 'Monaco'], population: 1_500_000 });
const york = cityOf('US', 'York', 39.96, -76.73, { adminCodes: ['PA', '133'], population: 44_000 });
const nowhere = cityOf('US', 'Nowhere', 45, -100, { population: 20_000 });
const elsewhere = cityOf('JP', 'Tōkyō', 35.7, 139.7, { population: 8_000_000 });
const CITY_LINES = [york, nowhere, elsewhere, munich].map(cityLineOf);
const plain = { isPreferred: false, isShort: false, isColloquial: false, isHistoric: false };

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
  writeRelease(inFolder('release'), HAND_MADE_ROWS);
});
afterEach(() => folder.remove());

const inFolder = (...names: string[]): string => join(folder.path, ...names);
function writeTable(path: string, lines: readonly string[]): void {
  const content = Buffer.from(`${lines.join('\n')}\n`);
  const textName = (path.split('/').at(-1) as string).replace('.zip', '.txt');
  writeFileSync(path, path.endsWith('.zip') ? zipOf([{ name: textName, content }]) : content);
}

describe('where it is looked for', () => {
  const find = async (path: string | null = null) => {
    const { cities, alternateNames } = await findGazetteer(inFolder('release'), path);
    return [cities?.textName, alternateNames?.textName];
  };

  test('in the release’s folder, the largest table', async () => {
    expect(await find()).toEqual([undefined, undefined]);
    writeTable(inFolder('release', 'alternateNamesV2.txt'), []);
    expect(await find()).toEqual([undefined, undefined]);
    writeTable(inFolder('release', 'cities15000.zip'), CITY_LINES);
    writeTable(inFolder('release', 'cities1000.txt'), CITY_LINES);
    expect(await find()).toEqual(['cities1000.txt', 'alternateNamesV2.txt']);
  });

  test('where it is said to be, with the alternate names beside it or in the release’s folder', async () => {
    mkdirSync(inFolder('tables'));
    writeTable(inFolder('tables', 'mine.txt'), CITY_LINES);
    expect(await find(inFolder('tables', 'mine.txt'))).toEqual(['mine.txt', undefined]);
    writeTable(inFolder('release', 'alternateNamesV2.zip'), ['1']);
    expect(await find(inFolder('tables', 'mine.txt'))).toEqual(['mine.txt', 'alternateNamesV2.txt']);
  });

  test('what can’t be used is refused', async () => {
    writeTable(inFolder('release', 'cities500.zip'), CITY_LINES);
    writeTable(inFolder('release', 'cities500.txt'), CITY_LINES);
    await expect(find()).rejects.toThrow(/holds cities500 both as .txt and as .zip/);
    await expect(find(inFolder('missing.txt'))).rejects.toThrow(ReleaseError);
    await expect(find(inFolder('release'))).rejects.toThrow(/neither a .zip nor a .txt/);
    mkdirSync(inFolder('folder.txt'));
    await expect(find(inFolder('folder.txt'))).rejects.toThrow(/is a folder/);
  });
});

test('cities by country and people, each with its alternate names, the usual ones first', async () => {
  writeTable(inFolder('release', 'cities15000.txt'), [...CITY_LINES, cityLineOf(york), 'rubbish']);
  writeTable(inFolder('release', 'alternateNamesV2.zip'), [
    alternateNameLineOf(munich.geonameId, { name: 'Munichen', language: 'la', ...plain, isHistoric: true }),
    alternateNameLineOf(munich.geonameId, { name: 'Мюнхен', language: 'ru', ...plain }),
    alternateNameLineOf(munich.geonameId, { name: 'München', language: 'de', ...plain, isPreferred: true }),
    alternateNameLineOf(munich.geonameId, { name: 'https://x.test/', language: 'link', ...plain }),
    alternateNameLineOf(999_999_999, { name: 'No city', language: 'de', ...plain }),
  ]);
  const gazetteer = await readGazetteer(await findGazetteer(inFolder('release'), null));
  expect(gazetteer?.citiesByCountry.get('US')?.map(({ name }) => name)).toEqual(['York', 'Nowhere']);
  const [city] = gazetteer?.citiesByCountry.get('DE') ?? [];
  expect(city && listNames(city)).toEqual(['München', 'Мюнхен', 'Munichen', 'Monaco']);
  expect(gazetteer?.tally).toMatchObject({ citiesRead: 6, citiesTaken: 4, namesRead: 4, namesTaken: 3 });
  expect(gazetteer?.tally.problems).toMatchObject({
    'rejected: the same geonameid twice': { count: 1, examples: [expect.stringMatching(/^cities15000.txt:5: /)] },
    'rejected: not 19 columns': { count: 1, examples: ['cities15000.txt:6: rubbish'] },
    'left out: no name, but a link or a code': { count: 1 },
  });
});

test('a table without one city is refused, with the reason', async () => {
  writeTable(inFolder('release', 'cities15000.zip'), ['rubbish']);
  const reading = readGazetteer(await findGazetteer(inFolder('release'), null));
  await expect(reading).rejects.toThrow(/not one city; rejected: not 19 columns: cities15000.txt:1: rubbish/);
});

test('a build tells what became of the cities; ids and paths do not depend on them', async () => {
  const without = await buildFrom(inFolder('release'), inFolder('without.snapshot'));
  expect(without.gazetteer).toBeNull();
  expect(JSON.parse(buildAsJson(without)).gazetteer).toBeNull();
  expect(buildAsText(without)).toContain('no gazetteer: suggestions have neither populations');
  writeTable(inFolder('cities15000.zip'), CITY_LINES);
  const report = await buildFrom(inFolder('release'), inFolder('with.snapshot'), {
    gazetteerPath: inFolder('cities15000.zip'),
  });
  const { gazetteer } = JSON.parse(buildAsJson(report));
  const sums = Object.fromEntries(
    gazetteer.matched.map(({ kind, cities, people }: Record<string, unknown>) => [kind, [cities, people]]),
  );
  expect(sums).toMatchObject({ name: [1, 44_000], 'other name': [1, 1_500_000], none: [1, 20_000] });
  expect(gazetteer.unmatched).toEqual([
    { countryCode: 'US', geonameId: nowhere.geonameId, name: 'Nowhere', population: 20_000 },
  ]);
  expect(buildAsText(report)).toMatch(/not found +1 +20,000 +1\.28 %/);
  expect(buildAsText(report)).toContain('not found, the largest: Nowhere US');
  const checksumsOf = ({ manifest }: BuildReport) =>
    manifest.sections
      .filter(({ name }) => name === 'id-index' || name === 'path-trie')
      .map(({ name, checksum }) => [name, checksum]);
  expect(checksumsOf(report)).toHaveLength(2);
  expect(checksumsOf(report)).toEqual(checksumsOf(without));
});

test('a city that the release has in parts is suggested and resolved, and has no code and no point', async () => {
  const districts = ['Dublin 1', 'Dublin 2', 'Dublin 3'];
  writeRelease(inFolder('ireland'), {
    IE: districts.map((name, index) => [`D0${index}`, name, 'Leinster', '', '', 53.34 + index / 100, -6.26]),
  });
  const dublin = cityOf('IE', 'Dublin', 53.34, -6.26, { otherNames: ['Dublín'], population: 1_000_000 });
  writeTable(inFolder('ireland', 'cities15000.txt'), [cityLineOf(dublin)]);
  // A build ends with the verification of its file.
  const report = await buildFrom(inFolder('ireland'), inFolder('ireland.snapshot'));
  const { gazetteer } = JSON.parse(buildAsJson(report));
  const { countryCode, geonameId, name, population } = dublin;
  expect(gazetteer.synthesised).toEqual({
    cities: 1,
    people: population,
    largest: [{ countryCode, geonameId, name, population }],
  });
  expect(gazetteer.renamedPlaces).toBe(0);
  expect(buildAsText(report)).toContain('synthesised, the largest: Dublin IE');
  const snapshot = openSnapshot(inFolder('ireland.snapshot'));
  const answerOf = (answer: ResponseData) => JSON.parse(readResponseData(answer));
  const [first] = answerOf(service.autocomplete(snapshot, { query: 'dublin', country: undefined, limit: 5 }));
  expect(first).toMatchObject({ path: '/leinster/dublin', postalCode: null });
  const place = answerOf(service.resolvePath(snapshot, { country: 'IE', segments: ['leinster', 'dublin'] }));
  expect(place).toMatchObject({ name, type: 'municipality', level: 2, postalCode: null, childCount: 0 });
  const nearest = answerOf(service.reverse(snapshot, { lat: 53.34, lng: -6.26, country: 'IE' }));
  expect(nearest.place.name).toBe('Dublin 1');
  expect(report.manifest.countries.find(({ code }) => code === 'IE')).toMatchObject({
    levelCounts: [1, 4, 0, 0],
    distinctPostcodes: 3,
  });
});

describe('Lines of the gazetteer’s tables → cities and names, and each way in which a line can be bad', () => {
  const ulm = cityOf('DE', 'Ulm', 48.4, 10, {
    geonameId: 7,
    asciiName: 'Ulm',
    otherNames: ['Ульм', 'Ulma'],
    featureCode: 'PPLA3',
    adminCodes: ['01', '084'],
    population: 120_000,
  });
  const columns = cityLineOf(ulm).split('\t');

  /** The line of Ulm with some columns replaced. */
  function lineWith(replaced: Readonly<Record<number, string>>): string {
    return columns.map((column, index) => replaced[index] ?? column).join('\t');
  }

  describe('a city', () => {
    test('a good line', () => {
      const { alternateNames, ...city } = ulm;
      expect(parseCityRow(cityLineOf(ulm))).toEqual(city);
      expect(alternateNames).toEqual([]);
    });

    test.each(['', 'europe/berlin', 'Europe/Berlin"', `Europe/${'x'.repeat(30)}`, '/Berlin', 'Europe//Berlin'])(
      'a time zone that is no name of one is left out: %s',
      (timezone) => expect(parseCityRow(lineWith({ 17: timezone }))).toMatchObject({ name: 'Ulm', timezone: '' }),
    );

    test.each(['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'America/Port-au-Prince', 'Etc/GMT+8', 'UTC'])(
      'a time zone: %s',
      (timezone) => expect(parseCityRow(lineWith({ 17: timezone }))).toMatchObject({ timezone }),
    );

    test('names without what can’t be seen; without an ASCII name the main one', () => {
      const line = lineWith({ 1: ' Neu-\u00a0 Ulm ', 2: '', 3: 'Ulma,, \u0007 ,Ульм ' });
      expect(parseCityRow(line)).toMatchObject({
        name: 'Neu- Ulm',
        asciiName: 'Neu- Ulm',
        otherNames: ['Ulma', 'Ульм'],
      });
    });

    test('of China is called by its name alone; elsewhere a comma may be part of the name', () => {
      const name = 'Mianzhu, Deyang, Sichuan';
      expect(parseCityRow(lineWith({ 1: name, 2: name, 8: 'CN' }))).toMatchObject({
        name: 'Mianzhu',
        asciiName: 'Mianzhu',
      });
      expect(parseCityRow(lineWith({ 1: name, 2: name, 8: 'JP' }))).toMatchObject({ name, asciiName: name });
    });

    test.each<[(typeof CITY_PROBLEM_KINDS)[number], string]>([
      ['left out: no longer inhabited', lineWith({ 7: 'PPLH' })],
      ['left out: no longer inhabited', lineWith({ 7: 'PPLQ' })],
      ['left out: no longer inhabited', lineWith({ 7: 'PPLW' })],
      ['rejected: not 19 columns', columns.slice(1).join('\t')],
      ['rejected: not 19 columns', `${columns.join('\t')}\t`],
      ['rejected: not valid UTF-8', lineWith({ 1: 'M\ufffdnchen' })],
      ['rejected: line longer than 20,000 characters', lineWith({ 3: 'x'.repeat(20_000) })],
      ['rejected: no populated place', lineWith({ 6: 'A' })],
      ['rejected: no populated place', lineWith({ 7: '' })],
      ['rejected: geonameid is no number', lineWith({ 0: '7x' })],
      ['rejected: geonameid is no number', lineWith({ 0: '0' })],
      ['rejected: no country code', lineWith({ 8: 'de' })],
      ['rejected: no name, or one over 200 characters', lineWith({ 1: ' ' })],
      ['rejected: no name, or one over 200 characters', lineWith({ 1: 'y'.repeat(201) })],
      ['rejected: coordinates missing or out of range', lineWith({ 4: '90.1' })],
      ['rejected: coordinates missing or out of range', lineWith({ 5: '' })],
      ['rejected: population is no number', lineWith({ 14: '' })],
      ['rejected: population is no number', lineWith({ 14: '-1' })],
    ])('%s', (kind, line) => expect(parseCityRow(line)).toBe(kind));

    test('no line makes it throw', () => {
      const text = fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 }).map((parts) => parts.join('\t'));
      fc.assert(
        fc.property(text, (line) => {
          const city = parseCityRow(line);
          return typeof city === 'object' || CITY_PROBLEM_KINDS.includes(city);
        }),
      );
    });
  });

  describe('an alternate name', () => {
    const plain = { isPreferred: false, isShort: false, isColloquial: false, isHistoric: false };
    const parse = (line: string) => parseAlternateName(line, MAX_LINE_LENGTH);

    test.each([
      { name: 'Ульм', language: 'ru', ...plain },
      { name: 'Ulma', language: '', ...plain, isHistoric: true },
      { name: '乌尔姆', language: 'zh-Hant', ...plain, isPreferred: true },
      { name: 'NYC', language: 'abbr', ...plain, isShort: true, isColloquial: true },
      { name: 'Wūěrmǔ', language: 'piny', ...plain },
    ])('$name', (name) => {
      expect(parse(alternateNameLineOf(7, name))).toEqual(name);
      // Before 2018 the table lacked the last two columns.
      expect(parse(alternateNameLineOf(7, name).split('\t').slice(0, 8).join('\t'))).toEqual(name);
    });

    test.each<[(typeof ALTERNATE_NAME_PROBLEM_KINDS)[number], string]>([
      ['left out: no name, but a link or a code', '1\t7\tlink\thttps://de.wikipedia.org/wiki/Ulm\t\t\t\t\t\t'],
      ['left out: no name, but a link or a code', '1\t7\twkdt\tQ3012\t\t\t\t\t\t'],
      ['left out: no name, but a link or a code', '1\t7\tpost\t89073\t\t\t\t\t\t'],
      ['left out: no name, but a link or a code', '1\t7\tiata\tULM\t\t\t\t\t\t'],
      ['left out: no name, but a link or a code', '1\t7\tfr_1793\tUlm\t\t\t\t\t\t'],
      ['rejected: neither 10 nor 8 columns', '1\t7\tde\tUlm'],
      ['rejected: not valid UTF-8', '1\t7\tde\t\ufffd\t\t\t\t\t\t'],
      ['rejected: line longer than 10,000 characters', `1\t7\tde\t${'x'.repeat(10_000)}\t\t\t\t\t\t`],
      ['rejected: language unknown', '1\t7\tD3\tUlm\t\t\t\t\t\t'],
      ['rejected: no name, or one over 200 characters', '1\t7\tde\t\t\t\t\t\t\t'],
      ['rejected: a mark that is neither 1 nor empty', '1\t7\tde\tUlm\tyes\t\t\t\t\t'],
    ])('%s', (kind, line) => expect(parse(line)).toBe(kind));

    test.each([
      ['1\t7\tde\tUlm', 7],
      ['1\t4294967296\t', 4294967296],
      ['1\t7', -1],
      ['1\t\tde', -1],
      ['1\t7x\tde', -1],
      ['1\t12345678901\tde', -1],
      ['', -1],
    ])('of %j belongs to %d', (line, id) => expect(geonameIdOf(Buffer.from(line))).toBe(id));
  });
});
