/**
 * Which responses an operation can end with beside its success. Most are shared by all operations of a kind, and described
 * once each, under a name; an operation has a 404 of its own.
 */

import { type ErrorCode, meaningOfCode, statusOfCode } from '../src/api/description/error-codes.js';

/** The codes of each shared response, by its name; all codes of one response have the same status. */
export type SharedErrors = Readonly<Record<string, readonly ErrorCode[]>>;

/** What a request with a key can meet, whatever it asks. */
export const keyedErrors: SharedErrors = {
  BadRequest: ['VALIDATION_FAILED', 'MALFORMED_REQUEST'],
  Unauthorized: [
    ...(['SERVICE_API_KEY_MISSING', 'SERVICE_API_KEY_INVALID'] as const),
    ...(['SERVICE_API_KEY_REVOKED', 'SERVICE_API_KEY_EXPIRED'] as const),
  ],
  Forbidden: ['SERVICE_ORIGIN_NOT_ALLOWED', 'SERVICE_KEY_RESTRICTED'],
  RequestTimeout: ['REQUEST_TIMEOUT'],
  UriTooLong: ['URI_TOO_LONG'],
  TooManyRequests: ['SERVICE_RATE_LIMITED', 'SERVICE_QUOTA_EXCEEDED'],
  HeadersTooLarge: ['HEADERS_TOO_LARGE'],
  InternalError: ['INTERNAL_ERROR'],
  ServiceUnavailable: ['SERVICE_UNAVAILABLE'],
};

/** What a bulk request can meet. */
export const bulkErrors: SharedErrors = {
  ...keyedErrors,
  PayloadTooLarge: ['PAYLOAD_TOO_LARGE'],
  UnsupportedMediaType: ['UNSUPPORTED_MEDIA_TYPE'],
};

/** What a request can meet where no key is needed. */
export const keylessErrors: SharedErrors = {
  MalformedRequest: ['MALFORMED_REQUEST'],
  RequestTimeout: ['REQUEST_TIMEOUT'],
  UriTooLong: ['URI_TOO_LONG'],
  HeadersTooLarge: ['HEADERS_TOO_LARGE'],
  InternalError: ['INTERNAL_ERROR'],
};

/** The responses to requests that are none of the operations. */
export const unroutedErrors: SharedErrors = {
  RouteNotFound: ['ROUTE_NOT_FOUND'],
  MethodNotAllowed: ['METHOD_NOT_ALLOWED'],
};

/** A shared response that is no error. */
interface SharedResponse {
  readonly name: string;
  /** Undefined where no operation ends with it. */
  readonly status: number | undefined;
  readonly description: string;
}

const NOT_MODIFIED = 'What If-None-Match named is still the answer';

export const notModified: SharedResponse = { name: 'NotModified', status: 304, description: NOT_MODIFIED };
export const documentNotModified: SharedResponse = { ...notModified, name: 'DocumentNotModified' };
export const preflight: SharedResponse = {
  name: 'Preflight',
  status: undefined,
  description: 'The answer to OPTIONS, whatever the path',
};

/** What the success of an operation with a key is. */
export const SUCCESS = 'The answer';

/**
 * The codes of an operation's own 404, of all that its parameters and use case can end with. Throws where one of these
 * has neither a shared response nor the status 404.
 */
export function unsharedNotFoundErrors(codes: readonly ErrorCode[]): ErrorCode[] {
  const shared = Object.values(keyedErrors).flat();
  const own = codes.filter((code) => !shared.includes(code));
  const odd = own.filter((code) => statusOfCode[code] !== 404);
  if (odd.length > 0) throw new Error(`no response has room for ${odd.join(', ')}`);
  return own;
}

/** The one status of all the codes. */
export function statusOfSharedError(codes: readonly ErrorCode[]): number {
  const [status, ...others] = new Set(codes.map((code) => statusOfCode[code]));
  if (status === undefined || others.length > 0) throw new Error(`${codes.join(', ')} have no one status`);
  return status;
}

/** A list of the codes and what they mean, as Markdown. */
export function describeCodes(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `- \`${code}\`: ${meaningOfCode[code]}`).join('\n');
}
