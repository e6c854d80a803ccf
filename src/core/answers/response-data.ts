/** The result of a use case: the `data` of the response as JSON text in UTF-8, ready to send. */

import { type ByteSink, type ByteString, decodeUtf8, TextSink } from '../snapshot/byte-string.js';

/** Text with a long slice of the snapshot in its middle, which is sent without a copy: never keep or change it. */
interface TextAroundSlice {
  readonly before: ByteString;
  readonly slice: Buffer;
  readonly after: ByteString;
}

/** Writes the data to an output: a bulk request collects its answers in one Buffer, without a string of each. */
export type DataWriter = (out: ByteSink) => void;

export type ResponseBody = ByteString | TextAroundSlice;

export type ResponseData = ResponseBody | DataWriter;

/**
 * Maximum length in bytes of a slice that is copied into the text: up to here one string is sent faster than three
 * parts.
 */
const MAX_COPIED_BYTES = 8_192;

/** Joins two texts and the slice, or another text, between them. */
export function joinResponse(before: ByteString, slice: Buffer | ByteString, after: ByteString): ResponseBody {
  if (typeof slice === 'string') return before + slice + after;
  if (slice.length > MAX_COPIED_BYTES) return { before, slice, after };
  return before + slice.toString('latin1') + after;
}

/** The body that has the data between two texts. */
export function bodyAround(before: ByteString, data: ResponseData, after: ByteString): ResponseBody {
  if (typeof data === 'object') return { before: before + data.before, slice: data.slice, after: data.after + after };
  return before + responseText(data) + after;
}

/** The length of a body in bytes. */
export function byteLengthOf(body: ResponseBody): number {
  return typeof body === 'string' ? body.length : body.before.length + body.slice.length + body.after.length;
}

/** Adds the data. */
export function addData(out: ByteSink, data: ResponseData): void {
  if (typeof data === 'function') {
    data(out);
  } else if (typeof data === 'string') {
    out.add(data);
  } else {
    out.add(data.before);
    out.addBytes(data.slice, 0, data.slice.length, data.slice.length);
    out.add(data.after);
  }
}

/** The text of the data, for a caller that parses it instead of sending it. */
export function readResponseData(data: ResponseData): string {
  return decodeUtf8(responseText(data));
}

/** The data in one string. */
export function responseText(data: ResponseData): ByteString {
  if (typeof data === 'string') return data;
  const out = new TextSink();
  addData(out, data);
  return out.text;
}
