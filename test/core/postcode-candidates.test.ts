/** Postal codes as people write them: what each rule finds, and what the check of a code says. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkPostcode } from '../../src/core/answers/check-postcode.js';
import { findPostcode } from '../../src/core/answers/postcodes.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { normalizePostcode } from '../../src/core/snapshot/postcode-spelling.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import type { FixtureRow, RowsByCountry } from '../fixtures/hand-made-release.js';
import { parseAnswer, suggestedPaths } from './answer.js';

/** Postal codes as people write them, over a small release: what each rule finds, and what none of them may find. */
describe('lookup', () => {
  const row = (code: string, name: string, unit = ''): FixtureRow => [code, name, unit, '', '', 48, 2];
  const ROWS: RowsByCountry = {
    AD: [row('AD500', 'Andorra la Vella')],
    AR: [row('1650', 'San Martín')],
    BR: [row('79300-000', 'Corumbá')],
    DE: [row('01067', 'Dresden'), row('10115', 'Berlin')],
    FR: [
      row('75001', 'Paris 01'),
      row('75380 CEDEX 08', 'Paris 08'),
      row('69001 CEDEX 01', 'Lyon 01'),
      row('69001 CEDEX 2', 'Lyon 02'),
      row('69002 CEDEX', 'Lyon'),
      row('69002 CEDEX 3', 'Lyon'),
    ],
    GB: [row('SW1A', 'Westminster'), row('IP1', 'Ipswich'), row('LP1', 'Elsewhere')],
    JE: [row('JE2', 'St Helier')],
    LU: [row('L-1323', 'Luxembourg')],
    LV: [row('LV-1010', 'Riga')],
    PR: [row('00601', 'Adjuntas')],
    PT: [
      row('1000-001', 'Lisboa', 'Lisboa'),
      row('1000-002', 'Lisboa', 'Lisboa'),
      row('2000-001', 'Santarém', 'Santarém'),
      row('2000-002', 'Alcanede', 'Santarém'),
      row('3000-000', 'Coimbra', 'Coimbra'),
      row('3000-001', 'Eiras', 'Coimbra'),
    ],
    RE: [row('97400', 'Saint-Denis')],
    US: [row('02138', 'Cambridge'), row('12345', 'Schenectady')],
  };

  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = await openFixture(ROWS);
  });

  /** The code that was found and the country of its first place; null where there is none. */
  function find(country: string, typed: string): string | null {
    try {
      const { postcode, places } = parseAnswer(findPostcode(snapshot, { country, postcode: normalizePostcode(typed) }));
      return places[0].countryCode === country ? postcode : `${postcode} of ${places[0].countryCode}`;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'POSTCODE_NOT_FOUND') return null;
      throw error;
    }
  }

  test.each([
    ['the country before it', 'DE', 'DE-10115', '10115'],
    ['its sign', 'DE', 'd 10115', '10115'],
    ['its sign, joined', 'FR', 'F75001', '75001'],
    ['the sign of another country', 'DE', 'F-10115', null],
    ['a country and a full code', 'GB', 'GB-SW1A 1AA', 'SW1A'],
    ['a country and a zero lost', 'DE', 'D-1067', '01067'],
    ['full width', 'DE', '１０１１５', '10115'],
    ['the first part of a full code', 'GB', 'sw1a1aa', 'SW1A'],
    ['half of the second part', 'GB', 'SW1A 1A', null],
    ['ZIP+4', 'US', '02138-1234', '02138'],
    ['ZIP+4 without its hyphen', 'US', '021381234', '02138'],
    ['ZIP+3', 'US', '02138-123', null],
    ['nine digits elsewhere', 'DE', '101151234', null],
    ['letters of AR', 'AR', 'B1650ABC', '1650'],
    ['the province alone', 'AR', 'b1650', '1650'],
    ['two letters', 'AR', 'BB1650', null],
    ['digits of a CEDEX code', 'FR', '75380', '75380 CEDEX 08'],
    ['of two offices', 'FR', '69001', null],
    ['of two codes of one place', 'FR', '69002', '69002 CEDEX'],
    ['another office', 'FR', '75380 CEDEX 09', null],
    ['half a code of BR', 'BR', '79300', '79300-000'],
    ['half a code of PT', 'PT', '3000', '3000-000'],
    ['half a code of PT, of one place', 'PT', '1000', '1000-001'],
    ['half a code of PT, of two places', 'PT', '2000', null],
    ['without what the data have before it', 'LV', '1010', 'LV-1010'],
    ['likewise', 'AD', '500', 'AD500'],
    ['a sign that the data have before it', 'LU', '1323', 'L-1323'],
    ['a zero lost', 'US', '2138', '02138'],
    ['two zeros lost', 'PR', '601', '00601'],
    ['three letters left of five', 'DE', '67', null],
    ['no zero was lost', 'US', '1234', null],
    ['of a territory', 'FR', '97400', '97400 of RE'],
    ['likewise, with the sign', 'FR', 'F-97400', '97400 of RE'],
    ['likewise, two zeros lost', 'US', '601', '00601 of PR'],
    ['likewise, of a full code', 'GB', 'JE2 3AB', 'JE2 of JE'],
    ['of the country that a territory belongs to', 'RE', '75001', null],
  ])('%s: %s %s', (_, country, typed, expected) => expect(find(country, typed)).toBe(expected));

  test('the search box understands them, too: of one country all, of the world what is sure', () => {
    expect(suggestedPaths(snapshot, 'D-10115')).toEqual(['DE/berlin']);
    expect(suggestedPaths(snapshot, '75380')).toEqual(['FR/paris-08']);
    expect(suggestedPaths(snapshot, '1067', 'DE')).toEqual(['DE/dresden']);
    expect(suggestedPaths(snapshot, '1067')).toEqual([]);
    expect(suggestedPaths(snapshot, '97400', 'FR')).toEqual([]);
  });

  test.each([
    ['a letter for a digit', 'DE', '1O115', '10115'],
    ['small letters', 'DE', 'lOll5', '10115'],
    ['a digit for a letter', 'GB', '5W1A 1AA', 'SW1A'],
    ['of two codes', 'GB', '1P1', undefined],
    ['of a territory', 'FR', '974OO', '97400'],
    ['no code', 'DE', '9999O', undefined],
    ['no letter', 'DE', '99999', undefined],
  ])('characters that look alike, %s: %s %s', (_, country, typed, meant) => {
    const details = meant && [{ param: 'postcode', message: expect.stringContaining(meant), expected: meant }];
    const find = (): unknown => findPostcode(snapshot, { country, postcode: normalizePostcode(typed) });
    expect(find).toThrow(expect.objectContaining({ code: 'POSTCODE_NOT_FOUND', details }));
  });
});

