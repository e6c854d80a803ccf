/**
 * Why a sign-in through the company's provider does not come about. The message is for the log and holds no secret;
 * what the provider says in it is cut.
 */
import { ExpectedError } from '../../expected-error.js';

export type ProviderErrorCode =
  /** The provider can't be reached, answers with no sense, or refuses this site as its client. */
  | 'PROVIDER_FAILED'
  /** The provider signs this person in for nobody, or not for this site. */
  | 'PROVIDER_REFUSED'
  /** The answer is not the one that a sign-in of this browser waits for. */
  | 'ANSWER_WRONG'
  /** The sign-in has been used, has expired, or did not begin in this browser. */
  | 'SIGN_IN_GONE'
  /** The provider does not say that the person owns the address. */
  | 'ADDRESS_UNVERIFIED'
  /** The provider does not say that the person signed in to it just now. */
  | 'NOT_FRESH';

/** Characters of a message. A provider may say a megabyte. */
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
