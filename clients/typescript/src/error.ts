/** The one error with which a call rejects, with a code for each reason. */
import type { ErrorCode, ParameterFault } from './error-codes.js';

/** The codes of errors that the client itself finds; `ErrorCode` are those of the service. */
export type ClientErrorCode =
  /** More than 64 MB came. */
  | 'ANSWER_TOO_LARGE'
  /** No whole answer came: no address, no connection, no TLS, no HTTP, or it broke off. `cause` is what `fetch` threw. */
  | 'CONNECTION_FAILED'
  /** Nothing was sent: an argument can't be. */
  | 'INVALID_ARGUMENT'
  /** `timeoutMs` was over before the answer was there. */
  | 'TIMEOUT'
  /** The answer is not of the service, but of a proxy before it, say. A redirect is such an answer. */
  | 'UNEXPECTED_ANSWER';

export interface ErrorDetails {
  readonly status?: number | undefined;
  readonly correlationId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly details?: readonly ParameterFault[] | undefined;
  readonly cause?: unknown;
}

/** Why a call gave no data. A call rejects with nothing else, but where its `signal` or `onResponse` ended it. */
export class PostalPlacesError extends Error {
  override readonly name = 'PostalPlacesError';
  /** The HTTP status; undefined where there is no answer, 0 for a redirect in a browser, which does not tell it. */
  readonly status: number | undefined;
  /** Quote it to support. */
  readonly correlationId: string | undefined;
  /** Whole seconds after which the request may succeed, where the server tells; at most 999,999,999. */
  readonly retryAfterSeconds: number | undefined;
  /** What is wrong with each parameter, where the service tells; else empty. */
  readonly details: readonly ParameterFault[];

  constructor(
    message: string,
    /** Later versions of the API may add some. */
    readonly code: ErrorCode | ClientErrorCode | (string & {}),
    { status, correlationId, retryAfterSeconds, details = [], cause }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.correlationId = correlationId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = details;
  }
}
