/**
 * One correction of the operator: a line of a CSV file that adds, removes, renames, moves or recodes a row of the
 * release. Names and codes pass the same checks and get the same form as in parseRow, so a corrected row is identical
 * to a row of a release with these values.
 */

import { isUtf8 } from 'node:buffer';
import { closeSync, readFileSync } from 'node:fs';
import { CsvError, parse } from 'csv-parse/sync';
import { ExpectedError } from '../../src/base/errors.js';
import type { Position } from '../../src/core/snapshot/sphere.js';
import { groupBy } from '../ordering/grouping.js';
import { cleanName, MAX_NAME_LENGTH, parseDegrees } from '../reading/column-values.js';
import { openRegularFile } from '../reading/input-file.js';
import { MAX_POSTCODE_LENGTH, parsePostalCode, type Row } from '../reading/postal-row.js';
import { addProblems, noteProblem, type Problems } from '../reading/row-problems.js';
import { printable } from '../reporting/printing.js';

/* A correction that can't be applied: its line is invalid, or it matches several rows. */

/** Maximum length of a quoted value, in characters, so that a message fits on a line. */
const MAX_SHOWN_LENGTH = 80;

export class CorrectionError extends ExpectedError {
  override readonly name = 'CorrectionError';

  /** `where` is "file:line" of the correction; `found` must be printable. */
  constructor(
    readonly where: string,
    readonly expected: string,
    readonly found: string,
  ) {
    super(`${where}: expected ${expected}, found ${found}`);
  }
}

/** A value of a hostile file in quotes: shortened, with control characters escaped. */
export function quote(text: string): string {
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return `"${printable(shown)}"`;
}

export const CORRECTION_COLUMNS = [
  'action',
  'country',
  'code',
  'name',
  'newCode',
  'newName',
  'latitude',
  'longitude',
  'admin1',
  'admin2',
  'admin3',
  'note',
] as const;

export type CorrectionColumn = (typeof CORRECTION_COLUMNS)[number];

export const CORRECTION_ACTIONS = ['add', 'remove', 'rename', 'move', 'recode'] as const;

export type CorrectionAction = (typeof CORRECTION_ACTIONS)[number];

export interface Correction {
  readonly action: CorrectionAction;
  /** "file:line" of the correction. */
  readonly where: string;
  readonly countryCode: string;
  /** Code and name of the row in the release, or of the row to add. */
  readonly postalCode: string;
  readonly placeName: string;
  /**
   * The units of the row to add; for other actions, units that distinguish the row from others of its code and name.
   */
  readonly adminNames: readonly [string, string, string];
  /** The row's position in the release, if that distinguishes it from other rows. */
  readonly position: Position | null;
  /** Null except for `recode`. */
  readonly newCode: string | null;
  /** Null except for `rename`. */
  readonly newName: string | null;
  /** Null except for `add` and `move`. */
  readonly newPosition: Position | null;
}

/** The optional columns that each action needs. A position that an action doesn't need distinguishes rows. */
const NEEDED: Readonly<Record<CorrectionAction, { newCode: boolean; newName: boolean; position: boolean }>> = {
  add: { newCode: false, newName: false, position: true },
  remove: { newCode: false, newName: false, position: false },
  rename: { newCode: false, newName: true, position: false },
  move: { newCode: false, newName: false, position: true },
  recode: { newCode: true, newName: false, position: false },
};

/**
 * Parses a line, in which missing columns are empty. `countryCodes` are the codes of ISO 3166-1. Throws
 * CorrectionError.
 */
export function parseCorrection(
  columns: Readonly<Record<CorrectionColumn, string>>,
  where: string,
  countryCodes: ReadonlySet<string>,
): Correction {
  const fail = (expected: string, found: string): never => {
    throw new CorrectionError(where, expected, found);
  };
  const bad = Object.values(columns).find((text) => text.includes('\ufffd'));
  if (bad !== undefined) fail('text without U+FFFD, which stands for lost letters', quote(bad));
  const action =
    CORRECTION_ACTIONS.find((known) => known === columns.action) ??
    fail(`an action: ${CORRECTION_ACTIONS.join(', ')}`, quote(columns.action));
  const countryCode = columns.country.toUpperCase();
  if (!countryCodes.has(countryCode)) fail('a country code of ISO 3166-1', quote(columns.country));
  const needed = NEEDED[action];

  const codeIn = (column: 'code' | 'newCode'): string =>
    parsePostalCode(columns[column]) ??
    fail(`${column}: a postal code of at most ${MAX_POSTCODE_LENGTH} characters`, quote(columns[column]));
  const nameIn = (column: 'name' | 'newName' | 'admin1' | 'admin2' | 'admin3'): string => {
    const name = cleanName(columns[column]);
    const isOptional = column.startsWith('admin');
    if ((name === '' && !isOptional) || name.length > MAX_NAME_LENGTH) {
      fail(`${column}: a name of at most ${MAX_NAME_LENGTH} characters`, quote(columns[column]));
    }
    return name;
  };
  const ifNeeded = (column: 'newCode' | 'newName', read: () => string): string | null => {
    if (needed[column]) return read();
    return columns[column] === '' ? null : fail(`no ${column}, which ${action} does not have`, quote(columns[column]));
  };

  const position = positionIn(columns, needed.position, fail);
  const correction: Correction = {
    action,
    where,
    countryCode,
    postalCode: codeIn('code'),
    placeName: nameIn('name'),
    adminNames: [nameIn('admin1'), nameIn('admin2'), nameIn('admin3')],
    position: needed.position ? null : position,
    newCode: ifNeeded('newCode', () => codeIn('newCode')),
    newName: ifNeeded('newName', () => nameIn('newName')),
    newPosition: needed.position ? position : null,
  };
  if (correction.newCode === correction.postalCode) fail('a newCode that differs from code', quote(columns.newCode));
  if (correction.newName === correction.placeName) fail('a newName that differs from name', quote(columns.newName));
  return correction;
}

