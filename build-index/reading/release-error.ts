import { ExpectedError } from '../../src/base/errors.js';

/** Why no snapshot can be built from a release, or from a file of it. A bad row is no error: see row-problems.ts. */
export class ReleaseError extends ExpectedError {
  override readonly name = 'ReleaseError';
}