/** What the check of a code says, over a small release: what is found and how, what is not, and what looks right. */
describe('check', () => {
  const row = (code: string, name: string): FixtureRow => [code, name, 'Unit', '', '', 48, 2];

  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = await openFixture({
      AR: [row('1650', 'San Martín')],
      BR: [row('01310-000', 'São Paulo'), row('01310-200', 'São Paulo'), row('79300-000', 'Corumbá')],
      CN: [row('100005', 'Beijing'), row('100007', 'Beijing')],
      DE: [row('01067', 'Dresden'), row('10115', 'Berlin')],
      FR: [row('75001', 'Paris 01'), row('75008', 'Paris 08'), row('75380 CEDEX 08', 'Paris 08')],
      GB: [row('SW1A', 'Westminster'), row('M1', 'Manchester')],
      IE: [row('D02', 'Dublin 2'), row('D6W', 'Dublin 6W')],
      LV: [row('LV-1010', 'Riga')],
      NL: [row('1012', 'Amsterdam')],
      PL: [row('00-901', 'Warszawa'), row('00-999', 'Warszawa')],
      PT: [row('1000-001', 'Lisboa'), row('1000-002', 'Lisboa')],
      RE: [row('97400', 'Saint-Denis')],
      SE: [row('111 20', 'Stockholm')],
      US: [row('02138', 'Cambridge')],
    });
  });

  const check = (country: string, postcode: string) => parseAnswer(checkPostcode(snapshot, { country, postcode }));

  describe('match, code and known format', () => {
    test.each<[country: string, asked: string, match: string, postcode: string | null, hasKnownFormat: boolean]>([
      ['DE', '10115', 'exact', '10115', true],
      ['DE', ' 10115', 'normalised', '10115', true],
      ['DE', '10 115', 'normalised', '10115', true],
      ['DE', '１０１１５', 'normalised', '10115', true],
      ['DE', 'D-10115', 'normalised', '10115', false],
      ['DE', '1067', 'normalised', '01067', false],
      ['DE', '99999', 'none', null, true],
      ['DE', '999', 'none', null, false],
      ['DE', '1O115', 'none', null, false],
      ['DE', '101151', 'none', null, false],
      ['DE', '-', 'none', null, false],
      ['DE', '😀', 'none', null, false],
      ['GB', 'SW1A', 'exact', 'SW1A', true],
      ['GB', 'sw1a', 'normalised', 'SW1A', true],
      ['GB', 'SW1A 1AA', 'partial', 'SW1A', true],
      ['GB', 'sw1a1aa', 'partial', 'SW1A', true],
      ['GB', 'GB-SW1A 1AA', 'partial', 'SW1A', false],
      ['GB', 'M2 1AA', 'none', null, true],
      ['GB', 'M2', 'none', null, true],
      ['GB', 'SW1A 1A', 'none', null, false],
      ['GB', '10115', 'none', null, false],
      ['NL', '1012', 'exact', '1012', true],
      ['NL', '1012 AB', 'partial', '1012', true],
      ['NL', '1012a', 'none', null, false],
      ['IE', 'D6W', 'exact', 'D6W', true],
      ['IE', 'D02 AF30', 'partial', 'D02', true],
      ['IE', 'A65 F4E2', 'none', null, true],
      ['IE', 'D03', 'none', null, false],
      ['US', '02138', 'exact', '02138', true],
      ['US', '02138-1234', 'partial', '02138', true],
      ['US', '2138', 'normalised', '02138', false],
      ['US', '02138-12', 'none', null, false],
      ['AR', 'B1650ABC', 'partial', '1650', true],
      ['BR', '79300-000', 'exact', '79300-000', true],
      ['BR', '79300000', 'normalised', '79300-000', true],
      ['BR', '79300', 'partial', '79300-000', false],
      ['BR', '01310-100', 'inferred', null, true],
      ['CN', '100005', 'exact', '100005', true],
      ['CN', '100006', 'inferred', null, true],
      ['PL', '00-901', 'exact', '00-901', true],
      ['PL', '00-950', 'none', null, true],
      ['PL', '00950', 'none', null, true],
      ['PT', '1000', 'partial', '1000-001', false],
      ['PT', '1000–002', 'normalised', '1000-002', true],
      ['LV', '1010', 'normalised', 'LV-1010', false],
      ['LV', 'lv1010', 'normalised', 'LV-1010', true],
      ['FR', '75380 CEDEX 08', 'exact', '75380 CEDEX 08', true],
      ['FR', '75380', 'normalised', '75380 CEDEX 08', true],
      ['FR', '75380 CEDEX 09', 'none', null, false],
      ['FR', '97400', 'exact', '97400', true],
      ['FR', 'F-97400', 'normalised', '97400', false],
      ['RE', '75001', 'none', null, false],
      ['SE', '111 20', 'exact', '111 20', true],
      ['SE', '11120', 'normalised', '111 20', true],
      ['SE', '111', 'none', null, false],
    ])('%s %s: %s %s', (country, asked, match, postcode, hasKnownFormat) => {
      const { format, example, inferred, ...answer } = check(country, asked);
      expect(inferred !== undefined).toBe(match === 'inferred');
      expect(answer).toEqual({ countryCode: country, asked, postcode, match, hasKnownFormat });
      expect(typeof example).toBe('string');
      expect(format === null).toBe(country === 'IE');
    });
  });

  test.each([
    ['DE', '#####', '10115'],
    ['FR', '#####', '75008'],
    ['IE', null, 'D6W'],
    ['LV', 'LV-####', 'LV-1010'],
    ['NL', '#### @@', '1012'],
  ])('format and example of %s', (country, format, example) => {
    expect(check(country, 'x')).toMatchObject({ format, example });
  });

  test('an example that does not fit the format is only given where none fits', () => {
    expect(check('FR', 'x').example).not.toContain('CEDEX');
  });

  test.each([
    ['ZZ', 'COUNTRY_NOT_FOUND'],
    ['AE', 'NO_POSTCODE_DATA'],
  ])('%s is %s', (country, code) => {
    let thrown: unknown;
    try {
      check(country, '1');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(DomainError);
    expect(thrown).toMatchObject({ code });
  });
});
