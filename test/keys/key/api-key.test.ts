/**
 * The clear key's form: what is made is recognised, what is mistyped is not. The example in the header of
 * src/keys/key/api-key.ts is checked here.
 */

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  createApiKey,
  digestApiKey,
  encodeApiKey,
  isLikeSecretKey,
  isPublishableKey,
  isWellFormedApiKey,
} from '../../../src/keys/key/api-key.js';
import { anyCharacter } from '../../fixtures/any-character.js';

fc.configureGlobal({ seed: 20240229 });

const EXAMPLE_BYTES = Uint8Array.from({ length: 20 }, (_, index) => index);
const EXAMPLE_KEY = 'pp_000g40r40m30e209185gr38e1w8124gk0yckx37';
const CHECK_OFFSET = 35;

const anyKey = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(encodeApiKey);
const oftenOfKeys = fc.oneof(
  fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_- \n'),
  anyCharacter,
);

function replaceAt(text: string, position: number, replacement: string): string {
  return text.slice(0, position) + replacement + text.slice(position + replacement.length);
}

describe('publishable keys', () => {
  test('have a prefix of their own, and neither kind passes for the other', () => {
    const [secret, publishable] = [createApiKey(), createApiKey(true)];
    expect(publishable).toMatch(/^pp_pub_[0-9a-hjkmnp-tv-z]{39}$/);
    for (const key of [secret, publishable]) expect(isWellFormedApiKey(key)).toBe(true);
    expect([secret, publishable].map(isPublishableKey)).toEqual([false, true]);
    expect([secret, publishable, 'pp_', 'hello'].map(isLikeSecretKey)).toEqual([true, false, true, false]);
    expect(isWellFormedApiKey(`pp_pub_${secret.slice(3)}`)).toBe(false);
    expect(isWellFormedApiKey(`pp_${publishable.slice(7)}`)).toBe(false);
    expect(isWellFormedApiKey(publishable.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBe(false);
  });
});

describe('encodeApiKey', () => {
  test('writes the documented example', () => {
    expect(encodeApiKey(EXAMPLE_BYTES)).toBe(EXAMPLE_KEY);
  });

  test('keeps every bit: different bytes make different keys', () => {
    fc.assert(
      fc.property(fc.nat(159), fc.uint8Array({ minLength: 20, maxLength: 20 }), (bit, bytes) => {
        const changed = bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        expect(encodeApiKey(changed).slice(0, CHECK_OFFSET)).not.toBe(encodeApiKey(bytes).slice(0, CHECK_OFFSET));
      }),
    );
  });

  test('takes 20 bytes and nothing else', () => {
    expect(() => encodeApiKey(new Uint8Array(19))).toThrow();
    expect(() => encodeApiKey(new Uint8Array(21))).toThrow();
  });
});

describe('createApiKey', () => {
  test('makes well-formed keys, each another', () => {
    const keys = Array.from({ length: 1_000 }, createApiKey);
    expect(keys.every(isWellFormedApiKey)).toBe(true);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('uses the whole alphabet at every place of the body', () => {
    const keys = Array.from({ length: 2_000 }, createApiKey);
    for (let position = 3; position < CHECK_OFFSET; position++) {
      expect(new Set(keys.map((key) => key[position])).size).toBe(32);
    }
  });
});

describe('isWellFormedApiKey', () => {
  test('refuses every change of a single character', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(EXAMPLE_KEY.length - 1), oftenOfKeys, (key, position, character) => {
        fc.pre(key[position] !== character);
        return !isWellFormedApiKey(replaceAt(key, position, character));
      }),
      { numRuns: 5_000 },
    );
  });

  test('refuses a change within four neighbouring characters of the body, two swapped ones among them', () => {
    const four = fc.string({
      unit: fc.constantFrom(...'0123456789abcdefghjkmnpqrstvwxyz'),
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(anyKey, fc.integer({ min: 3, max: CHECK_OFFSET - 4 }), four, (key, position, replacement) => {
        const text = replaceAt(key, position, replacement);
        const swapped = replaceAt(key, position, `${key[position + 1]}${key[position]}`);
        return [text, swapped].every((other) => isWellFormedApiKey(other) === (other === key));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['the empty text', ''],
    ['the prefix alone', 'pp_'],
    ['capital letters', EXAMPLE_KEY.toUpperCase()],
    ['a space before', ` ${EXAMPLE_KEY}`],
    ['a line break after', `${EXAMPLE_KEY}\n`],
    ['a character too few', EXAMPLE_KEY.slice(0, -1)],
    ['two keys, as two headers are joined', `${EXAMPLE_KEY}, ${EXAMPLE_KEY}`],
    ['another prefix', `pq_${EXAMPLE_KEY.slice(3)}`],
    ['letters outside ASCII', `pp_${'é'.repeat(39)}`],
  ])('refuses %s', (_, text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  });

  test('refuses any other text', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => expect(isWellFormedApiKey(text)).toBe(false)));
  });
});

describe('digestApiKey', () => {
  test('is SHA-256 in hexadecimal', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(digestApiKey(key)).toBe(createHash('sha256').update(key).digest('hex'));
      }),
    );
    expect(digestApiKey(EXAMPLE_KEY)).toBe('2a28fb40254120f09c1891317cfb69c4da454c357c657f230f3131a8767cf6c1');
  });
});
