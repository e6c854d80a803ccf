/** Base32 against a decoder written another way: as one big number. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BASE32_CLASS, encodeBase32, encodeBase32Uint32 } from '../../../src/keys/key/base32.js';

fc.configureGlobal({ seed: 20240229 });

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
  const matched = Array.from({ length: 0x500 }, (_, code) => String.fromCharCode(code)).filter((c) => inClass.test(c));
  expect(matched.join('')).toBe(ALPHABET);
});
