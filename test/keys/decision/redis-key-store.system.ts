/**
 * The Redis store over every kind of Redis that REDIS_URL can name, each started for this file: the contract with one
 * server and with a Cluster, then the way there with Sentinels and with TLS. What it does while Redis is slow or gone
 * is tested elsewhere.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { openRedisKeyStore } from '../../../src/keys/decision/redis-key-store.js';
import { replace, revoke } from '../../../src/keys/key/key-changes.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import type { KeyRecord } from '../../../src/keys/key/key-record.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../../src/keys/key/plan.js';
import { addressOfKey } from '../../../src/keys/key/stored-key.js';
import { recordKey } from '../../../src/keys/records/redis-record-store.js';
import type { KeyStoreError } from '../../../src/keys/storage/key-store-error.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { type LosingProxy, startLosingProxy } from '../../fixtures/losing-proxy.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { type RedisGroup, startRedisCluster, startRedisSentinel } from '../../fixtures/redis-groups.js';
import { type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { describeKeyStore } from './key-store-contract.js';
import { NOON, newEntry, type StoreSurroundings, usageOf } from './key-store-scene.js';

const BUILT = new URL('../../../dist/src/keys/', import.meta.url).href;

const surroundings: StoreSurroundings = {
  plans: DEFAULT_PLANS,
  findPlan: createPlanFinder(DEFAULT_PLANS),
  clock: () => NOON,
};

/** Waits as long as a busy machine may need: nothing here is about a Redis that is slow. */
async function openStore(url: string, opening: StoreSurroundings = surroundings): Promise<KeyStore> {
  const address = parseRedisAddress(url);
  const store = openRedisKeyStore({ ...opening, address, timeoutMs: 20_000, graceMs: 300_000, logger: silentLogger });
  await store.directory.list();
  return store;
}

describe.each([
  [
    'one server',
    async (): Promise<RedisGroup> => {
      const server = await startRedis();
      return { url: server.url, servers: [server], stop: () => server.stop() };
    },
  ],
  ['a Cluster', () => startRedisCluster()],
] as const)('with %s', (name, start) => {
  let redis: RedisGroup;
  beforeAll(async () => {
    redis = await start();
  });
  afterAll(() => redis?.stop());

  describeKeyStore(`the Redis store with ${name}`, {
    async openEmpty(opening) {
      await Promise.all(redis.servers.map((server) => server.command('FLUSHALL')));
      return openStore(redis.url, opening);
    },
    openAgain: (opening) => openStore(redis.url, opening),
  });

  test('says what it is', async () => {
    const store = await openStore(redis.url);
    expect(store.health()).toEqual({ kind: 'redis', state: 'ready', problem: null, errorCount: 0 });
    await store.close();
  });
});

describe('with TLS', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ tls: true, password: 'p@ss w/rd' });
  });
  afterAll(() => redis?.stop());

  test('trusts what NODE_EXTRA_CA_CERTS names', async () => {
    const entry = newEntry();
    const script = `
      import { parseRedisAddress } from '${BUILT}storage/redis-address.js';
      import { openRedisKeyStore } from '${BUILT}decision/redis-key-store.js';
      import { createPlanFinder, DEFAULT_PLANS } from '${BUILT}key/plan.js';
      const [url, entry] = process.argv.slice(1);
      const store = openRedisKeyStore({
        address: parseRedisAddress(url),
        plans: DEFAULT_PLANS,
        findPlan: createPlanFinder(DEFAULT_PLANS),
        timeoutMs: 20_000,
        graceMs: 0,
        logger: { info() {}, warn() {}, error() {} },
      });
      const { digest, ...others } = JSON.parse(entry);
      await store.directory.create({ digest, ...others, usage: { months: new Map(), days: new Map() } });
      const [decision] = await store.decide([{ digest, count: 2 }]);
      const [listed] = await store.directory.list();
      process.stdout.write(JSON.stringify({ allowed: decision.allowedCount, record: listed.record }));
      await store.close();`;
    const args = ['--input-type=module', '--eval', script, redis.url, JSON.stringify(entry)];
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: redis.caFile ?? '' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(JSON.parse(stdout)).toEqual({ allowed: 2, record: entry.record });
  });

  test('asks nothing of a server whose certificate nobody vouches for', async () => {
    const address = parseRedisAddress(redis.url);
    const store = openRedisKeyStore({ ...surroundings, address, timeoutMs: 500, graceMs: 0, logger: silentLogger });
    expect(await store.decide([{ digest: newEntry().digest, count: 1 }])).toMatchObject([{ status: 'unavailable' }]);
    await store.close();
  });
});

test('finds the master through a Sentinel that asks for a password', async () => {
  const redis = await startRedisSentinel('sentinel-secret');
  try {
    const store = await openStore(redis.url);
    const entry = newEntry();
    await store.directory.create(entry);
    expect(await store.decide([{ digest: entry.digest, count: 2 }])).toMatchObject([{ allowedCount: 2 }]);
    expect(await store.directory.list()).toEqual([{ ...entry, usage: usageOf({ '2024-02': 2 }, { '2024-02-15': 2 }) }]);
    await store.close();
  } finally {
    await redis.stop();
  }
});

