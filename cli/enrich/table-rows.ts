/**
 * Reads the rows of CSV and TSV. Cells may be quoted and hold line breaks; a row is bad if it has another number of cells
 * than the header, or a quote that is not closed as it should be. A quote within a cell, or text behind a closing quote
 * on the same line, is text. After a bad row reading goes on with the next line, so rows are the same however the table
 * comes in pieces. csv-parse does not tell where a row ends, nor goes on after a fault; the tests compare with it.
 */

import { stringify } from 'csv-stringify/sync';
import { STARTS_AS_FORMULA } from '../../src/base/escape-text.js';
import { type ByteString, decodeUtf8, encodeUtf8 } from '../../src/core/snapshot/byte-string.js';

/*
 * What the readers of tables have in common. A table is handled as a ByteString, one character for each byte, so every
 * byte that is not added reaches the output as it was. A reader takes a piece of the table and returns its whole rows;
 * what is left over comes again with the next piece.
 */

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

/** Maximum length of a row with line breaks in bytes: a quote that is not closed within it makes its line a bad row. */
const MAX_QUOTED_BYTES = 1 << 20;

/** Maximum length of a line in bytes. A longer line is none of a table, and ends the program. */
export const MAX_LINE_BYTES = 16 << 20;

/** A line that is to stay as it is, without a word about it. */
export function isBlank({ head }: TableRow): boolean {
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
export function* readLines(text: ByteString, isLast: boolean): Generator<ByteString> {
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at);
    if (end === text.length && !text.endsWith('\n') && !isLast) return;
    yield text.slice(at, end);
    at = end;
  }
}

export interface CsvDialect {
  readonly delimiter: string;
  /** Whether cells are quoted that need no quotes. */
  readonly isQuoted: boolean;
  /** Whether added texts stay as they are that a spreadsheet would run as a formula. */
  readonly isRaw?: boolean | undefined;
}

/** A row before its key columns are known. */
interface CsvRow {
  readonly text: ByteString;
  /** Number of cells. */
  readonly width: number;
  /** By column, the cells that are asked for. */
  readonly cells: readonly ByteString[];
  readonly lineCount: number;
  readonly openQuote: number | undefined;
}

/** A reader of rows with `width` cells, of which those at the positions `columns` are the keys. */
export function createCsvReader(dialect: CsvDialect, width: number, columns: readonly number[]): RowReader {
  const { delimiter, isQuoted, isRaw } = dialect;
  const keyColumns = new Set(columns);
  return {
    *read(text, isLast): Generator<TableRow> {
      for (const { text: row, cells, ...rest } of readCsv(text, delimiter, isLast, keyColumns)) {
        const { content, lineBreak } = splitLine(row);
        const isBad = rest.width !== width || rest.openQuote !== undefined;
        const keys = isBad ? undefined : columns.map((column) => cells[column] as ByteString);
        yield { head: content, tail: lineBreak, keys, lineCount: rest.lineCount, openQuote: rest.openQuote };
      }
    },
    renderAdded(values) {
      const cells = values.map((value) =>
        typeof value === 'string' && !isRaw && STARTS_AS_FORMULA.test(value) ? `'${value}` : String(value ?? ''),
      );
      return encodeUtf8(delimiter + stringify([cells], { delimiter, quoted: isQuoted, eof: false }));
    },
  };
}

/**
 * The whole rows of a text, those that are bad included; what the last row may still go on with is left over. `columns`
 * are the cells to give; undefined for all.
 */
export function* readCsv(
  text: ByteString,
  delimiter: string,
  isLast: boolean,
  columns?: ReadonlySet<number>,
): Generator<CsvRow> {
  const scanner = new RowScanner(text, delimiter, isLast, columns);
  for (let start = 0; start < text.length; ) {
    const row = scanner.read(start);
    if (row === undefined) return;
    yield row;
    start += row.text.length;
  }
}

/** Reads one row of a text. */
class RowScanner {
  constructor(
    private readonly text: ByteString,
    private readonly delimiter: string,
    private readonly isLast: boolean,
    private readonly columns: ReadonlySet<number> | undefined,
  ) {}

