/** Suggestions for names: of cities, in other spellings, and as people write them. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { autocomplete } from '../../src/core/answers/autocomplete.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { buildFixtureSnapshot, type FixtureSnapshot, openFixture } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { parseAnswer, suggestedPaths } from './answer.js';

/**
 * The order of suggestions where a gazetteer knows cities, by cases over a small release: big cities before all else,
 * namesakes by their people, names in other languages and scripts, and what is seen through because a city is big.
 */
describe('cities', () => {
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
    [
      'a state before the city that has its name as another one',
      'pernambuco',
      ['BR/pernambuco', 'BR/pernambuco/recife'],
    ],
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
});

/**
 * Suggestions where a name can be written in more ways than one: letters that are also two, halves of a name, signs,
 * digits, and places whose names nobody can tell apart.
 */
describe('spellings', () => {
  const ROWS: RowsByCountry = {
    CA: [
      ['H1A', 'Pointe', 'Quebec', 'Montreal', '', 45.5, -73.5],
      ['H1B', 'Est', 'Quebec', 'Montreal', '', 45.5, -73.6],
      // Of another code: no other spelling of the first Montreal.
      ['H1C', 'Ouest', 'Quebec', 'Montréal', '', 45.5, -73.7, ['01', '07', '']],
      ['H2A', 'Montreal Nord', 'Quebec', 'Laval', '', 45.6, -73.7],
    ],
    CH: [
      ['7270', 'Davos Platz', 'Graubünden', 'Region Prättigau / Davos', 'Davos', 46.8, 9.8],
      ['7214', 'Grüsch', 'Graubünden', 'Region Prättigau / Davos', 'Grüsch', 46.9, 9.6],
      ['8955', 'Oetwil', 'Zürich', '', '', 47.4, 8.4],
    ],
    DE: [
      ['57518', 'Steinebach/Sieg', 'Rheinland-Pfalz', '', '', 50.7, 7.8],
      ['57072', 'Siegen', 'Nordrhein-Westfalen', '', '', 50.9, 8],
      ['57074', 'Siegen', 'Nordrhein-Westfalen', '', '', 50.9, 8.1],
      ['78045', 'Kasse für den Schwarzwald', 'Baden', '', '', 48, 8.4],
    ],
    DK: [
      ['8000', 'Aarhus', 'Midtjylland', 'Århus Kommune', '', 56.1, 10.2],
      ['8001', 'Trige', 'Midtjylland', 'Århus Kommune', '', 56.2, 10.1],
      ['9000', 'Aalborg', 'Nordjylland', 'Ålborg Kommune', '', 57, 9.9],
      ['9990', 'Arhusby', 'Nordjylland', '', '', 57.7, 10.5],
    ],
    ES: [['20001', 'Donostia / San Sebastián', 'Gipuzkoa', '', '', 43.3, -2]],
    FR: [
      ['69009', 'Lyon 09', 'Rhône', '', '', 45.7, 4.8],
      ['13013', 'Marseille 13', 'Bouches-du-Rhône', '', '', 43.3, 5.4],
    ],
    RU: [['429960', 'Ольховка', 'Чувашия', '', '', 55, 47]],
    SE: [
      ['111 20', 'Stockholm', 'Stockholms län', '', '', 59.3, 18],
      ['111 10', 'STOCKHOLM', 'Stockholms län', '', '', 59.4, 18],
      ['125 70', 'Älvsjö', 'Stockholms län', '', '', 59.2, 18],
      ['125 60', 'Âlvsjö', 'Stockholms län', '', '', 59.2, 18.1],
    ],
    // The unit is in Latin letters, the city in it is not: both are called Kyiv.
    UA: [
      ['01001', 'Київ', 'Kyiv', '', '', 50.4, 30.5],
      ['01002', 'Київ', 'Kyiv', '', '', 50.4, 30.5],
      ['45300', 'Київець', 'Volynska', '', '', 50.7, 24.5],
      ['16600', 'Ніжин', 'Chernihivska', '', '', 51, 31.9],
    ],
  };

  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = await openFixture(ROWS);
  });

  test.each([
    ['a letter for two, before the letter without its mark', 'århus', 'DK', ['aarhus', 'arhus-kommune', 'arhusby']],
    ['likewise at the start of a name', 'ÅLB', 'DK', ['alborg-kommune', 'aalborg']],
    ['a romanised name', 'nizhyn', 'UA', ['nizhin']],
    ['a name in its own letters', 'ніжин', 'UA', ['nizhin']],
    ['the unit by the letters of the city that it stands for', 'київ', 'UA', ['kyiv', 'kiivets']],
    ['likewise by its Latin name', 'kyiv', 'UA', ['kyiv', 'kiivets']],
    ['likewise', 'ötwil', 'CH', ['oetwil']],
    ['two for a letter', 'aalborg kom', 'DK', ['alborg-kommune', 'aalborg']],
    ['without its mark', 'alborg', 'DK', ['alborg-kommune']],
    ['a half of a name is no name', 'davos', 'CH', ['davos', 'region-prattigau-davos', 'davos-platz']],
    ['a half is less than a more important start', 'sieg', 'DE', ['siegen', 'steinebach-sieg']],
    ['either half may be first', 'donostia', 'ES', ['donostia-san-sebastian']],
    ['either half may be first', 'san seb', 'ES', ['donostia-san-sebastian']],
    ['either half may be first', 'san sebastian donostia', 'ES', ['donostia-san-sebastian']],
    ['a number that is no district is dropped', 'lyon 69', 'FR', ['lyon-09']],
    ['a digit too many likewise', 'lyon 095', 'FR', ['lyon-09']],
    ['without the zero before a digit', 'lyon 9', 'FR', ['lyon-09']],
    ['a number dropped from a mistyped name', 'lyonn 99', 'FR', ['lyon-09']],
    ['two digits in the wrong order likewise', 'lyon 90', 'FR', ['lyon-09']],
    ['two other digits likewise', 'marseille 22', 'FR', ['marseille-13']],
    ['letters beside digits', 'lyom 09', 'FR', ['lyon-09']],
    ['a space before digits', 'lyon09', 'FR', ['lyon-09']],
    ['two letters beside digits', 'marsaile 13', 'FR', ['marseille-13']],
    ['a soft sign is no space', 'khovka', 'RU', []],
    ['signs are none', 'lyon 09™', 'FR', ['lyon-09']],
    ['emoji separate words', 'san🏝sebastian', 'ES', ['donostia-san-sebastian']],
    ['before two edits four letters are right, without the space', 'den bosch', 'DE', []],
    ['leaves that differ in case', 'stockholm', 'SE', ['stockholm', 'stockholms-lan']],
    ['the one that was meant', 'aelvsjoe', 'SE', ['alvsjo']],
    [
      'units of one name in different units, the smaller behind all else',
      'montreal',
      'CA',
      ['montreal', 'montreal-nord', 'montreal-2'],
    ],
  ])('%s: "%s"', (_, query, country, slugs) => {
    expect(suggestedPaths(snapshot, query, country).map((path) => path.split('/').at(-1))).toEqual(slugs);
  });

  test('the leaf of the lowest code stands for those whose names differ in case', () => {
    const answer = parseAnswer(autocomplete(snapshot, { query: 'stockholm', country: 'SE', limit: 1 }));
    expect(answer).toMatchObject([{ name: 'Stockholm', postalCode: '111 10' }]);
  });

  describe('without letter or digit', () => {
    test.each(['€€', '§§', '™©', '😀😀', '🇩🇰🇸🇪', '!!!'])('%s', (query) => {
      const ask = (country?: string) => () => autocomplete(snapshot, { query, country, limit: 10 });
      expect(ask()).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
      expect(ask('XX')).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
    });
  });
});

