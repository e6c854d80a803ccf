import { ExpectedError } from '../../src/expected-error.js';

/** Why a release, or a file of the release, can't be built from. A bad row is no error: see build-problem.ts. */
export class ReleaseError extends ExpectedError {
  override readonly name = 'ReleaseError';
}
