/**
 * The error of a use case, with a code of the interface specification or of an endpoint beside it. The service knows no HTTP status:
 * `src/api/description/error-codes.ts` maps codes to statuses. Messages are for people; code must not branch on them.
 */

import type { WithdrawnPostcode } from '../snapshot/release-changes.js';

/**
 * An error without a stack trace, for responses to a wrong request, such as 404. Nobody reads the stack trace of such
 * an error, and capturing it takes more time than the rest of the response.
 */
export abstract class StacklessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = limit;
  }
}

type DomainErrorCode =
  | 'VALIDATION_FAILED'
  | 'COUNTRY_NOT_FOUND'
  | 'NO_POSTCODE_DATA'
  | 'PLACE_NOT_FOUND'
  | 'POSTCODE_NOT_FOUND'
  | 'NO_NEARBY_PLACE'
  | 'RELEASE_NOT_FOUND';

/** What is wrong with one parameter of a request. */
export interface ParameterFault {
  /** The name of the parameter as clients send it. */
  readonly param: string;
  /** The whole sentence. */
  readonly message: string;
  /** What the rule of the parameter allows. */
  readonly expected: string;
  /** Of a postal code that an earlier release has. */
  readonly withdrawn?: WithdrawnPostcode;
}

export class DomainError extends StacklessError {
  override readonly name = 'DomainError';

  constructor(
    readonly code: DomainErrorCode,
    message: string,
    /** The faults of parameters that the error reports. */
    readonly details?: readonly ParameterFault[],
  ) {
    super(message);
  }
}
