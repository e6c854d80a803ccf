/**
 * The decision on requests of one key that came at one instant: first whether the key is good, then the monthly quota,
 * then the rate. A request that one of them refuses counts in none, so once one request is refused, all after it at the
 * same instant are refused for the same reason: any number of requests of one cost is decided in one step, each as if it
 * had come alone. A request costs one unit of quota, a bulk request one for each lookup, and as many of the rate or, if it
 * takes long to answer, more; it is counted as a whole or not at all. The same rule is written in Lua in
 * redis-decision-script.ts, and one contract test holds both to it.
 */

import { arrivalFrom, countAdmissible } from '../../base/rate-limit.js';
import type { CalendarMonth } from '../key/calendar.js';
import { allowsOrigin } from '../key/origin.js';
import type { Plan } from '../key/plan.js';
import type { Restrictions } from '../key/restrictions.js';
import { rateOf } from '../key/visitor-rate.js';

/** Requests of one key that came at one instant. */
export interface KeyCheck {
  /** As digestApiKey gives it. */
  readonly digest: string;
  /** How many requests, at least 1. */
  readonly count: number;
  /** Units of quota and of rate that each of them takes, all of these or none. Default: 1. */
  readonly cost?: number;
  /** Units of rate that each of them takes, if that is more: see rateCostIn. */
  readonly rateCost?: number | undefined;
  /** The callers of a publishable key's requests, one for each; undefined for a secret key. */
  readonly callers?: readonly Caller[] | undefined;
}

export type KeyDecision =
  | Admission
  | PublishableAdmission
  /** `origins` are those of a publishable key. */
  | { readonly status: KeyRefusal; readonly origins?: readonly string[] | undefined }
  /** The store can't decide at the moment; the requests are refused and not counted. */
  | { readonly status: 'unavailable'; readonly cause: unknown };

/** Why every request of a key is refused; nothing was counted. */
export type KeyRefusal =
  /** No key was sent. */
  | 'missing'
  /** The store has no such key, or the text can be none. */
  | 'invalid'
  | 'revoked'
  | 'expired'
  /** The store was not asked: too many unverified keys are waiting. */
  | 'overloaded'
  /** The store was not asked: a secret key was sent in the URL, so others can have read it. */
  | 'leaked';

/** Why a request of a good publishable key is refused, whatever is left of its limits; it is not counted. */
export type CallerRefusal = 'origin-not-allowed' | 'restricted';

/** Why a request of a good key is refused. */
export type LimitRefusal = 'rate-limited' | 'quota-exceeded';

/** The key is good, which allows the first `allowedCount` of the requests. They are counted, the others are refused. */
export interface Admission extends Moment {
  readonly status: 'good';
  readonly keyId: string;
  readonly plan: Plan;
  /** The key's own plan, where `plan` is only this process's share of it. */
  readonly wholePlan?: Plan;
  /** As it was before the first of these requests. */
  readonly before: Use;
  readonly allowedCount: number;
  /** Units of quota that each of these requests takes; 0 for one that only asks where the key stands. */
  readonly cost: number;
  /** Units of rate that each of them takes. */
  readonly rateCost: number;
}

/** The sender of a request with a publishable key, and the operation that it calls. */
export interface Caller {
  /** As readOrigin gives it; empty for none. */
  readonly origin: string;
  /** The id of the operation; empty for one that no publishable key may call. */
  readonly operation: string;
  /** As visitorOf gives it. */
  readonly visitor: string;
}

/** What became of a request of a publishable key. */
export type CallerStatus = 'allowed' | CallerRefusal | LimitRefusal | 'visitor-limited';

export interface CallerOutcome {
  readonly status: CallerStatus;
  /** The theoretical arrival time (rate-limit.ts) of the visitor after the request; 0 where it was not looked up. */
  readonly visitorArrivalMs: number;
}

/** The key is good; each of its requests has an outcome of its own. `allowedCount` of them are counted. */
export interface PublishableAdmission extends Omit<Admission, 'status'> {
  readonly status: 'publishable';
  readonly restrictions: Restrictions;
  /** In the order of the callers. */
  readonly outcomes: readonly CallerOutcome[];
}

/** The stored use of a key. */
export interface Use {
  /** Units counted in the current month. */
  readonly used: number;
  /** The theoretical arrival time (rate-limit.ts); 0 for a key never used. */
  readonly arrivalMs: number;
}

/** An instant and the month it falls into. */
export interface Moment {
  readonly nowMs: number;
  readonly month: CalendarMonth;
}

/** A key's plan and its use after one of its requests, for the response headers. */
export interface KeyLimits extends Use, Moment {
  readonly plan: Plan;
}

/**
 * Units of a plan's rate that a request takes. A small burst must not refuse for ever a single request that counts as
 * several; a bulk request can be sent as several smaller ones, so it takes the rate of all its lookups.
 */
export function rateCostIn({ rate }: Plan, cost: number, rateCost = cost): number {
  const whole = Math.max(cost, rateCost);
  return rate === null || cost > 1 ? whole : Math.min(whole, rate.burst);
}

