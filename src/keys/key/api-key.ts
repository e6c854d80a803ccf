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

/*
 * Bytes as lower-case Crockford base32: five bits for each character, most significant first, and no i, l, o or u,
 * so that a text read aloud or copied by hand has no two characters that look alike. Bits left over at the end are
 * filled with zeros. It only encodes: nothing here needs the bytes back.
 *
 *     bytes   ff 00          11111111 00000000
 *     groups  11111 11100 00000 0(0000)
 *     text    z     w     0     0
 */

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** The alphabet as the inside of a regular expression's character class. */
export const BASE32_CLASS = '0-9a-hjkmnp-tv-z';

/** Encodes bytes; the text has ⌈8 × length ÷ 5⌉ characters. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let pendingBits = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    pendingBits += 8;
    while (pendingBits >= 5) {
      pendingBits -= 5;
      text += ALPHABET.charAt((pending >>> pendingBits) & 31);
    }
  }
  return pendingBits === 0 ? text : text + ALPHABET.charAt((pending << (5 - pendingBits)) & 31);
}

/** Encodes an unsigned 32-bit number as seven characters; the first is 0, 1, 2 or 3. */
export function encodeBase32Uint32(value: number): string {
  let text = '';
  for (let shift = 30; shift >= 0; shift -= 5) text += ALPHABET.charAt((value >>> shift) & 31);
  return text;
}

const PREFIX = 'pp_';
const PUBLISHABLE_PREFIX = 'pp_pub_';
const RANDOM_BYTES = 20;
const BODY_LENGTH = (RANDOM_BYTES * 8) / 5;
const CHECK_LENGTH = 7;
/** Includes truncated, mistyped and upper-case keys: a log must not help to guess the rest. */
const KEY_LIKE = /pp_(?:pub_)?[\da-z]{8,}/gi;
/** In a URL: anything that may be the random part, with or without a prefix, even percent-encoded. */
const SECRET_LIKE =
  /(?<!%[\da-f]?)(?=(?:[a-z]|%[46]\w|%[57][\da]){0,40}(?:\d|%3\d))(?:[\da-z]|%3\d|%[46]\w|%[57][\da]){16,}/gi;
/** A part of a URL: a path segment, or a name or value of the query. */
const URL_PART = /[^/?&=#]+/g;
/** A byte, percent-encoded once or again and again. */
const ENCODED_BYTE = /%(?:25)*([\da-f]{2})/gi;
const PLACE_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** With fewer characters of a key, 45 bits and more are left to guess. */
const TELLING_CHARACTERS = 24;
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

/** The text with everything in it that looks like a key blotted out, for logs. */
export function redactApiKeys(text: string): string {
  return text.replaceAll(KEY_LIKE, `${PREFIX}…`);
}

/** The same for URLs, in which a key may be encoded, cut, mistyped or written in groups. Ids of places stay. */
export function redactUrl(url: string): string {
  return redactApiKeys(url)
    .replaceAll(SECRET_LIKE, '…')
    .replaceAll(URL_PART, (part) => (tellsKey(part) ? '…' : part));
}

/** Whether a key could be read from the part, even with separators between its characters. */
function tellsKey(part: string): boolean {
  const text = part.replaceAll(ENCODED_BYTE, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  const characters = text.replaceAll(/[^\da-z]/gi, '');
  return characters.length >= TELLING_CHARACTERS && /\d/.test(characters) && !PLACE_ID.test(text);
}

function encodeCheck(start: string): string {
  return encodeBase32Uint32(crc32(start));
}
