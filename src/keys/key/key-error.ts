/** Why a key can't be found, created, changed or shown. */

import { ExpectedError } from '../../base/errors.js';

export type KeyErrorCode =
  /** The store has a key with this digest or this id. */
  | 'KEY_EXISTS'
  /** No key has this id. */
  | 'KEY_UNKNOWN'
  /** The key was revoked or replaced, or has expired. */
  | 'KEY_INACTIVE'
  /** The change is one of publishable keys only. */
  | 'KEY_SECRET'
  /** The clear key can't be shown: it was not sealed, or it was sealed with another secret or id, or was changed. */
  | 'KEY_SEALED';

export class KeyError extends ExpectedError {
  override readonly name = 'KeyError';

  constructor(
    readonly code: KeyErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
