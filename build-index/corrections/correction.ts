/**
 * One correction of the operator: a line of a CSV file that adds, removes, renames, moves or recodes a row of the
 * release. Names and codes pass the same checks and get the same form as in parsePostalRow, so a corrected row is identical
 * to a row of a release with these values.
 */

import type { Position } from '../../src/core/snapshot/sphere.js';
import { cleanNameColumn, MAX_NAME_LENGTH, parseDegreesColumn } from '../reading/column-values.js';
import { MAX_POSTCODE_LENGTH, parsePostalCode, type Row } from '../reading/postal-row.js';
import { CorrectionError, quote } from './correction-error.js';

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

/** Parses a line, in which missing columns are empty. `countryCodes` are the codes of ISO 3166-1. */
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
    const name = cleanNameColumn(columns[column]);
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
    latitude: parseDegreesColumn(latitude, 90) ?? fail('latitude: decimal degrees from -90 to 90', quote(latitude)),
    longitude:
      parseDegreesColumn(longitude, 180) ?? fail('longitude: decimal degrees from -180 to 180', quote(longitude)),
  };
}

/** Whether the correction applies to a row with its code and name: the units and the position given are equal. */
export function correctionFitsRow({ adminNames, position }: Correction, row: Row): boolean {
  if (adminNames.some((name, column) => name !== '' && name !== row.adminNames[column])) return false;
  return position === null || isAt(position, row);
}

export function isAt(position: Position, row: Row): boolean {
  return position.latitude === row.latitude && position.longitude === row.longitude;
}

/** A key of the corrected row: corrections with equal keys are about the same row. */
export function rowKeyOfCorrection({
  action,
  countryCode,
  postalCode,
  placeName,
  adminNames,
  position,
}: Correction): string {
  return JSON.stringify([countryCode, postalCode, placeName, adminNames, position, action === 'add']);
}

/** The whole content of a correction as text, to compare and sort corrections by. */
export function contentOfCorrection(correction: Correction): string {
  const { action, newCode, newName, newPosition } = correction;
  return `${rowKeyOfCorrection(correction)} ${JSON.stringify([action, newCode, newName, newPosition])}`;
}

/** Why `correction` and `other` can't both apply to a row; undefined if they can. */
export function conflictBetweenCorrections(correction: Correction, other: Correction): CorrectionError | undefined {
  const { action, where } = correction;
  if (action !== other.action && action !== 'remove' && other.action !== 'remove') return undefined;
  const isSame = contentOfCorrection(correction) === contentOfCorrection(other);
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
