/** Serialises errors for postMessage, which keeps only the message of an error of one of the project's own classes. */

import { SnapshotError, type SnapshotErrorCode } from '../../src/core/snapshot/snapshot-error.js';
import { CorrectionError } from '../corrections/correction-error.js';
import { ReleaseError } from '../reading/release-error.js';

export type SerializedError =
  | { readonly kind: 'snapshot'; readonly parts: readonly [SnapshotErrorCode, string, string, string] }
  | { readonly kind: 'correction'; readonly parts: readonly [where: string, expected: string, found: string] }
  | { readonly kind: 'release'; readonly message: string }
  | { readonly kind: 'other'; readonly error: unknown };

export function serializeError(error: unknown): SerializedError {
  if (error instanceof SnapshotError) {
    return { kind: 'snapshot', parts: [error.code, error.expected, error.found, error.remedy] };
  }
  if (error instanceof CorrectionError) {
    return { kind: 'correction', parts: [error.where, error.expected, error.found] };
  }
  return error instanceof ReleaseError ? { kind: 'release', message: error.message } : { kind: 'other', error };
}

export function deserializeError(serialized: SerializedError): unknown {
  if (serialized.kind === 'snapshot') return new SnapshotError(...serialized.parts);
  if (serialized.kind === 'correction') return new CorrectionError(...serialized.parts);
  return serialized.kind === 'release' ? new ReleaseError(serialized.message) : serialized.error;
}
