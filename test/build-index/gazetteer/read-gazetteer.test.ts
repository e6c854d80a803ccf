/** A gazetteer beside a release: where it is looked for, what is read of it, and that the snapshot's ids do not know it. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BuildReport } from '../../../build-index/building/build-snapshot.js';
import { buildReportAsObject, buildReportForPeople } from '../../../build-index/commands/build-report.js';
import { listGazetteerNames, readGazetteer } from '../../../build-index/gazetteer/read-gazetteer.js';
import { findGazetteer } from '../../../build-index/reading/gazetteer-files.js';
import { openRelease } from '../../../build-index/reading/release.js';
import { ReleaseError } from '../../../build-index/reading/release-error.js';
import { type ResponseData, readResponseData } from '../../../src/core/answers/response-data.js';
import { service } from '../../../src/core/answers/service.js';
import { openSnapshot } from '../../../src/core/snapshot/snapshot.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { alternateNameLineOf, cityLineOf, cityOf, UNMARKED } from '../../fixtures/gazetteer.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { zipOf } from '../../fixtures/zip-writer.js';

const munich = cityOf('DE', 'Munich', 48.14, 11.57, { otherNames: ['München', 'Monaco'], population: 1_500_000 });
const york = cityOf('US', 'York', 39.96, -76.73, { adminCodes: ['PA', '133'], population: 44_000 });
const nowhere = cityOf('US', 'Nowhere', 45, -100, { population: 20_000 });
const elsewhere = cityOf('JP', 'Tōkyō', 35.7, 139.7, { population: 8_000_000 });
const CITY_LINES = [york, nowhere, elsewhere, munich].map(cityLineOf);

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
    const { cities, alternateNames } = await findGazetteer(inFolder('release'), path, [], null);
    return [...cities, ...alternateNames].map(({ textName }) => textName);
  };

  test('in the release’s folder, the largest table', async () => {
    expect(await find()).toEqual([]);
    writeTable(inFolder('release', 'alternateNamesV2.txt'), []);
    expect(await find()).toEqual([]);
    writeTable(inFolder('release', 'cities15000.zip'), CITY_LINES);
    writeTable(inFolder('release', 'cities1000.txt'), CITY_LINES);
    expect(await find()).toEqual(['cities1000.txt', 'alternateNamesV2.txt']);
  });

  test('where it is said to be, with the alternate names beside it or in the release’s folder', async () => {
    mkdirSync(inFolder('tables'));
    writeTable(inFolder('tables', 'mine.txt'), CITY_LINES);
    expect(await find(inFolder('tables', 'mine.txt'))).toEqual(['mine.txt']);
    writeTable(inFolder('release', 'alternateNamesV2.zip'), ['1']);
    expect(await find(inFolder('tables', 'mine.txt'))).toEqual(['mine.txt', 'alternateNamesV2.txt']);
  });

  test('in the zips of the countries that are built, beside a table of the same name in the folder', async () => {
    const rows = zipOf([
      { name: 'DE.txt', content: Buffer.from('DE\t10115\tBerlin\t\t\t\t\t\t\t52.5\t13.4\t\n') },
      { name: 'cities15000.txt', content: Buffer.from(`${cityLineOf(munich)}\n`) },
      { name: 'readme.txt', content: Buffer.from('rubbish') },
    ]);
    for (const name of ['DE.txt', 'US.txt']) rmSync(inFolder('release', name), { force: true });
    writeFileSync(inFolder('release', 'DE.zip'), rows);
    const { countryFiles } = await openRelease(inFolder('release'));
    const findFor = (codes: readonly string[] | null) => findGazetteer(inFolder('release'), null, countryFiles, codes);
    const countriesFor = async (codes: readonly string[] | null) => [
      ...((await readGazetteer(await findFor(codes)))?.citiesByCountry.keys() ?? []),
    ];
    expect(await findFor(null)).toMatchObject({ cities: [], isByCountry: false });
    writeTable(inFolder('release', 'cities15000.txt'), [cityLineOf(york)]);
    expect(await countriesFor(null)).toEqual(['DE', 'US']);
    expect(await countriesFor(['DE'])).toEqual(['DE', 'US']);
    expect(await countriesFor(['AD'])).toEqual(['US']);
    expect((await findFor(['AD'])).isByCountry).toBe(true);
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
    alternateNameLineOf(munich.geonameId, { name: 'Munichen', language: 'la', ...UNMARKED, isHistoric: true }),
    alternateNameLineOf(munich.geonameId, { name: 'Мюнхен', language: 'ru', ...UNMARKED }),
    alternateNameLineOf(munich.geonameId, { name: 'München', language: 'de', ...UNMARKED, isPreferred: true }),
    alternateNameLineOf(munich.geonameId, { name: 'https://x.test/', language: 'link', ...UNMARKED }),
    alternateNameLineOf(999_999_999, { name: 'No city', language: 'de', ...UNMARKED }),
  ]);
  const gazetteer = await readGazetteer(await findGazetteer(inFolder('release'), null, [], null));
  expect(gazetteer?.citiesByCountry.get('US')?.map(({ name }) => name)).toEqual(['York', 'Nowhere']);
  const [city] = gazetteer?.citiesByCountry.get('DE') ?? [];
  expect(city && listGazetteerNames(city)).toEqual(['München', 'Мюнхен', 'Munichen', 'Monaco']);
  expect(gazetteer?.tally).toMatchObject({ citiesRead: 6, citiesTaken: 4, namesRead: 4, namesTaken: 3 });
  expect(gazetteer?.tally.problems).toMatchObject({
    'rejected: the same geonameid twice': { count: 1, examples: [expect.stringMatching(/^cities15000.txt:5: /)] },
    'rejected: not 19 columns': { count: 1, examples: ['cities15000.txt:6: rubbish'] },
    'left out: no name, but a link or a code': { count: 1 },
  });
});

test('a table without one city is refused, with the reason', async () => {
  writeTable(inFolder('release', 'cities15000.zip'), ['rubbish']);
  const reading = readGazetteer(await findGazetteer(inFolder('release'), null, [], null));
  await expect(reading).rejects.toThrow(/not one city; rejected: not 19 columns: cities15000.txt:1: rubbish/);
});

test('a build tells what became of the cities; ids and paths do not depend on them', async () => {
  const without = await buildFrom(inFolder('release'), inFolder('without.snapshot'));
  expect(without.gazetteer).toBeNull();
  expect(buildReportAsObject(without).gazetteer).toBeNull();
  writeTable(inFolder('cities15000.zip'), CITY_LINES);
  const report = await buildFrom(inFolder('release'), inFolder('with.snapshot'), {
    gazetteerPath: inFolder('cities15000.zip'),
  });
  const { gazetteer: found } = buildReportAsObject(report);
  const sums = Object.fromEntries(found?.matched.map(({ kind, cities, people }) => [kind, [cities, people]]) ?? []);
  expect(sums).toMatchObject({ name: [1, 44_000], 'other name': [1, 1_500_000], none: [1, 20_000] });
  expect(found?.unmatched).toEqual([
    { countryCode: 'US', geonameId: nowhere.geonameId, name: 'Nowhere', population: 20_000 },
  ]);
  const matched = expect.arrayContaining([{ kind: 'not found', cities: 1, people: 20_000 }]);
  expect(buildReportForPeople(report)).toMatchObject({ gazetteer: { matched } });
  const checksumsOf = ({ manifest: { sections } }: BuildReport) =>
    ['id-index', 'path-trie'].map((name) => sections.find((section) => section.name === name)?.checksum as number);
  expect(checksumsOf(report)).not.toContain(undefined);
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
  const { gazetteer } = buildReportAsObject(report);
  const { countryCode, geonameId, name, population } = dublin;
  const largest = [{ countryCode, geonameId, name, population }];
  expect(gazetteer?.synthesised).toEqual({ cities: 1, people: population, largest });
  expect(gazetteer?.renamedPlaces).toBe(0);
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
