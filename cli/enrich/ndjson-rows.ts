/**
 * Reads the rows of NDJSON: one object on each line. Fields are added behind the last field of the object, whose text
 * stays as it is. A row is bad if it is no JSON object, has no field, or has a field called as one that is added.
 */

import { type ByteString, decodeUtf8, encodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { type RowReader, readRowLines, splitLine, type TableRow } from './table-rows.js';

type JsonRow = Readonly<Record<string, unknown>>;

/** `columns` are the names of the key fields, `added` those of the fields that `renderAdded` gets values of. */
export function createNdjsonReader(columns: readonly string[], added: readonly string[]): RowReader {
  const toRow = (line: ByteString): TableRow => {
    const { content, lineBreak } = splitLine(line);
    const row = parseRow(content);
    if (row === undefined || added.some((name) => Object.hasOwn(row, name))) {
      return { head: content, tail: lineBreak, keys: undefined, lineCount: 1 };
    }
    const brace = content.lastIndexOf('}');
    const keys = columns.map((name) => keyOf(row, name));
    return { head: content.slice(0, brace), tail: content.slice(brace) + lineBreak, keys, lineCount: 1 };
  };
  const keysJson = added.map((name) => JSON.stringify(name));
  return {
    *read(text, isLast): Generator<TableRow> {
      for (const line of readRowLines(text, isLast)) yield toRow(line);
    },
    renderAdded: (values) =>
      encodeUtf8(values.map((value, index) => `,${keysJson[index]}:${JSON.stringify(value)}`).join('')),
  };
}

/** The object of a line; undefined for anything else, and for an object without fields. */
export function parseRow(line: ByteString): JsonRow | undefined {
  try {
    const value: unknown = JSON.parse(decodeUtf8(line));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.keys(value).length === 0 ? undefined : (value as JsonRow);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The value of a key field as text; empty unless it is a text or a number. */
function keyOf(row: JsonRow, name: string): ByteString {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? encodeUtf8(String(value)) : '';
}
