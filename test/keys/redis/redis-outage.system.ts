/**
 * What the Redis store does while Redis is slow, gone, full, read-only, empty or damaged: keys seen lately are served
 * and others told that nobody knows, and afterwards counting goes on without the requests of the outage. Each test
 * spoils a real Redis of its own and repairs it again.
 */

import { afterEach, describe, expect, test } from '@jest/globals';
import type { KeyDecision } from '../../../src/keys/key-decision.js';
import type { KeyEntry } from '../../../src/keys/key-directory.js';
import { addressOfKey, revoke } from '../../../src/keys/key-record.js';
import type { KeyStore } from '../../../src/keys/key-store.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/plan.js';
import { recordKey } from '../../../src/keys/records/redis-record-store.js';
import { openRedisKeyStore } from '../../../src/keys/redis-key-store.js';
import type { Restrictions } from '../../../src/keys/restrictions.js';
import { KeyStoreError } from '../../../src/keys/storage/key-store-error.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { REDIS_PREFIX } from '../../../src/keys/storage/redis-client.js';
import { createRecordingLogger, type LoggedLine } from '../../fixtures/recording-logger.js';
import { startRedisCluster, startRedisSentinel } from '../../fixtures/redis-groups.js';
import { type RedisOptions, type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import { newEntry, usageOf } from '../key-store-scene.js';
import { RESTRICTIONS, SHOP } from '../origin-cases.js';

const PLANS = parsePlans(
  JSON.stringify({
    free: { requestsPerMonth: 10, requestsPerSecond: null, burst: null },
    unlimited: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
    quick: { requestsPerMonth: null, requestsPerSecond: 8, burst: 10 },
    single: { requestsPerMonth: null, requestsPerSecond: 2, burst: 1 },
  }),
);
const HOUR_MS = 3_600_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

interface Scene {
  readonly redis: RedisServer;
  readonly store: KeyStore;
  readonly logged: LoggedLine[];
}

async function setScene(redisOptions: RedisOptions = {}, storeOptions: StoreOptions = {}): Promise<Scene> {
  const redis = await startRedis({ appendOnly: true, ...redisOptions });
  cleanups.push(() => redis.stop());
  return { redis, ...(await openStore(redis.url, storeOptions)) };
}

interface StoreOptions {
  readonly graceMs?: number;
  readonly timeoutMs?: number;
  readonly workers?: number;
  readonly clock?: () => number;
}

async function openStore(url: string, options: StoreOptions = {}): Promise<Pick<Scene, 'store' | 'logged'>> {
  const logger = createRecordingLogger();
  const store = openRedisKeyStore({
    address: parseRedisAddress(url),
    plans: PLANS,
    findPlan: createPlanFinder(PLANS),
    // Long, unless a test is about it: other processes may keep this one waiting.
    timeoutMs: 10_000,
    graceMs: HOUR_MS,
    logger,
    ...options,
  });
  cleanups.push(() => store.close());
  return { store, logged: logger.lines };
}

async function addKey(store: KeyStore, plan = 'unlimited', restrictions?: Restrictions): Promise<KeyEntry> {
  const entry = newEntry({ plan, ...(restrictions && { restrictions }) });
  await store.directory.create(entry);
  return entry;
}

async function ask(store: KeyStore, { digest }: KeyEntry, count = 1): Promise<KeyDecision> {
  const [decision] = await store.decide([{ digest, count }]);
  return decision as KeyDecision;
}

/** The first ask of a test whose store is impatient: a busy machine may keep even a sound Redis from answering in time. */
async function askUntilGood(store: KeyStore, entry: KeyEntry, count: number): Promise<number> {
  let decision = await ask(store, entry, count);
  await waitUntil('the store to answer', async () => {
    if (decision.status !== 'good') decision = await ask(store, entry, count);
    return decision.status === 'good';
  });
  return allowedOf(decision);
}

function allowedOf(decision: KeyDecision): number {
  return decision.status === 'good' ? decision.allowedCount : 0;
}

async function usedOf(store: KeyStore, { record }: KeyEntry): Promise<number> {
  const entry = await store.directory.find(record.id);
  return [...(entry?.usage.months.values() ?? [])].reduce((sum, count) => sum + count, 0);
}

const isReady = (store: KeyStore) => async () => store.health().state === 'ready';

/** Waits until the store decides again, and asks once more: then so many are counted. */
async function expectCount(store: KeyStore, entry: KeyEntry, expected: number): Promise<void> {
  await waitUntil('the store to be ready', isReady(store));
  expect(await ask(store, entry)).toMatchObject({ status: 'good', allowedCount: 1 });
  expect(await usedOf(store, entry)).toBe(expected);
}

/** Asks for one request after the other until the store answers from memory. */
async function askUntilDegraded(store: KeyStore, entry: KeyEntry): Promise<void> {
  await waitUntil('the store to notice', async () => {
    await ask(store, entry);
    return store.health().state === 'degraded';
  });
}

describe('a Redis that is gone', () => {
  test('keys seen lately are served and not counted; others are unavailable, not refused', async () => {
    const { redis, store, logged } = await setScene();
    const [seen, unseen] = [await addKey(store), await addKey(store)];
    await ask(store, seen, 3);
    await redis.kill();
    await askUntilDegraded(store, seen);
    for (let round = 0; round < 50; round++) expect(allowedOf(await ask(store, seen, 2))).toBe(2);
    const decision = await ask(store, unseen);
    expect(decision).toMatchObject({ status: 'unavailable', cause: { code: 'KEY_STORE_FAILED' } });
    expect(await ask(store, newEntry())).toMatchObject({ status: 'unavailable' });
    expect(store.health()).toMatchObject({ kind: 'redis', state: 'degraded', problem: expect.any(String) });
    await redis.restart();
    await expectCount(store, seen, 3 + 1);
    expect(await ask(store, unseen)).toMatchObject({ status: 'good', allowedCount: 1 });
    expect(await ask(store, newEntry())).toEqual({ status: 'invalid' });
    expect(logged.map(({ level, message }) => [level, message.slice(0, 14)])).toEqual([
      ['warn', 'the key store '],
      ['info', 'the key store '],
    ]);
    expect(JSON.stringify(logged)).not.toContain(seen.digest);
  });

  test('it may be gone when the store opens', async () => {
    const { redis, store } = await setScene();
    const entry = await addKey(store);
    await redis.kill();
    const { store: late } = await openStore(redis.url, { timeoutMs: 1_000 });
    expect(await ask(late, entry)).toMatchObject({ status: 'unavailable' });
    await expect(late.directory.list()).rejects.toMatchObject({ code: 'KEY_STORE_INACCESSIBLE' });
    await redis.restart();
    await waitUntil('the store to be ready', isReady(late));
    expect(await ask(late, entry)).toMatchObject({ status: 'good' });
  });

  test('a key gets no more than what was left of its quota, in a new month a new one', async () => {
    const clock = { now: Date.parse('2024-02-29T23:59:00.000Z') };
    const { redis, store } = await setScene({}, { clock: () => clock.now });
    const entry = await addKey(store, 'free');
    await ask(store, entry, 6);
    await redis.kill();
    await waitUntil('the store to notice', () => store.health().state === 'degraded');
    expect(await ask(store, entry, 20)).toMatchObject({ status: 'good', allowedCount: 4 });
    expect(await ask(store, entry)).toMatchObject({ status: 'good', allowedCount: 0 });
    clock.now = Date.parse('2024-03-01T00:00:00.000Z');
    expect(await ask(store, entry, 4)).toMatchObject({ status: 'good', allowedCount: 4 });
    await redis.restart();
    await expectCount(store, entry, 6 + 1);
    expect((await store.directory.find(entry.record.id))?.usage).toEqual(
      usageOf({ '2024-02': 6, '2024-03': 1 }, { '2024-02-29': 6, '2024-03-01': 1 }),
    );
  });

  test('each of four workers allows a quarter of the rate, and one request at least', async () => {
    const clock = { now: 1_000_000_000_000 };
    const { redis, store } = await setScene({}, { clock: () => clock.now, workers: 4 });
    const [quick, single] = [await addKey(store, 'quick'), await addKey(store, 'single')];
    expect([allowedOf(await ask(store, quick, 10)), allowedOf(await ask(store, single, 10))]).toEqual([10, 1]);
    clock.now += 60_000;
    await redis.kill();
    await askUntilDegraded(store, newEntry());
    expect([allowedOf(await ask(store, quick, 10)), allowedOf(await ask(store, single, 10))]).toEqual([2, 1]);
    clock.now += 1_999;
    expect([allowedOf(await ask(store, quick, 10)), allowedOf(await ask(store, single, 10))]).toEqual([2, 0]);
    clock.now += 1;
    expect(allowedOf(await ask(store, single, 10))).toBe(1);
    const [bulk] = await store.decide([{ digest: quick.digest, count: 1, cost: 3 }]);
    expect(bulk).toMatchObject({ allowedCount: 0, plan: { rate: { burst: 2 } }, wholePlan: { rate: { burst: 10 } } });
  });

  test('each of four workers allows a visitor a quarter of its rate', async () => {
    const clock = { now: 1_000_000_000_000 };
    const { redis, store } = await setScene({}, { clock: () => clock.now, workers: 4 });
    const { digest } = await addKey(store, 'unlimited', { ...RESTRICTIONS, visitorRate: { requests: 8, seconds: 60 } });
    const caller = { origin: SHOP, operation: 'autocomplete', visitor: 'aa000000000000aa' };
    const allowed = async () => (await store.decide([{ digest, count: 10, callers: Array(10).fill(caller) }]))[0];
    expect(await allowed()).toMatchObject({ status: 'publishable', allowedCount: 8 });
    await redis.kill();
    await askUntilDegraded(store, newEntry());
    const shared = await allowed();
    expect(shared).toMatchObject({ allowedCount: 2, restrictions: { visitorRate: { requests: 2, seconds: 60 } } });
    clock.now += 29_999;
    expect(await allowed()).toMatchObject({ allowedCount: 0 });
    clock.now += 1;
    expect(await allowed()).toMatchObject({ allowedCount: 1 });
  });

  test('no key is served longer than the grace period, nor longer than it is valid', async () => {
    const clock = { now: 1_000_000_000_000 };
    const { redis, store } = await setScene({}, { clock: () => clock.now, graceMs: 60_000 });
    const lasting = await addKey(store);
    const expiring = newEntry({ plan: 'unlimited', expires: new Date(clock.now + 30_000).toISOString() });
    await store.directory.create(expiring);
    for (const entry of [lasting, expiring]) await ask(store, entry);
    await redis.kill();
    await askUntilDegraded(store, lasting);
    clock.now += 29_999;
    expect(await ask(store, expiring)).toMatchObject({ status: 'good' });
    clock.now += 1;
    expect(await ask(store, expiring)).toMatchObject({ status: 'unavailable' });
    clock.now += 30_000;
    expect(await ask(store, lasting)).toMatchObject({ status: 'good' });
    clock.now += 1;
    expect(await ask(store, lasting)).toMatchObject({ status: 'unavailable' });
  });

  test('a key that was seen revoked stays revoked, also where the store has forgotten it', async () => {
    const { redis, store, logged } = await setScene();
    const entry = await addKey(store);
    await ask(store, entry);
    await store.directory.change(entry.record.id, revoke);
    expect(await ask(store, entry)).toEqual({ status: 'revoked' });
    await redis.kill();
    await askUntilDegraded(store, newEntry());
    expect(await ask(store, entry)).toMatchObject({ status: 'unavailable' });
    await redis.restart();
    await redis.command('FLUSHALL');
    await waitUntil('the store to be ready', isReady(store));
    await store.directory.create(entry);
    expect(await ask(store, entry)).toEqual({ status: 'revoked' });
    expect(await ask(store, entry)).toEqual({ status: 'revoked' });
    expect(logged.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

describe('a Redis that hangs', () => {
  test('a request that Redis may have counted late is counted once at most, those of the outage never', async () => {
    const { redis, store } = await setScene({}, { timeoutMs: 200 });
    const entry = await addKey(store);
    await askUntilGood(store, entry, 3);
    const before = await usedOf(store, entry);
    const rounds = 5;
    for (let round = 0; round < rounds; round++) {
      redis.pause();
      expect(allowedOf(await ask(store, entry, 5))).toBe(5);
      expect(store.health().state).toBe('degraded');
      expect(allowedOf(await ask(store, entry, 100))).toBe(100);
      redis.resume();
      await waitUntil('the store to be ready', isReady(store));
    }
    // Each was sent before the outage, and the probe that ended the outage came after it.
    expect(await usedOf(store, entry)).toBe(before + 5 * rounds);
  });

  test('also where the connection was given up meanwhile', async () => {
    const { redis, store } = await setScene({}, { timeoutMs: 200 });
    const entry = await addKey(store);
    await askUntilGood(store, entry, 1);
    const before = await usedOf(store, entry);
    redis.pause();
    expect(allowedOf(await ask(store, entry, 5))).toBe(5);
    await new Promise((resolve) => setTimeout(resolve, 2_600));
    expect(allowedOf(await ask(store, entry, 100))).toBe(100);
    redis.resume();
    await waitUntil('the store to be ready', isReady(store));
    expect([before, before + 5]).toContain(await usedOf(store, entry));
  }, 20_000);
});

describe('a Redis that refuses', () => {
  test('a full one: served from memory, counted when there is room again', async () => {
    const { redis, store } = await setScene();
    const entry = await addKey(store);
    await ask(store, entry, 3);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    for (let round = 0; round < 20; round++) expect(allowedOf(await ask(store, entry, 2))).toBe(2);
    expect(store.health()).toMatchObject({ state: 'degraded', problem: expect.stringContaining('OOM') });
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await expectCount(store, entry, 3 + 1);
  });

  test('a replica, which may not write: the same', async () => {
    const { redis, store } = await setScene();
    const entry = await addKey(store);
    await ask(store, entry);
    await redis.command('REPLICAOF', '127.0.0.1', '1');
    await askUntilDegraded(store, entry);
    expect(allowedOf(await ask(store, entry, 4))).toBe(4);
    await redis.command('REPLICAOF', 'NO', 'ONE');
    await expectCount(store, entry, 1 + 1);
  });

  test('a forgotten script is sent again, and no request notices', async () => {
    const { redis, store, logged } = await setScene();
    const entry = await addKey(store);
    for (let round = 1; round <= 5; round++) {
      expect(await ask(store, entry, 2)).toMatchObject({ allowedCount: 2, before: { used: 2 * round - 2 } });
      await redis.command('SCRIPT', 'FLUSH');
    }
    expect(logged).toEqual([]);
  });

  test('a wrong password shows in health, and not itself', async () => {
    const { redis } = await setScene({ password: 'right' }, { timeoutMs: 50 });
    const { store, logged } = await openStore(`redis://:wrong-password@127.0.0.1:${redis.port}`, { timeoutMs: 50 });
    const decision = await ask(store, newEntry());
    expect(decision).toMatchObject({ status: 'unavailable' });
    await expect(store.directory.list()).rejects.toBeInstanceOf(KeyStoreError);
    expect(JSON.stringify([decision, store.health(), logged])).not.toContain('wrong-password');
  }, 15_000);
});

describe('a key whose data are damaged', () => {
  const edit =
    (from: string | RegExp, to: string) =>
    async ({ redis }: Scene, record: string): Promise<unknown> =>
      redis.command('SET', record, (await redis.command('GET', record)).replace(from, to));

  test.each<[string, (scene: Scene, record: string) => Promise<unknown>]>([
    [
      'another type',
      async ({ redis }, record) => {
        await redis.command('DEL', record);
        await redis.command('HSET', record, 'x', 'x');
      },
    ],
    [
      'a count that is none',
      async ({ redis, store }, record) => {
        const { usage } = (await store.records.get('key', record.slice(-64)))?.value ?? {};
        const month = new Date().toISOString().slice(0, 7);
        await redis.command('HSET', `postal-places:{records}:usage:${usage}`, month, 'many');
      },
    ],
    [
      'a rate that is no number',
      async ({ redis, store }, record) => {
        const { usage } = (await store.records.get('key', record.slice(-64)))?.value ?? {};
        await redis.command('HSET', `postal-places:{records}:usage:${usage}`, 'arrival', 'nan');
      },
    ],
    ['no JSON', edit(/.$/, '')],
    ['JSON of another form', edit(/\[.*/, '[]')],
    ['a field that is missing', edit('"expires":null,', '')],
    ['an unknown state', edit('"active"', '"sleeping"')],
    ['a time that is none', edit('"expires":null', '"expires":"soon"')],
  ])('%s: that key alone is unavailable', async (_, spoil) => {
    const scene = await setScene({}, { graceMs: 0 });
    const { redis, store, logged } = scene;
    const [damaged, sound] = [await addKey(store), await addKey(store)];
    const record = recordKey(addressOfKey(damaged.digest));
    await spoil(scene, record);
    for (let round = 0; round < 3; round++) {
      const decisions = await store.decide([damaged, sound].map(({ digest }) => ({ digest, count: 2 })));
      expect(decisions).toMatchObject([{ status: 'unavailable' }, { status: 'good', allowedCount: 2 }]);
    }
    expect(logged).toMatchObject([{ level: 'error', fields: { key: record } }]);
    expect(await usedOf(store, sound)).toBe(6);
    await redis.command('DEL', record);
    expect(await ask(store, damaged)).toEqual({ status: 'invalid' });
  });
});

test('a damaged key that was seen good is served from memory, and counted again once it is repaired', async () => {
  const { redis, store } = await setScene();
  const entry = await addKey(store);
  const record = recordKey(addressOfKey(entry.digest));
  await ask(store, entry, 3);
  await redis.command('RENAME', record, 'aside');
  await redis.command('SET', record, 'x');
  expect(allowedOf(await ask(store, entry, 4))).toBe(4);
  expect(store.health().state).toBe('ready');
  await redis.command('RENAME', 'aside', record);
  await expectCount(store, entry, 3 + 1);
});

describe('several servers', () => {
  test('a failover under Sentinels: served throughout, counted where the new master had it', async () => {
    const group = await startRedisSentinel();
    cleanups.push(() => group.stop());
    const { store } = await openStore(group.url);
    const entry = await addKey(store);
    await ask(store, entry, 3);
    const [master, replica] = group.servers as [RedisServer, RedisServer];
    await waitUntil(
      'the replica to have it',
      async () => (await replica.command('DBSIZE')) === (await master.command('DBSIZE')),
    );
    await master.kill();
    await askUntilDegraded(store, entry);
    await waitUntil('the replica to be the master', async () => {
      // A server that changes its role closes the connections that it has.
      const role = await replica.command('INFO', 'replication').catch(() => '');
      return role.includes('role:master');
    });
    expect(await ask(store, entry, 5)).toMatchObject({ status: 'good', allowedCount: 5 });
    await expectCount(store, entry, 3 + 1);
  }, 40_000);

  test('a move of slots changes no decision', async () => {
    const group = await startRedisCluster();
    cleanups.push(() => group.stop());
    const { store, logged } = await openStore(group.url);
    await store.directory.list();
    const entry = await addKey(store);
    const slot = await (group.servers[0] as RedisServer).command('CLUSTER', 'KEYSLOT', REDIS_PREFIX);
    let answered = allowedOf(await ask(store, entry, 3));
    for (let round = 0; round < 3; round++) {
      await moveSlot(group.servers, slot);
      for (let index = 0; index < 5; index++) answered += allowedOf(await ask(store, entry, 2));
    }
    expect(answered).toBe(33);
    expect(await usedOf(store, entry)).toBe(33);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  }, 30_000);

  test.each([
    ['that has decided before', true],
    ['that has not', false],
  ])(
    'a key that is asked while its slot is being moved is refused by no process %s',
    async (_, hasDecided) => {
      const group = await startRedisCluster();
      cleanups.push(() => group.stop());
      const { store: first } = await openStore(group.url);
      const entry = await addKey(first);
      const { store } = await openStore(group.url, { timeoutMs: 5_000 });
      if (hasDecided) await askUntilGood(store, entry, 1);
      const slot = await (group.servers[0] as RedisServer).command('CLUSTER', 'KEYSLOT', REDIS_PREFIX);
      const asked: Promise<KeyDecision>[] = [];
      await moveSlot(group.servers, slot, async () => {
        for (let count = 0; count < 3; count++) {
          asked.push(ask(store, entry));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      });
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 'good' && status !== 'unavailable')).toEqual([]);
      await askUntilGood(store, entry, 1);
    },
    30_000,
  );

  test.each([
    ['is gone', (node: RedisServer) => node.kill()],
    ['hangs', async (node: RedisServer) => node.pause()],
  ])(
    'a node of a Cluster that %s: an outage where it has the keys, else nobody notices',
    async (_, spoil) => {
      const group = await startRedisCluster({ args: ['--cluster-require-full-coverage', 'no'] });
      cleanups.push(() => group.stop());
      const { store } = await openStore(group.url, { timeoutMs: 1_000 });
      const entry = await addKey(store);
      await askUntilGood(store, entry, 1);
      const slot = Number(await (group.servers[0] as RedisServer).command('CLUSTER', 'KEYSLOT', REDIS_PREFIX));
      const owner = Math.floor((slot * group.servers.length) / 16_384);
      const others = group.servers.filter((_, index) => index !== owner);
      await spoil(others[0] as RedisServer);
      await waitUntil('the key to be decided by the store', async () => {
        return (await ask(store, entry)).status === 'good' && store.health().state === 'ready';
      });
      expect(await ask(store, newEntry())).toEqual({ status: 'invalid' });
      await spoil(group.servers[owner] as RedisServer);
      await askUntilDegraded(store, entry);
      expect(await ask(store, entry)).toMatchObject({ status: 'good', allowedCount: 1 });
      expect(await ask(store, newEntry())).toMatchObject({ status: 'unavailable' });
    },
    40_000,
  );
});

/** Moves a slot with all its keys from the master that has it to the next. */
async function moveSlot(
  servers: readonly RedisServer[],
  slot: string,
  whileMoving: () => Promise<void> = async () => {},
): Promise<void> {
  const ids = await Promise.all(servers.map((server) => server.command('CLUSTER', 'MYID')));
  const counts = await Promise.all(servers.map((server) => server.command('CLUSTER', 'COUNTKEYSINSLOT', slot)));
  const from = counts.findIndex((count) => Number(count) > 0);
  const to = (from + 1) % servers.length;
  const [source, target] = [servers[from] as RedisServer, servers[to] as RedisServer];
  await target.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[from] as string);
  await source.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[to] as string);
  await whileMoving();
  const keys = (await source.command('CLUSTER', 'GETKEYSINSLOT', slot, '100')).split('\n');
  await source.command('MIGRATE', '127.0.0.1', String(target.port), '', '0', '5000', 'KEYS', ...keys);
  for (const server of [target, source, ...servers]) {
    await server.command('CLUSTER', 'SETSLOT', slot, 'NODE', ids[to] as string);
  }
}
