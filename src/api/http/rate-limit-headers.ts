/**
 * `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers-10 defines them: what a key's plan allows,
 * and what is left of it after this request. Two policies at most: `burst`, what may come at once and how long an idle
 * key needs for it in seconds, and `month`, the quota of the current calendar month. A plan without limits has neither
 * header. The policy's text is made once for each plan and month.
 *
 *     RateLimit-Policy: "burst";q=100;w=2, "month";q=10000;w=2592000
 *     RateLimit: "burst";r=99;t=1, "month";r=9999;t=806400
 *
 * `q` and `r` count requests; `w` and `t`, the time until there is more than `r`, are whole seconds, rounded up.
 */

import { countAdmissible, rateWaitMs, untilAdmissibleMs } from '../../base/rate-limit.js';
import type { KeyLimits, LimitRefusal } from '../../keys/decision/key-decision.js';
import type { Plan } from '../../keys/key/plan.js';

const policies = new WeakMap<Plan, { readonly monthMs: number; readonly text: string }>();

/** Adds both headers to a flat list of names and values. */
export function pushRateLimitHeaders(headers: string[], limits: KeyLimits): void {
  const policy = policyText(limits);
  if (policy !== '') headers.push('ratelimit-policy', policy, 'ratelimit', stateText(limits));
}

/** Whole seconds after which a refused request that takes `cost` units may succeed, at least 1. */
export function retryAfterSeconds(
  reason: LimitRefusal,
  { plan, nowMs, month, arrivalMs }: KeyLimits,
  cost = 1,
): number {
  const rate = reason === 'rate-limited' ? plan.rate : null;
  const waitMs = rate === null ? month.endMs - nowMs : untilAdmissibleMs(rate, arrivalMs, nowMs, cost);
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** Units of the rate, or of the quota, that are left. */
export function rateLimitUnitsLeft(reason: LimitRefusal, { plan, nowMs, used, arrivalMs }: KeyLimits): number {
  const { rate, requestsPerMonth } = plan;
  if (reason === 'quota-exceeded') return Math.max(0, (requestsPerMonth ?? Infinity) - used);
  return rate === null ? Infinity : countAdmissible(rate, arrivalMs, nowMs);
}

function policyText({ plan, month }: KeyLimits): string {
  const monthMs = month.endMs - month.startMs;
  const known = policies.get(plan);
  if (known?.monthMs === monthMs) return known.text;
  const items: string[] = [];
  if (plan.rate !== null) {
    const windowSeconds = Math.ceil((plan.rate.burst * plan.rate.intervalMs) / 1000);
    items.push(`"burst";q=${plan.rate.burst};w=${windowSeconds}`);
  }
  if (plan.requestsPerMonth !== null) items.push(`"month";q=${plan.requestsPerMonth};w=${monthMs / 1000}`);
  const text = items.join(', ');
  policies.set(plan, { monthMs, text });
  return text;
}

function stateText({ plan, nowMs, used, month, arrivalMs }: KeyLimits): string {
  const { rate, requestsPerMonth } = plan;
  const items: string[] = [];
  if (rate !== null) {
    const waitMs = rateWaitMs(rate, arrivalMs, nowMs);
    const wait = waitMs > 0 ? `;t=${Math.ceil(waitMs / 1000)}` : '';
    items.push(`"burst";r=${countAdmissible(rate, arrivalMs, nowMs)}${wait}`);
  }
  if (requestsPerMonth !== null) {
    items.push(`"month";r=${Math.max(0, requestsPerMonth - used)};t=${Math.ceil((month.endMs - nowMs) / 1000)}`);
  }
  return items.join(', ');
}
