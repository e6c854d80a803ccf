/** What a server remembers for an outage: which keys it serves, and how much. */

import { beforeEach, describe, expect, test } from '@jest/globals';
import { admit } from '../../../src/keys/key-decision.js';
import { monthOf, type Plan } from '../../../src/keys/plan.js';
import { KeyMemory } from '../../../src/keys/redis-key-store.js';

const NOON = Date.parse('2024-02-29T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const GRACE_MS = 300_000;
const PLAN: Plan = { name: 'some', requestsPerMonth: 10, rate: { requestsPerSecond: 50, burst: 4 } };
const UNLIMITED: Plan = { name: 'all', requestsPerMonth: null, rate: null };

let memory: KeyMemory;
beforeEach(() => {
  memory = new KeyMemory(GRACE_MS);
});

/** The store, whose clock says `storeMs`, replied on `count` requests when ours said `ourMs`. */
function see(digest: string, plan: Plan, count: number, ourMs = NOON, storeMs = ourMs, cost = 1): void {
  const moment = { nowMs: storeMs, month: monthOf(storeMs) };
  const admission = admit('key_0123456789ab', plan, { used: 3, arrivalMs: 0 }, moment, count, cost);
  const key = { digest, count, cost };
  memory.receive(key, { ...admission, goodUntilMs: Number.POSITIVE_INFINITY }, ourMs);
}

/** The decision without the store. */
function decide(digest: string, count: number, nowMs: number, cost = 1) {
  return memory.decide({ digest, count, cost }, nowMs, 'gone');
}

const UNAVAILABLE = { status: 'unavailable', cause: { code: 'KEY_STORE_FAILED' } };

describe('deciding', () => {
  test('goes on from what the store said, with quota and rate', () => {
    see('a', PLAN, 1);
    expect(decide('a', 5, NOON)).toMatchObject({ before: { used: 4 }, allowedCount: 3 });
    expect(decide('a', 5, NOON + 1_000)).toMatchObject({ before: { used: 7 }, allowedCount: 3 });
    expect(decide('a', 5, NOON + 2_000)).toMatchObject({ allowedCount: 0 });
    expect(decide('b', 1, NOON)).toMatchObject(UNAVAILABLE);
  });

  test('takes a bulk request as a whole or not at all, and peeks for nothing', () => {
    see('a', PLAN, 1, NOON, NOON, 2);
    expect(decide('a', 1, NOON, 3)).toMatchObject({ before: { used: 5 }, allowedCount: 0 });
    expect(decide('a', 1, NOON, 0)).toMatchObject({ before: { used: 5 }, allowedCount: 1 });
    expect(decide('a', 2, NOON, 2)).toMatchObject({ before: { used: 5 }, allowedCount: 1 });
    expect(decide('b', 1, NOON, 0)).toMatchObject(UNAVAILABLE);
  });

  test.each([HOUR_MS, -HOUR_MS])(
    'the time of grace is by our clock, and so is the rate, where the other is %i ms off',
    (offMs) => {
      see('a', PLAN, 4, NOON, NOON + offMs);
      expect(decide('a', 1, NOON)).toMatchObject({ allowedCount: 0 });
      expect(decide('a', 1, NOON + 20)).toMatchObject({ allowedCount: 1 });
      expect(decide('a', 1, NOON + GRACE_MS)).toMatchObject({ status: 'good' });
      expect(decide('a', 1, NOON + GRACE_MS + 1)).toMatchObject(UNAVAILABLE);
    },
  );

  test('a key that was seen bad is not served, and one seen revoked stays revoked', () => {
    see('a', UNLIMITED, 1);
    const key = { digest: 'a', count: 1 };
    memory.receive(key, { status: 'expired' }, NOON);
    expect(decide('a', 1, NOON)).toMatchObject(UNAVAILABLE);
    memory.receive(key, { status: 'revoked' }, NOON);
    expect(memory.receive(key, { status: 'invalid' }, NOON)).toEqual({ status: 'revoked' });
    see('a', UNLIMITED, 1);
    expect(memory.wasSeen('a')).toBe(false);
    expect(decide('a', 1, NOON)).toMatchObject(UNAVAILABLE);
  });
});

test('the 100,000 keys seen last are remembered', () => {
  see('first', UNLIMITED, 1);
  see('second', UNLIMITED, 1);
  for (let key = 0; key < 99_998; key++) see(`key ${key}`, UNLIMITED, 1);
  see('first', UNLIMITED, 1);
  see('last', UNLIMITED, 1);
  expect(['first', 'second', 'last'].map((digest) => memory.wasSeen(digest))).toEqual([true, false, true]);
});
