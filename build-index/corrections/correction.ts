/**
 * One correction by hand: a line of a CSV file that adds, removes, renames, moves or recodes a row of the release. Names
 * and codes pass the checks, and take the form, that parseRow gives to those of a release, so that a corrected row is
 * exactly what the release would give if it had the row so.
 */
import { parseDegrees } from '../reading/column-values.js';
import { cleanName, MAX_NAME_LENGTH, MAX_POSTCODE_LENGTH, parsePostalCode, type Row } from '../reading/row.js';
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

export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

export interface Correction {
  readonly action: CorrectionAction;
  /** "file:line" of the correction. */
  readonly where: string;
  readonly countryCode: string;
  /** Code and name of the row as the release has them, or of the row to add. */
  readonly postalCode: string;
  readonly placeName: string;
  /** The units of the row to add; of another row, those by which it is told from rows of the same code and name. */
  readonly adminNames: readonly [string, string, string];
  /** Where the row lies in the release, if it is told from others by that. */
  readonly position: Position | null;
  /** Of `recode`, of `rename`, and of `add` and `move`; null otherwise. */
  readonly newCode: string | null;
  readonly newName: string | null;
  readonly newPosition: Position | null;
}

/** Which of the columns that not every action has an action needs; a position that it does not need tells rows apart. */
const NEEDED: Readonly<Record<CorrectionAction, { newCode: boolean; newName: boolean; position: boolean }>> = {
  add: { newCode: false, newName: false, position: true },
  remove: { newCode: false, newName: false, position: false },
  rename: { newCode: false, newName: true, position: false },
  move: { newCode: false, newName: false, position: true },
  recode: { newCode: true, newName: false, position: false },
};

/**
 * The correction of a line, whose columns are empty where it has none. `countryCodes` are those of ISO 3166-1. Throws
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

/** Whether the correction is about the row, which has its code and name: units and position are the same where given. */
export function fitsRow({ adminNames, position }: Correction, row: Row): boolean {
  if (adminNames.some((name, column) => name !== '' && name !== row.adminNames[column])) return false;
  return position === null || isAt(position, row);
}

export function isAt(position: Position, row: Row): boolean {
  return position.latitude === row.latitude && position.longitude === row.longitude;
}

/** Two corrections have the same key where they are about the same row, as far as their lines tell. */
export function rowKeyOf({ action, countryCode, postalCode, placeName, adminNames, position }: Correction): string {
  return JSON.stringify([countryCode, postalCode, placeName, adminNames, position, action === 'add']);
}

/** All that a correction says: corrections with the same text do the same, and the order of texts is theirs. */
export function contentOf(correction: Correction): string {
  const { action, newCode, newName, newPosition } = correction;
  return `${rowKeyOf(correction)} ${JSON.stringify([action, newCode, newName, newPosition])}`;
}

/** Why `correction` can't be applied to a row that `other` is applied to as well; undefined where it can. */
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
