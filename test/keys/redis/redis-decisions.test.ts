/**
 * Decisions over a Redis that replies when its test says so, in time that its test makes pass: how many keys a call
 * has, the states from the first connection through outages to the end, and keys that Redis has lost.
 */

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { KeyDecision } from '../../../src/keys/key-decision.js';
import type { KeyCheck } from '../../../src/keys/key-store.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/plan.js';
import { RedisDecisions } from '../../../src/keys/redis-key-store.js';
import { PROBE_SCRIPT } from '../../../src/keys/redis-scripts.js';
import type { RedisClient } from '../../../src/keys/storage/redis-client.js';
import { createRecordingLogger } from '../../fixtures/recording-logger.js';

const PLANS = parsePlans('{"free": {"requestsPerMonth": null, "requestsPerSecond": null, "burst": null}}');
const GRACE_MS = 60_000;
const TIMEOUT_MS = 250;
/** Arguments of the decision script before those of the plans, and for each plan. */
const [LEADING_ARGS, PLAN_ARGS] = [4, 4];

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2024-02-10T00:00:00.000Z'), doNotFake: ['nextTick', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** The checks of a call, from the arguments of the decision script. */
function checksIn(args: readonly string[]): KeyCheck[] {
  const rest = args.slice(LEADING_ARGS + PLAN_ARGS * Number(args[LEADING_ARGS - 1]));
  const checks: KeyCheck[] = [];
  while (rest.length > 0) {
    const [record = '', count, , callerCount] = rest.splice(0, 4);
    expect(callerCount).toBe('0');
    checks.push({ digest: record.slice(record.lastIndexOf(':') + 1), count: Number(count) });
  }
  return checks;
}

/** A client of a Redis that takes `roundTripMs` for each call and has the keys in `known`. */
function createScene({ roundTripMs = 10, known = new Set<string>() } = {}) {
  const calls: (readonly KeyCheck[])[] = [];
  const redis = {
    isConnected: true,
    /** The reply for every key instead of a decision. */
    failure: undefined as string | undefined,
    /** The number of the first call that gets no reply. */
    silentFrom: Number.POSITIVE_INFINITY,
    probeFailure: undefined as Error | undefined,
    probeCount: 0,
  };
  const reply = ({ digest, count }: KeyCheck): unknown[] => {
    if (redis.failure !== undefined) return ['error', redis.failure];
    return known.has(digest) ? ['good', 'key_0123456789ab', 'free', '0', '0', count, '', ''] : ['invalid'];
  };
  let onChange = (): void => {};
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
    onChange: (listener) => {
      onChange = listener;
    },
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
      await new Promise((resolve) => setTimeout(resolve, roundTripMs));
      while (number >= redis.silentFrom) await new Promise((resolve) => setTimeout(resolve, 10));
      return [String(Date.now()), ...checks.map(reply)];
    },
    close() {},
  };
  const logger = createRecordingLogger();
  const options = { plans: PLANS, findPlan: createPlanFinder(PLANS), timeoutMs: TIMEOUT_MS, graceMs: GRACE_MS, logger };
  const store = new RedisDecisions(client, options);
  const ask = async (digest: string, count = 1) => (await store.decide([{ digest, count }]))[0] as KeyDecision;
  /** The decision on one check, after the time that a call takes. */
  const answer = async (digest: string, count = 1) => {
    const decision = ask(digest, count);
    await pass(2 * roundTripMs);
    return decision;
  };
  const setConnected = (isConnected: boolean): void => {
    redis.isConnected = isConnected;
    onChange();
  };
  /** What was logged, each line by its message and its problem. */
  const events = () =>
    logger.lines.map(({ message, fields }) => ('problem' in fields ? `${message}: ${fields.problem}` : message));
  return { store, calls, events, known, redis, ask, answer, setConnected };
}

const DEGRADED = 'the key store does not answer: keys seen good lately are served from memory, others refused';
const RECOVERED = 'the key store answers again';
const LOST = 'the key store has lost keys that were good: import them again from a backup';
const FOUND = 'the key store knows the lost keys again';

