/** Why an action on an account was refused: a code, and one sentence for the user. */

import { ExpectedError } from '../../base/errors.js';

export type AccountErrorCode =
  /** Not an e-mail address that mail can be sent to. */
  | 'ADDRESS_INVALID'
  /** The operator does not allow the address's domain. */
  | 'ADDRESS_REFUSED'
  /** The address's mailbox has an account under another spelling of the address. */
  | 'MAILBOX_TAKEN'
  /** The code, or the link, was used, has expired, or was guessed at too often. */
  | 'CODE_GONE'
  /** Not the code that was sent; the user may try again. */
  | 'CODE_WRONG'
  /** Over a rate limit; waiting helps. */
  | 'LIMITED'
  /** There is no session, or its account has been closed. */
  | 'SIGNED_OUT'
  /** The action needs a more recent sign-in. */
  | 'SIGN_IN_STALE'
  /** There is no such account. */
  | 'ACCOUNT_UNKNOWN'
  /** The operator has suspended the account. */
  | 'SUSPENDED'
  /** The account has no such key. */
  | 'KEY_UNKNOWN'
  /** The key is no longer active. */
  | 'KEY_STATE'
  /** The key was created without KEY_SECRET, or with another KEY_SECRET. */
  | 'KEY_SEALED'
  /** The account has the maximum number of keys. */
  | 'KEY_LIMIT'
  /** The action needs KEY_SECRET. */
  | 'SECRET_MISSING'
  /** The typed confirmation does not match. */
  | 'CONFIRMATION_WRONG'
  /** The typed restrictions are not valid. */
  | 'RESTRICTIONS_INVALID';

export class AccountError extends ExpectedError {
  override readonly name = 'AccountError';

  constructor(
    readonly code: AccountErrorCode,
    message: string,
    /** Seconds until the action is allowed again; null unless the code is LIMITED. */
    readonly waitSeconds: number | null = null,
  ) {
    super(message);
  }
}

/** The error of an action over its limit. */
export function accountLimitedError(message: string, waitMs: number): AccountError {
  const seconds = Math.ceil(waitMs / 1000);
  const when = seconds <= 60 ? 'in a minute' : `in ${Math.ceil(seconds / 60)} minutes`;
  return new AccountError('LIMITED', `${message} Please try again ${when}.`, seconds);
}

export function unknownAccountError(id: string): AccountError {
  return new AccountError('ACCOUNT_UNKNOWN', `there is no account "${id}": keys accounts shows all accounts`);
}
