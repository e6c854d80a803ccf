/** Why an account can't do what was asked of it: one sentence for the person who asked. */
import { ExpectedError } from '../expected-error.js';

export type AccountErrorCode =
  /** The text is no e-mail address that mail can be sent to. */
  | 'ADDRESS_INVALID'
  /** The operator lets nobody of this address's domain in. */
  | 'ADDRESS_REFUSED'
  /** The address's mailbox has an account under another spelling of the address. */
  | 'MAILBOX_TAKEN'
  /** The code, or the link, was used, has expired, or was guessed at too often. */
  | 'CODE_GONE'
  /** Not the code that was sent; it may be tried again. */
  | 'CODE_WRONG'
  /** It was done too often lately; waiting helps. */
  | 'LIMITED'
  /** There is no session, or its account has been closed. */
  | 'SIGNED_OUT'
  /** The sign-in is too long ago for what was asked. */
  | 'SIGN_IN_STALE'
  /** There is no such account, or not any more. */
  | 'ACCOUNT_UNKNOWN'
  /** The operator has suspended the account. */
  | 'SUSPENDED'
  /** The account has no such key. */
  | 'KEY_UNKNOWN'
  /** The key is not in a state in which this can be done. */
  | 'KEY_STATE'
  /** The key was made without KEY_SECRET, or under another one. */
  | 'KEY_SEALED'
  /** The account has as many keys as it may. */
  | 'KEY_LIMIT'
  /** It can't be done without KEY_SECRET. */
  | 'SECRET_MISSING'
  /** What was typed is not what had to be. */
  | 'CONFIRMATION_WRONG';

export class AccountError extends ExpectedError {
  override readonly name = 'AccountError';

  constructor(
    readonly code: AccountErrorCode,
    message: string,
    /** Where waiting helps, for how long. */
    readonly waitSeconds: number | null = null,
  ) {
    super(message);
  }
}
