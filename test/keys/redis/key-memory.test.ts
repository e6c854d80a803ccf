/** What a server remembers for an outage: which keys it serves, how much, and what it reports to the store afterwards. */

import { beforeEach, describe, expect, test } from '@jest/globals';
import { admit } from '../../../src/keys/key-decision.js';
import { monthOf, type Plan } from '../../../src/keys/plan.js';
import { KeyMemory, type SentKey } from '../../../src/keys/redis-decision.js';

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
  const key = { digest, count, cost, usages: [] };
  memory.receive(key, { ...admission, goodUntilMs: Number.POSITIVE_INFINITY }, ourMs);
}

/** The decision without the store. */
function decide(digest: string, count: number, nowMs: number, sentAs?: number, cost = 1) {
  return memory.decide({ digest, count, cost }, nowMs, 'gone', sentAs);
}

const usagesOf = (digest: string): SentKey['usages'] => memory.send({ digest, count: 0 }).usages;
const UNAVAILABLE = { status: 'unavailable', cause: { code: 'KEY_STORE_FAILED' } };

describe('deciding', () => {
  test('goes on from what the store said, with quota and rate', () => {
    see('a', PLAN, 1);
    expect(decide('a', 5, NOON)).toMatchObject({ before: { used: 4 }, allowedCount: 3 });
    expect(decide('a', 5, NOON + 1_000)).toMatchObject({ before: { used: 7 }, allowedCount: 3 });
    expect(decide('a', 5, NOON + 2_000)).toMatchObject({ allowedCount: 0 });
    expect(decide('b', 1, NOON)).toMatchObject(UNAVAILABLE);
  });

  test('takes a bulk request as a whole or not at all, counts its units, and peeks for nothing', () => {
    see('a', PLAN, 1, NOON, NOON, 2);
    expect(decide('a', 1, NOON, undefined, 3)).toMatchObject({ before: { used: 5 }, allowedCount: 0 });
    expect(decide('a', 1, NOON, undefined, 0)).toMatchObject({ before: { used: 5 }, allowedCount: 1 });
    expect(memory.unreconciledCount()).toBe(0);
    expect(decide('a', 2, NOON, undefined, 2)).toMatchObject({ before: { used: 5 }, allowedCount: 1 });
    expect(memory.unreconciledCount()).toBe(2);
    expect(usagesOf('a')).toMatchObject([{ count: 2 }]);
    expect(decide('b', 1, NOON, undefined, 0)).toMatchObject(UNAVAILABLE);
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
    const key = { digest: 'a', count: 1, usages: [] };
    memory.receive(key, { status: 'expired' }, NOON);
    expect(decide('a', 1, NOON)).toMatchObject(UNAVAILABLE);
    memory.receive(key, { status: 'revoked' }, NOON);
    expect(memory.receive(key, { status: 'invalid' }, NOON)).toEqual({ status: 'revoked' });
    see('a', UNLIMITED, 1);
    expect(memory.wasSeen('a')).toBe(false);
    expect(decide('a', 1, NOON)).toMatchObject(UNAVAILABLE);
  });
});

describe('unreconciled usage', () => {
  test('grows until it is sent, then there is another', () => {
    see('a', UNLIMITED, 1);
    decide('a', 2, NOON);
    decide('a', 3, NOON);
    const sent = memory.send({ digest: 'a', count: 1 });
    expect(sent.usages).toMatchObject([{ day: '2024-02-29', count: 5 }]);
    decide('a', 7, NOON);
    expect(memory.unreconciledCount()).toBe(12);
    memory.receive(sent, { status: 'expired' }, NOON);
    expect(usagesOf('a')).toMatchObject([{ count: 7 }]);
    expect(memory.nextUnreconciled(10)).toEqual(['a']);
  });

  test('grows on where the store certainly did not take it', () => {
    see('a', UNLIMITED, 1);
    decide('a', 2, NOON);
    const sent = memory.send({ digest: 'a', count: 3 });
    memory.receive(sent, { status: 'failed', why: 'OOM', isWide: true }, NOON);
    expect(usagesOf('a')).toMatchObject([{ count: 5 }]);
  });

  test('each day has its own', () => {
    see('a', UNLIMITED, 1);
    decide('a', 1, NOON);
    decide('a', 2, NOON + 13 * HOUR_MS);
    // An hour and more is past the grace.
    expect(memory.unreconciledCount()).toBe(1);
    see('a', UNLIMITED, 1, NOON + 13 * HOUR_MS);
    decide('a', 2, NOON + 13 * HOUR_MS);
    expect(usagesOf('a')).toMatchObject([
      { day: '2024-02-29', count: 1 },
      { day: '2024-03-01', count: 2 },
    ]);
  });

  test('is kept of what the store may have counted also where nothing was served, and sent in the order of sequences', () => {
    see('a', UNLIMITED, 1);
    const sequence = memory.nextSequence();
    decide('a', 2, NOON);
    decide('a', 4, NOON, sequence);
    decide('b', 4, NOON, sequence);
    expect(usagesOf('a')).toMatchObject([
      { sequence, count: 4 },
      { sequence: sequence + 1, count: 2 },
    ]);
    expect(usagesOf('b')).toMatchObject([{ sequence, count: 0 }]);
  });

  test('a key whose usage was sent comes again only after the others', () => {
    for (const digest of ['a', 'b', 'c']) decide(digest, 1, NOON, 1);
    expect(memory.nextUnreconciled(2)).toEqual(['a', 'b']);
    expect(memory.nextUnreconciled(2)).toEqual(['c', 'a']);
    expect(memory.nextUnreconciled(9)).toEqual(['b', 'c', 'a']);
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
