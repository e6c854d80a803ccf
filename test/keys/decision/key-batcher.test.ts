/**
 * The batcher over a store in memory that records its batches: one check for each key and batch, and for each request its
 * own decision.
 */

import { describe, expect, test } from '@jest/globals';
import { createRate } from '../../../src/base/rate-limit.js';
import { KeyBatcher } from '../../../src/keys/decision/key-batcher.js';
import {
  decideAdmission,
  type KeyCheck,
  type KeyDecision,
  limitsAfterDecision,
  refusalReason,
} from '../../../src/keys/decision/key-decision.js';
import { createApiKey, digestApiKey } from '../../../src/keys/key/api-key.js';
import { monthOf } from '../../../src/keys/key/calendar.js';
import type { Plan } from '../../../src/keys/key/plan.js';
import { KeyStoreError } from '../../../src/keys/storage/key-store-error.js';

const NOW = Date.parse('2024-02-29T12:00:00.000Z');
const ID = 'key_0123456789ab';
const PLAN: Plan = { name: 'some', requestsPerMonth: 10, rate: createRate({ requestsPerSecond: 50, burst: 4 }) };

/** A batcher whose store gives every check the decision that `decisionOf` says. */
function createScene(decisionOf: (check: KeyCheck) => KeyDecision | Promise<never>) {
  const batches: (readonly KeyCheck[])[] = [];
  const batcher = new KeyBatcher({
    decide: async (checks) => {
      batches.push(checks);
      return Promise.all(checks.map(decisionOf));
    },
  });
  return { batcher, batches, key: createApiKey() };
}

/** What the response to one request tells. */
function outcomeOf(decision: KeyDecision): object {
  if (decision.status !== 'good') return decision;
  const { used, arrivalMs } = limitsAfterDecision(decision);
  return { outcome: decision.allowedCount === 1 ? 'allowed' : refusalReason(decision), used, arrivalMs };
}

function good(used = 0, plan = PLAN) {
  const moment = { nowMs: NOW, month: monthOf(NOW) };
  return ({ count, cost }: KeyCheck) => decideAdmission(ID, plan, { used, arrivalMs: 0 }, moment, count, cost);
}

test('a key that is missing or mistyped is refused without the store', async () => {
  const { batcher, batches, key } = createScene(good());
  for (const text of [undefined, '']) expect(batcher.check(text)).toEqual({ status: 'missing' });
  const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
  for (const text of [mistyped, ` ${key}`, `${key}, ${key}`, key.toUpperCase(), 'secret', ' ']) {
    expect(batcher.check(text)).toEqual({ status: 'invalid' });
  }
  await new Promise(setImmediate);
  expect(batches).toEqual([]);
});

describe('with many requests in one turn of the event loop', () => {
  test('those of one key are one check, and all checks go to the store together', async () => {
    const { batcher, batches, key } = createScene(good());
    const other = createApiKey();
    await Promise.all([key, other, key, undefined, key].map((text) => batcher.check(text)));
    expect(batches).toEqual([
      [
        { digest: digestApiKey(key), count: 3, cost: 1, rateCost: 1 },
        { digest: digestApiKey(other), count: 1, cost: 1, rateCost: 1 },
      ],
    ]);
  });

  test('each request gets its own part of the decision, in order of arrival', async () => {
    const { batcher, key } = createScene(good(7));
    const decisions = await Promise.all(Array.from({ length: 5 }, () => batcher.check(key)));
    expect(decisions.map(outcomeOf)).toEqual([
      { outcome: 'allowed', used: 8, arrivalMs: NOW + 20 },
      { outcome: 'allowed', used: 9, arrivalMs: NOW + 40 },
      { outcome: 'allowed', used: 10, arrivalMs: NOW + 60 },
      { outcome: 'quota-exceeded', used: 10, arrivalMs: NOW + 60 },
      { outcome: 'quota-exceeded', used: 10, arrivalMs: NOW + 60 },
    ]);
  });

  test('checks that arrive while the store decides are sent together afterwards', async () => {
    const answers: (() => void)[] = [];
    const batches: (readonly KeyCheck[])[] = [];
    const batcher = new KeyBatcher({
      decide: (checks) => {
        batches.push(checks);
        return new Promise((resolve) => answers.push(() => resolve(checks.map(good()))));
      },
    });
    const key = createApiKey();
    const first = batcher.check(key);
    await new Promise(setImmediate);
    const later = [batcher.check(key), batcher.check(createApiKey()), batcher.check(key)];
    await new Promise(setImmediate);
    expect(batches).toHaveLength(1);
    answers[0]?.();
    expect(await first).toMatchObject({ allowedCount: 1 });
    await new Promise(setImmediate);
    expect(batches[1]).toMatchObject([{ digest: digestApiKey(key), count: 2 }, { count: 1 }]);
    answers[1]?.();
    expect(await Promise.all(later)).toMatchObject(Array(3).fill({ allowedCount: 1 }));
  });
});

