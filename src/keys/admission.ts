/**
 * The rule that decides on requests of one key, in one place: first whether the key is good at all, then the monthly
 * quota, then the rate. A request over quota costs no rate and a request over the rate no quota, so once one is refused
 * everything after it at the same instant is refused for the same reason. That is why any number of requests that came
 * at once is decided in one step, each as if it had come alone. The same rule stands in Lua in decide-script.ts, and one
 * contract test holds both to it.
 */

import type { CalendarMonth } from './calendar.js';
import type { KeyRecord } from './key-record.js';
import type { Plan } from './plan.js';
import { arrivalFrom, countAdmissible, intervalMs } from './rate-limit.js';

/** What is kept of a key's use. */
export interface Use {
  /** Requests counted in the current month. */
  readonly used: number;
  /** The rate limit's theoretical arrival time, see rate-limit.ts; 0 for a key never used. */
  readonly arrivalMs: number;
}

/** An instant and the month it falls into. */
export interface Moment {
  readonly nowMs: number;
  readonly month: CalendarMonth;
}

/** The answer to requests of a good key that came at one instant. */
export interface Admission extends Moment {
  readonly standing: 'good';
  readonly keyId: string;
  readonly plan: Plan;
  /** As it was before the first of these requests. */
  readonly before: Use;
  /** The first that many are answered and counted, the others refused. */
  readonly allowedCount: number;
}

/** Where a key stands after one of its requests: what its response tells. */
export interface KeyLimits extends Use, Moment {
  readonly plan: Plan;
}

/** Why a key that the store knows is not good at this instant, or undefined where it is. */
export function findFault(record: KeyRecord, nowMs: number): 'revoked' | 'expired' | undefined {
  // Revoked comes first: it is for good, whatever else has happened to the key since.
  if (record.state === 'revoked') return 'revoked';
  if (record.state === 'replaced' && !isBefore(nowMs, record.graceUntil)) return 'revoked';
  if (record.expires !== null && !isBefore(nowMs, record.expires)) return 'expired';
  return undefined;
}

/** Decides on `requestCount` requests of a good key that came at once. */
export function admit(
  keyId: string,
  plan: Plan,
  before: Use,
  { nowMs, month }: Moment,
  requestCount: number,
): Admission {
  const { requestsPerMonth, rate } = plan;
  const byQuota = requestsPerMonth === null ? requestCount : Math.max(0, requestsPerMonth - before.used);
  const byRate = rate === null ? requestCount : countAdmissible(rate, before.arrivalMs, nowMs);
  const allowedCount = Math.min(requestCount, byQuota, byRate);
  return { standing: 'good', keyId, plan, nowMs, month, before, allowedCount };
}

/** The key's use after the first `requestCount` of an admission's requests. */
export function useAfter({ plan, before, nowMs, allowedCount }: Admission, requestCount: number): Use {
  const count = Math.min(requestCount, allowedCount);
  if (plan.rate === null || count === 0) return { used: before.used + count, arrivalMs: before.arrivalMs };
  const arrivalMs = arrivalFrom(plan.rate, before.arrivalMs, nowMs) + count * intervalMs(plan.rate);
  return { used: before.used + count, arrivalMs };
}

/** Why the requests behind the allowed ones are refused. */
export function refusalReason({ plan, before, allowedCount }: Admission): 'quota-exceeded' | 'rate-limited' {
  const isOverQuota = plan.requestsPerMonth !== null && before.used + allowedCount >= plan.requestsPerMonth;
  return isOverQuota ? 'quota-exceeded' : 'rate-limited';
}

function isBefore(nowMs: number, instant: string | null): boolean {
  return instant !== null && nowMs < Date.parse(instant);
}
