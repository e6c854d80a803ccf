/**
 * Why a sign-in through the company's provider failed. The message is for the log and contains no secret; the
 * provider's text in it is truncated.
 */

import { ExpectedError } from '../../base/errors.js';

export type ProviderErrorCode =
  /** The provider can't be reached, sends an invalid response, or refuses this site as its client. */
  | 'PROVIDER_FAILED'
  /** The provider refuses this user, or this user on this site. */
  | 'PROVIDER_REFUSED'
  /** The response does not belong to a sign-in of this browser. */
  | 'ANSWER_WRONG'
  /** The sign-in has been used, has expired, or did not begin in this browser. */
  | 'SIGN_IN_GONE'
  /** The provider does not say that the person owns the address. */
  | 'ADDRESS_UNVERIFIED'
  /** The provider does not say that the person signed in to it just now. */
  | 'NOT_FRESH';

/** Maximum number of characters of a message: a provider may send a megabyte. */
const MESSAGE_LIMIT = 400;

export class ProviderError extends ExpectedError {
  override readonly name = 'ProviderError';

  constructor(
    readonly code: ProviderErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message.slice(0, MESSAGE_LIMIT), options);
  }
}
