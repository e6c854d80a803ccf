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

export function encodeUtf8(text: string): ByteString {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function decodeUtf8(bytes: ByteString): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
