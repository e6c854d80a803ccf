/**
 * UTF-8 in a string with one character for each byte, which Web IDL calls a ByteString and Node "latin1". All text of a
 * snapshot that is sent unchanged has this form: its length is its length on the wire, texts are joined by `+`, and
 * Node sends one string, head and body together, in less time than it takes to create a few views. Decode it before
 * parsing.
 */
export type ByteString = string;

/**
 * The bytes from `start` up to but not including `end`, at most `most` bytes, and none outside of `bytes`. Empty if the
 * end is before the start.
 */
export function readBytes(bytes: Buffer, start: number, end: number, most: number): ByteString {
  return bytes.toString('latin1', start, Math.min(end, start + most));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

/** The UTF-8 of a text. ASCII, which most texts are, is its own ByteString: no Buffer is needed. */
export function encodeUtf8(text: string): ByteString {
  if (ASCII.test(text)) return text;
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Matches text that JSON writes as it is. */
const NEEDS_NO_ESCAPE = /^[\w -]*$/;

/** The text as a JSON string. Most postal codes need no escape, and so no JSON.stringify. */
export function quoteJson(text: string): ByteString {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : encodeUtf8(JSON.stringify(text));
}

/** The bytes in an array. For short texts this takes a fraction of the time of Buffer.from. */
export function bytesOf(text: ByteString): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export function decodeUtf8(bytes: ByteString): string {
  if (ASCII.test(bytes)) return bytes;
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
