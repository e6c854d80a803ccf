/**
 * Decisions over a Redis that replies when its test says so, in time that its test makes pass: the states from the first
 * connection through outages to the end, what is remembered for an outage, and keys that Redis has lost.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createApiKey, digestApiKey } from '../../../src/keys/api-key.js';
import { KeyBatcher } from '../../../src/keys/key-batcher.js';
import type { Caller, KeyCheck, KeyDecision } from '../../../src/keys/key-decision.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/plan.js';
import { RedisKeyStore } from '../../../src/keys/redis-key-store.js';
import { PROBE_SCRIPT } from '../../../src/keys/redis-scripts.js';
import type { RedisClient } from '../../../src/keys/storage/redis-client.js';
import { createRecordingLogger } from '../../fixtures/recording-logger.js';

const PLANS = parsePlans(
  JSON.stringify({
    free: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
    some: { requestsPerMonth: 10, requestsPerSecond: 50, burst: 4 },
  }),
);
const NOON = Date.parse('2024-02-29T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const GRACE_MS = 120_000;
const TIMEOUT_MS = 250;
/** Arguments of the decision script before those of the plans, for each plan, and for each check before its callers. */
const [LEADING_ARGS, PLAN_ARGS, CHECK_ARGS] = [4, 4, 5];

beforeEach(() => {
  jest.useFakeTimers({ now: NOON, doNotFake: ['nextTick', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** The checks of a call, from the arguments of the decision script. */
function checksIn(args: readonly string[]): KeyCheck[] {
  const checks: KeyCheck[] = [];
  for (let at = LEADING_ARGS + PLAN_ARGS * Number(args[LEADING_ARGS - 1]); at < args.length; ) {
    const [record = '', count, cost, , callerCount] = args.slice(at, at + CHECK_ARGS);
    checks.push({ digest: record.slice(record.lastIndexOf(':') + 1), count: Number(count), cost: Number(cost) });
    at += CHECK_ARGS + 3 * Number(callerCount);
  }
  return checks;
}

/** A client of a Redis that takes `roundTripMs` for each call and has the keys in `known`. */
function createScene({ roundTripMs = 10, known = new Set<string>() } = {}) {
  const calls: (readonly KeyCheck[])[] = [];
  const redis = {
    isConnected: true,
    /** Replies in place of a decision. */
    replies: new Map<string, unknown[]>(),
    /** The same for every key. */
    reply: undefined as unknown[] | undefined,
    /** The number of the first call that gets no reply. */
    silentFrom: Number.POSITIVE_INFINITY,
    probeFailure: undefined as Error | undefined,
    probeCount: 0,
    /** How far its clock is ahead of ours. */
    aheadMs: 0,
  };
  const replyOn = ({ digest, count }: KeyCheck): unknown[] =>
    redis.reply ??
    redis.replies.get(digest) ??
    (known.has(digest) ? ['good', 'key_0123456789ab', 'free', '0', '0', count, '', ''] : ['invalid']);
  const client: RedisClient = {
    description: 'redis://fake',
    isReady: () => redis.isConnected,
    lastProblem: () => null,
    async whenReady(limitMs) {
      for (let waitedMs = 0; !redis.isConnected; waitedMs += 10) {
        if (waitedMs >= limitMs) throw new Error('not connected');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    onReady: () => {},
    run: async () => null,
    async runScript(script, _, args) {
      if (script === PROBE_SCRIPT) {
        redis.probeCount++;
        if (redis.probeFailure !== undefined) throw redis.probeFailure;
        return 1;
      }
      const checks = checksIn(args);
      calls.push(checks);
      const number = calls.length - 1;
      if (roundTripMs > 0) await new Promise((resolve) => setTimeout(resolve, roundTripMs));
      while (number >= redis.silentFrom) await new Promise((resolve) => setTimeout(resolve, 10));
      return [String(Date.now() + redis.aheadMs), ...checks.map(replyOn)];
    },
    close() {},
  };
  const logger = createRecordingLogger();
  const options = { plans: PLANS, findPlan: createPlanFinder(PLANS), timeoutMs: TIMEOUT_MS, graceMs: GRACE_MS, logger };
  const store = new RedisKeyStore(client, options);
  const ask = async (digest: string, count = 1, cost = 1) =>
    (await store.decide([{ digest, count, cost }]))[0] as KeyDecision;
  /** The decision on one check, after the time that a call takes. */
  const answer = async (digest: string, count = 1, cost = 1) => {
    const decision = ask(digest, count, cost);
    await pass(2 * roundTripMs);
    return decision;
  };
  /** Begins an outage that no probe ends. */
  const breakDown = async (): Promise<void> => {
    [redis.reply, redis.probeFailure] = [['error', 'OOM'], new Error('OOM')];
    await answer('');
  };
  /** What was logged, each line by its message and its problem. */
  const events = () =>
    logger.lines.map(({ message, fields }) => ('problem' in fields ? `${message}: ${fields.problem}` : message));
  return { store, calls, events, known, redis, ask, answer, breakDown };
}

const DEGRADED = 'the key store does not answer: keys seen good lately are served from memory, others refused';
const RECOVERED = 'the key store answers again';
const LOST = 'the key store has lost keys that were good: import them again from a backup';
const UNAVAILABLE = { status: 'unavailable', cause: { code: 'KEY_STORE_FAILED' } };

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
/** Lets what waits for the event loop go on, which is not faked. */
const nextRound = () => new Promise(setImmediate);

test('every request of 6,000 keys at once is counted while Redis answers', async () => {
  const keys = Array.from({ length: 6_000 }, () => createApiKey());
  const { store, calls, events } = createScene({ roundTripMs: 0, known: new Set(keys.map(digestApiKey)) });
  const batcher = new KeyBatcher(store);
  for (let at = 0; at < keys.length; at += 1_000) {
    await Promise.all(keys.slice(at, at + 1_000).map((key) => batcher.check(key)));
  }
  const counted = (): number => calls.flat().reduce((sum, { count }) => sum + count, 0);
  expect(counted()).toBe(6_000);
  const decisions = await Promise.all(keys.map((key) => batcher.check(key)));
  expect(decisions.every((decision) => decision.status === 'good' && decision.allowedCount === 1)).toBe(true);
  expect(counted()).toBe(12_000);
  expect(Math.max(...calls.map((checks) => checks.length))).toBe(500);
  expect(events()).toEqual([]);
});

describe('before the first connection', () => {
  test('checks wait for it', async () => {
    const { redis, events, ask } = createScene({ known: new Set(['a']) });
    redis.isConnected = false;
    const decision = ask('a');
    await pass(100);
    redis.isConnected = true;
    await pass(30);
    expect(await decision).toMatchObject({ status: 'good' });
    expect(events()).toEqual([]);
  });

  test('but at most for the timeout; later checks do not wait until there is a connection', async () => {
    const { redis, events, ask, answer } = createScene({ known: new Set(['a']) });
    redis.isConnected = false;
    const decision = ask('a');
    await pass(TIMEOUT_MS + 10);
    expect(await decision).toMatchObject(UNAVAILABLE);
    expect(await ask('a')).toMatchObject(UNAVAILABLE);
    expect({ events: events(), probes: redis.probeCount }).toEqual({
      events: [`${DEGRADED}: not connected`],
      probes: 0,
    });
    redis.isConnected = true;
    await pass(100);
    expect(await answer('a')).toMatchObject({ status: 'good' });
    expect(events()).toHaveLength(2);
  });

  test('the wait for it and for the reply take one timeout together', async () => {
    const { redis, ask } = createScene({ known: new Set(['a']) });
    [redis.isConnected, redis.silentFrom] = [false, 0];
    let isDecided = false;
    const decision = ask('a').finally(() => {
      isDecided = true;
    });
    await pass(TIMEOUT_MS - 50);
    redis.isConnected = true;
    await pass(60);
    await nextRound();
    await pass(1);
    expect(isDecided).toBe(true);
    expect(await decision).toMatchObject(UNAVAILABLE);
  });
});

describe('an outage', () => {
  test('begins when a call takes longer than the timeout, and nothing is sent before it is over', async () => {
    const { redis, events, calls, ask, answer } = createScene({ known: new Set(['a']) });
    await answer('a');
    redis.silentFrom = 1;
    const [late, unknown] = [ask('a', 3), ask('b')];
    await pass(TIMEOUT_MS - 1);
    expect(events()).toEqual([]);
    await pass(2);
    // Its answer might still have been on the way through the event loop.
    await nextRound();
    expect(await late).toMatchObject({ status: 'good', allowedCount: 3 });
    expect(await unknown).toMatchObject(UNAVAILABLE);
    expect(events()).toEqual([`${DEGRADED}: no answer within 250 ms`]);
    expect(await ask('a', 4)).toMatchObject({ status: 'good', allowedCount: 4 });
    redis.silentFrom = Number.POSITIVE_INFINITY;
    await pass(200);
    expect(events()[1]).toBe(RECOVERED);
    expect(await answer('a')).toMatchObject({ status: 'good' });
    expect(calls.map((checks) => checks.map(({ count }) => count))).toEqual([[1], [3], [1], [1]]);
  });

  test('shows when the connection is lost, begins at once with the next check, and ends with a probe', async () => {
    const { redis, events, store, ask, answer, calls } = createScene({ known: new Set(['a']) });
    await answer('a');
    redis.isConnected = false;
    expect(store.health().state).toBe('degraded');
    expect(await ask('a', 5)).toMatchObject({ status: 'good', allowedCount: 5 });
    expect(await ask('b')).toMatchObject(UNAVAILABLE);
    await pass(1_000);
    expect({ calls: calls.length, probes: redis.probeCount }).toEqual({ calls: 1, probes: 0 });
    redis.isConnected = true;
    await pass(120);
    expect(store.health().problem).toBeNull();
    expect(calls).toHaveLength(1);
    expect(await answer('b')).toEqual({ status: 'invalid' });
    expect(events()).toEqual([`${DEGRADED}: not connected`, RECOVERED]);
  });

  test('begins when the store can not write, and lasts while a probe that writes fails', async () => {
    const { redis, events, store, ask, answer, calls } = createScene({ known: new Set(['a']) });
    await answer('a');
    redis.reply = ['error', 'OOM'];
    redis.probeFailure = new Error('OOM still');
    expect(await answer('a', 2)).toMatchObject({ status: 'good', allowedCount: 2 });
    expect(events()).toEqual([`${DEGRADED}: OOM`]);
    await pass(1_000);
    expect({ problem: store.health().problem, calls: calls.length }).toEqual({ problem: 'OOM still', calls: 2 });
    expect(redis.probeCount).toBeGreaterThanOrEqual(9);
    expect(await ask('a', 3)).toMatchObject({ status: 'good', allowedCount: 3 });
    redis.reply = undefined;
    redis.probeFailure = undefined;
    await pass(120);
    expect(store.health().problem).toBeNull();
    expect(events()).toHaveLength(2);
  });

  test.each([
    ['error', 'DAMAGED state'],
    ['good', 'key_0123456789ab', 'free', '0', '0', 1, '', '', '{"origins":{}}', [[1, '0']]],
  ])(
    'damaged data of one key is none: this key is decided from memory, and the log names it once',
    async (...reply) => {
      const { redis, events, store, calls, answer } = createScene({ known: new Set(['a']) });
      await answer('b');
      redis.replies.set('b', reply);
      const callers = [{ origin: 'https://shop.example', operation: 'reverse', visitor: '0' }];
      for (let round = 0; round < 2; round++) {
        const decisions = store.decide([
          { digest: 'a', count: 1 },
          { digest: 'b', count: 1, callers },
        ]);
        await pass(20);
        expect(await decisions).toMatchObject([{ status: 'good' }, UNAVAILABLE]);
      }
      redis.replies.set('a', ['error', 'DAMAGED state']);
      expect(await answer('a', 7)).toMatchObject({ status: 'good', allowedCount: 7 });
      expect({ problem: store.health().problem, calls: calls.length }).toEqual({ problem: null, calls: 4 });
      expect(events()).toEqual(Array(2).fill(expect.stringMatching(/^could not check a key: DAMAGED/)));
    },
  );

  test.each(['revoked', 'expired'])(
    'a key that was good and is %s is that, whatever its restrictions',
    async (status) => {
      const { redis, answer } = createScene({ known: new Set(['a']) });
      expect(await answer('a')).toMatchObject({ status: 'good' });
      redis.replies.set('a', [status, '{"origins":["https://*"]}']);
      expect(await answer('a')).toEqual({ status, origins: undefined });
    },
  );

  test('a store that is closed in it sends nothing later', async () => {
    const { redis, store, answer, breakDown, calls } = createScene({ known: new Set(['a']) });
    await answer('a');
    await breakDown();
    await store.close();
    await pass(10_000);
    expect({ calls: calls.length, probes: redis.probeCount }).toEqual({ calls: 2, probes: 0 });
  });
});

describe('what is remembered for an outage', () => {
  const good = (count: number, arrivalMs: number) =>
    ['good', 'key_0123456789ab', 'some', '3', String(arrivalMs), count, '', ''] as const;

  test('goes on from what the store said, with quota and rate', async () => {
    const { redis, ask, answer, breakDown } = createScene();
    redis.replies.set('a', [...good(1, 0)]);
    await answer('a');
    await breakDown();
    expect(await ask('a', 5)).toMatchObject({ before: { used: 4 }, allowedCount: 4 });
    await pass(1_000);
    expect(await ask('a', 5)).toMatchObject({ before: { used: 8 }, allowedCount: 2 });
    await pass(1_000);
    expect(await ask('a', 5)).toMatchObject({ allowedCount: 0 });
    expect(await ask('b')).toMatchObject(UNAVAILABLE);
    expect(await ask('b', 1, 0)).toMatchObject(UNAVAILABLE);
  });

  test('takes a bulk request as a whole or not at all, and peeks for nothing', async () => {
    const { redis, ask, answer, breakDown } = createScene();
    redis.replies.set('a', [...good(1, 0)]);
    await answer('a', 1, 2);
    await breakDown();
    expect(await ask('a', 1, 5)).toMatchObject({ before: { used: 5 }, allowedCount: 0 });
    expect(await ask('a', 1, 0)).toMatchObject({ before: { used: 5 }, allowedCount: 1 });
    expect(await ask('a', 2, 3)).toMatchObject({ before: { used: 5 }, allowedCount: 1 });
  });

  test.each([HOUR_MS, -HOUR_MS])('is by our clock, where that of Redis is %i ms off', async (aheadMs) => {
    const { redis, ask, answer, breakDown } = createScene({ roundTripMs: 0 });
    redis.aheadMs = aheadMs;
    redis.replies.set('a', [...good(4, 0)]);
    await answer('a', 4);
    await breakDown();
    expect(await ask('a')).toMatchObject({ allowedCount: 0 });
    await pass(20);
    expect(await ask('a')).toMatchObject({ allowedCount: 1 });
    await pass(GRACE_MS - 20);
    expect(await ask('a')).toMatchObject({ status: 'good' });
    await pass(1);
    expect(await ask('a')).toMatchObject(UNAVAILABLE);
  });

  test('a key that was seen bad is not served, and one seen revoked stays revoked', async () => {
    const { redis, ask, answer, breakDown, events, known } = createScene({ known: new Set(['a', 'b']) });
    for (const digest of ['a', 'b']) await answer(digest);
    redis.replies.set('a', ['expired']);
    redis.replies.set('b', ['revoked']);
    for (const digest of ['a', 'b']) await answer(digest);
    redis.replies.clear();
    known.delete('a');
    expect(await answer('b')).toEqual({ status: 'revoked' });
    expect(events()).toEqual([expect.stringContaining('forgotten')]);
    known.clear();
    expect(await answer('b')).toEqual({ status: 'revoked' });
    await breakDown();
    for (const digest of ['a', 'b']) expect(await ask(digest)).toMatchObject(UNAVAILABLE);
  });

  test('is of the 100,000 keys seen last', async () => {
    const { redis, store, ask, answer, breakDown } = createScene({ roundTripMs: 0 });
    redis.reply = ['good', 'key_0123456789ab', 'free', '0', '0', 1, '', ''];
    for (const digest of ['first', 'second']) await answer(digest);
    await store.decide(Array.from({ length: 99_998 }, (_, at) => ({ digest: `key ${at}`, count: 1 })));
    for (const digest of ['first', 'last']) await answer(digest);
    await breakDown();
    const statuses = await Promise.all(['first', 'second', 'last'].map(async (digest) => (await ask(digest)).status));
    expect(statuses).toEqual(['good', 'unavailable', 'good']);
  });

  test('has nothing of the requests: a key of 500 visitors takes no more than another', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { redis, store, calls } = createScene({ roundTripMs: 0 });
    const restrictions =
      '{"origins":["https://shop.example"],"operations":["reverse"],"visitorRate":{"requests":1,"seconds":1}}';
    const outcomes = Array.from({ length: 500 }, () => [1, '0']);
    redis.reply = ['good', 'key_0123456789ab', 'free', '0', '0', 500, '', '', restrictions, outcomes];
    const callers = Array.from({ length: 500 }, (): Caller => ({ origin: '', operation: '', visitor: '' }));
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < 1_000; at++) await store.decide([{ digest: `${at}`, count: 500, callers }]);
    calls.length = 0;
    collectGarbage();
    // 20 bytes of each outcome are 10 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
    expect(store.health().errorCount).toBe(0);
  });
});

test('a key that was good and that the store does not know any more is served for the time of grace', async () => {
  const { events, store, answer, known } = createScene({ known: new Set(['a', 'b']) });
  expect(await answer('a')).toMatchObject({ status: 'good' });
  expect(await answer('unknown')).toEqual({ status: 'invalid' });
  known.clear();
  for (let round = 0; round < 100; round++) expect(await answer('a')).toMatchObject({ status: 'good' });
  // Perhaps lost too.
  expect(await answer('b')).toMatchObject(UNAVAILABLE);
  await pass(30_000);
  expect(await answer('a')).toMatchObject({ status: 'good' });
  expect(store.health().state).toBe('degraded');
  known.add('a');
  expect(await answer('a')).toMatchObject({ status: 'good' });
  await pass(60_000);
  expect(store.health().state).toBe('ready');
  expect(await answer('unknown')).toEqual({ status: 'invalid' });
  expect(events()).toEqual([LOST]);
  known.clear();
  await pass(GRACE_MS);
  expect(await answer('a')).toMatchObject(UNAVAILABLE);
  expect(events()).toEqual([LOST, LOST]);
});
