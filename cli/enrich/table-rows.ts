/**
 * Reads the rows of CSV and TSV. Cells may be quoted and hold line breaks; a row is bad if it has another number of cells
 * than the header, or a quote that is not closed or stands in a wrong place. After a bad row reading goes on with the
 * next line. Text without quotes needs no parser, since its lines are its rows: that is six times as fast.
 */

import { CsvError, type InfoRecord, type Options, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { STARTS_AS_FORMULA } from '../../src/base/errors.js';
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
}

export interface RowsRead {
  readonly rows: readonly TableRow[];
  /** Number of bytes of the text that the rows take. */
  readonly length: number;
}

export interface RowReader {
  /** `isLast`: nothing follows the text. */
  read(text: ByteString, isLast: boolean): RowsRead;
  /** The text to add to rows: cells with these values. Null stands for nothing. */
  renderAdded(values: readonly (string | number | null)[]): ByteString;
}

/** Maximum length of a row with quotes in bytes: a quote that is not closed within it makes its line a bad row. */
export const MAX_QUOTED_BYTES = 1 << 20;

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

/** The whole lines of a text, and the number of bytes that they take. */
export function splitLines(text: ByteString, isLast: boolean): { lines: ByteString[]; length: number } {
  const lines: ByteString[] = [];
  let at = 0;
  while (at < text.length) {
    const end = lineEnd(text, at);
    if (end === text.length && !text.endsWith('\n') && !isLast) break;
    lines.push(text.slice(at, end));
    at = end;
  }
  return { lines, length: at };
}

export interface CsvDialect {
  readonly delimiter: string;
  /** Whether cells are quoted that need no quotes. */
  readonly isQuoted: boolean;
  /** Whether added texts stay as they are that a spreadsheet would run as a formula. */
  readonly isRaw?: boolean | undefined;
}

type Cells = readonly ByteString[];

/** A row before its key columns are known: `cells` is undefined for a line that is no row. */
interface CsvRow {
  readonly text: ByteString;
  readonly cells: Cells | undefined;
}

export interface CsvText {
  readonly rows: readonly CsvRow[];
  readonly length: number;
}

/** A reader of rows with `width` cells, of which those at the positions `columns` are the keys. */
export function createCsvReader(dialect: CsvDialect, width: number, columns: readonly number[]): RowReader {
  const { delimiter, isQuoted, isRaw } = dialect;
  const toRow = ({ text, cells }: CsvRow): TableRow => {
    const { content, lineBreak } = splitLine(text);
    const keys = cells?.length === width ? columns.map((column) => cells[column] as ByteString) : undefined;
    return { head: content, tail: lineBreak, keys };
  };
  return {
    read(text, isLast): RowsRead {
      const { rows, length } = readCsv(text, delimiter, isLast);
      return { rows: rows.map(toRow), length };
    },
    renderAdded(values) {
      const cells = values.map((value) =>
        typeof value === 'string' && !isRaw && STARTS_AS_FORMULA.test(value) ? `'${value}` : String(value ?? ''),
      );
      return encodeUtf8(delimiter + stringify([cells], { delimiter, quoted: isQuoted, eof: false }));
    },
  };
}

/** The whole rows of a text, those that are no rows included; what the last row may still go on with is left over. */
export function readCsv(text: ByteString, delimiter: string, isLast: boolean): CsvText {
  if (!text.includes('"')) {
    const { lines, length } = splitLines(text, isLast);
    return { rows: lines.map((line) => ({ text: line, cells: splitLine(line).content.split(delimiter) })), length };
  }
  const rows: CsvRow[] = [];
  const bytes = Buffer.from(text, 'latin1');
  const cut = isLast ? text.length : lastRowEnd(text);
  const end = text.length - cut >= MAX_QUOTED_BYTES ? text.lastIndexOf('\n') + 1 : cut;
  let at = 0;
  while (at < end) {
    const part = bytes.subarray(at, end);
    // Text with a fault often has more of them.
    const { records, length, isOpen } = at === 0 ? parseRecords(part, delimiter) : parseUpToFault(part, delimiter);
    let start = at;
    for (const cells of records) {
      const next = recordEnd(text, start, cells);
      rows.push({ text: text.slice(start, next), cells });
      start = next;
    }
    at += length;
    // A quoted cell may go on in the next piece.
    if (at >= end || (isOpen && !isLast && text.length - at < MAX_QUOTED_BYTES)) break;
    const line = text.slice(at, lineEnd(text, at));
    rows.push({ text: line, cells: parseOddLine(line, delimiter) });
    at += line.length;
  }
  return { rows, length: at };
}

