/** What a server remembers for an outage: whom it serves, how much, and what it owes the store afterwards. */

import { beforeEach, describe, expect, test } from '@jest/globals';
import { admit } from '../../../src/keys/admission.js';
import { monthOf } from '../../../src/keys/calendar.js';
import type { Plan } from '../../../src/keys/plan.js';
import { OutageMemory } from '../../../src/keys/redis/outage-memory.js';

const NOON = Date.parse('2024-02-29T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const GRACE_MS = 300_000;
const PLAN: Plan = { name: 'some', requestsPerMonth: 10, rate: { requestsPerSecond: 50, burst: 4 } };
const UNLIMITED: Plan = { name: 'all', requestsPerMonth: null, rate: null };

let memory: OutageMemory;
beforeEach(() => {
  memory = new OutageMemory(GRACE_MS, 100);
});

/** The store, whose clock says `storeMs`, answered `count` requests when ours said `ourMs`. */
function see(digest: string, plan: Plan, count: number, ourMs = NOON, storeMs = ourMs): void {
  const moment = { nowMs: storeMs, month: monthOf(storeMs) };
  const admission = admit('key_0123456789ab', plan, { used: 3, arrivalMs: 0 }, moment, count);
  const [expiresMs, graceUntilMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  memory.remember(digest, { admission, requestCount: count, expiresMs, graceUntilMs }, ourMs);
}

describe('deciding', () => {
  test('goes on from what the store said, with quota and rate', () => {
    see('a', PLAN, 1);
    expect(memory.decide('a', 5, NOON, 1, false)).toMatchObject({ before: { used: 4 }, allowedCount: 3 });
    expect(memory.decide('a', 5, NOON + 1_000, 2, false)).toMatchObject({ before: { used: 7 }, allowedCount: 3 });
    expect(memory.decide('a', 5, NOON + 2_000, 3, false)).toMatchObject({ allowedCount: 0 });
    expect(memory.decide('b', 1, NOON, 4, false)).toBeUndefined();
  });

  test.each([HOUR_MS, -HOUR_MS])(
    'the time of grace is by our clock, and so is the rate, where the other is %i ms off',
    (offMs) => {
      see('a', PLAN, 4, NOON, NOON + offMs);
      expect(memory.decide('a', 1, NOON, 1, false)).toMatchObject({ allowedCount: 0 });
      expect(memory.decide('a', 1, NOON + 20, 2, false)).toMatchObject({ allowedCount: 1 });
      expect(memory.decide('a', 1, NOON + GRACE_MS, 3, false)).toBeDefined();
      expect(memory.decide('a', 1, NOON + GRACE_MS + 1, 4, false)).toBeUndefined();
    },
  );

  test('a key that was seen bad is not served, and one seen revoked is known for ever', () => {
    see('a', UNLIMITED, 1);
    memory.forget('a');
    expect(memory.decide('a', 1, NOON, 1, false)).toBeUndefined();
    expect(memory.wasRevoked('a')).toBe(false);
    memory.revoke('a');
    see('a', UNLIMITED, 1);
    expect(memory.wasRevoked('a')).toBe(true);
  });
});

describe('debts', () => {
  test('what is served is owed; it grows in one debt until it is told, then in another', () => {
    see('a', UNLIMITED, 1);
    memory.decide('a', 2, NOON, 10, false);
    memory.decide('a', 3, NOON, 11, false);
    const told = memory.takeDebts('a');
    expect(told).toMatchObject([{ sequence: 10, day: '2024-02-29', count: 5 }]);
    memory.decide('a', 7, NOON, 12, false);
    expect(memory.debtCount()).toBe(12);
    memory.settle('a', told);
    expect(memory.takeDebts('a')).toMatchObject([{ sequence: 12, count: 7 }]);
    expect(memory.nextDebtors(10)).toEqual(['a']);
  });

  test('each day is owed for itself', () => {
    see('a', UNLIMITED, 1);
    memory.decide('a', 1, NOON, 1, false);
    memory.decide('a', 2, NOON + 13 * HOUR_MS, 2, false);
    // An hour and more is past the grace.
    expect(memory.debtCount()).toBe(1);
    see('a', UNLIMITED, 1, NOON + 13 * HOUR_MS);
    memory.decide('a', 2, NOON + 13 * HOUR_MS, 3, false);
    expect(memory.takeDebts('a')).toMatchObject([
      { day: '2024-02-29', count: 1 },
      { day: '2024-03-01', count: 2 },
    ]);
  });

  test('what the store may have counted is a debt also where nothing was served, and told in the order of sequences', () => {
    see('a', UNLIMITED, 1);
    memory.decide('a', 2, NOON, 21, false);
    memory.decide('a', 4, NOON, 20, true);
    memory.decide('b', 4, NOON, 20, true);
    expect(memory.takeDebts('a')).toMatchObject([
      { sequence: 20, count: 4 },
      { sequence: 21, count: 2 },
    ]);
    expect(memory.takeDebts('b')).toMatchObject([{ sequence: 20, count: 0 }]);
  });

  test('who was named as a debtor is named again only after the others', () => {
    for (const digest of ['a', 'b', 'c']) memory.decide(digest, 1, NOON, 1, true);
    expect(memory.nextDebtors(2)).toEqual(['a', 'b']);
    expect(memory.nextDebtors(2)).toEqual(['c', 'a']);
    expect(memory.nextDebtors(9)).toEqual(['b', 'c', 'a']);
  });

  test('as many keys are remembered as it was told, those seen last', () => {
    memory = new OutageMemory(GRACE_MS, 2);
    for (const digest of ['a', 'b', 'a', 'c']) see(digest, UNLIMITED, 1);
    expect(['a', 'b', 'c'].map((digest) => memory.knows(digest))).toEqual([true, false, true]);
  });
});