/**
 * Cities and places by what people write for them: abbreviations, everyday short names, and the transcriptions of
 * Cyrillic names into German, French, Spanish and Portuguese. Each beside what must not be found, or must come first.
 */
describe('written names', () => {
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
});

/** Names that are other names of somewhere else: whom people mean. */
describe('other names', () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = await openFixture(
      {
        CN: [['100000', 'Beijing', '', '', '', 39.91, 116.4]],
        DE: [
          ['37345', 'Neustadt', 'Thüringen', '', '', 51.47, 10.43],
          ['67433', 'Neustadt an der Weinstraße', 'Rheinland-Pfalz', '', '', 49.35, 8.14],
        ],
        GB: [['RG21', 'Basingstoke', 'England', '', '', 51.26, -1.09]],
        RO: [['430011', 'Baia Mare', 'Maramureș', '', '', 47.66, 23.57]],
        US: [
          ['10001', 'New York', 'New York', '', '', 40.71, -74.01, ['NY', '', '']],
          ['94565', 'Pittsburg', 'California', '', '', 38.03, -121.88, ['CA', '', '']],
          ['62701', 'Springfield', 'Illinois', '', '', 39.8, -89.65, ['IL', '', '']],
          ['65801', 'Springfield', 'Missouri', '', '', 37.22, -93.3, ['MO', '', '']],
        ],
      },
      [
        cityOf('CN', 'Beijing', 39.91, 116.4, { population: 18_900_000, featureCode: 'PPLC', otherNames: ['北京'] }),
        cityOf('DE', 'Neustadt', 51.47, 10.43, { population: 700 }),
        cityOf('DE', 'Neustadt an der Weinstraße', 49.35, 8.14, { population: 54_000 }),
        cityOf('GB', 'Basingstoke', 51.26, -1.09, { population: 107_000, otherNames: ['Beijingusutōku'] }),
        cityOf('RO', 'Baia Mare', 47.66, 23.57, { population: 108_000, otherNames: ['Neustadt'] }),
        cityOf('US', 'New York City', 40.71, -74.01, { population: 8_800_000, adminCodes: ['NY', ''] }),
        cityOf('US', 'Pittsburg', 38.03, -121.88, {
          population: 69_000,
          adminCodes: ['CA', ''],
          otherNames: ['City of New York of the Pacific'],
        }),
        cityOf('US', 'Springfield', 39.8, -89.65, { population: 114_000, adminCodes: ['IL', ''], featureCode: 'PPLA' }),
        cityOf('US', 'Springfield', 37.22, -93.3, { population: 170_000, adminCodes: ['MO', ''] }),
      ],
    );
  });

  const slugsOf = (query: string): (string | undefined)[] =>
    suggestedPaths(snapshot, query).map((path) => path.split('/').at(-1));

  test('a city whose name goes on comes before a big one with that other name', () => {
    expect(slugsOf('neustadt')).toEqual(['neustadt', 'neustadt-an-der-weinstrasse', 'baia-mare']);
  });

  test('the name of a big city starts no other name', () => {
    expect([slugsOf('北京'), slugsOf('beijing')]).toEqual([['beijing'], ['beijing']]);
    expect(slugsOf('beijingu')).toEqual(['basingstoke']);
  });

  test('the name of a big city is not sought in the words of other names', () => {
    expect(slugsOf('new york city')).toEqual(['new-york']);
    expect(slugsOf('pacific city')).toEqual(['pittsburg']);
  });

  test('of namesakes the one with more people comes first, also before the seat of a region', () => {
    expect(suggestedPaths(snapshot, 'springfield')).toEqual(['US/missouri/springfield', 'US/illinois/springfield']);
  });
});
