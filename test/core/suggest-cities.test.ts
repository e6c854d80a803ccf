/**
 * The order of suggestions where a gazetteer knows cities, by cases over a small release: big cities before all else,
 * namesakes by their people, names in other languages and scripts, and what is seen through because a city is big.
 */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { suggestedPaths } from './answer.js';

const ROWS: RowsByCountry = {
  AT: [
    ['8010', '80331', '', '', '', 47.07, 15.44],
    ['8020', '80331 Lager', '', '', '', 47.07, 15.44],
  ],
  AD: [['AD500', 'Andorra la Vella', '', '', '', 42.5, 1.52]],
  DE: [
    ['80331', 'München', 'Bayern', '', '', 48.14, 11.57],
    ['80995', 'Feldmoching', 'Bayern', 'Oberbayern', '', 48.2, 11.54],
    ['59302', 'Oelde', 'Nordrhein-Westfalen', '', '', 51.83, 8.14],
  ],
  ES: [
    ['08001', 'Barcelona', 'Cataluña', '', '', 41.39, 2.17],
    ['44500', 'Andorra', 'Aragon', 'Teruel', '', 40.98, -0.45],
    ['33584', 'Torin', 'Asturias', '', '', 43.3, -5.4],
    ['50001', 'Mnchenal', 'Aragon', '', '', 41.6, -0.9],
  ],
  ID: [
    ['11111', 'Serang', '', '', '', -7.9, 111.4],
    ['42116', 'Serang', '', '', '', -6.12, 106.15],
  ],
  FR: [
    ['75001', 'Paris', 'Ile-de-France', '', '', 48.86, 2.35],
    ['64000', 'Pau', 'Nouvelle-Aquitaine', '', '', 43.3, -0.37],
  ],
  GB: [
    ['YO1', 'York', 'England', '', '', 53.96, -1.08],
    ['M1', 'Manchester', 'England', '', '', 53.48, -2.24],
    ['EC1', 'London', 'England', '', '', 51.51, -0.13],
    ['KA1', 'Moscow', 'Scotland', '', '', 55.6, -4.4],
    ['PA1', 'Par', 'England', '', '', 50.35, -4.7],
    ['LN4', 'New York', 'England', '', '', 53.08, -0.14],
    ['TK1', 'Tokya', 'England', '', '', 53.5, -1.1],
  ],
  IT: [
    ['10121', 'Torino', 'Piemonte', '', '', 45.07, 7.69],
    ['20121', 'Milano', 'Lombardia', '', '', 45.46, 9.19],
    ['50121', 'Firenze', 'Toscana', '', '', 43.77, 11.25],
  ],
  PT: [['5370', 'Barcel', 'Braganca', '', '', 41.5, -7.2]],
  BR: [
    ['50010', 'Recife', 'Pernambuco', '', '', -8.05, -34.9],
    ['56300', 'Petrolina', 'Pernambuco', '', '', -9.4, -40.5],
  ],
  RU: [['101000', 'Москва', 'Москва', '', '', 55.75, 37.62]],
  US: [
    ['10001', 'New York', 'Empire State', '', '', 40.71, -74.01, ['NY', '', '']],
    ['75460', 'Paris', 'Texas', 'Lamar', '', 33.66, -95.56, ['TX', '', '']],
    ['35630', 'Florence', 'Alabama', 'Lauderdale', '', 34.8, -87.68, ['AL', '', '']],
    ['58352', 'Munich', 'North Dakota', 'Cavalier', '', 48.67, -98.83, ['ND', '', '']],
    ['83843', 'Moscow', 'Idaho', 'Latah', '', 46.73, -117, ['ID', '', '']],
    ['13201', 'Syracuse', 'Empire State', 'Onondaga', '', 43.05, -76.15, ['NY', '', '']],
    ['38358', 'Milan', 'Tennessee', 'Gibson', '', 35.92, -88.76, ['TN', '', '']],
    ['31088', 'Warner Robins', 'Georgia', 'Houston', '', 32.62, -83.6, ['GA', '', '']],
    ['17401', 'York', 'Pennsylvania', 'York', '', 39.96, -76.73, ['PA', '', '']],
  ],
};

