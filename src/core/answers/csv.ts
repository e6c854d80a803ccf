/** CSV (RFC 4180): a line of values that are JSON, and the data of a use case as a table. */

import { STARTS_AS_FORMULA } from '../../base/escape-text.js';
import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import { parseJsonString } from '../snapshot/parse-json.js';
import type { ResponseData } from './response-data.js';
import { type PageCounts, type Row, rowsOf } from './response-rows.js';

/** A JSON string without escapes that stays as it is in CSV. 0xef begins the full-width signs of formulas. */
const PLAIN = /^"[^=+\-@\xef",\\][^",\\]*"$/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * A line of CSV (RFC 4180) without its end, of values as JSON. Null is an empty cell. A text that a
 * spreadsheet would run as a formula gets an apostrophe before it, unless `isRaw`.
 */
export function csvLine(values: readonly ByteString[], isRaw = false): ByteString {
  const cells: ByteString[] = [];
  for (const value of values) cells.push(csvCell(value, isRaw));
  return cells.join();
}

function csvCell(json: ByteString, isRaw: boolean): ByteString {
  if (PLAIN.test(json)) return json.slice(1, -1);
  if (!json.startsWith('"')) return json === 'null' ? '' : json;
  const text = parseJsonString(json);
  const cell = encodeUtf8(!isRaw && STARTS_AS_FORMULA.test(text) ? `'${text}` : text);
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * A list as CSV (RFC 4180) with a line of names; `a.b` is the column of the field b of the object a. With the counts of
 * the page if the list is one.
 */
export function csvOf(
  data: ResponseData,
  columns: readonly string[],
): { readonly text: ByteString; readonly page: PageCounts | undefined } {
  const { rows, members = {} } = rowsOf(data);
  const paths = columns.map((column) => column.split('.'));
  const cellOf = (row: Row, path: readonly string[]): ByteString =>
    JSON.stringify(path.reduce<unknown>((value, name) => (value as Row | undefined)?.[name], row) ?? null);
  const lines = rows.map((row) => csvLine(paths.map((path) => cellOf(row, path))));
  const text = [columns.join(), ...lines, ''].join('\r\n');
  return { text, page: 'totalCount' in members ? (members as unknown as PageCounts) : undefined };
}
