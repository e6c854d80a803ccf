/**
 * What attacks, losses and distance do to servers that share a real Redis: a flood of keys that nobody knows, keys that
 * are gone, a round trip that takes most of the timeout, and what processes leave behind in the hashes of keys.
 */

import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createApiKey, digestApiKey } from '../../../src/keys/api-key.js';
import type { KeyEntry, KeyStore, KeyVerdict } from '../../../src/keys/key-store.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/plan.js';
import { parseRedisAddress } from '../../../src/keys/redis/redis-address.js';
import { connectRedis } from '../../../src/keys/redis/redis-client.js';
import {
  encodeFlight,
  encodeQuestion,
  keyHash,
  parseReplies,
  receiptField,
} from '../../../src/keys/redis/redis-decisions.js';
import { openRedisKeyStore } from '../../../src/keys/redis/redis-key-store.js';
import { DECIDE_SCRIPT } from '../../../src/keys/redis/redis-script.js';
import { createKeyGate } from '../../../src/keys/turn-key-gate.js';
import { startLosingProxy } from '../../fixtures/losing-proxy.js';
import { type RedisOptions, type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import { newEntry } from '../key-store-scene.js';

const PLANS = parsePlans('{"free": {"requestsPerMonth": null, "requestsPerSecond": null, "burst": null}}');
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
  await store.list();
  return { store, logged };
}

async function addKey(store: KeyStore, clearKey = createApiKey()): Promise<KeyEntry> {
  const entry = { ...newEntry(), digest: digestApiKey(clearKey) };
  await store.create(entry);
  return entry;
}

async function ask(store: KeyStore, { digest }: KeyEntry, count = 1): Promise<KeyVerdict> {
  const [verdict] = await store.decide([{ digest, count }]);
  return verdict as KeyVerdict;
}

async function usedOf(store: KeyStore, { record }: KeyEntry): Promise<number> {
  const entry = await store.find(record.id);
  return [...(entry?.usage.values() ?? [])].reduce((sum, count) => sum + count, 0);
}

async function receiptsOf(redis: RedisServer, { digest }: KeyEntry): Promise<string[]> {
  const fields = (await redis.command('HKEYS', keyHash(digest))).split('\n');
  return fields.filter((field) => field.startsWith('r:'));
}

