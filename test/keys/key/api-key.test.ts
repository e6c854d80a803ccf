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
import { BASE32_CLASS, encodeBase32, encodeBase32Uint32 } from '../../../src/keys/key/base32.js';
import { redactUrl } from '../../../src/keys/key/key-redaction.js';

fc.configureGlobal({ seed: 20240229 });

const EXAMPLE_BYTES = Uint8Array.from({ length: 20 }, (_, index) => index);
const EXAMPLE_KEY = 'pp_000g40r40m30e209185gr38e1w8124gk0yckx37';
const CHECK_OFFSET = 35;

const anyKey = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(encodeApiKey);
const anyCharacter = fc.oneof(
  fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_- \n'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
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

  test('are in no log, whole, cut or encoded', () => {
    const key = createApiKey(true);
    for (const text of [key, key.slice(0, 20), key.toUpperCase(), encodeURIComponent(key).replaceAll('_', '%5F')]) {
      const shown = redactUrl(`/v1/autocomplete?q=ber&key=${text}`);
      expect(shown).toContain('/v1/autocomplete?q=ber');
      expect(shown.toLowerCase()).not.toContain(key.slice(8, 16));
    }
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
  test('accepts every key', () => {
    fc.assert(fc.property(anyKey, (key) => expect(isWellFormedApiKey(key)).toBe(true)));
  });

  test('refuses every change of a single character', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(EXAMPLE_KEY.length - 1), anyCharacter, (key, position, character) => {
        fc.pre(key[position] !== character);
        expect(isWellFormedApiKey(replaceAt(key, position, character))).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  test('refuses each other letter of the alphabet at each place of one key', () => {
    for (let position = 0; position < EXAMPLE_KEY.length; position++) {
      for (const character of '0123456789abcdefghjkmnpqrstvwxyz') {
        const text = replaceAt(EXAMPLE_KEY, position, character);
        expect(isWellFormedApiKey(text)).toBe(text === EXAMPLE_KEY);
      }
    }
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
        expect(isWellFormedApiKey(text)).toBe(text === key);
        const swapped = replaceAt(key, position, `${key[position + 1]}${key[position]}`);
        expect(isWellFormedApiKey(swapped)).toBe(swapped === key);
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
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(isWellFormedApiKey(text)).toBe(false)));
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

describe('redactUrl', () => {
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
          expect(readBack(redactUrl(url)).length - readBack(url.replace(spelled, '')).length).toBeLessThan(24);
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
    expect(redactUrl(url)).toBe(url);
  });

  test('takes little time for the longest URL, whatever is in it', () => {
    const startedMs = performance.now();
    for (const unit of ['%25', '%', 'pp_', '%2', 'a-', '25', '%2525a'])
      redactUrl(`/${unit.repeat(8_192 / unit.length)}`);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});

describe('base32, against a decoder written another way: as one big number', () => {
  const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

  function decodeNumber(text: string): bigint {
    return [...text].reduce((number, character) => number * 32n + BigInt(ALPHABET.indexOf(character)), 0n);
  }

  test('the documented example', () => {
    expect(encodeBase32(Uint8Array.of(0xff, 0x00))).toBe('zw00');
  });

  test('the text is the number that the bytes are, padded with zero bits', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = encodeBase32(bytes);
        expect(text).toHaveLength(Math.ceil((bytes.length * 8) / 5));
        const number = bytes.reduce((most, byte) => most * 256n + BigInt(byte), 0n);
        expect(decodeNumber(text)).toBe(number << BigInt(text.length * 5 - bytes.length * 8));
      }),
    );
  });

  test('a 32-bit number has seven characters', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (value) => {
        const text = encodeBase32Uint32(value);
        expect(text).toHaveLength(7);
        expect(decodeNumber(text)).toBe(BigInt(value));
      }),
    );
    expect(encodeBase32Uint32(0xffff_ffff)).toBe('3zzzzzz');
  });

  test('the character class is the alphabet', () => {
    const inClass = new RegExp(`[${BASE32_CLASS}]`);
    const matched = Array.from({ length: 0x500 }, (_, code) => String.fromCharCode(code)).filter((c) =>
      inClass.test(c),
    );
    expect(matched.join('')).toBe(ALPHABET);
  });
});
