/** Finds out why an answer has failed: by a damaged file, or by an error of ours. The checksums of the file decide. */

import { ExpectedError, StartError } from '../../base/errors.js';
import { DamagedSnapshotError, nameSnapshotInError, SnapshotError } from '../../core/snapshot/snapshot-error.js';
import { findIntegrityDamage } from './integrity-check.js';

/** Whether the program throws the error on purpose: such an error says what is wrong, and the file is not the reason. */
export function isAnswerFailedOnPurpose(error: unknown): boolean {
  // A start fails also where the file does not answer.
  return error instanceof ExpectedError && !(error instanceof StartError);
}

/**
 * The error to throw in place of the one by which an answer has failed: DamagedSnapshotError if the file does not match its
 * checksums, else the error itself, which is a defect of the program.
 */
export function explainFailure(path: string, error: unknown): unknown {
  if (isAnswerFailedOnPurpose(error)) return error;
  // Opening has found what is wrong.
  if (error instanceof SnapshotError && error.code !== 'STRUCTURE_INVALID') return nameSnapshotInError(path, error);
  const damage = findIntegrityDamage(path);
  return damage === undefined ? nameSnapshotInError(path, error) : new DamagedSnapshotError(path, damage);
}
