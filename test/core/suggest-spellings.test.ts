/**
 * Suggestions where a name can be written in more ways than one: letters that are also two, halves of a name, signs,
 * digits, and places whose names nobody can tell apart.
 */

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { autocomplete } from '../../src/core/suggest/autocomplete.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { parseAnswer, suggestedPaths } from './answer.js';

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
  ['leaves that differ in accents are two, as two villages may be', 'alvsjo', 'SE', ['alvsjo-125-70', 'alvsjo']],
  ['the one that was meant', 'aelvsjoe', 'SE', ['alvsjo-125-70']],
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
