/**
 * The key check of a request: reads the key and its caller from the request, asks the gate, and turns the gate's decision
 * into limits or an error. A key comes in the header `x-api-key`; a publishable key may come as the query parameter
 * `key` instead, so that a web page needs no preflight. A secret key in a URL is refused: URLs are in histories, logs and
 * referrers. Where the header is there, the URL is not looked at.
 */

import { hash } from 'node:crypto';
import type { Request } from 'express';
import { oncePer } from '../../base/once-per.js';
import { decodeQueryComponent, findQueryPieces, queryOf, queryPieceValue } from '../../base/query-string.js';
import type { KeyGate } from '../../keys/decision/key-batcher.js';
import {
  type Admission,
  type Caller,
  type KeyDecision,
  type KeyLimits,
  limitsAfterDecision,
  type PublishableAdmission,
  refusalReason,
} from '../../keys/decision/key-decision.js';
import { isLikeSecretKey, isPublishableKey } from '../../keys/key/api-key.js';
import { allowsOrigin, readOrigin } from '../../keys/key/origin.js';
import type { Plan } from '../../keys/key/plan.js';
import type { Restrictions } from '../../keys/key/restrictions.js';
import { rateOf } from '../../keys/key/visitor-rate.js';
import { clientAddress } from '../../server/client-address.js';
import { CUSTOMER_BYTES, networkOf } from '../../server/networks.js';
import {
  callerRefusedError,
  keyCheckFailedError,
  keyRefusedError,
  limitExceededError,
  visitorLimitedError,
} from './http-errors.js';
import { KEYLESS, type KeylessGate } from './keyless.js';
import type { RequestContext } from './request-context.js';

/** The query parameter of a publishable key. */
export const KEY_PARAMETER = 'key';
/** Number of hexadecimal digits of a visitor's tag: 64 bits are unique among the visitors of any key. */
const VISITOR_TAG_LENGTH = 16;
/** The scheme with which other services take a key (RFC 6750, 2.1). */
const BEARER = /^Bearer /i;
/** In place of a secret key in the URL, which others can have read. */
const LEAKED = Symbol('a secret key in the URL');

/** The text that the request sent as its key; undefined for none. */
function keyOf(request: Request): string | typeof LEAKED | undefined {
  const header = request.headers['x-api-key'];
  // node joins a repeated header to "a, b", which is no key.
  const text = Array.isArray(header) ? header.join(', ') : header;
  return text === undefined || text === '' ? keyInUrl(queryOf(request.url)) : text;
}

/** Undefined unless there is a publishable key, or what is like a secret key. */
function keyInUrl(query: string): string | typeof LEAKED | undefined {
  if (query === '') return undefined;
  const texts = findQueryPieces(query, KEY_PARAMETER).map(
    (piece) => decodeQueryComponent(queryPieceValue(piece)) ?? '',
  );
  if (texts.some(isLikeSecretKey)) return LEAKED;
  // Two keys, joined like those of two headers, are none.
  return texts.some(isPublishableKey) ? texts.join(', ') : undefined;
}

/** The caller of a request with a publishable key. `operation` is empty for one that no such key may call. */
function keyCallerOf(request: Request, key: string, operation: string): Caller | undefined {
  if (!isPublishableKey(key)) return undefined;
  const origin = readOrigin(request.headers.origin) ?? '';
  return { origin, operation, visitor: visitorOf(clientAddress(request)) };
}

/** The tag of the visitor with this address: stores never hold the address. */
function visitorOf(address: string | undefined): string {
  return hash('sha256', networkOf(address, CUSTOMER_BYTES), 'hex').slice(0, VISITOR_TAG_LENGTH);
}

/**
 * Whose turn a request waits for, once its key was checked. All that need no key have one id, and so have all visitors of
 * a publishable key, which alone has a reading origin: each customer's network among them has turns of its own.
 */
export function keyClientOf(
  { keyId, readingOrigin }: Pick<RequestContext, 'keyId' | 'readingOrigin'>,
  request: Request,
): string {
  const isShared = keyId === KEYLESS || readingOrigin !== undefined;
  return isShared ? `${keyId} ${networkOf(clientAddress(request), CUSTOMER_BYTES)}` : String(keyId);
}

