/**
 * What attacks, losses and distance do to servers that share a real Redis: a flood of keys that nobody knows, keys that
 * are gone, a Redis that is away, and a round trip that takes most of the timeout.
 */

import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { KeyBatcher } from '../../../src/keys/decision/key-batcher.js';
import type { Caller, KeyDecision } from '../../../src/keys/decision/key-decision.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { VISITORS_KEPT } from '../../../src/keys/decision/redis-decision-script.js';
import { openRedisKeyStore } from '../../../src/keys/decision/redis-key-store.js';
import { createApiKey, digestApiKey } from '../../../src/keys/key/api-key.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/key/plan.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { startServer } from '../../api/harness.js';
import { startLosingProxy } from '../../fixtures/losing-proxy.js';
import { createRecordingLogger, silentLogger } from '../../fixtures/recording-logger.js';
import { type RedisOptions, type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import { NOON, newEntry, usageOf } from './key-store-scene.js';
import { RESTRICTIONS, SHOP, VISITOR_INTERVAL_MS } from '../key/origin-cases.js';

const PLANS = parsePlans(
  JSON.stringify({
    free: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
    slow: { requestsPerMonth: null, requestsPerSecond: 0.001, burst: 3 },
  }),
);
const HOUR_MS = 3_600_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function start(options: RedisOptions = {}): Promise<RedisServer> {
  const redis = await startRedis(options);
  cleanups.push(() => redis.stop());
  return redis;
}

interface StoreOptions {
  readonly timeoutMs?: number;
  readonly clock?: () => number;
}

/** A store that is connected. */
async function open(url: string, options: StoreOptions = {}): Promise<{ store: KeyStore; logged: string[] }> {
  const logged: string[] = [];
  const log = (_: object, message: string): void => void logged.push(message);
  const store = openRedisKeyStore({
    address: parseRedisAddress(url),
    plans: PLANS,
    findPlan: createPlanFinder(PLANS),
    timeoutMs: 10_000,
    graceMs: HOUR_MS,
    logger: { info: log, warn: log, error: log },
    ...options,
  });
  cleanups.push(() => store.close());
  await store.directory.list();
  return { store, logged };
}

async function addKey(store: KeyStore, clearKey = createApiKey(), plan = 'free'): Promise<KeyEntry> {
  const entry = { ...newEntry({ plan }), digest: digestApiKey(clearKey) };
  await store.directory.create(entry);
  return entry;
}

async function ask(store: KeyStore, { digest }: KeyEntry, count = 1): Promise<KeyDecision> {
  const [decision] = await store.decide([{ digest, count }]);
  return decision as KeyDecision;
}

async function usedOf(store: KeyStore, { record }: KeyEntry): Promise<number> {
  const entry = await store.directory.find(record.id);
  return [...(entry?.usage.months.values() ?? [])].reduce((sum, count) => sum + count, 0);
}

test('during a flood of unknown keys known keys are served, and it is no outage', async () => {
  const { store, logged } = await open((await start()).url, { timeoutMs: 1_000 });
  const key = createApiKey();
  await addKey(store, key);
  const batcher = new KeyBatcher(store);
  expect(await batcher.check(key)).toMatchObject({ allowedCount: 1 });
  const flood = Promise.all(Array.from({ length: 150_000 }, () => batcher.check(createApiKey())));
  for (let round = 0; round < 20; round++) expect(await batcher.check(key)).toMatchObject({ allowedCount: 1 });
  const counts = new Map<string, number>();
  for (const { status } of await flood) counts.set(status, (counts.get(status) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({ invalid: 2_000, overloaded: 148_000 });
  expect(store.health()).toMatchObject({ state: 'ready', errorCount: 0 });
  expect(logged).toEqual([]);
});

test('as many keys as a call ever has are within what a script of Redis takes', async () => {
  const { store } = await open((await start()).url);
  const entries = await Promise.all(Array.from({ length: 750 }, () => addKey(store)));
  const decisions = await store.decide(entries.map(({ digest }) => ({ digest, count: 2 })));
  expect(new Set(decisions.map(({ status }) => status))).toEqual(new Set(['good']));
  for (const entry of [entries[0], entries[749]] as KeyEntry[]) expect(await usedOf(store, entry)).toBe(2);
});

test('without Redis a key seen within the hour is served within its rate and uncounted, others get 503', async () => {
  const redis = await start({ appendOnly: true });
  let nowMs = Date.parse('2024-02-29T12:00:00.000Z');
  const { store } = await open(redis.url, { clock: () => nowMs });
  const [seen, unseen] = [createApiKey(), createApiKey()];
  const entry = await addKey(store, seen, 'slow');
  await addKey(store, unseen);
  const server = await startServer(new KeyBatcher(store));
  cleanups.push(() => server.close());
  const get = async (key: string): Promise<{ status: number; headers: Record<string, string> }> =>
    request(server.server).get('/v1/autocomplete?q=ber').set('x-api-key', key);
  const statuses: number[] = [];
  const getAll = async (count: number): Promise<number[]> => {
    for (let at = 0; at < count; at++) statuses.push((await get(seen)).status);
    return statuses.splice(0);
  };
  expect(await getAll(1)).toEqual([200]);
  await redis.kill();
  await waitUntil('the store to notice', () => store.health().state === 'degraded');
  expect(await getAll(3)).toEqual([200, 200, 429]);
  expect(await get(unseen)).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  nowMs += HOUR_MS;
  expect(await getAll(4)).toEqual([200, 200, 200, 429]);
  nowMs += 1;
  expect(await getAll(1)).toEqual([503]);
  await redis.restart();
  await waitUntil('the store to be ready', () => store.health().state === 'ready');
  expect(await usedOf(store, entry)).toBe(1);
  expect((await get(unseen)).status).toBe(200);
  expect(await getAll(4)).toEqual([200, 200, 200, 429]);
  expect(await usedOf(store, entry)).toBe(1 + 3);
});

test('a round trip of more than half the timeout is no outage', async () => {
  const proxy = await startLosingProxy((await start()).port);
  cleanups.push(() => proxy.stop());
  const { store, logged } = await open(`redis://127.0.0.1:${proxy.port}`, { timeoutMs: 2_500 });
  const key = createApiKey();
  await addKey(store, key);
  const batcher = new KeyBatcher(store);
  // The rest of the time is for a busy machine.
  proxy.delay(1_300);
  const decisions: (KeyDecision | Promise<KeyDecision>)[] = [];
  for (let round = 0; round < 100; round++) {
    decisions.push(batcher.check(key));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(
    (await Promise.all(decisions)).filter((decision) => !('allowedCount' in decision && decision.allowedCount === 1)),
  ).toEqual([]);
  expect(logged).toEqual([]);
});

test('a Redis that has lost all keys: good keys are served and others unavailable until they are back', async () => {
  const redis = await start();
  let nowMs = Date.parse('2024-02-29T12:00:00.000Z');
  const { store, logged } = await open(redis.url, { clock: () => nowMs });
  const entries = await Promise.all(Array.from({ length: 20 }, () => addKey(store)));
  const unseen = await addKey(store);
  for (const entry of entries) expect(await ask(store, entry, 2)).toMatchObject({ status: 'good' });
  await redis.command('FLUSHALL');
  for (let round = 0; round < 3; round++) {
    for (const entry of entries) expect(await ask(store, entry)).toMatchObject({ status: 'good', allowedCount: 1 });
  }
  expect(await ask(store, unseen)).toMatchObject({ status: 'unavailable' });
  expect(store.health()).toMatchObject({ state: 'degraded', problem: expect.stringContaining('lost'), errorCount: 1 });
  for (const entry of [...entries, unseen])
    await store.directory.create({ ...entry, usage: usageOf({ '2024-01': 2 }) });
  nowMs += 60_000;
  expect(store.health().state).toBe('ready');
  // What was served while they were lost is in no count.
  for (const entry of entries) expect(await usedOf(store, entry)).toBe(2);
  expect(await ask(store, unseen)).toMatchObject({ status: 'good' });
  expect(await ask(store, newEntry())).toEqual({ status: 'invalid' });
  expect(logged).toEqual(['the key store has lost keys that were good: import them again from a backup']);
});

test('a store of another version is refused: nothing is read, written or decided there', async () => {
  const redis = await start();
  const version = 'postal-places:{records}:version';
  const { store } = await open(redis.url);
  const entry = await addKey(store);
  expect(await redis.command('GET', version)).toBe('2');
  expect(await ask(store, entry)).toMatchObject({ status: 'good' });
  await redis.command('SET', version, '3');
  const refusal = {
    code: 'KEY_STORE_OTHER_VERSION',
    message: `redis://127.0.0.1:${redis.port} is a key store of version 3: this program reads version 2; use the program that made the store, or another place`,
  };
  const late = openRedisKeyStore({
    address: parseRedisAddress(redis.url),
    plans: PLANS,
    findPlan: createPlanFinder(PLANS),
    timeoutMs: 10_000,
    graceMs: HOUR_MS,
    logger: createRecordingLogger(),
  });
  cleanups.push(() => late.close());
  await expect(late.directory.list(() => {})).rejects.toMatchObject(refusal);
  await expect(late.directory.create(newEntry())).rejects.toMatchObject(refusal);
  expect(await ask(late, entry)).toMatchObject({ status: 'unavailable' });
  expect(late.health()).toMatchObject({ state: 'degraded', problem: refusal.message });
  // No outage that ends and begins with each request: a probe meets the version too.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(late.health()).toMatchObject({ state: 'degraded', errorCount: 1 });
  await redis.command('SET', version, '2');
  await waitUntil('the store to be ready', () => late.health().state === 'ready');
  expect(await ask(late, entry)).toMatchObject({ status: 'good' });
  expect(await usedOf(store, entry)).toBe(2);
});

test('Redis keeps no more counts of a key than are shown', async () => {
  const redis = await start();
  let nowMs = Date.parse('2024-02-10T12:00:00.000Z');
  const { store } = await open(redis.url, { clock: () => nowMs });
  const entry = await addKey(store);
  for (let day = 0; day < 100; day++) {
    await ask(store, entry);
    nowMs += 24 * HOUR_MS;
  }
  const { usage } = (await store.records.get('key', entry.digest))?.value ?? {};
  const fields = (await redis.command('HKEYS', `postal-places:{records}:usage:${usage}`)).split('\n');
  // The months from February to May, and no arrival time: the plan has no rate.
  expect(fields).toHaveLength(62 + 4);
});

describe('the settings of Redis', () => {
  const [EVICTS, UNKNOWN] = [
    'this Redis may throw keys away when it is full: set maxmemory-policy noeviction',
    'the settings of this Redis can not be looked at',
  ];

  test('one that evicts is named at the start, before any request', async () => {
    const { store, logged } = await open((await start({ args: ['--maxmemory-policy', 'allkeys-lru'] })).url);
    store.inspect();
    await waitUntil('the warning', () => logged.includes(EVICTS));
    expect(logged.filter((message) => message === EVICTS)).toHaveLength(1);
  });

  test('where they can not be read, that is said, and the other documented rights are enough', async () => {
    const documented = readFileSync(new URL('../../../docs/keys.md', import.meta.url), 'utf8');
    const [, rights = ''] = /ACL SETUSER places on >password (.+)/.exec(documented) ?? [];
    const args = ['--user', 'places', 'on', '>password', ...rights.split(' ').filter((right) => right !== '+info')];
    const redis = await start({ args });
    const { store, logged } = await open(`redis://places:password@127.0.0.1:${redis.port}`);
    store.inspect();
    await waitUntil('the line', () => logged.includes(UNKNOWN));
    const entry = await addKey(store);
    expect(await ask(store, entry)).toMatchObject({ status: 'good' });
  });
});

describe('visitors', () => {
  const PLANS = parsePlans('{"free": {"requestsPerMonth": 100000, "requestsPerSecond": null, "burst": null}}');
  const PREFIX = 'postal-places:{records}';
  const findPlan = createPlanFinder(PLANS);

  let redis: RedisServer;
  const opened: KeyStore[] = [];
  let nowMs = NOON;
  beforeAll(async () => {
    redis = await startRedis();
  });
  beforeEach(async () => {
    nowMs = NOON;
    await redis.command('FLUSHALL');
  });
  afterAll(async () => {
    for (const store of opened) await store.close();
    await redis?.stop();
  });

  async function open(url = redis.url): Promise<KeyStore> {
    const clock = () => nowMs;
    const options = { plans: PLANS, findPlan, timeoutMs: 10_000, graceMs: 3_600_000, logger: silentLogger, clock };
    const store = openRedisKeyStore({ address: parseRedisAddress(url), ...options });
    opened.push(store);
    await store.directory.list();
    return store;
  }

  async function addKey(store: KeyStore): Promise<KeyEntry> {
    const entry = newEntry({ restrictions: RESTRICTIONS });
    await store.directory.create(entry);
    return entry;
  }

  function callerOf(number: number): Caller {
    return { origin: SHOP, operation: 'autocomplete', visitor: number.toString(16).padStart(16, '0') };
  }

  const visitorsKey = () => redis.command('KEYS', `${PREFIX}:visitors:*`);

  test('idle visitors are removed, and the rest goes by itself', async () => {
    const store = await open();
    const { digest } = await addKey(store);
    const ask = (...numbers: number[]) =>
      store.decide([{ digest, count: numbers.length, callers: numbers.map(callerOf) }]);
    await ask(1, 2, 2, 3, 3, 3);
    const key = await visitorsKey();
    expect(await redis.command('ZCARD', key)).toBe('3');
    nowMs += VISITOR_INTERVAL_MS;
    await ask(4);
    expect(await redis.command('ZCARD', key)).toBe('3');
    nowMs += 2 * VISITOR_INTERVAL_MS;
    await ask(5);
    expect((await redis.command('ZRANGE', key, '0', '-1')).split('\n')).toEqual([callerOf(5).visitor]);
    const left = Number(await redis.command('PTTL', key));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(3 * VISITOR_INTERVAL_MS + 1_000);
  });

  test('a flood forgets the visitors that asked least', async () => {
    const store = await open();
    const { digest } = await addKey(store);
    await store.decide([{ digest, count: 3, callers: [1, 1, 1].map(callerOf) }]);
    for (let at = 0; at < VISITORS_KEPT + 500; at += 500) {
      const callers = Array.from({ length: 500 }, (_, index) => callerOf(10 + at + index));
      await store.decide([{ digest, count: 500, callers }]);
      nowMs++;
    }
    expect(await redis.command('ZCARD', await visitorsKey())).toBe(String(VISITORS_KEPT));
    const [decision] = await store.decide([{ digest, count: 1, callers: [callerOf(1)] }]);
    expect(decision).toMatchObject({ outcomes: [{ status: 'visitor-limited' }] });
  });

  test('a server whose user may not count visitors serves all other keys', async () => {
    const store = await open();
    const publishable = await addKey(store);
    const secret = newEntry();
    await store.directory.create(secret);
    const rights = '+@all -zadd -zscore -zremrangebyscore'.split(' ');
    await redis.command('ACL', 'SETUSER', 'old', 'on', '>password', '~*', '&*', ...rights);
    const old = await open(redis.url.replace('redis://', 'redis://old:password@'));
    const decisions = await old.decide([
      { digest: publishable.digest, count: 1, callers: [callerOf(1)] },
      { digest: secret.digest, count: 1 },
    ]);
    expect(decisions).toMatchObject([{ status: 'unavailable' }, { status: 'good', allowedCount: 1 }]);
    expect(old.health().state).toBe('ready');
    expect((await store.directory.find(publishable.record.id))?.usage.months.size).toBe(0);
  });

  test('without Redis a known key keeps its restrictions, and its visitors their rate', async () => {
    const own = await startRedis();
    const store = await open(own.url);
    try {
      const { digest } = await addKey(store);
      const ask = async (...callers: Caller[]) => {
        const [decision] = await store.decide([{ digest, count: callers.length, callers }]);
        if (decision?.status !== 'publishable') throw new Error(`the key is ${decision?.status}`);
        return decision.outcomes.map(({ status }) => status);
      };
      expect(await ask(callerOf(1))).toEqual(['allowed']);
      await own.stop();
      const four = [1, 1, 1, 1].map(callerOf);
      expect(await ask(...four)).toEqual(['allowed', 'allowed', 'allowed', 'visitor-limited']);
      expect(
        await ask({ ...callerOf(2), origin: 'https://evil.example' }, { ...callerOf(2), operation: 'reverse' }),
      ).toEqual(['origin-not-allowed', 'restricted']);
      nowMs += VISITOR_INTERVAL_MS;
      expect(await ask(...four)).toEqual(['allowed', ...Array(3).fill('visitor-limited')]);
    } finally {
      await store.close();
    }
  });
});
