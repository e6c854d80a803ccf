/**
 * Decisions over a Redis that replies when its test says so, in time that its test makes pass: what no real Redis shows,
 * such as a clock that is an hour off, or 100,000 keys of an outage. All else is in redis-outage.system.ts.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Caller, KeyDecision } from '../../../src/keys/decision/key-decision.js';
import { PROBE_SCRIPT } from '../../../src/keys/decision/redis-decision-script.js';
import { RedisKeyStore } from '../../../src/keys/decision/redis-key-store.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/key/plan.js';
import type { RedisClient } from '../../../src/keys/storage/redis-client.js';
import { silentLogger } from '../../fixtures/recording-logger.js';

const PLANS = parsePlans(
  JSON.stringify({
    free: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
    some: { requestsPerMonth: 10, requestsPerSecond: 50, burst: 4 },
  }),
);
const HOUR_MS = 3_600_000;
const GRACE_MS = 120_000;
const TIMEOUT_MS = 250;
const UNAVAILABLE = { status: 'unavailable', cause: { code: 'KEY_STORE_FAILED' } };
const GOOD = ['good', 'key_0123456789ab', 'free', '0', '0', 1, '', ''];

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2024-02-29T12:00:00.000Z'), doNotFake: ['nextTick', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A store of a Redis that gives `reply` on every check. */
function createScene() {
  const redis = {
    isConnected: true,
    reply: GOOD as unknown[],
    /** Whether calls get no reply. */
    isSilent: false,
    /** How far its clock is ahead of ours. */
    aheadMs: 0,
    probeCount: 0,
  };
  const client = {
    description: 'redis://fake',
    isReady: () => redis.isConnected,
    lastProblem: () => null,
    async whenReady(limitMs: number) {
      for (let waitedMs = 0; !redis.isConnected; waitedMs += 10) {
        if (waitedMs >= limitMs) throw new Error('not connected');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async runScript(script: string) {
      if (script === PROBE_SCRIPT) {
        redis.probeCount++;
        throw new Error('OOM');
      }
      while (redis.isSilent) await new Promise((resolve) => setTimeout(resolve, 10));
      return [String(Date.now() + redis.aheadMs), ...Array(checkCount).fill(redis.reply)];
    },
    close() {},
  } as unknown as RedisClient;
  let checkCount = 1;
  const store = new RedisKeyStore(client, {
    ...{ plans: PLANS, findPlan: createPlanFinder(PLANS), timeoutMs: TIMEOUT_MS, graceMs: GRACE_MS },
    logger: silentLogger,
  });
  const ask = async (digest: string, count = 1) => (await store.decide([{ digest, count }]))[0] as KeyDecision;
  /** Asks for many keys at once. */
  const askAll = async (digests: readonly string[]): Promise<void> => {
    checkCount = digests.length;
    await store.decide(digests.map((digest) => ({ digest, count: 1 })));
    checkCount = 1;
  };
  /** Begins an outage that no probe ends. */
  const breakDown = async (): Promise<void> => {
    redis.reply = ['error', 'OOM'];
    await ask('');
  };
  return { store, redis, ask, askAll, breakDown };
}

test('checks wait for the first connection, and for it and the reply no longer than one timeout', async () => {
  const { redis, ask } = createScene();
  redis.isConnected = false;
  const decision = ask('a');
  await pass(100);
  redis.isConnected = true;
  await pass(30);
  expect(await decision).toMatchObject({ status: 'good' });
  const late = createScene();
  [late.redis.isConnected, late.redis.isSilent] = [false, true];
  let isDecided = false;
  const unknown = late.ask('a').finally(() => {
    isDecided = true;
  });
  await pass(TIMEOUT_MS - 50);
  late.redis.isConnected = true;
  await pass(60);
  // A reply might still have been on the way through the event loop, which is not faked.
  await new Promise(setImmediate);
  await pass(1);
  expect(isDecided).toBe(true);
  expect(await unknown).toMatchObject(UNAVAILABLE);
});

test('a store that is closed in an outage sends nothing later', async () => {
  const { redis, store, ask, breakDown } = createScene();
  await ask('a');
  await breakDown();
  await store.close();
  await pass(10_000);
  expect(redis.probeCount).toBe(0);
});

test.each([HOUR_MS, -HOUR_MS])('an outage is by our clock, where that of Redis is %i ms off', async (aheadMs) => {
  const { redis, ask, breakDown } = createScene();
  redis.aheadMs = aheadMs;
  redis.reply = ['good', 'key_0123456789ab', 'some', '3', '0', 4, '', ''];
  await ask('a', 4);
  await breakDown();
  expect(await ask('a')).toMatchObject({ allowedCount: 0 });
  await pass(20);
  expect(await ask('a')).toMatchObject({ allowedCount: 1 });
  await pass(GRACE_MS - 20);
  expect(await ask('a')).toMatchObject({ status: 'good' });
  await pass(1);
  expect(await ask('a')).toMatchObject(UNAVAILABLE);
});

test('the 100,000 keys seen last are remembered for an outage', async () => {
  const { ask, askAll, breakDown } = createScene();
  for (const digest of ['first', 'second']) await ask(digest);
  await askAll(Array.from({ length: 99_998 }, (_, at) => `key ${at}`));
  for (const digest of ['first', 'last']) await ask(digest);
  await breakDown();
  const statuses = await Promise.all(['first', 'second', 'last'].map(async (digest) => (await ask(digest)).status));
  expect(statuses).toEqual(['good', 'unavailable', 'good']);
});

test('nothing of the requests is remembered: a key of 500 visitors takes no more than another', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { redis, store } = createScene();
  const restrictions =
    '{"origins":["https://shop.example"],"operations":["reverse"],"visitorRate":{"requests":1,"seconds":1}}';
  const outcomes = Array.from({ length: 500 }, () => [1, '0']);
  redis.reply = ['good', 'key_0123456789ab', 'free', '0', '0', 500, '', '', restrictions, outcomes];
  const callers = Array.from({ length: 500 }, (): Caller => ({ origin: '', operation: '', visitor: '' }));
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < 1_000; at++) await store.decide([{ digest: `${at}`, count: 500, callers }]);
  collectGarbage();
  // 20 bytes of each outcome are 10 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
  expect(store.health().errorCount).toBe(0);
});
