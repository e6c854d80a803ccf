/** Finds out why an answer has failed: by a damaged file, or by an error of ours. The checksums of the file decide. */

import { ExpectedError, StartError } from '../../base/errors.js';
import { DamagedSnapshotError, nameFile, SnapshotError } from '../../core/snapshot/snapshot-error.js';
import { findDamage } from './integrity-check.js';

/** Whether an error says itself what is wrong, and is none of the file: one that the program throws on purpose. */
export function isOnPurpose(error: unknown): boolean {
  // A start fails also where the file does not answer.
  return error instanceof ExpectedError && !(error instanceof StartError);
}

/**
 * The error to throw in place of one that an answer has failed with. The checksums decide: of a file that does not match
 * them DamagedSnapshotError, of a whole file the error itself, which is one of ours.
 */
export function explainFailure(path: string, error: unknown): unknown {
  if (isOnPurpose(error)) return error;
  // Opening has found what is wrong.
  if (error instanceof SnapshotError && error.code !== 'STRUCTURE_INVALID') return nameFile(path, error);
  const damage = findDamage(path);
  return damage === undefined ? nameFile(path, error) : new DamagedSnapshotError(path, damage);
}
