/** What the check of a code says, over a small release: what is found and how, what is not, and what looks right. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { DomainError } from '../../src/core/use-cases/domain-error.js';
import { checkPostcode } from '../../src/core/use-cases/postcode-candidates.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import type { FixtureRow } from '../fixtures/hand-made-release.js';
import { parseAnswer } from './answer.js';

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
    ['BR', '01310-100', 'none', null, true],
    ['CN', '100005', 'exact', '100005', true],
    ['CN', '100006', 'none', null, true],
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
    const { format, example, ...answer } = check(country, asked);
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
