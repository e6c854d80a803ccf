/**
 * How every check of contents fails. Callers build the texts only for a failure, since some checks run millions of
 * times.
 */
import { structureError } from '../../src/format/snapshot-error.js';

/** Throws SnapshotError STRUCTURE_INVALID. */
export function fail(where: string, expected: string, found: unknown): never {
  throw structureError(where, expected, String(found));
}

/** Throws the same where the numbers are not those `expected`, in their order. */
export function mustEqual(
  where: string,
  what: string,
  found: ArrayLike<number>,
  expected: readonly number[] | Uint8Array | Uint16Array | Uint32Array | Int32Array,
): void {
  const isSame = found.length === expected.length && expected.every((value, index) => found[index] === value);
  if (!isSame) fail(where, what, 'others');
}
