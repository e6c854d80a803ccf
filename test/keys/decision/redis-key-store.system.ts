/**
 * The Redis store over a Redis that is started for this file: the contract with one server and with a Cluster, the way
 * there with TLS; then what is its own, such as what is left in Redis. What it does while Redis is slow or gone, and with
 * Sentinels, is in redis-outage.system.ts.
 */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Caller } from '../../../src/keys/decision/key-decision.js';
import { VISITORS_KEPT } from '../../../src/keys/decision/redis-decision-script.js';
import { changeKeyToReplaced } from '../../../src/keys/key/key-changes.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import type { KeyRecord } from '../../../src/keys/key/key-record.js';
import { startLosingProxy } from '../../fixtures/losing-proxy.js';
import { runProgram } from '../../fixtures/program.js';
import { startRedisCluster } from '../../fixtures/redis-groups.js';
import { type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import { RESTRICTIONS, SHOP, VISITOR_INTERVAL_MS } from '../key/origin-cases.js';
import { describeKeyStore } from './key-store-contract.js';
import { NOON, newEntry, redisStore, startOneRedis } from './key-store-scene.js';
import { addKey, allowedOf, HOUR_MS, PREFIX, usedOf, useRedisStores } from './redis-scene.js';

const stores = useRedisStores();

describe.each([
  ['one server', startOneRedis],
  ['a Cluster', () => startRedisCluster()],
] as const)('with %s', (name, start) => describeKeyStore(`the Redis store with ${name}`, redisStore(start)));

describe('with TLS', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ tls: true, password: 'p@ss w/rd' });
  });
  afterAll(() => redis?.stop());

  test('trusts what NODE_EXTRA_CA_CERTS names', () => {
    const env = { NODE_EXTRA_CA_CERTS: redis.caFile ?? '', REDIS_URL: redis.url };
    const keys = (...args: string[]) => JSON.parse(runProgram(['keys', ...args, '--json'], env).stdout);
    const { id } = keys('create', '--name', 'test');
    expect(keys('list')).toMatchObject({ keys: [{ id }] });
  });

  test('asks nothing of a server whose certificate nobody vouches for', async () => {
    const { store } = stores.open(redis.url, { timeoutMs: 500, graceMs: 0 });
    expect(await store.decide([{ digest: newEntry().digest, count: 1 }])).toMatchObject([{ status: 'unavailable' }]);
  });
});

test('where the answer never comes, the error says what to look at, and the key can be replaced once more', async () => {
  const proxy = await startLosingProxy((await stores.start()).port);
  stores.after(() => proxy.stop());
  const { store } = stores.open(`redis://127.0.0.1:${proxy.port}`, { timeoutMs: 20_000 });
  const [old, successor, next] = [await addKey(store), newEntry(), newEntry()];
  const succeedBy = (entry: KeyEntry) => (record: KeyRecord) => ({
    replaced: changeKeyToReplaced(record, entry.record.id, null, NOON),
    successor: entry,
  });
  proxy.lose('"state":"replaced"', 1_000_000);
  await expect(store.directory.replace(old.record.id, succeedBy(successor))).rejects.toMatchObject({
    code: 'KEY_STORE_UNSURE',
    remedy: expect.stringMatching(`show ${old.record.id} .*${successor.record.id}`),
  });
  proxy.lose('', 0);
  expect(await store.directory.find(old.record.id)).toMatchObject({ record: { replacedBy: successor.record.id } });
  await store.directory.replace(successor.record.id, succeedBy(next));
  expect(await allowedOf(store, next)).toBe(1);
}, 20_000);

test('as many keys as a call ever has are within what a script of Redis takes', async () => {
  const { store } = await stores.set();
  const entries = await Promise.all(Array.from({ length: 750 }, () => addKey(store)));
  const decisions = await store.decide(entries.map(({ digest }) => ({ digest, count: 2 })));
  expect(new Set(decisions.map(({ status }) => status))).toEqual(new Set(['good']));
  for (const entry of [entries[0], entries[749]] as KeyEntry[]) expect(await usedOf(store, entry)).toBe(2);
});

