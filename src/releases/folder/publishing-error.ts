/** Why a folder of published snapshots is left as it was; `remedy` says how to mend it. */

import { CodedError } from '../../base/errors.js';

type PublishingErrorCode =
  | 'UNPUBLISHABLE_NAME'
  | 'SOURCE_CHANGED'
  | 'NO_LOCKS'
  | 'FOLDER_LOCKED'
  | 'CURRENT_CHANGED'
  | 'NOTHING_BEFORE'
  | 'NOTHING_IN_SERVICE'
  | 'NOT_PUBLISHED';

export class PublishingError extends CodedError<PublishingErrorCode> {
  override readonly name = 'PublishingError';
}
