/**
 * Parses one line of a GeoNames postal file into a checked row, or the reason to reject it. Tab-separated columns:
 * country code, postal code, place name, then name and code of the admin units of levels 1 to 3, latitude, longitude,
 * accuracy. Admin codes don't identify units, since units of different names share a code and the reverse; but people
 * search by them.
 */

import { normalizePostcode } from '../../src/core/snapshot/postcode-spelling.js';
import {
  cleanNameColumn,
  hasCleanColumns,
  joinUncleanColumnRuns,
  MAX_NAME_LENGTH,
  parseDegreesColumn,
} from './column-values.js';
import { noteProblemLine, type ProblemKind, type Tally } from './row-problems.js';
import { MAX_LINE_LENGTH } from './table-lines.js';

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

/** Maximum length of a postal code, in code points: GeoNames' own limit. */
export const MAX_POSTCODE_LENGTH = 20;
const PLAIN_POSTCODE = /^[A-Z0-9]{1,9}(?:[ -][A-Z0-9]{1,10})?$/;
/** GeoNames' accuracy: 1 is an estimate, 4 the place of a geonameid, 6 the centre of addresses or of a shape. */
const ESTIMATED_ACCURACY = '1';

/** Parses one line and counts it in the tally; undefined if the line is rejected. */
export function parsePostalRow(line: string, context: RowContext): Row | undefined {
  const { tally } = context;
  tally.rowsRead++;
  const row = readColumns(line, context);
  if (typeof row === 'object') return row;
  tally.rowsRejected++;
  noteProblemLine(tally, row, context.where, line);
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
  const isClean = hasCleanColumns(line);
  const clean = (text: string): string => {
    if (isClean) return text;
    const cleaned = cleanNameColumn(text);
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
  const latitude = parseDegreesColumn(lat as string, 90);
  const longitude = parseDegreesColumn(lng as string, 180);
  if (latitude === undefined || longitude === undefined) return 'rejected: coordinates missing or out of range';

  if (repairs.length > 0) {
    context.tally.rowsRepaired++;
    for (const kind of repairs) noteProblemLine(context.tally, kind, context.where, line);
  }
  const adminCodes = [code1 as string, code2 as string, code3 as string] as const;
  const placedBy = accuracy === ESTIMATED_ACCURACY ? 'estimate' : 'release';
  return { postalCode, placeName, adminNames, adminCodes, latitude, longitude, placedBy };
}

/** The code in normal form; undefined if it is empty or over 20 characters. */
export function parsePostalCode(text: string): string | undefined {
  const postalCode = PLAIN_POSTCODE.test(text) ? text : normalizePostcode(joinUncleanColumnRuns(text));
  return postalCode === '' || codePointCount(postalCode) > MAX_POSTCODE_LENGTH ? undefined : postalCode;
}

function codePointCount(text: string): number {
  // Only a text of too many UTF-16 units can have too many code points.
  return text.length <= MAX_POSTCODE_LENGTH ? text.length : [...text].length;
}