/** The gates for requests with a key and without. */
export interface KeyGates {
  readonly keys: KeyGate;
  readonly keyless: KeylessGate;
}

const KEY_LEAKED: KeyDecision = Object.freeze({ status: 'leaked' });

/** Asks the gates. `operation` is empty for one that no publishable key may call. */
export function checkKey(
  { keys, keyless }: KeyGates,
  request: Request,
  operation: string,
  cost = 1,
  rateCost = cost,
): KeyDecision | Promise<KeyDecision> {
  const key = keyOf(request);
  if (key === LEAKED) return KEY_LEAKED;
  if (key === undefined) return keyless(request, cost, rateCost) ?? keys.check(undefined, cost);
  return keys.check(key, cost, keyCallerOf(request, key, operation), rateCost);
}

/** Notes the decision in the request's context, and throws the HttpError of a refusal. */
export function applyKeyCheck(context: RequestContext, decision: KeyDecision, request: Request): Admission | undefined {
  if (decision.status === 'unavailable') throw keyCheckFailedError(decision.cause);
  if (decision.status === 'publishable') {
    takeOutcome(context, decision, request);
    return undefined;
  }
  if (decision.status !== 'good') {
    context.keyOutcome = decision.status;
    if (decision.origins !== undefined) context.readingOrigin = readingOriginOf(decision.origins, request);
    throw keyRefusedError(decision.status, BEARER.test(request.headers.authorization ?? ''));
  }
  context.limits = limitsAfterDecision(decision);
  context.keyId = decision.keyId;
  const isKeyless = decision.keyId === KEYLESS;
  if (decision.allowedCount === 1) {
    context.keyOutcome = isKeyless ? 'keyless' : 'allowed';
    return decision;
  }
  const reason = refusalReason(decision);
  context.keyOutcome = isKeyless ? 'keyless-limited' : reason;
  throw limitExceededError(reason, context.limits, decision);
}

/** The same for a publishable key, whose answers tell the limits of the visitor, not the use of the key. */
function takeOutcome(context: RequestContext, decision: PublishableAdmission, request: Request): void {
  const { keyId, restrictions, nowMs, month, outcomes } = decision;
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('a request of a publishable key has no outcome');
  const { status, visitorArrivalMs } = outcome;
  context.keyId = keyId;
  context.keyOutcome = status;
  context.readingOrigin = readingOriginOf(restrictions.origins, request);
  if (status === 'origin-not-allowed' || status === 'restricted') throw callerRefusedError(status);
  const limits: KeyLimits = { plan: visitorPlanOf(restrictions), nowMs, month, used: 0, arrivalMs: visitorArrivalMs };
  context.limits = limits;
  if (status === 'visitor-limited') throw visitorLimitedError(limits);
  if (status !== 'allowed') throw limitExceededError(status, limitsAfterDecision(decision), decision);
}

/**
 * The one origin whose pages may ask with the publishable key in the URL, null for none, undefined if nobody knows its
 * origins. Undefined at once where there is no such key.
 */
export function findKeyOrigin(keys: KeyGate, request: Request): Promise<string | null | undefined> | undefined {
  const key = keyInUrl(queryOf(request.url));
  return typeof key === 'string' ? askForOrigin(keys, request, key) : undefined;
}

async function askForOrigin(keys: KeyGate, request: Request, key: string): Promise<string | null | undefined> {
  // A cost of 0 counts nothing.
  const decision = await keys.check(key, 0, keyCallerOf(request, key, ''));
  if (decision.status === 'good' || decision.status === 'unavailable') return undefined;
  const origins = decision.status === 'publishable' ? decision.restrictions.origins : decision.origins;
  return origins && readingOriginOf(origins, request);
}

function readingOriginOf(origins: readonly string[], { headers }: Request): string | null {
  const origin = readOrigin(headers.origin);
  return origin !== undefined && allowsOrigin(origins, origin) ? origin : null;
}

/** The limits of a visitor as a plan. */
const visitorPlanOf = oncePer(({ visitorRate }: Restrictions): Plan => {
  return { name: 'visitor', requestsPerMonth: null, rate: rateOf(visitorRate) };
});