test('Redis keeps no more counts of a key than are shown', async () => {
  let nowMs = Date.parse('2024-02-10T12:00:00.000Z');
  const { redis, store } = await stores.set({}, { clock: () => nowMs });
  const entry = await addKey(store);
  for (let day = 0; day < 100; day++) {
    await allowedOf(store, entry);
    nowMs += 24 * HOUR_MS;
  }
  const { usage } = (await store.records.get('key', entry.digest))?.value ?? {};
  const fields = (await redis.command('HKEYS', `${PREFIX}:usage:${usage}`)).split('\n');
  // The months from February to May, and no arrival time: the plan has no rate.
  expect(fields).toHaveLength(62 + 4);
});

describe('the settings of Redis', () => {
  test('one that evicts is named at the start, before any request', async () => {
    const { store, logged } = await stores.set({ args: ['--maxmemory-policy', 'allkeys-lru'] });
    store.inspect();
    const isTold = () => logged.filter(({ message }) => message.includes('set maxmemory-policy noeviction'));
    await waitUntil('the warning', () => isTold().length > 0);
    expect(isTold()).toHaveLength(1);
  });

  test('where they can not be read, that is said, and the other documented rights are enough', async () => {
    const documented = readFileSync(new URL('../../../docs/keys.md', import.meta.url), 'utf8');
    const [, rights = ''] = /ACL SETUSER places on >password (.+)/.exec(documented) ?? [];
    const args = ['--user', 'places', 'on', '>password', ...rights.split(' ').filter((right) => right !== '+info')];
    const redis = await stores.start({ args });
    const { store, logged } = stores.open(`redis://places:password@127.0.0.1:${redis.port}`);
    store.inspect();
    await waitUntil('the line', () => logged.some(({ message }) => message.includes('can not be looked at')));
    expect(await allowedOf(store, await addKey(store))).toBe(1);
  });
});

describe('visitors', () => {
  let nowMs = NOON;
  const set = async () => {
    nowMs = NOON;
    const opened = await stores.set({}, { clock: () => nowMs });
    const entry = await addKey(opened.store, { restrictions: RESTRICTIONS });
    const ask = (...numbers: number[]) =>
      opened.store.decide([{ digest: entry.digest, count: numbers.length, callers: numbers.map(callerOf) }]);
    return { ...opened, entry, ask, visitorsKey: () => opened.redis.command('KEYS', `${PREFIX}:visitors:*`) };
  };

  function callerOf(number: number): Caller {
    return { origin: SHOP, operation: 'autocomplete', visitor: number.toString(16).padStart(16, '0') };
  }

  test('that are idle are removed, and the rest goes by itself', async () => {
    const { redis, ask, visitorsKey } = await set();
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

  test('that asked least are forgotten in a flood', async () => {
    const { redis, ask, visitorsKey } = await set();
    await ask(1, 1, 1);
    for (let at = 0; at < VISITORS_KEPT + 500; at += 500) {
      await ask(...Array.from({ length: 500 }, (_, index) => 10 + at + index));
      nowMs++;
    }
    expect(await redis.command('ZCARD', await visitorsKey())).toBe(String(VISITORS_KEPT));
    expect(await ask(1)).toMatchObject([{ outcomes: [{ status: 'visitor-limited' }] }]);
  });

  test('may not be counted by the user of an old server: it serves all other keys', async () => {
    const { redis, store, entry } = await set();
    const secret = await addKey(store);
    const rights = '+@all -zadd -zscore -zremrangebyscore'.split(' ');
    await redis.command('ACL', 'SETUSER', 'old', 'on', '>password', '~*', '&*', ...rights);
    const { store: old } = stores.open(redis.url.replace('redis://', 'redis://old:password@'));
    const decisions = await old.decide([
      { digest: entry.digest, count: 1, callers: [callerOf(1)] },
      { digest: secret.digest, count: 1 },
    ]);
    expect(decisions).toMatchObject([{ status: 'unavailable' }, { status: 'good', allowedCount: 1 }]);
    expect(old.health().state).toBe('ready');
    expect(await usedOf(store, entry)).toBe(0);
  });
});
