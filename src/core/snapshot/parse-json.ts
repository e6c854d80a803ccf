/**
 * Parses JSON that a snapshot has, or that an answer is made of. The SyntaxError of JSON.parse quotes the text, so bytes of
 * a damaged file would come into logs and onto terminals; this error quotes none.
 */

import { type ByteString, decodeUtf8 } from './byte-string.js';
import { structureError } from './snapshot-error.js';

/** Throws SnapshotError STRUCTURE_INVALID for what is no JSON, as in a damaged file. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw error instanceof SyntaxError ? structureError('a text of the snapshot', 'JSON', 'other characters') : error;
  }
}

/** The value of a JSON string, usually without escapes. */
export function parseJsonString(json: ByteString): string {
  const text = decodeUtf8(json);
  return text.includes('\\') ? (parseJson(text) as string) : text.slice(1, -1);
}
