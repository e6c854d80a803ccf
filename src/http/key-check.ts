/** The key check of a request: what is asked of the gate, and what its decision makes of the request. */
import type { Request } from 'express';
import type { KeyGate } from '../keys/key-batcher.js';
import {
  type Admission,
  type KeyDecision,
  type KeyLimits,
  limitsAfter,
  type PublishableAdmission,
  refusalReason,
} from '../keys/key-decision.js';
import type { Plan } from '../keys/plan.js';
import { allowsOrigin, type Restrictions, rateOf, readOrigin } from '../keys/restrictions.js';
import { oncePer } from '../store/once-per.js';
import { callerOf, keyOf, LEAKED } from './credentials.js';
import { callerRefused, keyCheckFailed, keyRefused, limitExceeded, visitorLimited } from './errors.js';
import type { RequestContext } from './render.js';

const KEY_LEAKED: KeyDecision = Object.freeze({ status: 'leaked' });

/** Asks the gate. `operation` is empty for one that no publishable key may call. */
export function checkKey(
  keys: KeyGate,
  request: Request,
  operation: string,
  cost = 1,
): KeyDecision | Promise<KeyDecision> {
  const key = keyOf(request);
  if (key === LEAKED) return KEY_LEAKED;
  return keys.check(key, cost, key === undefined ? undefined : callerOf(request, key, operation));
}

/** Notes the decision on the one request of a context. Throws where it is refused. */
export function takeDecision(context: RequestContext, decision: KeyDecision, request: Request): Admission | undefined {
  if (decision.status === 'unavailable') throw keyCheckFailed(decision.cause);
  if (decision.status === 'publishable') {
    takeOutcome(context, decision, request);
    return undefined;
  }
  if (decision.status !== 'good') {
    context.keyOutcome = decision.status;
    if (decision.origins !== undefined) context.readingOrigin = readingOriginOf(decision.origins, request);
    throw keyRefused(decision.status);
  }
  context.limits = limitsAfter(decision);
  context.keyId = decision.keyId;
  context.keyOutcome = decision.allowedCount === 1 ? 'allowed' : refusalReason(decision);
  if (context.keyOutcome !== 'allowed') throw limitExceeded(context.keyOutcome, context.limits, decision.cost);
  return decision;
}

/** The same for a publishable key. Its answers tell the limits of the visitor, not how much the key was used. */
function takeOutcome(context: RequestContext, decision: PublishableAdmission, request: Request): void {
  const { keyId, restrictions, nowMs, month, outcomes } = decision;
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('a request of a publishable key has no outcome');
  const { status, visitorArrivalMs } = outcome;
  context.keyId = keyId;
  context.keyOutcome = status;
  context.readingOrigin = readingOriginOf(restrictions.origins, request);
  if (status === 'origin-not-allowed' || status === 'restricted') throw callerRefused(status);
  const limits: KeyLimits = { plan: visitorPlanOf(restrictions), nowMs, month, used: 0, arrivalMs: visitorArrivalMs };
  context.limits = limits;
  if (status === 'visitor-limited') throw visitorLimited(limits);
  if (status !== 'allowed') throw limitExceeded(status, limitsAfter(decision), 1);
}

/**
 * The one origin whose pages may ask with the publishable key in the URL, null for none; undefined where there is no such
 * key, or nobody knows its origins.
 */
export async function findPreflightOrigin(keys: KeyGate, request: Request): Promise<string | null | undefined> {
  const key = keyOf(request);
  if (key === undefined || key === LEAKED) return undefined;
  const caller = callerOf(request, key, '');
  // A cost of 0 counts nothing.
  const decision = caller && (await keys.check(key, 0, caller));
  if (decision === undefined || decision.status === 'good' || decision.status === 'unavailable') return undefined;
  const origins = decision.status === 'publishable' ? decision.restrictions.origins : decision.origins;
  return origins && readingOriginOf(origins, request);
}

function readingOriginOf(origins: readonly string[], { headers }: Request): string | null {
  const origin = readOrigin(headers.origin);
  return origin !== undefined && allowsOrigin(origins, origin) ? origin : null;
}

/** What a visitor may do, as a plan. */
const visitorPlanOf = oncePer(({ visitorRate }: Restrictions): Plan => {
  return { name: 'visitor', requestsPerMonth: null, rate: rateOf(visitorRate) };
});
