/**
 * The elements for web pages outside of a browser: the address formats of all countries, words that are complete and alike
 * in all languages, and the module as the build makes it: small, alone, and said to be what it is.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { addressCountries, addressFormatOf } from '../../clients/web/src/address-format.js';
import { LANGUAGES, WORDS } from '../../clients/web/src/message-texts.js';
import { format, formatCount, messagesOf } from '../../clients/web/src/messages.js';
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

test.each(Object.entries(WORDS))('%s is in all languages, with the same placeholders', (_, inEachLanguage) => {
  expect(inEachLanguage).toHaveLength(LANGUAGES.length);
  const rules = inEachLanguage.map((message) => (typeof message === 'string' ? ['text'] : Object.keys(message)));
  const texts = inEachLanguage.map((message) => (typeof message === 'string' ? [message] : Object.values(message)));
  const placeholders = texts.map((forms) => forms.flatMap((text) => text.match(/\{\w+\}/g) ?? []).sort());
  for (const at of LANGUAGES.keys()) {
    expect(rules[at]).toEqual(rules[0]);
    expect(placeholders[at]).toEqual(placeholders[0]);
    for (const text of texts[at] ?? []) expect(text.trim()).toBe(text);
    for (const text of texts[at] ?? []) expect(text).not.toMatch(/^$|[<>&]/);
  }
});

test('a language is found by its first part, and English stands in', () => {
  expect(['de', 'de-AT', 'DE_ch', 'fr-CA', 'es-419', 'en-GB'].map((tag) => messagesOf(tag).language)).toEqual([
    'de',
    'de',
    'de',
    'fr',
    'es',
    'en',
  ]);
  expect(['', 'pl', 'x', 'des'].map((tag) => messagesOf(tag).language)).toEqual(['en', 'en', 'en', 'en']);
  expect(messagesOf('de').city).toBe('Ort');
});

test('values are put in as they are, and nothing else', () => {
  expect(format('{a} and {b}, {a}', { a: '$& <b>', b: 2 })).toBe('$& <b> and 2, $& <b>');
  expect(format('{a} {toString} {constructor}', { a: '{b}', b: 1 })).toBe('{b} {toString} {constructor}');
});

test('a number has the form of the language', () => {
  const { resultCount, language } = messagesOf('fr');
  expect([0, 1, 2].map((count) => formatCount(resultCount, count, language))).toEqual([
    '0 résultat',
    '1 résultat',
    '2 résultats',
  ]);
  const polish = { one: '{count} wynik', few: '{count} wyniki', other: '{count} wyników' };
  expect([1, 2, 5].map((count) => formatCount(polish, count, 'pl'))).toEqual(['1 wynik', '2 wyniki', '5 wyników']);
  expect(formatCount(polish, 1, 'not a language')).toBe('1 wyników');
});

/** Bytes as web servers send them: what a page pays for the elements. */
const MAX_GZIP_BYTES = 15_000;

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');
const module = read('dist/src/site/assets/postal-places.js');

test('it is at most 15 kB, compressed', () => {
  expect(gzipSync(module, { level: 9 }).length).toBeLessThanOrEqual(MAX_GZIP_BYTES);
});

test('it names its version and the licences', () => {
  const { version } = JSON.parse(read('clients/web/package.json'));
  expect(module.split('\n', 1)[0]).toMatch(new RegExp(`^/\\*! Postal Places ${version}, MIT\\. .*CC BY 4\\.0`));
  expect(version).toBe(JSON.parse(read('package.json')).version);
});

test('it loads nothing and evaluates no text', () => {
  expect(module).not.toMatch(
    /\bimport\s*\(|\bfrom\s*["']|\beval\b|new Function|innerHTML|insertAdjacentHTML|document\.write/,
  );
});