test('a flood of keys that nobody knows: known keys are served meanwhile, and it is no outage', async () => {
  const { store, logged } = await open((await start()).url, { timeoutMs: 1_000 });
  const key = createApiKey();
  await addKey(store, key);
  const gate = createKeyGate(store);
  expect(await gate.check(key)).toMatchObject({ allowed: true });
  const flood = Promise.all(Array.from({ length: 150_000 }, () => gate.check(createApiKey())));
  for (let round = 0; round < 20; round++) expect(await gate.check(key)).toMatchObject({ allowed: true });
  const reasons = new Map<string, number>();
  for (const decision of await flood) {
    const reason = decision.allowed ? 'allowed' : decision.reason;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  expect(Object.fromEntries(reasons)).toEqual({ invalid: 2_000, crowded: 148_000 });
  expect(store.health()).toMatchObject({ state: 'ready', errorCount: 0 });
  expect(logged).toEqual([]);
});

test('as many keys and debts as a flight ever holds are within what a script of Redis takes', async () => {
  const redis = await start();
  const { store } = await open(redis.url);
  const entries = await Promise.all(Array.from({ length: 500 }, () => addKey(store)));
  const client = connectRedis(parseRedisAddress(redis.url));
  cleanups.push(async () => client.close());
  await client.whenReady(10_000);
  const months = ['2024-01', '2024-02', '2024-03'];
  const keys = entries.map(({ digest }) => ({
    digest,
    count: 2,
    debts: Array.from({ length: 30 }, (_, at) => ({ sequence: at + 1, month: months[at % 3] as string, count: 1 })),
  }));
  const flight = encodeFlight(Date.parse('2024-03-15T12:00:00.000Z'), 31, receiptField('tester'), PLANS);
  const hashes = entries.map(({ digest }) => keyHash(digest));
  const answer = await client.runScript(DECIDE_SCRIPT, hashes, [...flight, ...keys.flatMap(encodeQuestion)]);
  const replies = parseReplies(answer, keys, createPlanFinder(PLANS));
  expect(new Set(replies.map(({ standing }) => standing))).toEqual(new Set(['good']));
  const usage = { '2024-01': 10, '2024-02': 10, '2024-03': 12 };
  for (const entry of [entries[0], entries[499]] as KeyEntry[]) {
    expect(Object.fromEntries((await store.find(entry.record.id))?.usage ?? [])).toEqual(usage);
  }
});

test('a round trip of more than half the timeout is no outage', async () => {
  const proxy = await startLosingProxy((await start()).port);
  cleanups.push(() => proxy.stop());
  const { store, logged } = await open(`redis://127.0.0.1:${proxy.port}`, { timeoutMs: 2_500 });
  const entry = await addKey(store);
  // The rest of the time is for a busy machine.
  proxy.delay(1_300);
  const verdicts: Promise<KeyVerdict>[] = [];
  for (let round = 0; round < 100; round++) {
    verdicts.push(ask(store, entry));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect((await Promise.all(verdicts)).filter(({ standing }) => standing !== 'good')).toEqual([]);
  expect(logged).toEqual([]);
});

test('a Redis that has lost all keys: good keys are served and others unavailable until they are back', async () => {
  const redis = await start();
  const { store, logged } = await open(redis.url);
  const entries = await Promise.all(Array.from({ length: 20 }, () => addKey(store)));
  const unseen = await addKey(store);
  for (const entry of entries) expect(await ask(store, entry, 2)).toMatchObject({ standing: 'good' });
  await redis.command('FLUSHALL');
  for (let round = 0; round < 3; round++) {
    for (const entry of entries) expect(await ask(store, entry)).toMatchObject({ standing: 'good', allowedCount: 1 });
  }
  expect(await ask(store, unseen)).toMatchObject({ standing: 'unavailable' });
  expect(store.health()).toMatchObject({ state: 'degraded', problem: expect.stringContaining('lost'), errorCount: 1 });
  for (const entry of [...entries, unseen]) await store.create({ ...entry, usage: new Map([['2024-02', 2]]) });
  await waitUntil('the keys to be found', () => store.health().state === 'ready');
  for (const entry of entries) expect(await usedOf(store, entry)).toBe(2 + 3);
  expect(await ask(store, unseen)).toMatchObject({ standing: 'good' });
  expect(await ask(store, newEntry())).toEqual({ standing: 'unknown' });
  expect(logged).toEqual([
    'the key store has lost keys that were good: import them again from a backup',
    'the key store knows the lost keys again',
  ]);
});

describe('receipts', () => {
  test('lie in the hash of their key, and a process that stops takes its own away', async () => {
    const redis = await start();
    const opened = [(await open(redis.url)).store, (await open(redis.url)).store, (await open(redis.url)).store];
    const entries = await Promise.all(Array.from({ length: 1_200 }, () => addKey(opened[0] as KeyStore)));
    const questions = entries.map(({ digest }) => ({ digest, count: 1 }));
    for (const store of opened) await store.decide(questions);
    expect(await redis.command('DBSIZE')).toBe(String(1_200 + 1));
    const last = entries[1_199] as KeyEntry;
    expect(await receiptsOf(redis, last)).toHaveLength(3);
    await opened[1]?.close();
    await opened[2]?.close();
    expect(await receiptsOf(redis, last)).toHaveLength(1);
    await opened[0]?.close();
    for (const entry of [entries[0], last] as KeyEntry[]) expect(await receiptsOf(redis, entry)).toEqual([]);
  });

  test('of a process that was killed go after two days, when another process first counts for the key', async () => {
    const redis = await start();
    let nowMs = Date.parse('2024-02-10T12:00:00.000Z');
    const opening = async () => (await open(redis.url, { clock: () => nowMs })).store;
    const first = await opening();
    const entry = await addKey(first);
    await ask(first, entry);
    const [killed] = await receiptsOf(redis, entry);
    nowMs += 48 * HOUR_MS;
    await ask(await opening(), entry);
    expect(await receiptsOf(redis, entry)).toContain(killed);
    nowMs += HOUR_MS;
    await ask(await opening(), entry);
    const left = await receiptsOf(redis, entry);
    expect(left).toHaveLength(2);
    expect(left).not.toContain(killed);
    expect(await usedOf(first, entry)).toBe(3);
  });
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
    expect(await ask(store, entry)).toMatchObject({ standing: 'good' });
    await store.close();
    expect(await receiptsOf(redis, entry)).toEqual([]);
  });
});
