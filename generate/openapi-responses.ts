/**
 * Responses as OpenAPI describes them. Those that all operations share stand under `components.responses`, once each; an
 * operation has its own success and its own 404.
 */
import { errorEnvelope } from '../src/http/answer-schemas.js';
import { type ErrorCode, meaningOfCode, statusOfCode } from '../src/http/errors.js';
import type { JsonSchema } from '../src/http/json-schema.js';
import type { Reference, ResponseObject } from './openapi-document.js';
import { headersOfDocument, headersOfError, headersOfPreflight, headersOfSuccess } from './openapi-headers.js';

export const JSON_TYPE = 'application/json';

type Responses = Readonly<Record<string, ResponseObject | Reference>>;

const NOT_MODIFIED = 'What If-None-Match named is still the answer';

/** What a request with a key can meet, whatever it asks. */
const KEYED: Readonly<Record<string, readonly ErrorCode[]>> = {
  BadRequest: ['VALIDATION_FAILED', 'MALFORMED_REQUEST'],
  Unauthorized: [
    ...(['SERVICE_API_KEY_MISSING', 'SERVICE_API_KEY_INVALID'] as const),
    ...(['SERVICE_API_KEY_REVOKED', 'SERVICE_API_KEY_EXPIRED'] as const),
  ],
  RequestTimeout: ['REQUEST_TIMEOUT'],
  UriTooLong: ['URI_TOO_LONG'],
  TooManyRequests: ['SERVICE_RATE_LIMITED', 'SERVICE_QUOTA_EXCEEDED'],
  HeadersTooLarge: ['HEADERS_TOO_LARGE'],
  InternalError: ['INTERNAL_ERROR'],
  ServiceUnavailable: ['SERVICE_UNAVAILABLE'],
};

/** What a request can meet where no key is needed. */
const KEYLESS: Readonly<Record<string, readonly ErrorCode[]>> = {
  MalformedRequest: ['MALFORMED_REQUEST'],
  RequestTimeout: ['REQUEST_TIMEOUT'],
  UriTooLong: ['URI_TOO_LONG'],
  HeadersTooLarge: ['HEADERS_TOO_LARGE'],
  InternalError: ['INTERNAL_ERROR'],
};

/** The answers to requests that are none of the operations. */
const NO_OPERATION: Readonly<Record<string, readonly ErrorCode[]>> = {
  RouteNotFound: ['ROUTE_NOT_FOUND'],
  MethodNotAllowed: ['METHOD_NOT_ALLOWED'],
};

export const sharedResponses: Readonly<Record<string, ResponseObject>> = {
  NotModified: { description: NOT_MODIFIED, headers: headersOfSuccess },
  DocumentNotModified: { description: NOT_MODIFIED, headers: headersOfDocument },
  Preflight: { description: 'The answer to OPTIONS, whatever the path', headers: headersOfPreflight },
  ...errorsOf({ ...KEYLESS, ...NO_OPERATION }, false),
  ...errorsOf(KEYED, true),
};

/** Of an operation that needs a key; `codes` are those that its own parameters and use case can end with. */
export function keyedResponses(codes: readonly ErrorCode[], success: ResponseObject): Responses {
  const shared = Object.values(KEYED).flat();
  const own = codes.filter((code) => !shared.includes(code));
  const odd = own.filter((code) => statusOfCode[code] !== 404);
  if (odd.length > 0) throw new Error(`no response has room for ${odd.join(', ')}`);
  const notFound = own.length === 0 ? {} : { 404: errorResponse(404, own, true) };
  return { 200: success, 304: refTo('NotModified'), ...notFound, ...refsTo(KEYED) };
}

export function keylessResponses(success: ResponseObject, hasTag: boolean): Responses {
  return { 200: success, ...(hasTag ? { 304: refTo('DocumentNotModified') } : {}), ...refsTo(KEYLESS) };
}

export function success(
  description: string,
  headers: ResponseObject['headers'],
  schema: JsonSchema,
  { type = JSON_TYPE, example }: { readonly type?: string; readonly example?: unknown } = {},
): ResponseObject {
  return { description, headers, content: { [type]: example === undefined ? { schema } : { schema, example } } };
}

function errorsOf(
  table: Readonly<Record<string, readonly ErrorCode[]>>,
  hasKey: boolean,
): Record<string, ResponseObject> {
  return Object.fromEntries(
    Object.entries(table).map(([name, codes]) => [name, errorResponse(statusOf(codes), codes, hasKey)]),
  );
}

function errorResponse(status: number, codes: readonly ErrorCode[], hasKey: boolean): ResponseObject {
  return {
    description: codes.map((code) => `- \`${code}\`: ${meaningOfCode[code]}`).join('\n'),
    headers: headersOfError(status, hasKey),
    content: { [JSON_TYPE]: { schema: errorEnvelope(status, codes) } },
  };
}

function refsTo(table: Readonly<Record<string, readonly ErrorCode[]>>): Responses {
  return Object.fromEntries(Object.entries(table).map(([name, codes]) => [statusOf(codes), refTo(name)]));
}

function refTo(name: string): Reference {
  return { $ref: `#/components/responses/${name}` };
}

/** The one status of all the codes. */
function statusOf(codes: readonly ErrorCode[]): number {
  const [status, ...others] = new Set(codes.map((code) => statusOfCode[code]));
  if (status === undefined || others.length > 0) throw new Error(`${codes.join(', ')} have no one status`);
  return status;
}
