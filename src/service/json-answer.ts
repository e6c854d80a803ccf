/** What a use case answers: `data` as JSON text in UTF-8, ready to be sent. */
import { type ByteString, decodeUtf8 } from '../store/byte-string.js';

/** Text around a long slice of the snapshot, which is sent from where it lies: never keep or change it. */
interface AroundSlice {
  readonly before: ByteString;
  readonly slice: Buffer;
  readonly after: ByteString;
}

export type JsonAnswer = ByteString | AroundSlice;

/** Up to here a slice is copied into the text: one string is sent for less than three pieces. */
const LONGEST_COPIED = 8_192;

/** Text around a slice, which may be short. */
export function around(before: ByteString, slice: Buffer, after: ByteString): JsonAnswer {
  if (slice.length > LONGEST_COPIED) return { before, slice, after };
  return before + slice.toString('latin1') + after;
}

/** The length of an answer in bytes. */
export function lengthOf(answer: JsonAnswer): number {
  return typeof answer === 'string' ? answer.length : answer.before.length + answer.slice.length + answer.after.length;
}

/** The text of an answer, for a caller that reads it instead of sending it. */
export function readAnswer(answer: JsonAnswer): string {
  if (typeof answer === 'string') return decodeUtf8(answer);
  const { before, slice, after } = answer;
  return decodeUtf8(before) + slice.toString('utf8') + decodeUtf8(after);
}