test('requests of one cost in a row are one check, and the batches keep the order in which the requests came', async () => {
  const { batcher, batches, key } = createScene(good(7));
  const other = createApiKey();
  const costs: [number, number?][] = [[1], [1], [3], [3], [0], [1], [1, 2]];
  const decisions = Promise.all(costs.map(([cost, rateCost]) => batcher.check(key, cost, undefined, rateCost)));
  void batcher.check(other, 2);
  expect((await decisions).map(outcomeOf).slice(0, 6)).toEqual([
    { outcome: 'allowed', used: 8, arrivalMs: NOW + 20 },
    { outcome: 'allowed', used: 9, arrivalMs: NOW + 40 },
    { outcome: 'allowed', used: 10, arrivalMs: NOW + 60 },
    { outcome: 'quota-exceeded', used: 10, arrivalMs: NOW + 60 },
    { outcome: 'allowed', used: 7, arrivalMs: 0 },
    { outcome: 'allowed', used: 8, arrivalMs: NOW + 20 },
  ]);
  const digest = digestApiKey(key);
  expect(batches).toEqual([
    [
      { digest, count: 2, cost: 1, rateCost: 1 },
      { digest: digestApiKey(other), count: 1, cost: 2, rateCost: 2 },
    ],
    [{ digest, count: 2, cost: 3, rateCost: 3 }],
    [{ digest, count: 1, cost: 0, rateCost: 0 }],
    [{ digest, count: 1, cost: 1, rateCost: 1 }],
    [{ digest, count: 1, cost: 1, rateCost: 2 }],
  ]);
});

