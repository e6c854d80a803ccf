/**
 * How every check of contents fails. Callers build the texts only for a failure, since some checks run millions of
 * times.
 */
import { structureError } from '../../src/format/snapshot-error.js';

/** Throws SnapshotError STRUCTURE_INVALID. */
export function fail(where: string, expected: string, found: unknown): never {
  throw structureError(where, expected, String(found));
}
