/**
 * What the pool's workers can do, by the task's kind, the type of each answer, and how errors cross between threads,
 * which keep only the message of an error class of ours.
 */
import { SnapshotError, type SnapshotErrorCode } from '../src/format/snapshot-error.js';
import { type BuildCountryTask, type BuiltCountry, buildCountry } from './build-country.js';
import { ReleaseError } from './reading/release-error.js';
import { type VerifyCountryTask, verifyCountry } from './verifying/verify-country.js';
import { type VerifySectionsTask, verifySections } from './verifying/verify-sections.js';
import { type VerifyWorldTask, verifyWorld } from './verifying/verify-world.js';

export type Task = BuildCountryTask | VerifySectionsTask | VerifyWorldTask | VerifyCountryTask;

export type TaskResult<T extends Task> = T extends BuildCountryTask ? BuiltCountry : undefined;

export async function runTask(task: Task): Promise<BuiltCountry | undefined> {
  switch (task.kind) {
    case 'build-country':
      return await buildCountry(task);
    case 'verify-sections':
      verifySections(task);
      return undefined;
    case 'verify-world':
      verifyWorld(task);
      return undefined;
    case 'verify-country':
      verifyCountry(task);
      return undefined;
  }
}

export type PackedError =
  | { readonly kind: 'snapshot'; readonly parts: readonly [SnapshotErrorCode, string, string, string] }
  | { readonly kind: 'release'; readonly message: string }
  | { readonly kind: 'other'; readonly error: unknown };

export function packError(error: unknown): PackedError {
  if (error instanceof SnapshotError) {
    return { kind: 'snapshot', parts: [error.code, error.expected, error.found, error.remedy] };
  }
  return error instanceof ReleaseError ? { kind: 'release', message: error.message } : { kind: 'other', error };
}

export function unpackError(packed: PackedError): unknown {
  if (packed.kind === 'snapshot') return new SnapshotError(...packed.parts);
  return packed.kind === 'release' ? new ReleaseError(packed.message) : packed.error;
}
