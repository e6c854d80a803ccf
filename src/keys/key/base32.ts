/**
 * Bytes as lower-case Crockford base32: five bits for each character, most significant first, and no i, l, o or u, so
 * that a text read aloud or copied by hand has no two characters that look alike. Bits left over at the end are filled
 * with zeros. It only encodes: nothing here needs the bytes back.
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
