/**
 * The batching client over a Redis that replies when its test says so, in time that its test makes pass: how many keys a
 * batch has, the client's states from the first connection through outages to its end, and keys that Redis has lost.
 */

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { KeyDecision } from '../../../src/keys/key-decision.js';
import type { KeyCheck } from '../../../src/keys/key-store.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/plan.js';
import type { SentKey } from '../../../src/keys/redis-decision.js';
import { BatchingClient } from '../../../src/keys/redis-key-store.js';
import { PROBE_SCRIPT } from '../../../src/keys/redis-scripts.js';
import type { RedisClient } from '../../../src/keys/storage/redis-client.js';
import { createRecordingLogger } from '../../fixtures/recording-logger.js';

const PLANS = parsePlans('{"free": {"requestsPerMonth": null, "requestsPerSecond": null, "burst": null}}');
const GRACE_MS = 60_000;
const TIMEOUT_MS = 250;
/** Arguments of the decision script before those of the plans, and for each plan. */
const [LEADING_ARGS, PLAN_ARGS] = [5, 4];

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2024-02-10T00:00:00.000Z'), doNotFake: ['nextTick', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** The keys of a batch, from the arguments of the decision script. */
function keysIn(args: readonly string[]): SentKey[] {
  const rest = args.slice(LEADING_ARGS + PLAN_ARGS * Number(args[LEADING_ARGS - 1]));
  const keys: SentKey[] = [];
  while (rest.length > 0) {
    const [record = '', , count, , usageCount] = rest.splice(0, 5);
    const usages = Array.from({ length: Number(usageCount) }, () => {
      const [sequence, used, day = ''] = rest.splice(0, 3);
      return { sequence: Number(sequence), count: Number(used), day };
    });
    expect(rest.shift()).toBe('0');
    keys.push({ digest: record.slice(record.lastIndexOf(':') + 1), count: Number(count), usages });
  }
  return keys;
}

/** A client of a Redis that takes `roundTripMs` for each batch and has the keys in `known`. */
function createScene({ roundTripMs = 10, known = new Set<string>() } = {}) {
  const batches: (readonly SentKey[])[] = [];
  const redis = {
    isConnected: true,
    /** The reply for every key instead of a decision. */
    failure: undefined as string | undefined,
    /** Whether batches get no reply. */
    isSilent: false,
    probeFailure: undefined as Error | undefined,
    probeCount: 0,
  };
  const reply = ({ digest, count }: SentKey): unknown[] => {
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
      const keys = keysIn(args);
      batches.push(keys);
      await new Promise((resolve) => setTimeout(resolve, roundTripMs));
      while (redis.isSilent) await new Promise((resolve) => setTimeout(resolve, 10));
      return [String(Date.now()), ...keys.map(reply)];
    },
    close() {},
  };
  const logger = createRecordingLogger();
  const options = { plans: PLANS, findPlan: createPlanFinder(PLANS), timeoutMs: TIMEOUT_MS, graceMs: GRACE_MS, logger };
  const batching = new BatchingClient(client, options);
  const ask = async (digest: string, count = 1) => (await batching.decide([{ digest, count }]))[0] as KeyDecision;
  /** The decision on one check, after the time that a batch takes. */
  const answer = async (digest: string, count = 1) => {
    const decision = ask(digest, count);
    await pass(2 * roundTripMs);
    return decision;
  };
  const usageSent = () => batches.at(-1)?.map(({ digest, usages }) => [digest, usages.map(({ count }) => count)]);
  const setConnected = (isConnected: boolean): void => {
    redis.isConnected = isConnected;
    onChange();
  };
  /** What was logged, each line by its message and its problem. */
  const events = () =>
    logger.lines.map(({ message, fields }) => ('problem' in fields ? `${message}: ${fields.problem}` : message));
  return { batching, batches, events, known, redis, ask, answer, usageSent, setConnected };
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

