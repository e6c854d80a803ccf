/**
 * What is wrong with a snapshot's bytes, in four fields: a code to branch on, what was expected, what was found, and
 * what to do about it. Every refusal of a file, at opening or at verification, is one of these and never a crash.
 */

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

/** The refusal of a structure whose arrays do not fit together; `where` names structure and, if known, country. */
export function structureError(where: string, expected: string, found: string): SnapshotError {
  return new SnapshotError('STRUCTURE_INVALID', `${where}: ${expected}`, found);
}