function positionIn(
  { latitude, longitude }: Readonly<Record<'latitude' | 'longitude', string>>,
  isNeeded: boolean,
  fail: (expected: string, found: string) => never,
): Position | null {
  if (latitude === '' && longitude === '' && !isNeeded) return null;
  return {
    latitude: parseDegrees(latitude, 90) ?? fail('latitude: decimal degrees from -90 to 90', quote(latitude)),
    longitude: parseDegrees(longitude, 180) ?? fail('longitude: decimal degrees from -180 to 180', quote(longitude)),
  };
}

/** Whether the correction applies to a row with its code and name: the units and the position given are equal. */
export function fitsRow({ adminNames, position }: Correction, row: Row): boolean {
  if (adminNames.some((name, column) => name !== '' && name !== row.adminNames[column])) return false;
  return position === null || isAt(position, row);
}

export function isAt(position: Position, row: Row): boolean {
  return position.latitude === row.latitude && position.longitude === row.longitude;
}

/** A key of the corrected row: corrections with equal keys are about the same row. */
export function rowKeyOf({ action, countryCode, postalCode, placeName, adminNames, position }: Correction): string {
  return JSON.stringify([countryCode, postalCode, placeName, adminNames, position, action === 'add']);
}

/** The whole content of a correction as text, to compare and sort corrections by. */
export function contentOf(correction: Correction): string {
  const { action, newCode, newName, newPosition } = correction;
  return `${rowKeyOf(correction)} ${JSON.stringify([action, newCode, newName, newPosition])}`;
}

/** Why `correction` and `other` can't both apply to a row; undefined if they can. */
export function conflictBetween(correction: Correction, other: Correction): CorrectionError | undefined {
  const { action, where } = correction;
  if (action !== other.action && action !== 'remove' && other.action !== 'remove') return undefined;
  const isSame = contentOf(correction) === contentOf(other);
  return new CorrectionError(
    where,
    `one ${action === other.action ? action : 'correction'} of a row`,
    isSame ? `the same correction in ${other.where}` : `${action} beside ${other.action} of that row in ${other.where}`,
  );
}

/** "rename DE 80331 München", for reports. */
export function describeCorrection({ action, countryCode, postalCode, placeName, adminNames }: Correction): string {
  const units = adminNames.filter((name) => name !== '');
  return `${action} ${countryCode} ${postalCode} ${placeName}${units.length > 0 ? ` (${units.join(', ')})` : ''}`;
}

/* Counts the corrections: each is either applied or stale. */

/** Why a correction was not applied. */
export const STALE_KINDS = [
  'stale: the release has caught up',
  'stale: the release has no row of that code and name',
] as const;

export type StaleKind = (typeof STALE_KINDS)[number];

export interface CorrectionTally {
  readonly applied: Record<CorrectionAction, number>;
  /** Number of removed rows, which were read but not taken; several rows may be one place. */
  rowsRemoved: number;
  stale: number;
  /** The stale corrections by kind, with examples as "file:line: correction". */
  problems: Problems<StaleKind>;
}

/** The corrections of a build, for its report. */
export interface CorrectionReport {
  readonly files: readonly string[];
  readonly tally: CorrectionTally;
}

export function createCorrectionTally(): CorrectionTally {
  return { applied: { add: 0, remove: 0, rename: 0, move: 0, recode: 0 }, rowsRemoved: 0, stale: 0, problems: {} };
}

/** `detail` is appended to the description of the correction; it may be empty. */
export function noteStale(tally: CorrectionTally, kind: StaleKind, correction: Correction, detail: string): void {
  tally.stale++;
  noteProblem(tally, kind, () => `${correction.where}: ${describeCorrection(correction)}${detail}`);
}

export function addCorrectionTally(total: CorrectionTally, part: CorrectionTally): void {
  for (const action of CORRECTION_ACTIONS) total.applied[action] += part.applied[action];
  total.rowsRemoved += part.rowsRemoved;
  total.stale += part.stale;
  addProblems(total.problems, part.problems);
}

/*
 * Reads files of corrections and returns the corrections of each country, in an order that does not depend on the order
 * of files and lines. A file is CSV in UTF-8 with a header; docs/building.md describes its columns. An invalid
 * line rejects its file. All files are read into memory.
 */

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

/**
 * `countryCodes` are the codes of ISO 3166-1. Throws CorrectionError, ReleaseError if a path is not a regular file, or
 * what node:fs throws.
 */
export function readCorrections(
  paths: readonly string[],
  countryCodes: ReadonlySet<string>,
): ReadonlyMap<string, readonly Correction[]> {
  const corrections = paths.flatMap((path) => readFile(path, countryCodes));
  const correctionsOfRow = new Map<string, Correction[]>();
  for (const correction of corrections) {
    const others = correctionsOfRow.get(rowKeyOf(correction)) ?? [];
    for (const other of others) {
      const conflict = conflictBetween(correction, other);
      if (conflict !== undefined) throw conflict;
    }
    correctionsOfRow.set(rowKeyOf(correction), [...others, correction]);
  }
  const sorted = corrections
    .map((correction) => ({ correction, content: contentOf(correction) }))
    .sort((a, b) => (a.content < b.content ? -1 : 1))
    .map(({ correction }) => correction);
  return groupBy(sorted, ({ countryCode }) => countryCode);
}

/** Throws CorrectionError if a correction is about a country that is not built. */
export function checkCountries(
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