function checksOf(prefix: string, count: number): KeyCheck[] {
  return Array.from({ length: count }, (_, index) => ({ digest: `${prefix}${index}`, count: 1 }));
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
/** Lets what waits for the event loop go on, which is not faked. */
const nextRound = () => new Promise(setImmediate);

describe('calls', () => {
  test('have at most 500 keys, and those of many keys are sent together', async () => {
    const known = new Set(checksOf('', 1_200).map(({ digest }) => digest));
    const { store, calls, events } = createScene({ known });
    const decisions = store.decide(checksOf('', 1_200));
    await pass(10);
    expect((await decisions).map(({ status }) => status)).toEqual(Array(1_200).fill('good'));
    expect(calls.map((checks) => checks.length)).toEqual([500, 500, 200]);
    expect(events()).toEqual([]);
  });

  test('more keys than a slow store takes in time: the last are decided from memory, without an outage', async () => {
    const { store, calls, events } = createScene({ known: new Set(checksOf('', 6_000).map(({ digest }) => digest)) });
    const crowd = store.decide(checksOf('', 6_000));
    await pass(10);
    const statuses = (await crowd).map(({ status }) => status);
    expect(statuses).toEqual([...Array(5_000).fill('good'), ...Array(1_000).fill('unavailable')]);
    expect(calls).toHaveLength(10);
    expect({ problem: store.health().problem, events: events() }).toEqual({ problem: null, events: [] });
  });

  test('a call that is late behind another is decided from memory, and it is no outage', async () => {
    const { store, redis, calls, events, answer } = createScene({ known: new Set(['0', '500']) });
    await answer('500');
    redis.silentFrom = calls.length + 1;
    const crowd = store.decide(checksOf('', 501));
    await pass(TIMEOUT_MS + 1);
    await nextRound();
    const statuses = (await crowd).map(({ status }) => status);
    expect(statuses).toEqual(['good', ...Array(499).fill('invalid'), 'good']);
    expect({ problem: store.health().problem, events: events() }).toEqual({ problem: null, events: [] });
  });
});

describe('before the first connection', () => {
  test('checks wait for it', async () => {
    const { redis, events, ask, known } = createScene({ known: new Set(['a']) });
    redis.isConnected = false;
    const decision = ask('a');
    await pass(100);
    redis.isConnected = true;
    await pass(30);
    expect(await decision).toMatchObject({ status: 'good' });
    expect({ events: events(), known: known.size }).toEqual({ events: [], known: 1 });
  });

  test('but at most for the timeout; later checks do not wait until there is a connection', async () => {
    const { redis, events, ask, answer, setConnected } = createScene({ known: new Set(['a']) });
    redis.isConnected = false;
    const decision = ask('a');
    await pass(TIMEOUT_MS + 10);
    expect(await decision).toMatchObject({ status: 'unavailable' });
    expect(await ask('a')).toMatchObject({ status: 'unavailable' });
    expect({ events: events(), probes: redis.probeCount }).toEqual({
      events: [`${DEGRADED}: there is no connection`],
      probes: 0,
    });
    setConnected(true);
    await pass(100);
    expect(await answer('a')).toMatchObject({ status: 'good' });
    expect(events()).toHaveLength(2);
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
    expect(await unknown).toMatchObject({ status: 'unavailable' });
    expect(events()).toEqual([`${DEGRADED}: no answer within 250 ms`]);
    expect(await ask('a', 4)).toMatchObject({ status: 'good', allowedCount: 4 });
    redis.silentFrom = Number.POSITIVE_INFINITY;
    await pass(200);
    expect(events()[1]).toBe(RECOVERED);
    expect(await answer('a')).toMatchObject({ status: 'good' });
    expect(calls.map((checks) => checks.map(({ count }) => count))).toEqual([[1], [3], [1], [1]]);
  });

  test('begins when the connection is lost, without a request that meets it, and ends with a probe', async () => {
    const { redis, events, store, ask, answer, calls, setConnected } = createScene({ known: new Set(['a']) });
    await answer('a');
    setConnected(false);
    expect(events()).toEqual([`${DEGRADED}: the connection was lost`]);
    expect(store.health().state).toBe('degraded');
    expect(await ask('a', 5)).toMatchObject({ status: 'good', allowedCount: 5 });
    expect(await ask('b')).toMatchObject({ status: 'unavailable' });
    await pass(1_000);
    expect({ calls: calls.length, probes: redis.probeCount }).toEqual({ calls: 1, probes: 0 });
    setConnected(true);
    await pass(120);
    expect(store.health().problem).toBeNull();
    expect(calls).toHaveLength(1);
    expect(await answer('b')).toEqual({ status: 'invalid' });
    expect(events()).toHaveLength(2);
  });

  test('begins when the store can not write, and lasts while a probe that writes fails', async () => {
    const { redis, events, store, ask, answer, calls } = createScene({ known: new Set(['a']) });
    await answer('a');
    redis.failure = 'OOM';
    redis.probeFailure = new Error('OOM still');
    expect(await answer('a', 2)).toMatchObject({ status: 'good', allowedCount: 2 });
    expect(events()).toEqual([`${DEGRADED}: OOM`]);
    await pass(1_000);
    expect({ problem: store.health().problem, calls: calls.length }).toEqual({ problem: 'OOM still', calls: 2 });
    expect(redis.probeCount).toBeGreaterThanOrEqual(9);
    expect(await ask('a', 3)).toMatchObject({ status: 'good', allowedCount: 3 });
    redis.failure = undefined;
    redis.probeFailure = undefined;
    await pass(120);
    expect(store.health().problem).toBeNull();
    expect(events()).toHaveLength(2);
  });

  test('a problem of one key is none', async () => {
    const { redis, events, store, answer } = createScene({ known: new Set(['a']) });
    await answer('a');
    redis.failure = 'DAMAGED state';
    expect(await answer('a')).toMatchObject({ status: 'good' });
    expect(await answer('b')).toMatchObject({ status: 'unavailable' });
    expect(await answer('b')).toMatchObject({ status: 'unavailable' });
    expect(store.health().problem).toBeNull();
    // Of each key once.
    expect(events()).toEqual(Array(2).fill('could not check a key: DAMAGED state'));
  });

  test('a store that is closed in it sends nothing later', async () => {
    const { redis, store, answer, calls, setConnected } = createScene({ known: new Set(['a']) });
    await answer('a');
    setConnected(false);
    store.close();
    setConnected(true);
    await pass(10_000);
    expect({ calls: calls.length, probes: redis.probeCount }).toEqual({ calls: 1, probes: 0 });
  });
});

describe('a key that was good and that the store does not know any more', () => {
  test('is served for the time of grace, then unavailable; it is logged once, and found again without a request', async () => {
    const { events, store, calls, answer, known } = createScene({ known: new Set(['a', 'b']) });
    expect(await answer('a')).toMatchObject({ status: 'good' });
    expect(await answer('unknown')).toEqual({ status: 'invalid' });
    known.clear();
    for (let round = 0; round < 100; round++) expect(await answer('a')).toMatchObject({ status: 'good' });
    expect(await answer('b')).toMatchObject({ status: 'unavailable' });
    await pass(GRACE_MS);
    expect(await answer('a')).toMatchObject({ status: 'unavailable' });
    expect(events()).toEqual([LOST]);
    expect(store.health().state).toBe('degraded');
    const callCount = calls.length;
    await pass(10_000);
    expect(calls.length - callCount).toBeLessThanOrEqual(11);
    known.add('a');
    await pass(1_100);
    expect(events()).toEqual([LOST, FOUND]);
    expect(calls.at(-1)).toEqual([{ digest: 'a', count: 0 }]);
    expect(await answer('unknown')).toEqual({ status: 'invalid' });
    const sentCount = calls.length;
    await pass(10_000);
    expect(calls).toHaveLength(sentCount);
  });
});
