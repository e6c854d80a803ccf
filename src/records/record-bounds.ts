/** Checks the kind, id, names, value and end of a record against the bounds in record-store.ts. */

import { UNPRINTABLE } from '../unprintable.js';
import { RecordError } from './record-store.js';

const KIND_FORM = /^[a-z][a-z0-9-]{0,31}$/;
const LABEL_BYTES_LIMIT = 512;
const NAMES_LIMIT = 8;
const VALUE_BYTES_LIMIT = 65_536;
/** The last instant that Date knows. */
const LAST_INSTANT_MS = 8.64e15;

/** Whether the value can be an id or a name. */
export function isLabel(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    // A character has at least one byte: a far too long text is not scanned.
    value.length <= LABEL_BYTES_LIMIT &&
    Buffer.byteLength(value) <= LABEL_BYTES_LIMIT &&
    !UNPRINTABLE.test(value)
  );
}

/** Whether the value can be the end of a record. */
export function isEnd(value: unknown): value is number | null {
  return value === null || (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LAST_INSTANT_MS);
}

/** Throws RecordError. */
export function checkKind(kind: string): void {
  if (KIND_FORM.test(kind)) return;
  throw invalid('the kind of a record must be 1 to 32 characters of a-z, 0-9 and "-", the first a letter');
}

/** Checks an id or a name; `what` is its name in the message. Throws RecordError. */
export function checkLabel(what: 'id' | 'name', label: string): void {
  if (isLabel(label)) return;
  throw invalid(`the ${what} of a record must be 1 to ${LABEL_BYTES_LIMIT} bytes without control characters`);
}

/** Throws RecordError. */
export function checkNames(names: readonly string[]): void {
  if (names.length > NAMES_LIMIT) throw invalid(`a record has at most ${NAMES_LIMIT} names`);
  for (const name of names) checkLabel('name', name);
  if (new Set(names).size < names.length) throw invalid('a record has each of its names once');
}

/** Throws RecordError. */
export function checkEnd(expiresMs: number | null): void {
  if (!isEnd(expiresMs))
    throw invalid('the end of a record must be a whole number of milliseconds since 1970, or null');
}

/** The value as JSON. Throws RecordError. */
export function encodeValue(value: object): string {
  const text = stringify(value);
  // An array, or an object with toJSON such as a date, need not become a JSON object.
  if (text?.[0] !== '{') throw invalid('the value of a record must be an object that JSON can hold');
  if (Buffer.byteLength(text) > VALUE_BYTES_LIMIT) {
    throw invalid(`the value of a record must be at most ${VALUE_BYTES_LIMIT} bytes of JSON`);
  }
  return text;
}

/** JSON.stringify throws on cycles, bigints and too deep nesting. */
function stringify(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

export function invalid(message: string): RecordError {
  return new RecordError('RECORD_INVALID', message);
}