describe('batches', () => {
  test('have at most 500 keys, whatever is asked, and what came first is sent first, one batch at a time', async () => {
    const { batching, batches, events } = createScene();
    const asked = Array.from({ length: 10 }, (_, call) => batching.decide(checksOf(`${call} `, 250)));
    const many = batching.decide(checksOf('10 ', 1_000));
    await pass(10);
    expect(batches).toHaveLength(2);
    await pass(1_000);
    expect((await Promise.all([...asked, many])).flat()).toHaveLength(3_500);
    expect(Math.max(...batches.map((keys) => keys.length))).toBeLessThanOrEqual(500);
    const calls = batches.flatMap((keys) => keys.map(({ digest }) => Number.parseInt(digest, 10)));
    expect(calls).toEqual(calls.toSorted((one, other) => one - other));
    expect(events()).toEqual([]);
  });

  test('a round trip of more than half the timeout is no outage, however dense the requests', async () => {
    const { events, ask } = createScene({ roundTripMs: 130, known: new Set(['a']) });
    const decisions: Promise<KeyDecision>[] = [];
    for (let round = 0; round < 30; round++) {
      decisions.push(ask('a'));
      await pass(130);
    }
    await pass(1_000);
    expect((await Promise.all(decisions)).every(({ status }) => status === 'good')).toBe(true);
    expect(events()).toEqual([]);
  });

  test('more keys than a slow store takes in time: the last are decided from memory, without an outage', async () => {
    const known = new Set(checksOf('good ', 3_000).map(({ digest }) => digest));
    const { batching, events } = createScene({ roundTripMs: 200, known });
    const seen = batching.decide(checksOf('good ', 400));
    await pass(200);
    await seen;
    const crowd = batching.decide([...checksOf('good ', 400).toReversed(), ...checksOf('good ', 3_000).slice(400)]);
    // All of them are answered by then, or this test hangs.
    await pass(2 * TIMEOUT_MS);
    const statuses = (await crowd).map(({ status }) => status);
    expect(statuses.slice(0, 800)).toEqual(Array(800).fill('good'));
    expect(statuses.slice(800)).toEqual(Array(2_200).fill('unavailable'));
    expect({ problem: batching.health().problem, events: events() }).toEqual({ problem: null, events: [] });
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
  test('begins when a batch takes longer than the timeout, and what the batch may have counted is sent again', async () => {
    const { redis, events, ask, answer, usageSent } = createScene({ known: new Set(['a']) });
    await answer('a');
    redis.isSilent = true;
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
    await pass(1_000);
    // While the batch is on its way, nothing else is sent.
    expect(redis.probeCount).toBe(0);
    redis.isSilent = false;
    await pass(200);
    await nextRound();
    expect(events()[1]).toBe(RECOVERED);
    await pass(20);
    expect(usageSent()).toEqual([['a', [3, 4]]]);
  });

  test('begins when the connection is lost, without a request that meets it, and ends with a probe', async () => {
    const { redis, events, batching, ask, answer, usageSent, batches, setConnected } = createScene({
      known: new Set(['a']),
    });
    await answer('a');
    setConnected(false);
    expect(events()).toEqual([`${DEGRADED}: the connection was lost`]);
    expect(batching.health().state).toBe('degraded');
    expect(await ask('a', 5)).toMatchObject({ status: 'good', allowedCount: 5 });
    expect(await ask('b')).toMatchObject({ status: 'unavailable' });
    await pass(1_000);
    expect({ batches: batches.length, probes: redis.probeCount }).toEqual({ batches: 1, probes: 0 });
    setConnected(true);
    expect(batches).toHaveLength(1);
    await pass(120);
    expect(batching.health().problem).toBeNull();
    expect(usageSent()).toEqual([['a', [5]]]);
    expect(await answer('b')).toEqual({ status: 'invalid' });
    expect(events()).toHaveLength(2);
  });

  test('begins when the store can not write, and lasts while a probe that writes fails', async () => {
    const { redis, events, batching, ask, answer, usageSent, batches } = createScene({
      known: new Set(['a']),
    });
    await answer('a');
    redis.failure = 'OOM';
    redis.probeFailure = new Error('OOM still');
    expect(await answer('a', 2)).toMatchObject({ status: 'good', allowedCount: 2 });
    expect(events()).toEqual([`${DEGRADED}: OOM`]);
    await pass(1_000);
    expect({ problem: batching.health().problem, batches: batches.length }).toEqual({
      problem: 'OOM still',
      batches: 2,
    });
    expect(redis.probeCount).toBeGreaterThanOrEqual(9);
    expect(await ask('a', 3)).toMatchObject({ status: 'good', allowedCount: 3 });
    redis.failure = undefined;
    redis.probeFailure = undefined;
    await pass(120);
    expect(usageSent()).toEqual([['a', [5]]]);
    expect(events()).toHaveLength(2);
  });

  test('a problem of one key is none', async () => {
    const { redis, events, batching, answer } = createScene({ known: new Set(['a']) });
    await answer('a');
    redis.failure = 'DAMAGED state';
    expect(await answer('a')).toMatchObject({ status: 'good' });
    expect(await answer('b')).toMatchObject({ status: 'unavailable' });
    expect(batching.health().problem).toBeNull();
    // Of each key once.
    expect(events()).toEqual(Array(2).fill('could not check a key: DAMAGED state'));
  });

  test('a client that is closed in it sends the usage that it can, and nothing later', async () => {
    const { redis, batching, ask, answer, usageSent, batches, events, setConnected } = createScene({
      known: new Set(['a']),
    });
    await answer('a');
    setConnected(false);
    await ask('a', 6);
    const closing = batching.close();
    await pass(200);
    redis.isConnected = true;
    await pass(200);
    await closing;
    expect(usageSent()).toEqual([['a', [6]]]);
    expect(events().at(-1)).toBe(RECOVERED);
    const batchCount = batches.length;
    setConnected(redis.isConnected);
    await pass(10_000);
    expect(batches).toHaveLength(batchCount);
  });
});

describe('a key that was good and that the store does not know any more', () => {
  test('is served for the time of grace, then unavailable; it is logged once, and counted when it is back', async () => {
    const { events, batches, answer, known } = createScene({ known: new Set(['a', 'b']) });
    expect(await answer('a')).toMatchObject({ status: 'good' });
    expect(await answer('unknown')).toEqual({ status: 'invalid' });
    known.clear();
    for (let round = 0; round < 100; round++) expect(await answer('a')).toMatchObject({ status: 'good' });
    expect(await answer('b')).toMatchObject({ status: 'unavailable' });
    // The usage grows in one place, though each of these batches sent it in vain.
    expect(Math.max(...batches.flat().map(({ usages }) => usages.length))).toBe(1);
    await pass(GRACE_MS);
    expect(await answer('a')).toMatchObject({ status: 'unavailable' });
    expect(events()).toEqual([LOST]);
    const batchCount = batches.length;
    await pass(10_000);
    expect(batches.length - batchCount).toBeLessThanOrEqual(11);
    known.add('a');
    await pass(1_100);
    expect(events()).toEqual([LOST, FOUND]);
    expect(batches.at(-1)).toMatchObject([{ digest: 'a', count: 0, usages: [{ count: 100 }] }]);
    expect(await answer('unknown')).toEqual({ status: 'invalid' });
    const sentCount = batches.length;
    await pass(10_000);
    expect(batches).toHaveLength(sentCount);
  });

  test('is found again also where it has no unreconciled usage', async () => {
    const { events, ask, known } = createScene({ known: new Set(['a']) });
    const first = ask('a');
    await pass(GRACE_MS + 20);
    await first;
    known.clear();
    const decision = ask('a');
    await pass(20);
    expect(await decision).toMatchObject({ status: 'unavailable' });
    known.add('a');
    await pass(1_100);
    expect(events()).toEqual([LOST, FOUND]);
  });
});
