/**
 * The clear API key, the text that a client sends in `x-api-key`. It carries 160 random bits and a checksum, so that
 * a mistyped key is refused without asking the store: every change within four neighbouring characters is noticed,
 * any other with a probability of 1 - 2^-32. A clear key is never stored; what is stored is its SHA-256 digest, which
 * needs no salt and no stretching because 160 random bits can't be guessed. Recognising a well-formed key costs about
 * 0.3 µs, its digest as much again, and a text of another length next to nothing.
 *
 *     character  0   3                                35      42
 *                ├───┼────────────────────────────────┼───────┤
 *                │pp_│ body: 160 random bits          │ check │
 *                └───┴────────────────────────────────┴───────┘
 *     body       32 characters of lower-case Crockford base32, five bits each
 *     check      CRC-32 of characters 0 to 34 (prefix and body), as seven characters of the same alphabet
 *
 * A publishable key, which may stand in the source of a web page, begins with `pp_pub_` in place of `pp_`, and the
 * checksum covers that prefix too, so that neither kind of key can pass for the other.
 *
 * Example: the bytes 00 01 02 … 13 (hexadecimal) make the body `000g40r40m30e209185gr38e1w8124gk`, the CRC-32 of
 * prefix and body is 0x3cc9f467, and the key is `pp_000g40r40m30e209185gr38e1w8124gk0yckx37`.
 */

import { strict as assert } from 'node:assert';
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE32_CLASS, encodeBase32, encodeBase32Uint32 } from './base32.js';

const PREFIX = 'pp_';
const PUBLISHABLE_PREFIX = 'pp_pub_';
const RANDOM_BYTES = 20;
const BODY_LENGTH = (RANDOM_BYTES * 8) / 5;
const CHECK_LENGTH = 7;
const KEY_ALPHABET = new RegExp(`^[${BASE32_CLASS}]+$`);

/** A new clear key from the operating system's random source. */
export function createApiKey(isPublishable = false): string {
  return encodeApiKey(randomBytes(RANDOM_BYTES), isPublishable);
}

/** The clear key that carries exactly these 20 bytes. */
export function encodeApiKey(bytes: Uint8Array, isPublishable = false): string {
  assert.equal(bytes.length, RANDOM_BYTES);
  const start = (isPublishable ? PUBLISHABLE_PREFIX : PREFIX) + encodeBase32(bytes);
  return start + encodeCheck(start);
}

/** Whether the text can be a key at all: length, prefix, alphabet, checksum, the cheapest check first. */
export function isWellFormedApiKey(text: string): boolean {
  const { length } = isPublishableKey(text) ? PUBLISHABLE_PREFIX : PREFIX;
  return (
    text.length === length + BODY_LENGTH + CHECK_LENGTH &&
    text.startsWith(PREFIX) &&
    KEY_ALPHABET.test(text.slice(length)) &&
    text.endsWith(encodeCheck(text.slice(0, length + BODY_LENGTH)))
  );
}

/** Whether the text, if it is a key at all, is a publishable key. */
export function isPublishableKey(text: string): boolean {
  return text.startsWith(PUBLISHABLE_PREFIX);
}

/** Whether somebody who reads the text may know a secret key, whole or in part. */
export function isLikeSecretKey(text: string): boolean {
  return text.startsWith(PREFIX) && !isPublishableKey(text);
}

/** SHA-256 of the text as 64 lower-case hexadecimal digits, what `printf %s "$KEY" | sha256sum` prints. */
export function digestApiKey(text: string): string {
  return hash('sha256', text, 'hex');
}

function encodeCheck(start: string): string {
  return encodeBase32Uint32(crc32(start));
}