  /** The row that starts there; undefined where the text ends before the row does. */
  read(start: number): CsvRow | undefined {
    const { text, columns } = this;
    const firstEnd = this.#lineEndAfter(start);
    let end = firstEnd;
    const cells: ByteString[] = [];
    for (let at = start, column = 0; end !== undefined; column++) {
      const quoted = text[at] === '"' ? this.#quotedCell(start, at, end) : undefined;
      if (quoted === 'open') return this.#openRow(start, firstEnd as number, at);
      if (quoted === 'unknown') return undefined;
      if (quoted !== undefined) end = quoted.lineEnd;
      const isPlain = quoted === undefined || !this.#endsCell(quoted.end, end);
      const cellEnd = isPlain ? this.#plainEnd(quoted?.end ?? at, end) : quoted.end;
      if (columns?.has(column) !== false) {
        cells[column] = isPlain ? text.slice(at, cellEnd) : text.slice(at + 1, cellEnd - 1).replaceAll('""', '"');
      }
      at = cellEnd + 1;
      if (text[cellEnd] === this.delimiter) continue;
      const row = text.slice(start, end);
      return {
        text: row,
        width: column + 1,
        cells,
        lineCount: end === firstEnd ? 1 : countLines(row),
        openQuote: undefined,
      };
    }
    return undefined;
  }

  /**
   * The position behind the quote that closes the one at `at`, on the line that ends at `end` or on a later one, and the
   * end of that line. `open`: it is not closed as it should be; `unknown`: what follows the text may close it.
   */
  #quotedCell(start: number, at: number, end: number): { end: number; lineEnd: number } | 'open' | 'unknown' {
    const { text } = this;
    let close = text.indexOf('"', at + 1);
    while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
    if (close !== -1 && close < end) return { end: close + 1, lineEnd: end };
    const isFar = (close === -1 ? text.length : close) - start > MAX_QUOTED_BYTES;
    if (isFar || (close === -1 && this.isLast)) return 'open';
    const lineEnd = close === -1 ? undefined : this.#lineEndAfter(close);
    if (lineEnd === undefined) return 'unknown';
    // Text behind a quote on a later line says that another quote is meant to close this one.
    return this.#endsCell(close + 1, lineEnd) ? { end: close + 1, lineEnd } : 'open';
  }

  /** The line at the start of a row with a quote that is not closed. */
  #openRow(start: number, end: number, quoteAt: number): CsvRow {
    const text = this.text.slice(start, end);
    return { text, width: 0, cells: [], lineCount: 1, openQuote: countLines(this.text.slice(start, quoteAt)) };
  }

  /** The position behind the line with this position; undefined where the line may go on in the next piece. */
  #lineEndAfter(position: number): number | undefined {
    const lineBreak = this.text.indexOf('\n', position);
    if (lineBreak !== -1) return lineBreak + 1;
    return this.isLast ? this.text.length : undefined;
  }

  /** Whether a cell of the line that ends at `end` may end here: before a delimiter or the line break. */
  #endsCell(at: number, end: number): boolean {
    return this.text[at] === this.delimiter || at === contentEnd(this.text, end);
  }

  /** The end of a cell without quotes around it. */
  #plainEnd(from: number, end: number): number {
    // A search of the whole text for a delimiter could go far beyond the line.
    const found = this.text.slice(from, end).indexOf(this.delimiter);
    return found === -1 ? contentEnd(this.text, end) : from + found;
  }
}

/** The position of the line break of the line that ends at `end`. */
function contentEnd(text: ByteString, end: number): number {
  if (text[end - 1] !== '\n') return end;
  return text[end - 2] === '\r' ? end - 2 : end - 1;
}

/** Number of line breaks. */
export function countLines(text: ByteString): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/*
 * Reads the rows of NDJSON: one object on each line. Fields are added behind the last field of the object, whose text
 * stays as it is. A row is bad if it is no JSON object, has no field, or has a field called as one that is added.
 */

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
      for (const line of readLines(text, isLast)) yield toRow(line);
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

/** A copy that stands for itself: V8 keeps a long text as long as a slice of it, such as a cell, is in memory. */
export function copyText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
