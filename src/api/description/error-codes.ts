/** The codes of all errors that a client can meet: the status of each, and its meaning. */

/** The contract's codes, then those of publishable keys, then those about the transport. */
export const statusOfCode = {
  VALIDATION_FAILED: 400,
  SERVICE_API_KEY_MISSING: 401,
  SERVICE_API_KEY_INVALID: 401,
  SERVICE_API_KEY_REVOKED: 401,
  SERVICE_API_KEY_EXPIRED: 401,
  COUNTRY_NOT_FOUND: 404,
  NO_POSTCODE_DATA: 404,
  PLACE_NOT_FOUND: 404,
  POSTCODE_NOT_FOUND: 404,
  NO_NEARBY_PLACE: 404,
  RELEASE_NOT_FOUND: 404,
  SERVICE_RATE_LIMITED: 429,
  SERVICE_QUOTA_EXCEEDED: 429,
  SERVICE_ORIGIN_NOT_ALLOWED: 403,
  SERVICE_KEY_RESTRICTED: 403,
  MALFORMED_REQUEST: 400,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof statusOfCode;

/** For the description of the API. */
export const meaningOfCode: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: 'A parameter, or the body, is missing or invalid',
  SERVICE_API_KEY_MISSING: 'No API key was sent',
  SERVICE_API_KEY_INVALID: 'The key is wrong',
  SERVICE_API_KEY_REVOKED: 'The key was revoked or replaced',
  SERVICE_API_KEY_EXPIRED: 'The key has expired',
  COUNTRY_NOT_FOUND: 'No country has that code',
  NO_POSTCODE_DATA: 'The country has no postcode data',
  PLACE_NOT_FOUND: 'No place of the country has that id or path',
  POSTCODE_NOT_FOUND: 'No place of the country or countries uses that postal code',
  NO_NEARBY_PLACE: 'No place is near enough',
  RELEASE_NOT_FOUND: 'No list of changes starts at that release; the message names those that can be asked for',
  SERVICE_RATE_LIMITED: 'Too many requests at once; try again after Retry-After',
  SERVICE_QUOTA_EXCEEDED: 'The quota of the calendar month (UTC) is used up; Retry-After is its end',
  SERVICE_ORIGIN_NOT_ALLOWED: 'The publishable key is bound to other origins, or the request has no Origin header',
  SERVICE_KEY_RESTRICTED: 'The publishable key may not call this operation',
  MALFORMED_REQUEST: 'The request is not well-formed HTTP',
  ROUTE_NOT_FOUND: 'No endpoint has this path',
  METHOD_NOT_ALLOWED: 'The endpoint answers other methods only',
  REQUEST_TIMEOUT: 'The request was not complete in time',
  PAYLOAD_TOO_LARGE: 'The body is too long',
  URI_TOO_LONG: 'The URL is too long',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not JSON, or is compressed',
  HEADERS_TOO_LARGE: 'The URL and headers together are too large',
  INTERNAL_ERROR: 'A defect of the service',
  SERVICE_UNAVAILABLE: 'API keys cannot be checked at the moment; try again after Retry-After',
};

/** The codes of errors that can name faulty parameters in `details`. */
export const codesWithDetails: readonly ErrorCode[] = ['VALIDATION_FAILED', 'COUNTRY_NOT_FOUND', 'POSTCODE_NOT_FOUND'];
