/**
 * What the readers of tables have in common. A table is handled as a ByteString, one character for each byte, so every
 * byte that is not added reaches the output as it was. A reader takes a piece of the table and returns its whole rows;
 * what is left over comes again with the next piece.
 */

import type { ByteString } from '../../src/core/snapshot/byte-string.js';

export interface TableRow {
  /** The text of the row up to where cells are added. */
  readonly head: ByteString;
  /** The rest of the row, with its line break. */
  readonly tail: ByteString;
  /** The cells of the key columns, in their order; undefined for a bad row, which stays as it is. */
  readonly keys: readonly ByteString[] | undefined;
  readonly lineCount: number;
  /** Of a bad row with a quote that is not closed, the lines before that of the quote; undefined otherwise. */
  readonly openQuote?: number | undefined;
}

export interface RowReader {
  /** The rows that the text has whole, one after the other. `isLast`: nothing follows the text. */
  read(text: ByteString, isLast: boolean): Iterable<TableRow>;
  /** The text to add to rows: cells with these values. Null stands for nothing. */
  renderAdded(values: readonly (string | number | null)[]): ByteString;
}

/** Maximum length of a line in bytes. A longer line belongs to no table, and ends the run. */
export const MAX_LINE_BYTES = 16 << 20;

/** Whether a row is a blank line, which stays as it is and is not counted. */
export function isBlankRow({ head }: TableRow): boolean {
  return head.trim() === '';
}

/** A line without its line break, and the line break, which the last line may lack. */
export function splitLine(line: ByteString): { content: ByteString; lineBreak: ByteString } {
  const end = line.length - (line.endsWith('\r\n') ? 2 : line.endsWith('\n') ? 1 : 0);
  return { content: line.slice(0, end), lineBreak: line.slice(end) };
}

/** The position behind the line that starts at `start`: behind its line break, or the end of the text. */
export function lineEnd(text: ByteString, start: number): number {
  const at = text.indexOf('\n', start);
  return at === -1 ? text.length : at + 1;
}

/** The whole lines of a text. */
export function* readRowLines(text: ByteString, isLast: boolean): Generator<ByteString> {
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at);
    if (end === text.length && !text.endsWith('\n') && !isLast) return;
    yield text.slice(at, end);
    at = end;
  }
}

/** Number of line breaks. */
export function countLines(text: ByteString): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
