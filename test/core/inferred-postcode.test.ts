/** Codes that the data lack in the block of a town: what is inferred, what is not, and that every answer says the same. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkPostcode } from '../../src/core/answers/check-postcode.js';
import { findPostcode, findPostcodes } from '../../src/core/answers/postcodes.js';
import { countriesOfForm, countryOfForm } from '../../src/core/lookup/postcode-forms.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { BLOCK_ROWS } from '../fixtures/block-codes.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { notFoundDetails } from '../fixtures/not-found-details.js';
import { parseAnswer, suggestedPaths } from './answer.js';

let snapshot: Snapshot;
beforeAll(async () => {
  snapshot = await openFixture(BLOCK_ROWS);
});

const check = (country: string, postcode: string) => parseAnswer(checkPostcode(snapshot, { country, postcode }));

describe('an inferred code', () => {
  test.each([
    ['BR', '01310-100', 'São Paulo'],
    ['BR', '01310100', 'São Paulo'],
    ['BR', 'BR-01310-100', 'São Paulo'],
    // The city has the blocks 01 to 05.
    ['BR', '05409-000', 'São Paulo'],
    ['BR', '09890-000', 'São Bernardo do Campo'],
    ['CN', '200001', 'Shanghai'],
    ['CN', '200433', 'Shanghai'],
    ['CN', '201199', 'Minhang'],
    ['PL', '00-001', 'Warszawa'],
    ['PL', '00-950', 'Warszawa'],
    ['PL', '00950', 'Warszawa'],
  ])('%s %s is of %s, for whoever asks', (country, typed, placeName) => {
    const inferred = {
      ...{ countryCode: country, placeName, city: placeName },
      placeId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      placePath: expect.stringMatching(/^\/.+\/.+/),
    };
    expect(check(country, typed)).toMatchObject({ match: 'inferred', postcode: null, inferred });
    const details = [
      { param: 'postcode', message: expect.stringContaining(placeName), expected: expect.any(String), inferred },
    ];
    expect(notFoundDetails(() => findPostcode(snapshot, { country, postcode: typed }))).toEqual(details);
    expect(notFoundDetails(() => findPostcodes(snapshot, { country: [country], postcode: typed }))).toEqual(details);
    expect(notFoundDetails(() => findPostcodes(snapshot, { country: undefined, postcode: typed }))).toEqual(details);
    const { placePath } = check(country, typed).inferred;
    expect(suggestedPaths(snapshot, typed, country)).toContain(`${country}${placePath}`);
  });
});

describe('not inferred', () => {
  test.each([
    ['in another block, before which the data have another town', 'BR', '08010-000'],
    ['before the first code of all', 'BR', '00999-000'],
    ['in another county', 'CN', '201999'],
    ['in another city', 'CN', '202000'],
    ['a village beside it', 'PL', '26-604'],
    ['one known code of the town on a side', 'PL', '26-608'],
    ['behind the last code, which differs', 'PL', '99-999'],
    ['before the first codes, which differ', 'LT', '00000'],
    ['a form of no code of the country', 'PL', '00-9501'],
    ['half of a code', 'BR', '01310'],
    ['letters', 'PL', '00-95O'],
    ['a country without blocks', 'DE', '10116'],
  ])('%s: %s %s', (_, country, typed) => {
    const answer = check(country, typed);
    expect([answer.match, answer.inferred]).toEqual(['none', undefined]);
    const details = notFoundDetails(() => findPostcode(snapshot, { country, postcode: typed }));
    expect((details ?? []).flatMap(({ inferred }) => inferred ?? [])).toEqual([]);
  });
});

describe('a form that one country has', () => {
  test.each([
    ['00-001', 'PL'],
    ['００－００１', 'PL'],
    ['01310-100', 'BR'],
    ['1000-001', 'PT'],
    ['100-0001', 'JP'],
    ['1012 AB', 'NL'],
    ['D02 AF30', 'IE'],
    ['D-10115', 'DE'],
    ['LV-1010', 'LV'],
    // Without separators, or with those of several countries.
    ['00001', undefined],
    ['101 15', undefined],
    ['SW1A 1AA', undefined],
    ['12345-6789', undefined],
    // A first part with a space, and the codes of Bermuda.
    ['AB 12', undefined],
    // The digits of a first part of the Netherlands.
    ['165 0', undefined],
    ['LV1010', undefined],
    // Behind the sign of Belgium, and with a province's letter of Argentina.
    ['B1650', undefined],
    ['-', undefined],
    ['', undefined],
  ])('%j is of %s', (typed, country) => expect(countryOfForm(snapshot, typed)?.entry.code).toBe(country));

  test('is not one of its own for a code that another country has as typed', async () => {
    const codes = ['00-123', 'D6W', 'T12', 'CORK 4'];
    const other = await openFixture({ IE: codes.map((code) => [code, 'Cork', 'Munster', '', '', 52, -8]) });
    expect(countryOfForm(other, '00-123')).toBeUndefined();
    expect(countryOfForm(other, '00-124')?.entry.code).toBe('PL');
    const found = parseAnswer(findPostcodes(other, { country: undefined, postcode: '00-123' }));
    expect(found).toMatchObject([{ countryCode: 'IE', postcode: '00-123' }]);
  });

  test('several countries are listed', () => {
    expect(countriesOfForm(snapshot, '101 15').map(({ entry }) => entry.code)).toEqual(['CZ', 'GR', 'SE', 'SK']);
    expect(countriesOfForm(snapshot, 'LV1010').map(({ entry }) => entry.code)).toEqual(['BN', 'LV']);
  });

  test('is looked up there alone', () => {
    expect(check('LT', '00-001')).toMatchObject({ match: 'normalised', postcode: '00001' });
    const details = notFoundDetails(() => findPostcodes(snapshot, { country: undefined, postcode: '00-001' }));
    expect(details?.map(({ inferred }) => inferred?.countryCode)).toEqual(['PL']);
    const found = parseAnswer(findPostcodes(snapshot, { country: undefined, postcode: '00001' }));
    expect(found.map(({ countryCode }: { countryCode: string }) => countryCode)).toEqual(['LT']);
  });
});
