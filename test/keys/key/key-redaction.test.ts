/** What logs show of a key: too little to guess the rest, however it is written. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createApiKey, encodeApiKey } from '../../../src/keys/key/api-key.js';
import { redactApiKeysInUrl } from '../../../src/keys/key/key-redaction.js';

fc.configureGlobal({ seed: 20240229 });

const anyKey = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => encodeApiKey(bytes));

test('publishable keys are in no log, whole, cut or encoded', () => {
  const key = createApiKey(true);
  for (const text of [key, key.slice(0, 20), key.toUpperCase(), encodeURIComponent(key).replaceAll('_', '%5F')]) {
    const shown = redactApiKeysInUrl(`/v1/autocomplete?q=ber&key=${text}`);
    expect(shown).toContain('/v1/autocomplete?q=ber');
    expect(shown.toLowerCase()).not.toContain(key.slice(8, 16));
  }
});
const separators = [
  '',
  '-',
  '_',
  '.',
  ' ',
  '+',
  '%20',
  '%2D',
  '%2d',
  '%252D',
  ' - ',
  '%E2%80%93',
  '%C2%A0',
  ', ',
  '%0A',
];
const encode = (character: string) => `%${character.charCodeAt(0).toString(16)}`;
const spellings = [
  (character: string) => character,
  (character: string) => character.toUpperCase(),
  encode,
  (character: string) => encode(character).replace('%', '%25'),
];
const anySpelling = fc.record({
  key: anyKey,
  from: fc.constantFrom(0, 2, 3),
  groups: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 42, maxLength: 42 }),
  separator: fc.array(fc.constantFrom(...separators), { minLength: 42, maxLength: 42 }),
  spelling: fc.array(fc.constantFrom(...spellings), { minLength: 42, maxLength: 42 }),
});

function readBack(url: string): string {
  const text = url.replaceAll(/%(?:25)*([\da-f]{2})/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  return text.replaceAll(/[^\da-z]/gi, '').toLowerCase();
}

test('leaves too little of a key to guess the rest, however it is spelled, encoded and divided', () => {
  fc.assert(
    fc.property(anySpelling, ({ key, from, groups, separator, spelling }) => {
      let [spelled, at] = ['', from];
      for (const [index, size] of groups.entries()) {
        for (const character of key.slice(at, at + size)) spelled += spelling[at++ % 42]?.(character);
        if (at < key.length) spelled += separator[index];
      }
      expect(readBack(spelled)).toBe(key.slice(from).replace('_', ''));
      for (const url of [`/v1/reverse?key=${spelled}&x`, `/v1/${spelled}/places`]) {
        expect(readBack(redactApiKeysInUrl(url)).length - readBack(url.replace(spelled, '')).length).toBeLessThan(24);
      }
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  '/v1/countries/FR/places/3f2504e0-4f89-51d3-9a0c-0305e82c3301?x=1',
  '/v1/countries/FR/path/grand-est/marne/reims/saint-leonard-51500',
  '/v1/autocomplete?q=saint+etienne+de+rouvray&country=FR&limit=25',
  '/v1/countries/GB/postcodes/SW1A%201AA',
  '/v1/reverse?lat=48.8566140123&lng=-2.3522219456',
])('leaves %s as it is', (url) => {
  expect(redactApiKeysInUrl(url)).toBe(url);
});

test('takes little time for the longest URL, whatever is in it', () => {
  const startedMs = performance.now();
  for (const unit of ['%25', '%', 'pp_', '%2', 'a-', '25', '%2525a'])
    redactApiKeysInUrl(`/${unit.repeat(8_192 / unit.length)}`);
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});
