/**
 * Place ids: UUIDs of version 5 (RFC 9562, 5.5), SHA-1 of what identifies a place and never of where it lies in the
 * file, so that an id survives the next release. build-index/tree/place-ids.ts says
 * what that is for each kind of place.
 *
 * In the snapshot an id is its 16 bytes in the order of its text. Text is 36 lower-case characters.
 */
import { hash } from 'node:crypto';

export const ID_BYTES = 16;
export const ID_TEXT_LENGTH = 36;

/**
 * This project's own UUID namespace, 706f7374-616c-4ac3-a970-6c616365732e, as the text that has those bytes in UTF-8: so
 * a name can be hashed as text behind it, at twice the speed. Changing it changes every id there is.
 */
const NAMESPACE = 'postalJ\u00e9places.';

const HEX_DIGITS = '0123456789abcdef';
const VARIANT_DIGITS = '89ab';
const HYPHEN_BEFORE = new Set([4, 6, 8, 10]);

/** The id of what `identity` identifies, as 32 hexadecimal digits: version 5 and the variant put into its SHA-1. */
export function createPlaceIdHex(identity: string): string {
  const digest = hash('sha1', NAMESPACE + identity, 'hex');
  const variant = VARIANT_DIGITS[HEX_DIGITS.indexOf(digest[16] as string) & 3] as string;
  return `${digest.slice(0, 12)}5${digest.slice(13, 16)}${variant}${digest.slice(17, 32)}`;
}

/** 32 hexadecimal digits with the four hyphens of a UUID. */
export function formatPlaceId(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The text of the id at `offset` of `bytes`. */
export function decodePlaceId(bytes: Uint8Array, offset: number): string {
  let text = '';
  for (let index = 0; index < ID_BYTES; index++) {
    const byte = bytes[offset + index] as number;
    if (HYPHEN_BEFORE.has(index)) text += '-';
    text += (HEX_DIGITS[byte >> 4] as string) + (HEX_DIGITS[byte & 15] as string);
  }
  return text;
}

/** The 16 bytes of a UUID in text; undefined when it is none. */
export function parsePlaceId(text: string): Uint8Array | undefined {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return undefined;
  return Buffer.from(text.replaceAll('-', ''), 'hex');
}
