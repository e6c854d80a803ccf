/**
 * Reads the rows of CSV and TSV. Cells may be quoted and hold line breaks; a row is bad if it has another number of cells
 * than the header, or a quote that is not closed as it should be. A quote within a cell, or text behind a closing quote
 * on the same line, is text. After a bad row reading goes on with the next line, so rows are the same however the table
 * comes in pieces. csv-parse does not tell where a row ends, nor goes on after a fault; the tests compare with it.
 */

import { stringify } from 'csv-stringify/sync';
import { STARTS_AS_FORMULA } from '../../src/base/escape-text.js';
import { type ByteString, encodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { countLines, type RowReader, splitLine, type TableRow } from './table-rows.js';

/** Maximum length of a row with line breaks in bytes: a quote that is not closed within it makes its line a bad row. */
const MAX_QUOTED_BYTES = 1 << 20;

interface CsvDialect {
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
