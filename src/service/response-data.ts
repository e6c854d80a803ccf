/** The result of a use case: the `data` of the response as JSON text in UTF-8, ready to send. */
import { type ByteString, decodeUtf8 } from '../store/byte-string.js';

/** Text with a long slice of the snapshot in its middle, which is sent without a copy: never keep or change it. */
interface TextAroundSlice {
  readonly before: ByteString;
  readonly slice: Buffer;
  readonly after: ByteString;
}

export type ResponseData = ByteString | TextAroundSlice;

/**
 * Maximum length in bytes of a slice that is copied into the text: up to here one string is sent faster than three
 * parts.
 */
const MAX_COPIED_BYTES = 8_192;

/** Joins two texts and the slice between them. */
export function concatenate(before: ByteString, slice: Buffer, after: ByteString): ResponseData {
  if (slice.length > MAX_COPIED_BYTES) return { before, slice, after };
  return before + slice.toString('latin1') + after;
}

/** The length of the data in bytes. */
export function byteLengthOf(data: ResponseData): number {
  return typeof data === 'string' ? data.length : data.before.length + data.slice.length + data.after.length;
}

/** The data as one text, with a copy of its slice. */
export function joinResponseData(data: ResponseData): ByteString {
  return typeof data === 'string' ? data : data.before + data.slice.toString('latin1') + data.after;
}

/** The text of the data, for a caller that parses it instead of sending it. */
export function readResponseData(data: ResponseData): string {
  if (typeof data === 'string') return decodeUtf8(data);
  const { before, slice, after } = data;
  return decodeUtf8(before) + slice.toString('utf8') + decodeUtf8(after);
}
