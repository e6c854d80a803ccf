/**
 * The error for a snapshot that cannot be opened or verified, in four fields: a code to branch on, the expected value,
 * the value found, and the remedy. A damaged file always leads to this error, never to a crash.
 */

import { ExpectedError } from '../../base/errors.js';

export type SnapshotErrorCode =
  | 'FILE_UNREADABLE'
  | 'FILE_TOO_SHORT'
  | 'FILE_TOO_LONG'
  | 'NOT_A_SNAPSHOT'
  | 'FORMAT_VERSION'
  | 'FOLDING_VERSION'
  | 'HEADER_DAMAGED'
  | 'LENGTH_MISMATCH'
  | 'MANIFEST_DAMAGED'
  | 'SECTION_TABLE_INVALID'
  | 'SECTION_DAMAGED'
  | 'STRUCTURE_INVALID'
  | 'PADDING_NOT_ZERO';

const REBUILD = 'fetch or build the snapshot again';

export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';

  constructor(
    readonly code: SnapshotErrorCode,
    readonly expected: string,
    readonly found: string,
    readonly remedy: string = REBUILD,
  ) {
    super(`${code}: expected ${expected}, found ${found}; ${remedy}`);
  }
}

/** The error for a snapshot that was opened and then did not answer as it should. */
export class ProbeError extends ExpectedError {
  override readonly name = 'ProbeError';
}

/** What is told of a file that does not match its checksums; `damage` is the message of the first that fails. */
export function describeSnapshotDamage(path: string, damage: string): string {
  return `damaged or wrong: postal-places verify ${path} says where; ${damage}`;
}

/** The error for a snapshot that fails to answer, and whose file does not match its checksums. */
export class DamagedSnapshotError extends ExpectedError {
  override readonly name = 'DamagedSnapshotError';

  constructor(path: string, damage: SnapshotError) {
    super(`${path} is ${describeSnapshotDamage(path, damage.message)}`, { cause: damage });
  }
}

/** The error for a structure with inconsistent arrays; `where` names the structure and, if known, the country. */
export function structureError(where: string, expected: string, found: string): SnapshotError {
  return new SnapshotError('STRUCTURE_INVALID', `${where}: ${expected}`, found);
}

/** The error with the file that it is about, for programs that do not name the file elsewhere. Other errors stay. */
export function nameSnapshotInError(path: string, error: unknown): unknown {
  if (!(error instanceof SnapshotError) || error.expected.includes(path)) return error;
  return new SnapshotError(error.code, `${path}: ${error.expected}`, error.found, error.remedy);
}
