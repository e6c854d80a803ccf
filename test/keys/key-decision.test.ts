/** The rule in one place: status, quota before rate, and many requests at once as if each had come alone. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Admission, admit, findFault, refusalReason, type Use, useAfter } from '../../src/keys/key-decision.js';
import { createKeyRecord, type KeyRecord } from '../../src/keys/key-record.js';
import { monthOf, type Plan } from '../../src/keys/plan.js';

fc.configureGlobal({ seed: 20240229 });

const NOW = Date.parse('2024-02-29T12:00:00.000Z');
const SUCCESSOR = 'key_zzzzzzzzzzzz';
const UNUSED: Use = { used: 0, arrivalMs: 0 };

function planOf(requestsPerMonth: number | null, requestsPerSecond?: number, burst = 1): Plan {
  return {
    name: 'some',
    requestsPerMonth,
    rate: requestsPerSecond === undefined ? null : { requestsPerSecond, burst },
  };
}

function ask(plan: Plan, before: Use, requestCount: number, nowMs = NOW, cost = 1): Admission {
  return admit('key_0123456789ab', plan, before, { nowMs, month: monthOf(nowMs) }, requestCount, cost);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

describe('findFault', () => {
  test.each([
    [undefined, {}],
    [undefined, { expires: iso(NOW + 1) }],
    ['expired', { expires: iso(NOW) }],
    ['expired', { expires: iso(NOW - 1) }],
    ['revoked', { state: 'revoked' }],
    ['revoked', { state: 'revoked', expires: iso(NOW - 1) }],
    ['revoked', { state: 'replaced', replacedBy: SUCCESSOR }],
    ['revoked', { state: 'replaced', replacedBy: SUCCESSOR, expires: iso(NOW - 1) }],
    ['revoked', { state: 'replaced', replacedBy: SUCCESSOR, graceUntil: iso(NOW) }],
    [undefined, { state: 'replaced', replacedBy: SUCCESSOR, graceUntil: iso(NOW + 1) }],
    ['expired', { state: 'replaced', replacedBy: SUCCESSOR, graceUntil: iso(NOW + 1), expires: iso(NOW) }],
    [undefined, { replacedBy: SUCCESSOR }],
  ] as [string | undefined, Partial<KeyRecord>][])('is %s for %j', (fault, change) => {
    expect(findFault({ ...createKeyRecord('somebody', new Date(0)), ...change }, NOW)).toBe(fault);
  });
});

describe('admit', () => {
  test('tells all that it was decided from', () => {
    const [plan, before] = [planOf(10, 50, 4), { used: 3, arrivalMs: NOW + 20 }];
    expect(ask(plan, before, 2)).toEqual({
      status: 'good',
      keyId: 'key_0123456789ab',
      plan,
      nowMs: NOW,
      month: monthOf(NOW),
      before,
      allowedCount: 2,
      cost: 1,
      rateCost: 1,
    });
  });

  test.each([
    ['all, without limits', planOf(null), UNUSED, 1_000_000, 1_000_000],
    ['what is left of the quota', planOf(10), { used: 7, arrivalMs: 0 }, 5, 3],
    ['none at the quota', planOf(10), { used: 10, arrivalMs: 0 }, 5, 0],
    ['none over a quota that was made smaller', planOf(10), { used: 12, arrivalMs: 0 }, 5, 0],
    ['the burst', planOf(null, 50, 4), UNUSED, 9, 4],
    ['what is left of the burst', planOf(null, 50, 4), { used: 0, arrivalMs: NOW + 40 }, 9, 2],
    ['the lesser of both', planOf(3, 50, 4), UNUSED, 9, 3],
    ['the lesser of both', planOf(9, 50, 4), UNUSED, 9, 4],
    ['no more than asked', planOf(9, 50, 4), UNUSED, 2, 2],
  ] as [string, Plan, Use, number, number][])('allows %s', (_, plan, before, requestCount, allowedCount) => {
    expect(ask(plan, before, requestCount)).toMatchObject({ allowedCount });
  });
});

describe('useAfter', () => {
  test('moves the count and the arrival by what was allowed, request by request', () => {
    const admission = ask(planOf(10, 50, 2), { used: 3, arrivalMs: 0 }, 4);
    expect([0, 1, 2, 3, 4].map((count) => useAfter(admission, count))).toEqual([
      { used: 3, arrivalMs: 0 },
      { used: 4, arrivalMs: NOW + 20 },
      { used: 5, arrivalMs: NOW + 40 },
      { used: 5, arrivalMs: NOW + 40 },
      { used: 5, arrivalMs: NOW + 40 },
    ]);
  });

  test('leaves the arrival alone where there is no rate', () => {
    expect(useAfter(ask(planOf(10), { used: 3, arrivalMs: 7 }, 4), 4)).toEqual({ used: 7, arrivalMs: 7 });
  });
});

describe('refusalReason', () => {
  test.each([
    ['quota-exceeded', planOf(3), UNUSED],
    ['quota-exceeded', planOf(3, 50, 4), UNUSED],
    // Both are at their end: the quota is what lasts longer.
    ['quota-exceeded', planOf(4, 50, 4), UNUSED],
    ['quota-exceeded', planOf(4, 50, 4), { used: 5, arrivalMs: NOW + 80 }],
    ['rate-limited', planOf(5, 50, 4), UNUSED],
    ['rate-limited', planOf(null, 50, 4), UNUSED],
  ] as [string, Plan, Use][])('is %s on %j after %j', (reason, plan, before) => {
    expect(refusalReason(ask(plan, before, 9))).toBe(reason);
  });
});

describe('many requests at once', () => {
  /** Intervals of whole milliseconds, so that no rounding is in question. */
  const anyPlan = fc.constantFrom(
    planOf(null),
    planOf(7),
    planOf(0),
    planOf(null, 50, 3),
    planOf(7, 50, 3),
    planOf(3, 8, 9),
  );
  const anyUse = fc.record({ used: fc.nat(9), arrivalMs: fc.integer({ min: -40, max: 90 }).map((ms) => NOW + ms) });

  test('are decided as if each had come alone', () => {
    fc.assert(
      fc.property(anyPlan, anyUse, fc.integer({ min: 1, max: 12 }), fc.nat(4), (plan, before, requestCount, cost) => {
        const together = ask(plan, before, requestCount, NOW, cost);
        let use = before;
        for (let index = 0; index < requestCount; index++) {
          const alone = ask(plan, use, 1, NOW, cost);
          expect(alone.allowedCount).toBe(index < together.allowedCount ? 1 : 0);
          if (alone.allowedCount === 0) expect(refusalReason(together)).toBe(refusalReason(alone));
          use = useAfter(alone, 1);
          expect(useAfter(together, index + 1)).toEqual(use);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