describe('with many unverified keys', () => {
  /** A gate whose store answers when it is told to, and has found the keys in `found`. */
  function createSlowScene(found: readonly string[] = []) {
    const digests = new Set(found.map(digestApiKey));
    const asked: { readonly checks: readonly KeyCheck[]; readonly answer: () => void }[] = [];
    const batcher = new KeyBatcher({
      decide: (checks) =>
        new Promise((resolve) => {
          const decisionOf = (check: KeyCheck): KeyDecision =>
            digests.has(check.digest) ? good()(check) : { status: 'invalid' };
          asked.push({ checks, answer: () => resolve(checks.map(decisionOf)) });
        }),
    });
    return { batcher, asked, digests };
  }

  /** A reply is received in one turn, and the next batch is sent in the next. */
  async function batchesEnd(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  }

  test('a batch takes few of them, the others wait in a queue, and what finds the queue full is refused', async () => {
    const { batcher, asked } = createSlowScene();
    const unverified = Array.from({ length: 10_000 }, createApiKey);
    const decisions = Promise.all(unverified.map((key) => batcher.check(key)));
    let answered = 0;
    for (let turn = 0; turn < 20; turn++) {
      await batchesEnd();
      const [{ checks, answer }] = asked.splice(0) as [(typeof asked)[0]];
      expect(checks.map(({ digest }) => digest)).toEqual(
        unverified.slice(answered, answered + checks.length).map(digestApiKey),
      );
      expect(checks.length).toBeLessThanOrEqual(250);
      answered += checks.length;
      answer();
      if (answered === 2_000) break;
    }
    const statuses = (await decisions).map(({ status }) => status);
    expect(statuses).toEqual([...Array(2_000).fill('invalid'), ...Array(8_000).fill('overloaded')]);
    const again = batcher.check(unverified[9_999]);
    await batchesEnd();
    asked[0]?.answer();
    expect(await again).toEqual({ status: 'invalid' });
  });

  test('a key that the store has called good does not wait for them, until it is revoked', async () => {
    const key = createApiKey();
    const { batcher, asked, digests } = createSlowScene([key]);
    const verified = batcher.check(key);
    await batchesEnd();
    asked.shift()?.answer();
    await verified;
    const unverified = Array.from({ length: 5_000 }, () => batcher.check(createApiKey()));
    await batchesEnd();
    const first = batcher.check(key);
    asked[0]?.answer();
    await batchesEnd();
    expect(asked.map(({ checks }) => checks.length)).toEqual([250, 251]);
    digests.clear();
    asked[1]?.answer();
    expect(await first).toEqual({ status: 'invalid' });
    expect(batcher.check(key)).toBeInstanceOf(Promise);
    for (let turn = 2; turn < 8; turn++) {
      await batchesEnd();
      expect(asked[turn]?.checks).toHaveLength(250);
      asked[turn]?.answer();
    }
    expect(unverified).toHaveLength(5_000);
  });

  test('a batch takes 500 verified keys, and the others wait for the next', async () => {
    const keys = Array.from({ length: 1_200 }, () => createApiKey());
    const { batcher, asked } = createSlowScene(keys);
    const round = async (): Promise<number[]> => {
      const decisions = Promise.all(keys.map((key) => batcher.check(key)));
      for (let answered = 0; answered < keys.length; ) {
        await batchesEnd();
        for (const { checks, answer } of asked.slice(answered === 0 ? 0 : -1)) {
          answer();
          answered += checks.length;
        }
      }
      expect((await decisions).every((decision) => decision.status === 'good')).toBe(true);
      return asked.splice(0).map(({ checks }) => checks.length);
    };
    expect(await round()).toEqual([250, 250, 250, 250, 200]);
    expect(await round()).toEqual([500, 500, 200]);
  });

  test('many requests with one such key are one check, also where the queue is full', async () => {
    const { batcher, asked } = createSlowScene();
    const keys = Array.from({ length: 2_000 }, createApiKey);
    for (const key of keys) void batcher.check(key);
    await batchesEnd();
    expect(batcher.check(keys[1_999])).toBeInstanceOf(Promise);
    for (let turn = 0; turn < 8; turn++) {
      asked[turn]?.answer();
      await batchesEnd();
    }
    expect(asked[7]?.checks.at(-1)).toEqual({
      digest: digestApiKey(keys[1_999] as string),
      count: 2,
      cost: 1,
      rateCost: 1,
    });
  });
});

describe('with a store that can not answer', () => {
  const failure = new KeyStoreError('KEY_STORE_FAILED', 'the store failed', 'try again');

  test('what waits for a later batch is unavailable with it, and the next request is asked for again', async () => {
    let isBroken = true;
    const { batcher, batches } = createScene((check) => (isBroken ? Promise.reject(failure) : good()(check)));
    // More than fit into one batch.
    const keys = Array.from({ length: 400 }, () => createApiKey());
    const decisions = await Promise.all(keys.map((key) => batcher.check(key)));
    expect(decisions).toEqual(Array(keys.length).fill({ status: 'unavailable', cause: failure }));
    expect(batches).toHaveLength(1);
    isBroken = false;
    expect(await batcher.check(keys.at(-1) as string)).toMatchObject({ status: 'good' });
  });

  test('a key that can not be decided now is unavailable, and the others are decided', async () => {
    const lost = createApiKey();
    const { batcher, key } = createScene((check) =>
      check.digest === digestApiKey(lost) ? { status: 'unavailable', cause: failure } : good()(check),
    );
    const decisions = await Promise.all([lost, key, lost].map((text) => batcher.check(text)));
    const unavailable = { status: 'unavailable', cause: failure };
    expect(decisions).toMatchObject([unavailable, { allowedCount: 1 }, unavailable]);
  });
});

