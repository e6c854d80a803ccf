/**
 * Parses one line of a GeoNames postal file into a checked row, or the reason to reject it. Tab-separated columns:
 * country code, postal code, place name, then name and code of the admin units of levels 1 to 3, latitude, longitude,
 * accuracy. Admin codes don't identify units, since units of different names share a code and the reverse; but people
 * search by them.
 */

import { normalizePostcode } from '../../src/core/snapshot/postcode-spelling.js';

/** The tables of cities that GeoNames publishes, largest first: each contains the next. */
export const CITY_TABLES = ['cities500', 'cities1000', 'cities5000', 'cities15000'];
/** The table of the cities' names with their languages. */
export const ALTERNATE_NAMES_TABLE = 'alternateNamesV2';
/** The table of the ids of first-level units, which GeoNames publishes as text only. */
export const UNITS_TABLE = 'admin1CodesASCII';
/** Maximum length of a row of a postal file, in UTF-16 units: many times the longest row of any release. */
export const MAX_LINE_LENGTH = 10_000;

/*
 * The kinds of problems of rows, and the tally for the report. Every row is either taken, merged, rejected, or removed
 * by a correction; a repaired row is also taken.
 */

export const PROBLEM_KINDS = {
  'merged: the same place twice': 'merged',
  'repaired: name taken from the innermost admin unit': 'repaired',
  'repaired: white space or control characters in a name': 'repaired',
  'repaired: postal code brought to normal form': 'repaired',
  'rejected: not 12 columns': 'rejected',
  'rejected: not valid UTF-8': 'rejected',
  'rejected: line longer than 10,000 characters': 'rejected',
  'rejected: no country of ISO 3166-1': 'rejected',
  'rejected: another country than its file': 'rejected',
  'rejected: no postal code, or one over 20 characters': 'rejected',
  'rejected: neither a place name nor an admin name': 'rejected',
  'rejected: a name over 200 characters': 'rejected',
  'rejected: coordinates missing or out of range': 'rejected',
} as const;

export type ProblemKind = keyof typeof PROBLEM_KINDS;

/** Maximum number of examples for each kind of problem. */
export const EXAMPLES_PER_KIND = 10;

/** The count of each kind that occurred, and the first rows as "file:line: text". */
export type Problems<Kind extends string> = Partial<Record<Kind, Problem>>;

export interface Problem {
  count: number;
  readonly examples: string[];
}

const ROW_COUNTS = ['rowsRead', 'rowsTaken', 'rowsMerged', 'rowsRepaired', 'rowsRejected'] as const;

export type Tally = Record<(typeof ROW_COUNTS)[number], number> & { readonly problems: Problems<ProblemKind> };

export function createTally(): Tally {
  return { rowsRead: 0, rowsTaken: 0, rowsMerged: 0, rowsRepaired: 0, rowsRejected: 0, problems: {} };
}

/** Counts one row under `kind`. Calls `example` only if the list of examples is not full. */
export function noteProblem<Kind extends string>(
  tally: { readonly problems: Problems<Kind> },
  kind: Kind,
  example: () => string,
): void {
  const problem = tally.problems[kind] ?? { count: 0, examples: [] };
  tally.problems[kind] = problem;
  problem.count++;
  if (problem.examples.length < EXAMPLES_PER_KIND) problem.examples.push(example());
}

export function addTally(total: Tally, part: Tally): void {
  for (const count of ROW_COUNTS) total[count] += part[count];
  addProblems(total.problems, part.problems);
}

export function addProblems<Kind extends string>(total: Problems<Kind>, part: Problems<Kind>): void {
  for (const [kind, { count, examples }] of listProblems(part, Object.keys(part) as Kind[])) {
    const problem = total[kind] ?? { count: 0, examples: [] };
    total[kind] = problem;
    problem.count += count;
    problem.examples.push(...examples.slice(0, EXAMPLES_PER_KIND - problem.examples.length));
  }
}

/** The problems that occurred, in the order of `kinds`. */
export function listProblems<Kind extends string>(problems: Problems<Kind>, kinds: readonly Kind[]): [Kind, Problem][] {
  return kinds.flatMap((kind): [Kind, Problem][] => {
    const problem = problems[kind];
    return problem === undefined ? [] : [[kind, problem]];
  });
}

/* Parses the values that GeoNames' tab-separated files share: names without stray characters, and degrees. */

const WHITE_SPACE_BUT_TAB_AND_SPACE =
  '\\u000a-\\u000d\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const CONTROLS_BUT_TAB = '\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u009f';
const UNCLEAN_LINE = new RegExp(` \\t|\\t | {2}|[${WHITE_SPACE_BUT_TAB_AND_SPACE}${CONTROLS_BUT_TAB}]`);
const UNCLEAN_RUNS = new RegExp(`[ \\t${WHITE_SPACE_BUT_TAB_AND_SPACE}${CONTROLS_BUT_TAB}]+`, 'g');
const DECIMAL = /^[+-]?\d+(?:\.\d*)?$|^[+-]?\.\d+$/;

/** Whether no column of a line needs joinUncleanRuns: one test per line instead of one per column. */
export function isCleanLine(line: string): boolean {
  return !UNCLEAN_LINE.test(line);
}

/** Replaces each run of white space and control characters by one space. */
export function joinUncleanRuns(text: string): string {
  return text.replace(UNCLEAN_RUNS, ' ');
}

