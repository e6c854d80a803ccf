/**
 * The error of a wrong request, with a code of the interface specification or of an endpoint beside it. Core knows no HTTP
 * status: `src/api/description/error-codes.ts` maps codes to statuses. Messages are for people; code must not branch on
 * them.
 */

import { StacklessError } from '../../base/stackless-error.js';
import type { WithdrawnPostcode } from '../snapshot/release-changes.js';
import type { Country } from '../snapshot/snapshot.js';
import type { InferredPostcode } from './inferred-postcode.js';

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
  /** Of a postal code that the data lack, in the block of a town. */
  readonly inferred?: InferredPostcode;
}

export class DomainError extends StacklessError {
  override readonly name = 'DomainError';

  constructor(
    readonly code: DomainErrorCode,
    message: string,
    /** The faults of parameters that the error reports. */
    readonly details?: readonly ParameterFault[],
    /** Of NO_POSTCODE_DATA: the country. */
    readonly country?: Country,
  ) {
    super(message);
  }
}
