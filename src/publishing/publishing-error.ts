import { ExpectedError } from '../expected-error.js';

/** A failure that leaves a folder of published snapshots unchanged; `remedy` says how to fix it. */
type PublishingErrorCode =
  | 'UNPUBLISHABLE_NAME'
  | 'SOURCE_CHANGED'
  | 'NO_LOCKS'
  | 'FOLDER_LOCKED'
  | 'CURRENT_CHANGED'
  | 'NOTHING_BEFORE'
  | 'NOTHING_IN_SERVICE'
  | 'NOT_PUBLISHED';

export class PublishingError extends ExpectedError {
  override readonly name = 'PublishingError';

  constructor(
    readonly code: PublishingErrorCode,
    readonly found: string,
    readonly remedy: string,
  ) {
    super(`${code}: ${found}; ${remedy}`);
  }
}
