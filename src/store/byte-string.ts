/**
 * UTF-8 in a string, one character for each byte, which Web IDL calls a ByteString and node "latin1". So is all text of a
 * snapshot that goes out as it is: its length is that on the wire, texts are joined by `+`, and node sends one string, head
 * and body together, for less than it takes to cut a few views. To be read by a program it has to be decoded first.
 */
export type ByteString = string;

/**
 * The bytes from `start` to, without, `end`, but no more than `most` of them and none outside of `bytes`. Empty where the
 * end is before the start.
 */
export function readBytes(bytes: Buffer, start: number, end: number, most: number): ByteString {
  return bytes.toString('latin1', start, Math.min(end, start + most));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

/** Most texts are ASCII, and are bytes already: a Buffer for each would cost several times as much. */
export function encodeUtf8(text: string): ByteString {
  if (ASCII.test(text)) return text;
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The bytes themselves. A Buffer of a few costs several times as much as they do. */
export function bytesOf(text: ByteString): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export function decodeUtf8(bytes: ByteString): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