const CITIES = [
  cityOf('AD', 'Andorra la Vella', 42.5, 1.52, { featureCode: 'PPLC', population: 20_000, otherNames: ['Andorra'] }),
  cityOf('BR', 'Recife', -8.05, -34.9, { featureCode: 'PPLA', population: 1_500_000, otherNames: ['Pernambuco'] }),
  cityOf('DE', 'Munich', 48.14, 11.57, {
    population: 1_500_000,
    otherNames: ['München', 'Monaco di Baviera', 'Мюнхен', '慕尼黑', 'MUC'],
  }),
  cityOf('DE', 'Oelde', 51.83, 8.14, { population: 29_000 }),
  cityOf('ES', 'Barcelona', 41.39, 2.17, { population: 1_600_000 }),
  cityOf('FR', 'Paris', 48.86, 2.35, { featureCode: 'PPLC', population: 2_100_000 }),
  cityOf('FR', 'Pau', 43.3, -0.37, { population: 77_000 }),
  cityOf('GB', 'York', 53.96, -1.08, { population: 150_000 }),
  cityOf('GB', 'Manchester', 53.48, -2.24, { population: 550_000 }),
  cityOf('GB', 'London', 51.51, -0.13, { featureCode: 'PPLC', population: 8_900_000 }),
  cityOf('ID', 'Serang', -6.12, 106.15, { population: 690_000 }),
  cityOf('IT', 'Turin', 45.07, 7.69, { population: 870_000, otherNames: ['Torino'] }),
  cityOf('IT', 'Milan', 45.46, 9.19, { population: 1_300_000, otherNames: ['Milano'] }),
  cityOf('IT', 'Florence', 43.77, 11.25, { population: 360_000, otherNames: ['Firenze', 'Florenz'] }),
  cityOf('RU', 'Moscow', 55.75, 37.62, {
    featureCode: 'PPLC',
    population: 10_400_000,
    otherNames: ['Москва', 'Moskva', 'Moskau'],
  }),
  cityOf('JP', 'Tokyo', 35.7, 139.7, { featureCode: 'PPLC', population: 8_300_000, otherNames: ['東京'] }),
  cityOf('US', 'New York City', 40.71, -74.01, { population: 8_800_000, otherNames: ['New York', 'Nueva York'] }),
  cityOf('US', 'Paris', 33.66, -95.56, { population: 25_000, adminCodes: ['TX', ''] }),
  cityOf('US', 'Florence', 34.8, -87.68, { population: 40_000, adminCodes: ['AL', ''] }),
  cityOf('US', 'Syracuse', 43.05, -76.15, { population: 148_000, adminCodes: ['NY', ''], otherNames: ['Milan'] }),
  cityOf('US', 'Warner Robins', 32.62, -83.6, { population: 80_000, adminCodes: ['GA', ''], otherNames: ['York'] }),
  cityOf('US', 'York', 39.96, -76.73, { population: 44_000, adminCodes: ['PA', ''] }),
];

let fixture: FixtureSnapshot;
let snapshot: Snapshot;
beforeAll(async () => {
  fixture = await buildFixtureSnapshot(ROWS, { cities: CITIES });
  snapshot = openSnapshot(fixture.path);
});
afterAll(() => fixture?.cleanup());

const NEW_YORK = 'US/empire-state/new-york';
const MUNICH = 'DE/bayern/munchen';

