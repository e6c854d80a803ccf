/**
 * The decision on requests of a publishable key, each of which has a caller: a web page's origin, the operation, and the
 * visitor. In this order: the origin, the operation, the key's quota, the visitor's rate, the key's rate. A request that
 * one of them refuses counts in none. The same rule is written in Lua in caller-script.ts, and one contract test holds
 * both to it.
 */

import {
  admit,
  type Caller,
  type CallerOutcome,
  type Moment,
  type PublishableAdmission,
  refusalReason,
  type Use,
  useAfter,
} from './key-decision.js';
import type { Plan } from './plan.js';
import { arrivalFrom, countAdmissible, intervalMs } from './rate-limit.js';
import { allowsOrigin, type Restrictions, rateOf } from './restrictions.js';

/** The theoretical arrival times of the visitors of one key; 0 for a visitor that is not remembered. */
export interface VisitorArrivals {
  read(visitor: string): number;
  write(visitor: string, arrivalMs: number): void;
}

/** A good publishable key, and where it stands. */
export interface PublishableKey {
  readonly keyId: string;
  readonly plan: Plan;
  readonly restrictions: Restrictions;
  readonly before: Use;
}

/** Decides on one request of each caller, all of which came at once. */
export function admitCallers(
  { keyId, plan, restrictions, before }: PublishableKey,
  { nowMs, month }: Moment,
  callers: readonly Caller[],
  arrivals: VisitorArrivals,
): PublishableAdmission {
  const visitorRate = rateOf(restrictions.visitorRate);
  let use = before;
  let allowedCount = 0;
  const outcomes = callers.map(({ origin, operation, visitor }): CallerOutcome => {
    if (!allowsOrigin(restrictions.origins, origin)) return { status: 'origin-not-allowed', visitorArrivalMs: 0 };
    if (!restrictions.operations.includes(operation)) return { status: 'restricted', visitorArrivalMs: 0 };
    const arrivalMs = arrivals.read(visitor);
    const admission = admit(keyId, plan, use, { nowMs, month }, 1);
    const refusal = admission.allowedCount === 1 ? undefined : refusalReason(admission);
    if (refusal === 'quota-exceeded') return { status: refusal, visitorArrivalMs: arrivalMs };
    const isOver = countAdmissible(visitorRate, arrivalMs, nowMs) < 1;
    if (isOver) return { status: 'visitor-limited', visitorArrivalMs: arrivalMs };
    if (refusal !== undefined) return { status: refusal, visitorArrivalMs: arrivalMs };
    const visitorArrivalMs = arrivalFrom(visitorRate, arrivalMs, nowMs) + intervalMs(visitorRate);
    arrivals.write(visitor, visitorArrivalMs);
    use = useAfter(admission, 1);
    allowedCount++;
    return { status: 'allowed', visitorArrivalMs };
  });
  const status = 'publishable';
  return { status, keyId, plan, restrictions, nowMs, month, before, allowedCount, cost: 1, outcomes };
}
