/** The address formats of all countries, against what post offices say of some, and against the facts of countries. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { addressCountries, addressFormatOf } from '../../clients/web/src/address-format.js';
import { messagesOf } from '../../clients/web/src/messages.js';
import { packageRoot } from '../../src/base/package-root.js';

const facts = readFileSync(join(packageRoot(), 'data/countries.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))
  .map(([code = '', , , , , , , , , postalCodeFormat = '']) => ({ code, postalCodeFormat }));

function matches(country: string, code: string): boolean {
  return new RegExp(`^(?:${addressFormatOf(country).postalCodePattern})$`).test(code);
}

/** The fields in order with their terms, required ones marked, and what else differs between countries. */
function summaryOf(country: string): string {
  const { fields, required, terms, stateType } = addressFormatOf(country);
  const words = fields.map((field) => `${terms[field]}${required.includes(field) ? '*' : ''}`);
  return `${words.join(' ')}${fields.includes('state') ? `, ${stateType}` : ''}`;
}

test('every country of the facts is offered, once, in order', () => {
  expect(addressCountries).toEqual(facts.map(({ code }) => code));
});

test.each(facts)('$code has a format', ({ code, postalCodeFormat }) => {
  const format = addressFormatOf(code);
  expect(format.fields).toContain('street');
  expect(new Set(format.fields).size).toBe(format.fields.length);
  expect(format.fields).toEqual(expect.arrayContaining([...format.required]));
  expect(format.required.length).toBeGreaterThan(0);
  for (const term of Object.values(format.terms)) expect(messagesOf('en')).toHaveProperty(term);
  const hasCodes = postalCodeFormat !== '';
  expect(format.fields.includes('postal-code')).toBe(hasCodes);
  expect(format.postalCodePattern !== undefined).toBe(hasCodes);
  expect(format.hasNumericCodes).toBe(hasCodes && !/[@A-Z]/.test(postalCodeFormat));
  if (format.postalCodeExample !== '') expect(matches(code, format.postalCodeExample)).toBe(true);
});

test('few countries with postal codes have no example', () => {
  const without = facts.filter(
    ({ code, postalCodeFormat }) => postalCodeFormat && !addressFormatOf(code).postalCodeExample,
  );
  expect(without.map(({ code }) => code)).toEqual(['KN', 'MW', 'PA', 'PS', 'SS', 'TT', 'WS']);
});

/** From the addressing guides of the post offices and of the Universal Postal Union. */
test.each([
  ['AE', 'street* emirate*, region'],
  ['AT', 'street* plz* city*'],
  ['AU', 'street* suburbOrTown* state* postcode*, region'],
  ['BR', 'street* neighborhood city* state* cep*, region'],
  ['CA', 'street* city* province* postalCode*, region'],
  ['CH', 'street* npa* city*'],
  ['DE', 'street* plz* city*'],
  ['ES', 'street* postalCode* city* province*, district'],
  ['FR', 'street* postalCode* city*'],
  ['GB', 'street* postTown* postcode*'],
  ['HK', 'area* district street*, region'],
  ['IE', 'street* area city* county eircode, undefined'],
  ['IN', 'street* city* pin* state*, region'],
  ['IT', 'street* cap* city* province*, district'],
  ['JP', 'postalCode* prefecture* city* street*, region'],
  ['KR', 'doSi* city* district street* postalCode*, region'],
  ['LT', 'street* postalCode* city* municipality, district'],
  ['MO', 'street*'],
  ['NL', 'street* postcode* city*'],
  ['PR', 'street* city* zip*'],
  ['US', 'street* city* state* zip*, region'],
])('%s: %s', (country, summary) => {
  expect(summaryOf(country)).toBe(summary);
});

test.each(['', 'ZZ', 'de', 'D', '..', '(', 'Germany'])('an unknown country has street and city: "%s"', (country) => {
  expect(addressFormatOf(country)).toMatchObject({
    fields: ['street', 'city'],
    required: ['street', 'city'],
    postalCodePattern: undefined,
    postalCodeExample: '',
    hasNumericCodes: false,
  });
});

describe('a pattern tells when a code is complete', () => {
  test.each([
    ['BR', ['40301-110', '40301110'], ['40301', '40301-11']],
    ['CA', ['H3Z 2Y7', 'H3Z2Y7'], ['H3Z', 'H3Z 2Y']],
    ['DE', ['10115'], ['1011', '101155', 'D-101']],
    ['GB', ['M1 1AA', 'SW1A 1AA', 'SW1A1AA', 'W1A 4ZZ', 'CR0 2YR'], ['SW1A', 'M1 1A']],
    ['GG', ['GY1 1AA'], ['GY1']],
    ['IE', ['A65 F4E2', 'D6WXY12'], ['D6W']],
    ['JP', ['154-0023', '1540023'], ['154-002']],
    ['LT', ['LT-04340', '04340', 'LT04340'], ['0434']],
    ['LV', ['LV-1073', '1073', 'LV1073'], ['LV-107', 'LV-']],
    ['NL', ['1234 AB', '1234AB'], ['1234']],
    ['SH', ['STHL 1ZZ', 'ASCN1ZZ'], ['STHL']],
    ['US', ['95014', '95014-1234', '95014 1234'], ['9501', '95014-12']],
  ])('%s', (country, complete, incomplete) => {
    expect(complete.filter((code) => !matches(country, code))).toEqual([]);
    expect(incomplete.filter((code) => matches(country, code))).toEqual([]);
  });

  test('it is a pattern of HTML too, which has the flag v', () => {
    for (const country of addressCountries) {
      const { postalCodePattern = '' } = addressFormatOf(country);
      expect(() => new RegExp(postalCodePattern, 'v')).not.toThrow();
    }
  });
});
