/**
 * Reads files of corrections and returns the corrections of each country, in an order that does not depend on the order
 * of files and lines. A file is CSV in UTF-8 with a header; docs/building.md describes its columns. An invalid
 * line rejects its file. All files are read into memory.
 */

import { isUtf8 } from 'node:buffer';
import { closeSync, readFileSync } from 'node:fs';
import { CsvError, parse } from 'csv-parse/sync';
import { groupBy } from '../ordering/grouping.js';
import { openRegularFile } from '../reading/input-file.js';
import { printable } from '../reporting/printing.js';
import {
  CORRECTION_COLUMNS,
  type Correction,
  type CorrectionColumn,
  conflictBetweenCorrections,
  contentOfCorrection,
  parseCorrection,
  rowKeyOfCorrection,
} from './correction.js';
import { CorrectionError, quote } from './correction-error.js';

/** Maximum length of a file, in bytes: it is held in memory with its corrections. */
const MAX_FILE_BYTES = 64_000_000;
/** Maximum length of a line, in bytes: the same as in a release. */
const MAX_RECORD_BYTES = 10_000;
const NEEDED_COLUMNS = ['action', 'country', 'code', 'name'] as const satisfies readonly CorrectionColumn[];

interface CsvLine {
  /** "file:line" */
  readonly where: string;
  readonly fields: readonly string[];
}

/** `countryCodes` are the codes of ISO 3166-1. */
export function readCorrections(
  paths: readonly string[],
  countryCodes: ReadonlySet<string>,
): ReadonlyMap<string, readonly Correction[]> {
  const corrections = paths.flatMap((path) => readFile(path, countryCodes));
  const correctionsOfRow = new Map<string, Correction[]>();
  for (const correction of corrections) {
    const others = correctionsOfRow.get(rowKeyOfCorrection(correction)) ?? [];
    for (const other of others) {
      const conflict = conflictBetweenCorrections(correction, other);
      if (conflict !== undefined) throw conflict;
    }
    correctionsOfRow.set(rowKeyOfCorrection(correction), [...others, correction]);
  }
  const sorted = corrections
    .map((correction) => ({ correction, content: contentOfCorrection(correction) }))
    .sort((a, b) => (a.content < b.content ? -1 : 1))
    .map(({ correction }) => correction);
  return groupBy(sorted, ({ countryCode }) => countryCode);
}

export function checkCorrectionCountries(
  corrections: ReadonlyMap<string, readonly Correction[]>,
  builtCountries: readonly string[],
): void {
  for (const [code, [first]] of corrections) {
    if (first === undefined || builtCountries.includes(code)) continue;
    throw new CorrectionError(first.where, 'a country that the release has, and that is to be built', code);
  }
}

function readFile(path: string, countryCodes: ReadonlySet<string>): Correction[] {
  const [header, ...lines] = parseLines(path, readText(path));
  if (header === undefined) throw new CorrectionError(`${path}:1`, expectedHeader(), 'an empty file');
  const columns = parseHeader(header);
  return lines.map(({ where, fields }) => {
    if (fields.length !== columns.length) {
      throw new CorrectionError(where, `${columns.length} columns, as in the header`, `${fields.length}`);
    }
    const values = Object.fromEntries(CORRECTION_COLUMNS.map((column) => [column, ''])) as Record<
      CorrectionColumn,
      string
    >;
    columns.forEach((column, index) => {
      values[column] = fields[index] as string;
    });
    return parseCorrection(values, where, countryCodes);
  });
}

function readText(path: string): Buffer {
  const bytes = readBytes(path);
  const lineStarts = [0];
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, end + 1)) lineStarts.push(end + 1);
  lineStarts.forEach((start, index) => {
    const line = bytes.subarray(start, lineStarts[index + 1] ?? bytes.length);
    if (!isUtf8(line)) throw new CorrectionError(`${path}:${index + 1}`, 'text in UTF-8', quote(line.toString('utf8')));
  });
  return bytes;
}

function readBytes(path: string): Buffer {
  const { fd, bytes } = openRegularFile(path);
  try {
    if (bytes <= MAX_FILE_BYTES) return readFileSync(fd);
    throw new CorrectionError(`${path}:1`, `a file of at most ${MAX_FILE_BYTES} bytes`, `${bytes}`);
  } finally {
    closeSync(fd);
  }
}

/** The lines that are not blank. Accepts a byte order mark and any line ends, which spreadsheets write. */
function parseLines(path: string, bytes: Buffer): CsvLine[] {
  try {
    const records = parse(bytes, {
      bom: true,
      info: true,
      max_record_size: MAX_RECORD_BYTES,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    }) as unknown as { readonly info: { readonly lines: number }; readonly record: readonly string[] }[];
    return records.map(({ info, record }) => {
      const lineBreakCount = record.join('').match(/[\r\n]/g)?.length ?? 0;
      const where = `${path}:${info.lines - lineBreakCount}`;
      const broken = record.find((field) => /[\r\n]/.test(field));
      if (broken !== undefined) throw new CorrectionError(where, 'a field on one line', quote(broken));
      return { where, fields: record };
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const where = `${path}:${error.lines}`;
    if (error.code === 'CSV_MAX_RECORD_SIZE') {
      throw new CorrectionError(where, `a line of at most ${MAX_RECORD_BYTES} bytes`, 'a longer one');
    }
    throw new CorrectionError(where, 'CSV, with quotes doubled inside quotes', printable(error.message));
  }
}

function parseHeader({ where, fields }: CsvLine): CorrectionColumn[] {
  const columns = fields.map((field) => {
    const column = CORRECTION_COLUMNS.find((known) => known === field);
    if (column === undefined) throw new CorrectionError(where, expectedHeader(), quote(field));
    return column;
  });
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw new CorrectionError(where, 'each column once', quote(twice));
  const missing = NEEDED_COLUMNS.find((column) => !columns.includes(column));
  if (missing !== undefined) throw new CorrectionError(where, `the column ${missing}`, quote(fields.join(',')));
  return columns;
}

function expectedHeader(): string {
  return `a header with columns among ${CORRECTION_COLUMNS.join(',')}`;
}
