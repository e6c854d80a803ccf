/**
 * Every error a client can meet (description/error-codes.ts) as a response: the error body, and the errors of the transport and
 * the key check. DomainErrors come from the service; HttpErrors are made here, each with the headers that its status
 * calls for. This file knows no request and no response.
 */

import { StacklessError } from '../../base/stackless-error.js';
import { DomainError } from '../../core/lookup/domain-error.js';
import { type ByteString, encodeUtf8 } from '../../core/snapshot/byte-string.js';
import type {
  Admission,
  CallerRefusal,
  KeyLimits,
  KeyRefusal,
  LimitRefusal,
} from '../../keys/decision/key-decision.js';
import { BYTES_PER_CHUNK, MAX_FREE_CHUNKS } from '../../server/chunked-body.js';
import { MAX_URL_CHARACTERS, type Refusal } from '../../server/refusals.js';
import { type ErrorCode, statusOfCode } from '../description/error-codes.js';
import { rateLimitUnitsLeft, retryAfterSeconds } from './rate-limit-headers.js';

export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';

/** An error of the transport or of the key check, with the headers its status calls for as a flat name, value list. */
export class HttpError extends StacklessError {
  override readonly name = 'HttpError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly headers: readonly string[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export type ClientVisibleError = DomainError | HttpError;

export function errorBody(error: ClientVisibleError, correlationId: string): ByteString {
  return encodeUtf8(JSON.stringify({ ...describeError(error), metadata: { correlationId } }));
}

/** What the body of an error and a lookup of a bulk request tell of it. */
export function describeError(error: ClientVisibleError): object {
  const { code, message } = error;
  // JSON leaves out what is undefined.
  const details = error instanceof DomainError ? error.details : undefined;
  return { statusCode: statusOfCode[code], error: { message, code, details } };
}

/** What a client is told of whatever was thrown: of a defect nothing but that there is one. */
export function toClientVisible(thrown: unknown): ClientVisibleError {
  if (thrown instanceof DomainError || thrown instanceof HttpError) return thrown;
  return new HttpError('INTERNAL_ERROR', 'Something went wrong on our side; quote the correlation id to support.');
}

export function routeNotFoundError(): HttpError {
  return new HttpError('ROUTE_NOT_FOUND', 'No endpoint has this path.');
}

export function methodNotAllowedError(methods = ALLOWED_METHODS): HttpError {
  return new HttpError('METHOD_NOT_ALLOWED', `This path answers ${methods} only.`, ['allow', methods]);
}

const refusals: Readonly<Record<Refusal, () => HttpError>> = {
  malformed: () => new HttpError('MALFORMED_REQUEST', 'The request is not well-formed HTTP.'),
  'unencoded-url': () =>
    new HttpError('MALFORMED_REQUEST', 'The URL holds a character that must be percent-encoded as UTF-8.'),
  'headers-too-large': () => new HttpError('HEADERS_TOO_LARGE', 'The URL and headers together are too large.'),
  'too-slow': () => new HttpError('REQUEST_TIMEOUT', 'The request was not complete in time.'),
  tunnel: () => methodNotAllowedError(),
  unroutable: routeNotFoundError,
  'chunk-flood': () =>
    new HttpError(
      'PAYLOAD_TOO_LARGE',
      `The body has more chunks than ${MAX_FREE_CHUNKS} and one for each ${BYTES_PER_CHUNK} bytes.`,
    ),
  'url-too-long': () => new HttpError('URI_TOO_LONG', `The URL is longer than ${MAX_URL_CHARACTERS} characters.`),
  'no-host': () => new HttpError('MALFORMED_REQUEST', 'The request has no Host header.'),
  'several-hosts': () => new HttpError('MALFORMED_REQUEST', 'The request has more than one Host header.'),
  'chunked-upgrade': () =>
    new HttpError('MALFORMED_REQUEST', 'A request with Upgrade can have no Transfer-Encoding here.'),
};

/** The error of a request that the server refuses before it is routed. */
export function refusedRequestError(refusal: Refusal): HttpError {
  return refusals[refusal]();
}

/** One cause for all: in a flood of unknown keys the stack of each would cost as much as the rest of its answer. */
const OVERLOADED = new Error('too many keys that were not seen lately wait to be looked up');

const keyRefusals: Record<Exclude<KeyRefusal, 'overloaded'>, [code: ErrorCode, message: string]> = {
  missing: ['SERVICE_API_KEY_MISSING', 'No API key was sent; send it in the x-api-key header.'],
  invalid: ['SERVICE_API_KEY_INVALID', 'The API key is not valid.'],
  revoked: ['SERVICE_API_KEY_REVOKED', 'The API key was revoked or replaced.'],
  expired: ['SERVICE_API_KEY_EXPIRED', 'The API key has expired.'],
  leaked: [
    'SERVICE_API_KEY_INVALID',
    'A secret API key was sent in the URL, where others can read it: it has leaked. Replace it, and send the new one in the x-api-key header; only publishable keys (pp_pub_…) may be in a URL.',
  ],
};

const SENT_AS_BEARER: (typeof keyRefusals)['missing'] = [
  'SERVICE_API_KEY_MISSING',
  'The API key came in the Authorization header; send it as x-api-key: YOUR_KEY instead.',
];

/** `isBearer`: the request has `Authorization: Bearer …`. */
export function keyRefusedError(reason: KeyRefusal, isBearer: boolean): HttpError {
  if (reason === 'overloaded') return keyCheckFailedError(OVERLOADED);
  const [code, message] = reason === 'missing' && isBearer ? SENT_AS_BEARER : keyRefusals[reason];
  // RFC 9110 (11.6.1) wants a challenge with every 401; browsers show no password dialog for an unknown scheme.
  return new HttpError(code, message, ['www-authenticate', 'ApiKey realm="api", header="x-api-key"']);
}

const callerRefusals: Record<CallerRefusal, [code: ErrorCode, message: string]> = {
  'origin-not-allowed': [
    'SERVICE_ORIGIN_NOT_ALLOWED',
    'This publishable key is bound to web pages of other origins, or the request has no Origin header.',
  ],
  restricted: ['SERVICE_KEY_RESTRICTED', 'This publishable key may not call this operation.'],
};

export function callerRefusedError(reason: CallerRefusal): HttpError {
  return new HttpError(...callerRefusals[reason]);
}

/** Of a visitor that is over the rate of a publishable key. */
export function visitorLimitedError(limits: KeyLimits): HttpError {
  const message =
    'Too many requests from this address for this publishable key; slow down to the rate of RateLimit-Policy.';
  return new HttpError('SERVICE_RATE_LIMITED', message, retryAfter('rate-limited', limits));
}

const limitRefusals: Record<LimitRefusal, [code: ErrorCode, message: string]> = {
  'rate-limited': ['SERVICE_RATE_LIMITED', 'Too many requests at once; slow down to the rate of RateLimit-Policy.'],
  'quota-exceeded': ['SERVICE_QUOTA_EXCEEDED', 'The quota of this calendar month (UTC) is used up.'],
};

/** Of a request that takes `cost` units of quota and `rateCost` units of rate. */
export function limitExceededError(
  reason: LimitRefusal,
  limits: KeyLimits,
  { cost: quotaCost, rateCost }: Pick<Admission, 'cost' | 'rateCost'>,
): HttpError {
  const [code, message] = limitRefusals[reason];
  const cost = reason === 'rate-limited' ? rateCost : quotaCost;
  const left = cost > 1 ? rateLimitUnitsLeft(reason, limits) : 0;
  return new HttpError(code, left > 0 ? tooFewLeft[reason](left, cost) : message, retryAfter(reason, limits, cost));
}

function retryAfter(reason: LimitRefusal, limits: KeyLimits, cost = 1): string[] {
  return ['retry-after', String(retryAfterSeconds(reason, limits, cost))];
}

/** Where some requests are left, but fewer than the `cost` of a bulk request, or of one that counts as several. */
const tooFewLeft: Record<LimitRefusal, (left: number, cost: number) => string> = {
  'rate-limited': (left, cost) =>
    `Too few requests are left for this one at the moment: it takes ${count(cost)}, and the rate of RateLimit-Policy allows ${count(left)}.`,
  'quota-exceeded': (left, cost) =>
    `Too few requests are left for this one: it takes ${count(cost)}, and the quota of this calendar month (UTC) has ${count(left)} left.`,
};

function count(units: number): string {
  return units.toLocaleString('en-US');
}

export function keyCheckFailedError(cause: unknown): HttpError {
  const message = 'API keys cannot be checked at the moment; try again shortly.';
  return new HttpError('SERVICE_UNAVAILABLE', message, ['retry-after', '2'], { cause });
}
