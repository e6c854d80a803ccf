import { ExpectedError } from '../../src/expected-error.js';

/** The command line does not fit the table, or itself: exit code 2. */
export class UsageError extends ExpectedError {
  override readonly name = 'UsageError';
}
