/** How errors cross between threads, which by themselves keep only the message of an error of a class of ours. */
import { SnapshotError, type SnapshotErrorCode } from '../../src/format/snapshot-error.js';
import { CorrectionError } from '../corrections/correction-error.js';
import { ReleaseError } from '../reading/release-error.js';

export type PackedError =
  | { readonly kind: 'snapshot'; readonly parts: readonly [SnapshotErrorCode, string, string, string] }
  | { readonly kind: 'correction'; readonly parts: readonly [where: string, expected: string, found: string] }
  | { readonly kind: 'release'; readonly message: string }
  | { readonly kind: 'other'; readonly error: unknown };

export function packError(error: unknown): PackedError {
  if (error instanceof SnapshotError) {
    return { kind: 'snapshot', parts: [error.code, error.expected, error.found, error.remedy] };
  }
  if (error instanceof CorrectionError) {
    return { kind: 'correction', parts: [error.where, error.expected, error.found] };
  }
  return error instanceof ReleaseError ? { kind: 'release', message: error.message } : { kind: 'other', error };
}

export function unpackError(packed: PackedError): unknown {
  if (packed.kind === 'snapshot') return new SnapshotError(...packed.parts);
  if (packed.kind === 'correction') return new CorrectionError(...packed.parts);
  return packed.kind === 'release' ? new ReleaseError(packed.message) : packed.error;
}