/** Decimal degrees from -`limit` to `limit`, never -0; undefined for anything else. */
export function parseDegrees(text: string, limit: number): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const degrees = Number(text);
  if (!(Math.abs(degrees) <= limit)) return undefined;
  return degrees === 0 ? 0 : degrees;
}

export type PlacedBy = 'release' | 'estimate' | 'hand';

export interface Row {
  readonly postalCode: string;
  /** The name in the release, with normalised white space; both sides of a "local / Latin" name. */
  readonly placeName: string;
  /** The admin units of levels 1 to 3; empty if the release has no name. */
  readonly adminNames: readonly [string, string, string];
  /** The codes of the admin units in the release; empty if there is none. */
  readonly adminCodes: readonly [string, string, string];
  readonly latitude: number;
  readonly longitude: number;
  /**
   * The source of the coordinates: the release, the release's own estimate, or a correction (build-index/corrections).
   */
  readonly placedBy: PlacedBy;
}

interface RowContext {
  readonly countryCode: string;
  readonly tally: Tally;
  /** "file:line" of the line being parsed. */
  readonly where: () => string;
}

const UNCLEAN_NAME: ProblemKind = 'repaired: white space or control characters in a name';
const COLUMN_COUNT = 12;
/** Maximum length of a name, in UTF-16 units: GeoNames' own limit for names. */
export const MAX_NAME_LENGTH = 200;
/** Maximum length of a postal code, in code points: GeoNames' own limit. */
export const MAX_POSTCODE_LENGTH = 20;
const PLAIN_POSTCODE = /^[A-Z0-9]{1,9}(?:[ -][A-Z0-9]{1,10})?$/;
/** GeoNames' accuracy: 1 is an estimate, 4 the place of a geonameid, 6 the centre of addresses or of a shape. */
const ESTIMATED_ACCURACY = '1';

/** Parses one line and counts it in the tally; undefined if the line is rejected. */
export function parseRow(line: string, context: RowContext): Row | undefined {
  const { tally } = context;
  tally.rowsRead++;
  const row = readColumns(line, context);
  if (typeof row === 'object') return row;
  tally.rowsRejected++;
  noteProblem(tally, row, () => `${context.where()}: ${line.slice(0, 120)}`);
  return undefined;
}

function readColumns(line: string, context: RowContext): Row | ProblemKind {
  if (line.length > MAX_LINE_LENGTH) return 'rejected: line longer than 10,000 characters';
  if (line.includes('\ufffd')) return 'rejected: not valid UTF-8';
  const columns = line.split('\t');
  if (columns.length !== COLUMN_COUNT) return 'rejected: not 12 columns';
  const [countryCode, code, name, admin1, code1, admin2, code2, admin3, code3, lat, lng, accuracy] =
    columns as string[] & { length: 12 };
  if (countryCode !== context.countryCode) return 'rejected: another country than its file';

  const repairs: ProblemKind[] = [];
  const isClean = isCleanLine(line);
  const clean = (text: string): string => {
    if (isClean) return text;
    const cleaned = cleanName(text);
    if (cleaned !== text && !repairs.includes(UNCLEAN_NAME)) repairs.push(UNCLEAN_NAME);
    return cleaned;
  };
  const postalCode = parsePostalCode(code as string);
  if (postalCode === undefined) return 'rejected: no postal code, or one over 20 characters';
  if (postalCode !== code) repairs.push('repaired: postal code brought to normal form');

  const adminNames = [clean(admin1 as string), clean(admin2 as string), clean(admin3 as string)] as const;
  let placeName = clean(name as string);
  if (placeName === '') {
    placeName = adminNames.findLast((adminName) => adminName !== '') ?? '';
    if (placeName === '') return 'rejected: neither a place name nor an admin name';
    repairs.push('repaired: name taken from the innermost admin unit');
  }
  if (placeName.length > MAX_NAME_LENGTH || adminNames.some((adminName) => adminName.length > MAX_NAME_LENGTH)) {
    return 'rejected: a name over 200 characters';
  }
  const latitude = parseDegrees(lat as string, 90);
  const longitude = parseDegrees(lng as string, 180);
  if (latitude === undefined || longitude === undefined) return 'rejected: coordinates missing or out of range';

  if (repairs.length > 0) {
    context.tally.rowsRepaired++;
    for (const kind of repairs) noteProblem(context.tally, kind, () => `${context.where()}: ${line.slice(0, 120)}`);
  }
  const adminCodes = [code1 as string, code2 as string, code3 as string] as const;
  const placedBy = accuracy === ESTIMATED_ACCURACY ? 'estimate' : 'release';
  return { postalCode, placeName, adminNames, adminCodes, latitude, longitude, placedBy };
}

/** The code in normal form; undefined if it is empty or over 20 characters. */
export function parsePostalCode(text: string): string | undefined {
  const postalCode = PLAIN_POSTCODE.test(text) ? text : normalizePostcode(joinUncleanRuns(text));
  return postalCode === '' || codePointCount(postalCode) > MAX_POSTCODE_LENGTH ? undefined : postalCode;
}

/** The name of a place or a unit without stray white space and control characters. */
export function cleanName(text: string): string {
  return joinUncleanRuns(text).trim();
}

function codePointCount(text: string): number {
  // Only a text of too many UTF-16 units can have too many code points.
  return text.length <= MAX_POSTCODE_LENGTH ? text.length : [...text].length;
}