test.each([
  ['a capital before places with the same name', 'paris', ['FR/ile-de-france/paris', 'US/texas/lamar/paris']],
  ['a start of a big city’s name before a whole name', 'par', ['FR/ile-de-france/paris', 'GB/england/par']],
  ['likewise', 'barcel', ['ES/cataluna/barcelona', 'PT/braganca/barcel']],
  ['likewise', 'torin', ['IT/piemonte/torino', 'ES/asturias/torin']],
  ['a whole name before a later word', 'york', ['GB/england/york', 'US/pennsylvania/york']],
  ['a big city before a small place with the same name', 'new york', [NEW_YORK, 'GB/england/new-york']],
  ['the name of the gazetteer as the city’s own', 'munich', [MUNICH, 'US/north-dakota/cavalier/munich']],
  ['likewise', 'florence', ['IT/toscana/firenze', 'US/alabama/lauderdale/florence']],
  [
    'the city of millions before hamlets of its name',
    'moscow',
    ['RU/moskva', 'GB/scotland/moscow', 'US/idaho/latah/moscow'],
  ],
  [
    'another name of a city behind those that are called so, where one of them is larger',
    'milan',
    ['IT/lombardia/milano', 'US/tennessee/gibson/milan', 'US/empire-state/onondaga/syracuse'],
  ],
  ['another name', 'moskau', ['RU/moskva']],
  ['another name, in another script', 'мюнхен', [MUNICH]],
  ['likewise', '慕尼黑', [MUNICH]],
  ['another name with what the city lies in', 'monaco di baviera, germany', [MUNICH]],
  ['the start of another name', 'florenz', ['IT/toscana/firenze']],
  ['an airport’s code is no name', 'muc', []],
  ['another name of a small capital', 'andorra', ['AD/andorra-la-vella', 'ES/aragon/teruel/andorra']],
  ['a state before the city that has its name as another one', 'pernambuco', ['BR/pernambuco', 'BR/pernambuco/recife']],
  ['a letter is missing among the first three', 'mnchen', [MUNICH, 'ES/aragon/mnchenal']],
  ['likewise', 'lndon', ['GB/england/london']],
  ['a letter too many', 'laondon', ['GB/england/london']],
  ['another letter', 'fanchester', ['GB/england/manchester']],
  ['two in the wrong order', 'omscow', ['RU/moskva']],
  ['likewise, the third and the fourth letter', 'manhcester', ['GB/england/manchester']],
  ['not where the city is small', 'xarner robins', []],
  ['not with two mistakes', 'mncehn', ['ES/aragon/mnchenal']],
  ['an edit farther behind, where that is a small place', 'manchezter', ['GB/england/manchester']],
  ['of the places of one name without a unit, the city', 'serang', ['ID/serang-42116']],
  ['a word too many', 'city of manchester', ['GB/england/manchester']],
  ['likewise, with what the city lies in', 'ciudad de paris, texas', ['US/texas/lamar/paris']],
  ['likewise, with a letter for two', 'stadt ölde', ['DE/nordrhein-westfalen/oelde']],
  ['a postal code', '75001', ['FR/ile-de-france/paris']],
  ['behind what is called so, before what starts so', '80331', ['AT/80331', MUNICH, 'AT/80331-lager']],
  ['likewise, in full where the release has its first part', 'm1 1ae', ['GB/england/manchester']],
  ['likewise, before what the place is called', '80331 mun', [MUNICH]],
  ['likewise, behind what it lies in', 'bayern 80331', [MUNICH]],
  ['a mistake in a name', 'tokyi', ['GB/england/tokya']],
  ['none, if it is a big city of a country without data', 'tokyo', []],
  ['likewise by another of its names', '東京', []],
  ['likewise with a code', 'tokyo 80331', []],
  ['likewise with the country', 'tokya japan', []],
  ['a unit without the code: the unit, then the code', '80331 texas', ['US/texas', MUNICH]],
  ['a town with a number that is no code: the town', 'paris 75', ['FR/ile-de-france/paris', 'US/texas/lamar/paris']],
])('%s: %s', (_, query, expected) => {
  expect(suggestedPaths(snapshot, query).slice(0, expected.length || 25)).toEqual(expected);
});

test('within a country its own cities are the big ones', () => {
  expect(suggestedPaths(snapshot, 'york', 'US').slice(0, 2)).toEqual([
    'US/pennsylvania/york',
    'US/georgia/houston/warner-robins',
  ]);
  expect(suggestedPaths(snapshot, 'pau', 'FR')).toEqual(['FR/nouvelle-aquitaine/pau']);
});
