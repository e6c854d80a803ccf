/**
 * The error of a use case, with a code of the interface specification. The service knows no HTTP status:
 * `src/api/error-codes.ts` maps codes to statuses. Messages are for people; code must not branch on them.
 */

import { StacklessError } from './stackless.js';

type DomainErrorCode =
  | 'VALIDATION_FAILED'
  | 'COUNTRY_NOT_FOUND'
  | 'NO_POSTCODE_DATA'
  | 'PLACE_NOT_FOUND'
  | 'POSTCODE_NOT_FOUND'
  | 'NO_NEARBY_PLACE';

export class DomainError extends StacklessError {
  override readonly name = 'DomainError';

  constructor(
    readonly code: DomainErrorCode,
    message: string,
  ) {
    super(message);
  }
}
