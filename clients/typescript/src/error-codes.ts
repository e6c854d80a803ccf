/** Written by `npm run generate:openapi`: do not edit. */

/** The codes of errors of the Postal Places API; later versions of it may add some. */
export type ErrorCode =
  | 'COUNTRY_NOT_FOUND'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'MALFORMED_REQUEST'
  | 'NO_NEARBY_PLACE'
  | 'NO_POSTCODE_DATA'
  | 'PAYLOAD_TOO_LARGE'
  | 'PLACE_NOT_FOUND'
  | 'POSTCODE_NOT_FOUND'
  | 'RELEASE_NOT_FOUND'
  | 'REQUEST_TIMEOUT'
  | 'SERVICE_API_KEY_EXPIRED'
  | 'SERVICE_API_KEY_INVALID'
  | 'SERVICE_API_KEY_MISSING'
  | 'SERVICE_API_KEY_REVOKED'
  | 'SERVICE_KEY_RESTRICTED'
  | 'SERVICE_ORIGIN_NOT_ALLOWED'
  | 'SERVICE_QUOTA_EXCEEDED'
  | 'SERVICE_RATE_LIMITED'
  | 'SERVICE_UNAVAILABLE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'URI_TOO_LONG'
  | 'VALIDATION_FAILED';

export interface WithdrawnPostcode {
  /** The code as the earlier release writes it. */
  postcode: string;
  /** The release that came without the code. */
  release: string;
  /** ISO 3166-1 alpha-2 code. */
  countryCode: string;
  /** Id of a place that had the code, as it was then. */
  placeId: string;
  /** Name of this place. */
  placeName: string;
  /** Slugs of the ancestors and of the place, root first, each after a slash. */
  placePath: string;
}

export interface InferredPostcode {
  /** ISO 3166-1 alpha-2 code. */
  countryCode: string;
  /** Id of the town, or of the part of it, that has the codes around this one. */
  placeId: string;
  /** Name of this place. */
  placeName: string;
  /** Slugs of the ancestors and of the place, root first, each after a slash. */
  placePath: string;
  /** Name of its city; its own name where it has none. */
  city: string;
}

export interface ParameterFault {
  /** Name of the parameter as it was sent or should be sent. */
  param: string;
  /** What is wrong, for people; its wording may change. */
  message: string;
  /** What is allowed. */
  expected: string;
  /** Only of a postal code that an earlier release has. */
  withdrawn?: WithdrawnPostcode;
  /** Only of a postal code that the dataset lacks, in a town's block. */
  inferred?: InferredPostcode;
}
