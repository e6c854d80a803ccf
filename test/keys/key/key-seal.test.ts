/** Sealed keys: they open under their secret and id, and nothing else opens. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createApiKey } from '../../../src/keys/key/api-key.js';
import { KeyError } from '../../../src/keys/key/key-error.js';
import { createKeySeal } from '../../../src/keys/key/key-seal.js';

fc.configureGlobal({ seed: 20240229 });

const SECRET = 'a secret of at least 32 characters';
const KEY = 'pp_000g40r40m30e209185gr38e1w8124gk0yckx37';
const ID = 'key_0123456789ab';
const seal = createKeySeal(SECRET);

test('what was sealed opens, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string(), (text, id) => {
      expect(seal.open(seal.seal(text, id), id)).toBe(text);
    }),
  );
});

test('what an earlier release sealed still opens', () => {
  const sealed = 'v1.y7l2ocGBKbCpyQvzx5WXuzUhxbhq6gIblEOZ2otahIgiVt91F2HQCYX0K2Ny8OSaEqefd32wwKAHOUbGUog5NJqC_fiPug';
  expect(seal.open(sealed, ID)).toBe(KEY);
});

test('it is a text of one line in which nothing of the key can be read, and another each time', () => {
  const texts = Array.from({ length: 100 }, () => seal.seal(KEY, ID));
  expect(new Set(texts).size).toBe(100);
  for (const text of texts) {
    expect(text).toMatch(/^v1\.[\w-]{94}$/);
    expect(Buffer.from(text.slice(3), 'base64url').toString('latin1')).not.toContain(KEY.slice(0, 6));
  }
});

test('another secret, another id: it does not open, and the error tells neither key nor secret', () => {
  const sealed = seal.seal(KEY, ID);
  const other = createKeySeal(`${SECRET}!`);
  for (const attempt of [() => other.open(sealed, ID), () => seal.open(sealed, 'key_0123456789ac')]) {
    expect(attempt).toThrow(KeyError);
    expect(attempt).toThrow(/^the sealed key of key_0123456789a[bc] does not open under this KEY_SECRET$/);
  }
});

test('a change of any bit is noticed', () => {
  const sealed = seal.seal(KEY, ID);
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  expect(bytes).toHaveLength(70);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(() => seal.open(`v1.${changed.toString('base64url')}`, ID)).toThrow(KeyError);
  }
});

test('a text cut short, of another version or of another form does not open', () => {
  const sealed = seal.seal(createApiKey(), ID);
  for (let length = 0; length < sealed.length - 1; length++) {
    expect(() => seal.open(sealed.slice(0, length), ID)).toThrow(KeyError);
  }
  for (const text of [sealed.replace('v1.', 'v2.'), sealed.slice(3), `x${sealed}`, 'v1.', `v1.${'é'.repeat(94)}`]) {
    expect(() => seal.open(text, ID)).toThrow(KeyError);
  }
});