describe('with a publishable key', () => {
  const callerOf = (visitor: number) => ({
    origin: 'https://shop.example',
    operation: 'reverse',
    visitor: `${visitor}`,
  });
  const RESTRICTIONS = { origins: [], operations: [], visitorRate: { requests: 1, seconds: 1 } };
  /** Allows every request whose visitor is even. */
  const byVisitor = ({ callers = [] }: KeyCheck): KeyDecision => {
    const outcomes = callers.map(({ visitor }) => {
      return {
        status: Number(visitor) % 2 === 0 ? ('allowed' as const) : ('restricted' as const),
        visitorArrivalMs: 0,
      };
    });
    const moment = { nowMs: NOW, month: monthOf(NOW) };
    const of = {
      keyId: ID,
      plan: PLAN,
      restrictions: RESTRICTIONS,
      before: { used: 0, arrivalMs: 0 },
      cost: 1,
      rateCost: 1,
    };
    return { status: 'publishable', ...of, ...moment, allowedCount: 1, outcomes };
  };

  test('requests go together with their callers, and each gets its own outcome', async () => {
    const { batcher, batches } = createScene(byVisitor);
    const key = createApiKey(true);
    const decisions = await Promise.all([0, 1, 2].map((visitor) => batcher.check(key, 1, callerOf(visitor))));
    expect(batches).toEqual([
      [{ digest: digestApiKey(key), count: 3, cost: 1, rateCost: 1, callers: [0, 1, 2].map(callerOf) }],
    ]);
    expect(decisions.map((decision) => decision.status === 'publishable' && decision.outcomes)).toEqual([
      [{ status: 'allowed', visitorArrivalMs: 0 }],
      [{ status: 'restricted', visitorArrivalMs: 0 }],
      [{ status: 'allowed', visitorArrivalMs: 0 }],
    ]);
  });

  test('a batch has at most 500 callers, shared by its keys, and none waits behind a busier key', async () => {
    const { batcher, batches } = createScene(byVisitor);
    const [busy, quiet, secret] = [createApiKey(true), createApiKey(true), createApiKey()];
    const many = Array.from({ length: 1_000 }, (_, at) => batcher.check(busy, 1, callerOf(2 * at)));
    const decisions = await Promise.all([...many, batcher.check(quiet, 1, callerOf(3)), batcher.check(secret)]);
    expect(batches[0]?.map(({ count }) => count)).toEqual([250, 1, 1]);
    for (const batch of batches) {
      expect(batch.reduce((sum, { callers = [] }) => sum + callers.length, 0)).toBeLessThanOrEqual(500);
    }
    expect(batches[0]?.[2]?.callers).toBeUndefined();
    const visitors = batches.flatMap((batch) =>
      batch.flatMap(({ callers = [] }) => callers.map(({ visitor }) => visitor)),
    );
    expect(visitors.filter((visitor) => visitor !== '3').map(Number)).toEqual(many.map((_, at) => 2 * at));
    expect(decisions).toHaveLength(1_002);
  });

  test('a request without a caller is one of no origin', async () => {
    const { batcher, batches } = createScene(byVisitor);
    await batcher.check(createApiKey(true));
    expect(batches[0]?.[0]?.callers).toEqual([{ origin: '', operation: '', visitor: '' }]);
  });
});
