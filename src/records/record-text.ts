/**
 * A record as the text that both stores keep of it:
 *
 *     <version, 32 hexadecimal digits>[<names>,<expiresMs>,<value>]
 *
 *     7f3a0c5e91d24b68a0f1c2d3e4b59687[["ada@example.org"],null,{"plan":"free"}]
 *     └──────────────────── the head ─────────────────────┘
 *
 * JSON without spaces follows the version. The head ends after the names. A record is unchanged since it was read if
 * its head is equal byte for byte, which a script in Redis can compare too. The head contains the names as well as the
 * version, so the names that a writer frees are certainly the names of the record.
 */

import { randomBytes } from 'node:crypto';
import { isEnd, isLabel } from './record-bounds.js';
import type { RecordAddress, RecordContent, StoredRecord } from './record-store.js';

const VERSION_BYTES = 16;
/** Number of characters before the JSON. */
export const VERSION_LENGTH = 2 * VERSION_BYTES;
const VERSION_FORM = new RegExp(`^[0-9a-f]{${VERSION_LENGTH}}$`);

export function createVersion(): string {
  return randomBytes(VERSION_BYTES).toString('hex');
}

/** `value` is JSON text already. */
export function encodeRecord(version: string, { names, expiresMs }: RecordContent, value: string): string {
  return `${headOf({ version, names })}${expiresMs},${value}]`;
}

/** The start of the record's text while the record is unchanged. */
export function headOf({ version, names }: Pick<StoredRecord, 'version' | 'names'>): string {
  return `${version}[${JSON.stringify(names)},`;
}

/** The record with this text, or undefined if the text is not a record. */
export function decodeRecord({ kind, id }: RecordAddress, text: string): StoredRecord | undefined {
  const version = text.slice(0, VERSION_LENGTH);
  const content = parseJson(text.slice(VERSION_LENGTH));
  if (!VERSION_FORM.test(version) || !Array.isArray(content) || content.length !== 3) return undefined;
  const [names, expiresMs, value] = content;
  const isSound = Array.isArray(names) && names.every(isLabel) && isEnd(expiresMs) && isObject(value);
  return isSound ? { kind, id, version, names, expiresMs, value } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