/** The position behind the last line break that is outside of quotes, if quotes are closed as they should. */
function lastRowEnd(text: ByteString): number {
  let end = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const until = quote === -1 ? text.length : quote;
    const lineBreak = isQuoted ? -1 : text.slice(at, until).lastIndexOf('\n');
    if (lineBreak !== -1) end = at + lineBreak + 1;
    isQuoted = !isQuoted;
    at = until + 1;
  }
  return end;
}

/** The position behind a record that starts at `start`: behind its line, and behind one more for each line break in it. */
function recordEnd(text: ByteString, start: number, cells: Cells): number {
  let end = lineEnd(text, start);
  for (const cell of cells) {
    for (let at = cell.indexOf('\n'); at !== -1; at = cell.indexOf('\n', at + 1)) end = lineEnd(text, end);
  }
  return end;
}

interface ParsedRecords {
  /** The records before the first fault. */
  readonly records: readonly Cells[];
  /** The bytes that they take. */
  readonly length: number;
  /** Whether the fault is a quote that is not closed. */
  readonly isOpen: boolean;
}

const PARSING = {
  bom: false,
  encoding: 'latin1',
  record_delimiter: ['\r\n', '\n'],
  relax_column_count: true,
} satisfies Options;

function parseRecords(bytes: Buffer, delimiter: string): ParsedRecords {
  try {
    return { records: parse(bytes, { ...PARSING, delimiter }), length: bytes.length, isOpen: false };
  } catch (error) {
    faultOf(error);
    return parseUpToFault(bytes, delimiter);
  }
}

/** The same for text that may have a fault. Half as fast, since it needs the positions of the records. */
function parseUpToFault(bytes: Buffer, delimiter: string): ParsedRecords {
  const records: Cells[] = [];
  let length = 0;
  const onRecord = (cells: string[], { bytes: end }: InfoRecord): null => {
    records.push(cells);
    length = end;
    return null;
  };
  try {
    parse(bytes, { ...PARSING, delimiter, on_record: onRecord });
    return { records, length: bytes.length, isOpen: false };
  } catch (error) {
    return { records, length, isOpen: faultOf(error) === 'CSV_QUOTE_NOT_CLOSED' };
  }
}

/** The cells of a line with quotes in the middle of cells: `5" pipe`. Undefined if the line can't be read by itself. */
function parseOddLine(line: ByteString, delimiter: string): Cells | undefined {
  try {
    const records: Cells[] = parse(Buffer.from(line, 'latin1'), { ...PARSING, delimiter, relax_quotes: true });
    return records.length === 1 ? records[0] : undefined;
  } catch (error) {
    faultOf(error);
    return undefined;
  }
}

/** The code of a fault of the table. Throws any other error. */
function faultOf(error: unknown): string {
  if (error instanceof CsvError) return error.code;
  throw error;
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
      return { head: content, tail: lineBreak, keys: undefined };
    }
    const brace = content.lastIndexOf('}');
    const keys = columns.map((name) => keyOf(row, name));
    return { head: content.slice(0, brace), tail: content.slice(brace) + lineBreak, keys };
  };
  const keysJson = added.map((name) => JSON.stringify(name));
  return {
    read(text, isLast): RowsRead {
      const { lines, length } = splitLines(text, isLast);
      return { rows: lines.map(toRow), length };
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