describe('the directory', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  interface Scene {
    readonly redis: RedisServer;
    readonly proxy: LosingProxy;
    readonly store: KeyStore;
  }

  async function setScene(): Promise<Scene> {
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    const proxy = await startLosingProxy(redis.port);
    cleanups.push(() => proxy.stop());
    const store = openRedisKeyStore({
      address: parseRedisAddress(`redis://127.0.0.1:${proxy.port}`),
      plans: DEFAULT_PLANS,
      findPlan: createPlanFinder(DEFAULT_PLANS),
      timeoutMs: 20_000,
      graceMs: 300_000,
      logger: silentLogger,
      clock: () => NOON,
    });
    cleanups.push(() => store.close());
    return { redis, proxy, store };
  }

  const succeedBy = (successor: KeyEntry) => (record: KeyRecord) => ({
    replaced: replace(record, successor.record.id, null, NOON),
    successor,
  });

  /** What a change of this key sends holds this. */
  const writeTo = ({ digest }: KeyEntry): string => recordKey(addressOfKey(digest));

  test('a key whose creation was not answered is there once', async () => {
    const { proxy, store } = await setScene();
    const entry = newEntry({}, 'v1.c2VhbGVk');
    proxy.lose(entry.digest, 2);
    await store.directory.create(entry);
    expect(proxy.left()).toBe(0);
    expect(await store.directory.list()).toEqual([entry]);
    await expect(store.directory.create(newEntry({ id: entry.record.id }))).rejects.toMatchObject({
      code: 'KEY_EXISTS',
    });
  });

  test('a change that was not answered takes effect once', async () => {
    const { proxy, store } = await setScene();
    const entry = newEntry();
    await store.directory.create(entry);
    // The reading, then the writing.
    proxy.lose(writeTo(entry), 2);
    expect(await store.directory.change(entry.record.id, revoke)).toMatchObject({ state: 'revoked' });
    expect(proxy.left()).toBe(0);
    expect(await store.directory.find(entry.record.id)).toMatchObject({ record: { state: 'revoked' } });
  });

  test('a replacement that was not answered is made once, and its successor is the one that was given', async () => {
    const { redis, proxy, store } = await setScene();
    const [old, successor] = [{ ...newEntry(), usage: usageOf({ '2024-02': 7 }) }, newEntry()];
    await store.directory.create(old);
    await redis.command('SCRIPT', 'FLUSH');
    proxy.lose('"state":"replaced"', 1);
    expect(await store.directory.replace(old.record.id, succeedBy(successor))).toMatchObject({
      replacedBy: successor.record.id,
    });
    expect(proxy.left()).toBe(0);
    expect(await store.directory.find(successor.record.id)).toEqual({ ...successor, usage: old.usage });
    expect(await store.directory.list()).toHaveLength(2);
  });

  test('where the answer never comes, the error says what to look at, and the key can be replaced once more', async () => {
    const { proxy, store } = await setScene();
    const [old, successor, next] = [newEntry(), newEntry(), newEntry()];
    await store.directory.create(old);
    proxy.lose('"state":"replaced"', 1_000_000);
    await expect(store.directory.replace(old.record.id, succeedBy(successor))).rejects.toMatchObject({
      code: 'KEY_STORE_UNSURE',
      remedy: expect.stringMatching(`show ${old.record.id} .*${successor.record.id}`),
    });
    proxy.lose('', 0);
    expect(await store.directory.find(old.record.id)).toMatchObject({ record: { replacedBy: successor.record.id } });
    await store.directory.replace(successor.record.id, succeedBy(next));
    expect(await store.decide([{ digest: next.digest, count: 1 }])).toMatchObject([{ allowedCount: 1 }]);
  }, 20_000);

  test('a damaged key is told of and left out of a list', async () => {
    const { redis, store } = await setScene();
    const [sound, noText, noRecord, noKey, noCount] = Array.from({ length: 5 }, () => newEntry());
    const damagedKeys = [noText, noRecord, noKey, noCount] as KeyEntry[];
    for (const entry of [sound, ...damagedKeys] as KeyEntry[]) await store.directory.create(entry);
    await redis.command('DEL', writeTo(noText as KeyEntry));
    await redis.command('HSET', writeTo(noText as KeyEntry), 'x', 'x');
    await redis.command('SET', writeTo(noRecord as KeyEntry), 'x');
    const text = await redis.command('GET', writeTo(noKey as KeyEntry));
    await redis.command('SET', writeTo(noKey as KeyEntry), text.replace('"graceUntil":null', '"graceUntil":0'));
    const { usage } = (await store.records.get('key', (noCount as KeyEntry).digest))?.value ?? {};
    await redis.command('HSET', `postal-places:{records}:usage:${usage}`, '2024-02', '1.5');
    const told: KeyStoreError[] = [];
    expect(await store.directory.list((error) => told.push(error))).toEqual([sound]);
    expect(told.map(({ code }) => code)).toEqual(Array(4).fill('KEY_STORE_DAMAGED'));
    for (const { digest } of [noText, noRecord, noKey] as KeyEntry[]) {
      expect(told.filter(({ message }) => message.includes(digest))).toHaveLength(1);
    }
    expect(told.filter(({ message }) => message.includes(`usage:${usage}`))).toHaveLength(1);
    await expect(store.directory.list()).rejects.toMatchObject({ code: 'KEY_STORE_DAMAGED' });
  });
});