/** Decides on `requestCount` requests of a good key that came at once, each of which takes `cost` units. */
export function decideAdmission(
  keyId: string,
  plan: Plan,
  before: Use,
  { nowMs, month }: Moment,
  requestCount: number,
  cost = 1,
  askedRateCost?: number,
): Admission {
  const { requestsPerMonth, rate } = plan;
  const rateCost = rateCostIn(plan, cost, askedRateCost);
  const byQuota = requestsPerMonth === null ? Number.POSITIVE_INFINITY : Math.max(0, requestsPerMonth - before.used);
  const byRate = rate === null ? Number.POSITIVE_INFINITY : countAdmissible(rate, before.arrivalMs, nowMs);
  const allowedCount =
    cost === 0 ? requestCount : Math.min(requestCount, Math.floor(byQuota / cost), Math.floor(byRate / rateCost));
  return { status: 'good', keyId, plan, nowMs, month, before, allowedCount, cost, rateCost };
}

/** The key's use after the first `requestCount` of an admission's requests. */
export function useAfterDecision(
  { plan, before, nowMs, allowedCount, cost, rateCost }: Omit<Admission, 'status'>,
  requestCount: number,
): Use {
  const count = Math.min(requestCount, allowedCount);
  const used = before.used + count * cost;
  if (plan.rate === null || count * cost === 0) return { used, arrivalMs: before.arrivalMs };
  const arrivalMs = arrivalFrom(plan.rate, before.arrivalMs, nowMs) + count * rateCost * plan.rate.intervalMs;
  return { used, arrivalMs };
}

/** The decision on the request at `index`, as if it had come alone. */
export function decisionAt(decision: KeyDecision, index: number): KeyDecision {
  if (decision.status === 'publishable') return { ...decision, outcomes: decision.outcomes.slice(index, index + 1) };
  if (decision.status !== 'good') return decision;
  const allowedCount = index < decision.allowedCount ? 1 : 0;
  return { ...decision, before: useAfterDecision(decision, index), allowedCount };
}

/** The key's plan and its use after the first request of this admission. */
export function limitsAfterDecision(admission: Omit<Admission, 'status'>): KeyLimits {
  const { plan, nowMs, month } = admission;
  const { used, arrivalMs } = useAfterDecision(admission, 1);
  return { plan, nowMs, month, used, arrivalMs };
}

/** Why the requests after the allowed ones are refused. */
export function refusalReason({ plan, before, allowedCount, cost }: Admission): LimitRefusal {
  const neededUnits = before.used + (allowedCount + 1) * cost;
  const isOverQuota = plan.requestsPerMonth !== null && neededUnits > plan.requestsPerMonth;
  return isOverQuota ? 'quota-exceeded' : 'rate-limited';
}

/*
 * The decision on requests of a publishable key, each of which has a caller: a web page's origin, the operation, and the
 * visitor. In this order: the origin, the operation, the key's quota, the visitor's rate, the key's rate. A request that
 * one of them refuses counts in none. The same rule is written in Lua in redis-decision-script.ts, and one contract test holds
 * both to it.
 */

/** The theoretical arrival times of the visitors of one key; 0 for a visitor that is not remembered. */
export interface VisitorArrivals {
  read(visitor: string): number;
  write(visitor: string, arrivalMs: number): void;
}

/** The fields of a good key that a decision needs. */
export interface GoodKey {
  readonly keyId: string;
  readonly plan: Plan;
  /** Undefined for a secret key. */
  readonly restrictions: Restrictions | undefined;
}

/** Decides on the requests of a good key, by its use before them. */
export function decideKeyCheck(
  { keyId, plan, restrictions }: GoodKey,
  before: Use,
  { nowMs, month }: Moment,
  { count, cost, rateCost, callers }: KeyCheck,
  visitors: () => VisitorArrivals,
): Admission | PublishableAdmission {
  if (restrictions === undefined || callers === undefined) {
    return decideAdmission(keyId, plan, before, { nowMs, month }, count, cost, rateCost);
  }
  const visitorRate = rateOf(restrictions.visitorRate);
  const arrivals = visitors();
  let use = before;
  let allowedCount = 0;
  const outcomes = callers.map(({ origin, operation, visitor }): CallerOutcome => {
    if (!allowsOrigin(restrictions.origins, origin)) return { status: 'origin-not-allowed', visitorArrivalMs: 0 };
    if (!restrictions.operations.includes(operation)) return { status: 'restricted', visitorArrivalMs: 0 };
    const arrivalMs = arrivals.read(visitor);
    const admission = decideAdmission(keyId, plan, use, { nowMs, month }, 1, 1, rateCost);
    const refusal = admission.allowedCount === 1 ? undefined : refusalReason(admission);
    if (refusal === 'quota-exceeded') return { status: refusal, visitorArrivalMs: arrivalMs };
    const isOver = countAdmissible(visitorRate, arrivalMs, nowMs) < 1;
    if (isOver) return { status: 'visitor-limited', visitorArrivalMs: arrivalMs };
    if (refusal !== undefined) return { status: refusal, visitorArrivalMs: arrivalMs };
    const visitorArrivalMs = arrivalFrom(visitorRate, arrivalMs, nowMs) + visitorRate.intervalMs;
    arrivals.write(visitor, visitorArrivalMs);
    use = useAfterDecision(admission, 1);
    allowedCount++;
    return { status: 'allowed', visitorArrivalMs };
  });
  const costs = { cost: 1, rateCost: rateCostIn(plan, 1, rateCost) };
  return { status: 'publishable', keyId, plan, restrictions, nowMs, month, before, allowedCount, ...costs, outcomes };
}
