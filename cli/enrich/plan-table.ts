/**
 * Decides from the start of a table how to read it: delimiter, header, key columns and the names of the added columns.
 * The plan depends on the start and the options alone, so a resumed run makes the same plan again.
 */

import { isUtf8 } from 'node:buffer';
import { ExpectedError, InvalidValueError } from '../../src/base/errors.js';
import { type ByteString, decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import type { FieldName } from './added-fields.js';
import { createCsvReader, readCsv } from './csv-rows.js';
import { guessColumns } from './guess-columns.js';
import { createNdjsonReader, parseRow } from './ndjson-rows.js';
import { lineEnd, type RowReader, readRowLines, splitLine } from './table-rows.js';

export const FORMATS = ['csv', 'tsv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** By what the places of rows are found. */
export type KeyKind = 'postcode' | 'position' | 'text';

export interface TableRequest {
  readonly format: Format;
  /** Undefined if the columns say it: by postal code, or else by address. */
  readonly kind: KeyKind | undefined;
  /** The names of the key columns without that of the country; undefined if they are to be guessed. */
  readonly keyColumns: readonly string[] | undefined;
  readonly countryColumn: string | undefined;
  /** Whether all rows have a country without a column. */
  readonly hasCountry: boolean;
  readonly fields: readonly FieldName[];
  /** The languages of added names: tags separated by commas. */
  readonly lang?: string | undefined;
  /** Whether added cells stay as they are that a spreadsheet would run as a formula. */
  readonly isRaw?: boolean;
}

export interface TablePlan {
  readonly kind: KeyKind;
  readonly reader: RowReader;
  /** The header with the added columns, and a byte order mark; empty for NDJSON. */
  readonly header: ByteString;
  /** Number of bytes of the table that the header takes. */
  readonly headerLength: number;
  /** The key columns, the country's last if there is one. */
  readonly keys: readonly string[];
  readonly hasCountryColumn: boolean;
  /** The names of the added columns: the fields, then `match`. */
  readonly added: readonly string[];
  /** Undefined for NDJSON. */
  readonly delimiter: string | undefined;
}

/** Number of bytes at the start of a table that the plan is made of: hundreds of rows. */
export const HEAD_BYTES = 1 << 16;

const BYTE_ORDER_MARK = '\xef\xbb\xbf';

/** `head` is the start of the table or, if `isWhole`, all of it. */
export function planTable(head: ByteString, isWhole: boolean, request: TableRequest): TablePlan {
  checkEncoding(head, isWhole);
  const mark = head.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const text = head.slice(mark.length);
  checkLines(text, isWhole);
  return request.format === 'ndjson' ? planNdjson(mark, text, isWhole, request) : planCsv(mark, text, isWhole, request);
}

function checkEncoding(head: ByteString, isWhole: boolean): void {
  const line = [...readRowLines(head, isWhole)].findIndex((one) => !isUtf8(Buffer.from(one, 'latin1')));
  if (line === -1) return;
  throw new ExpectedError(`line ${line + 1} is not UTF-8; name the encoding, such as --encoding windows-1252`);
}

function checkLines(text: ByteString, isWhole: boolean): void {
  if (isWhole && text.trim() === '') throw new ExpectedError('the table is empty');
  const line = text.slice(0, lineEnd(text, 0)).replaceAll(/"[^"]*"/g, '');
  if (!/\r[^\n]/.test(line)) return;
  throw new ExpectedError(
    'the lines of the table end with CR alone, which is not read: end them with LF, or CR and LF',
  );
}

function planCsv(mark: ByteString, text: ByteString, isWhole: boolean, request: TableRequest): TablePlan {
  const delimiter = request.format === 'tsv' ? '\t' : findDelimiter(text);
  const [first] = readCsv(text, delimiter, true);
  if (first?.openQuote !== undefined) {
    throw new ExpectedError(`the table has no header: line ${first.openQuote + 1} opens a quote that is not closed`);
  }
  if (first === undefined || first.text.trim() === '' || (!isWhole && !first.text.endsWith('\n'))) {
    throw new ExpectedError(`the table has no header in its first ${HEAD_BYTES >> 10} KiB`);
  }
  const names = first.cells.map((cell) => decodeUtf8(cell).trim());
  const { kind, keys, hasCountryColumn } = chooseKeys(names, request);
  for (const key of keys) requireOne(names, key);
  const { content, lineBreak } = splitLine(first.text);
  const isQuoted = content === first.cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter);
  const reader = createCsvReader(
    { delimiter, isQuoted, isRaw: request.isRaw },
    names.length,
    keys.map((name) => names.indexOf(name)),
  );
  const added = nameAdded(names, request.fields);
  return {
    kind,
    reader,
    header: mark + content + reader.renderAdded(added) + lineBreak,
    headerLength: mark.length + first.text.length,
    keys,
    hasCountryColumn,
    added,
    delimiter,
  };
}

function planNdjson(mark: ByteString, text: ByteString, isWhole: boolean, request: TableRequest): TablePlan {
  const names = [...new Set([...readRowLines(text, isWhole)].flatMap((line) => Object.keys(parseRow(line) ?? {})))];
  if (names.length === 0) throw new ExpectedError(`the table has no JSON object in its first ${HEAD_BYTES >> 10} KiB`);
  const { kind, keys, hasCountryColumn } = chooseKeys(names, request);
  const added = nameAdded(names, request.fields);
  const reader = createNdjsonReader(keys, added);
  return {
    kind,
    reader,
    header: mark,
    headerLength: mark.length,
    keys,
    hasCountryColumn,
    added,
    delimiter: undefined,
  };
}

/** The character that cells may be separated by which the first line has most often outside of quotes. */
function findDelimiter(text: ByteString): string {
  const [line = ''] = [...readRowLines(text, true)].filter((one) => one.trim() !== '');
  const plain = line.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t', '|'].map((sign) => [sign, plain.split(sign).length] as const);
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

interface ChosenKeys {
  readonly kind: KeyKind;
  readonly keys: readonly string[];
  readonly hasCountryColumn: boolean;
}

function chooseKeys(names: readonly string[], request: TableRequest): ChosenKeys {
  const guess = guessColumns(names);
  const nameAt = (position: number | undefined): string | undefined => names[position ?? -1];
  const { keyColumns, countryColumn, hasCountry } = request;
  const isAddress = request.kind === undefined && guess.postcode === undefined && guess.address !== undefined;
  const kind = isAddress ? 'text' : (request.kind ?? 'postcode');
  const columns = keyColumns?.map((name) => findColumn(names, name)) ?? [
    nameAt(isAddress ? guess.address : guess.postcode),
  ];
  if (columns.includes(undefined)) throw notFound(names, 'a postcode or an address', '--postcode-column or --text');
  let country = countryColumn === undefined ? undefined : findColumn(names, countryColumn);
  // A position says itself in which country it is.
  if (country === undefined && !hasCountry && kind !== 'position') country = nameAt(guess.country);
  if (country === undefined && !hasCountry && kind === 'postcode') {
    throw notFound(names, 'a country', '--country-column, or the country of all rows by --country');
  }
  const keys = columns as readonly string[];
  return { kind, keys: country === undefined ? keys : [...keys, country], hasCountryColumn: country !== undefined };
}

/** The name of the column as the table has it. */
function findColumn(names: readonly string[], asked: string): string {
  const wanted = asked.trim();
  const found = names.includes(wanted) ? wanted : names.find((name) => name.toLowerCase() === wanted.toLowerCase());
  if (found !== undefined) return found;
  throw new InvalidValueError(`the table has no column ${JSON.stringify(asked)}; it has ${listNames(names)}`);
}

/** Several columns of one name are refused: any of them may be meant. */
function requireOne(names: readonly string[], key: string): void {
  const count = names.filter((name) => name === key).length;
  if (count === 1) return;
  throw new InvalidValueError(
    `the table has ${count} columns called ${JSON.stringify(key)}: give each a name of its own`,
  );
}

function notFound(names: readonly string[], what: string, option: string): InvalidValueError {
  return new InvalidValueError(
    `no column is called as ${what}: name one by ${option}; the table has ${listNames(names)}`,
  );
}

/** Maximum number of columns that a message lists. */
const MAX_LISTED = 30;

function listNames(names: readonly string[]): string {
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  return (
    names
      .slice(0, MAX_LISTED)
      .map((name) => JSON.stringify(name.slice(0, 100)))
      .join(', ') + more
  );
}

/** The added columns get a number behind their name where the table has a column of that name: `city_2`. */
function nameAdded(names: readonly string[], fields: readonly string[]): string[] {
  const taken = new Set(names);
  return [...fields, 'match'].map((field) => {
    let name = field;
    for (let number = 2; taken.has(name); number++) name = `${field}_${number}`;
    taken.add(name);
    return name;
  });
}
