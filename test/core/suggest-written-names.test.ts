/**
 * Cities and places by what people write for them: abbreviations, everyday short names, and the transcriptions of
 * Cyrillic names into German, French, Spanish and Portuguese. Each beside what must not be found, or must come first.
 */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { suggestedPaths } from './answer.js';

const ROWS: RowsByCountry = {
  AR: [
    ['1000', 'Buenos Aires', '', '', '', -34.6, -58.4],
    ['5480', 'Basavilbaso', '', '', '', -32.4, -58.9],
    ['8332', 'Gral. Roca', '', '', '', -39, -67.6],
    ['9120', 'Puerto Madryn', '', '', '', -42.8, -65],
  ],
  CL: [['6200000', 'Punta Arenas', '', '', '', -53.2, -70.9]],
  DE: [
    ['60311', 'Frankfurt am Main', 'Hessen', '', '', 50.1, 8.7],
    ['15230', 'Frankfurt (Oder)', 'Brandenburg', '', '', 52.3, 14.5],
    ['61348', 'Bad Homburg vor der Höhe', 'Hessen', '', '', 50.2, 8.6],
    ['17252', 'Nischni', 'Brandenburg', '', '', 53.2, 12.9],
  ],
  FR: [['06000', 'Lallo', '', '', '', 43.7, 7.3]],
  PL: [['63-400', 'Ostrów Wielkopolski', 'Wielkopolskie', '', '', 51.7, 17.8]],
  RU: [
    ['603000', 'Нижний Новгород', 'Нижегородская', '', '', 56.3, 44],
    ['190000', 'Санкт-Петербург', 'Ленинградская', '', '', 59.9, 30.3],
    ['215110', 'Вязьма', 'Смоленская', '', '', 55.2, 34.3],
    ['676450', 'Свободный', 'Амурская', '', '', 51.4, 128.1],
    ['141000', 'Жуковка', 'Московская', '', '', 55.7, 37.2],
  ],
  UA: [['49000', 'Запоріжжя', 'Запорізька', '', '', 47.8, 35.2]],
  US: [
    ['90001', 'Los Angeles', 'California', '', '', 34.05, -118.24, ['CA', '', '']],
    ['70601', 'Lafayette', 'Louisiana', '', '', 30.2, -92, ['LA', '', '']],
    ['84101', 'Salt Lake City', 'Utah', '', '', 40.76, -111.9, ['UT', '', '']],
    ['89030', 'North Las Vegas', 'Nevada', '', '', 36.2, -115.1, ['NV', '', '']],
    ['79760', 'Slc Siding', 'Texas', '', '', 31.8, -102.4, ['TX', '', '']],
  ],
};

const CITIES = [
  cityOf('AR', 'Buenos Aires', -34.6, -58.4, { featureCode: 'PPLC', population: 3_000_000 }),
  cityOf('RU', 'Nizhniy Novgorod', 56.3, 44, { featureCode: 'PPLA', population: 1_200_000 }),
  cityOf('RU', 'Saint Petersburg', 59.9, 30.3, {
    geonameId: 498817,
    population: 5_300_000,
    otherNames: ['Sankt-Peterburg', 'Санкт-Петербург'],
  }),
  cityOf('RU', "Vyaz'ma", 55.2, 34.3, { population: 55_000 }),
  cityOf('RU', 'Svobodnyy', 51.4, 128.1, { population: 61_000 }),
  cityOf('UA', 'Zaporizhzhia', 47.8, 35.2, { population: 700_000 }),
  cityOf('US', 'Los Angeles', 34.05, -118.24, { geonameId: 5368361, population: 3_800_000, adminCodes: ['CA', ''] }),
  cityOf('US', 'Lafayette', 30.2, -92, { population: 4_000_000, adminCodes: ['LA', ''] }),
  cityOf('US', 'Salt Lake City', 40.76, -111.9, { geonameId: 5780993, population: 215_000, adminCodes: ['UT', ''] }),
];

let fixture: FixtureSnapshot;
let snapshot: Snapshot;
beforeAll(async () => {
  fixture = await buildFixtureSnapshot(ROWS, { cities: CITIES });
  snapshot = openSnapshot(fixture.path);
});
afterAll(() => fixture?.cleanup());

const first = (query: string, country?: string): string | undefined =>
  suggestedPaths(snapshot, query, country)[0]?.split('/').at(-1);

test.each([
  ['pto madryn', 'puerto-madryn'],
  ['Pto. Mad', 'puerto-madryn'],
  ['General Roca', 'gral-roca'],
  ['Bs. As.', 'buenos-aires'],
  ['Pta. Arenas', 'punta-arenas'],
  ['pta arenas, chile', 'punta-arenas'],
  ['Frankfurt a. M.', 'frankfurt-am-main'],
  ['Frankfurt/Main', 'frankfurt-am-main'],
  ['Frankfurt/Oder', 'frankfurt-oder'],
  ['Frankfurt/O.', 'frankfurt-oder'],
  ['Bad Homburg v.d.H.', 'bad-homburg-vor-der-hohe'],
  ['Bad Homburg v.d.Höhe', 'bad-homburg-vor-der-hohe'],
  ['Ostrów Wlkp.', 'ostrow-wielkopolski'],
  ['N. Las Vegas, NV', 'north-las-vegas'],
])('the abbreviation %j is %s', (query, slug) => {
  expect(first(query)).toBe(slug);
});

test.each([
  ['SLC', 'salt-lake-city'],
  ['LA', 'los-angeles'],
  ['la', 'los-angeles'],
  ['LA, US', 'los-angeles'],
  ['СПб', 'sankt-peterburg'],
])('the short name %j is %s', (query, slug) => {
  expect(first(query)).toBe(slug);
});

test('a short name is the whole name: a name that starts with it, and a region of that code, are what they were', () => {
  expect(first('lal')).toBe('lallo');
  expect(first('lafayette la')).toBe('lafayette');
  expect(first('la', 'FR')).toBe('lallo');
  expect(first('slc siding')).toBe('slc-siding');
});

test.each([
  ['German', 'Swobodny', 'svobodnyy'],
  ['German', 'Wjasma', 'vyazma'],
  ['German', 'Nischni Nowgorod', 'nizhniy-novgorod'],
  ['German', 'Saporischschja', 'zaporizhzhia'],
  ['German', 'Saporisch', 'zaporizhzhia'],
  ['French', 'Nijni Novgorod', 'nizhniy-novgorod'],
  ['French', 'Viazma', 'vyazma'],
  ['Spanish', 'Nizhni Nóvgorod, Rusia', 'nizhniy-novgorod'],
  ['Spanish', 'Viazma', 'vyazma'],
  ['Portuguese', 'Zaporijjia', 'zaporizhzhia'],
])('a city in %s: %j', (_, query, slug) => {
  expect(first(query)?.replace(/^zapor.*/, 'zaporizhzhia')).toBe(slug);
});

test('a transcription comes after a place of that name, and villages have none', () => {
  expect(first('nischni')).toBe('nischni');
  expect(suggestedPaths(snapshot, 'Schukowka')).toEqual([]);
});
