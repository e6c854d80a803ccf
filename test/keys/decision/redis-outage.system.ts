/**
 * What the Redis store does while Redis is slow, gone, full, read-only, empty or damaged: keys seen lately are served
 * and others told that nobody knows, and afterwards counting goes on without the requests of the outage. Each test
 * spoils a real Redis of its own and repairs it again.
 */

import { describe, expect, test } from '@jest/globals';
import { KeyBatcher } from '../../../src/keys/decision/key-batcher.js';
import type { KeyDecision } from '../../../src/keys/decision/key-decision.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { createApiKey, digestApiKey } from '../../../src/keys/key/api-key.js';
import { changeKeyToRevoked } from '../../../src/keys/key/key-changes.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import { addressOfKey } from '../../../src/keys/key/stored-key.js';
import { recordKey } from '../../../src/keys/records/redis-record-store.js';
import { startLosingProxy } from '../../fixtures/losing-proxy.js';
import { startRedisCluster, startRedisSentinel } from '../../fixtures/redis-groups.js';
import type { RedisServer } from '../../fixtures/redis-server.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import { RESTRICTIONS, SHOP } from '../key/origin-cases.js';
import { newEntry, usageOf } from './key-store-scene.js';
import { addKey, allowedOf, ask, HOUR_MS, type OpenedStore, PREFIX, usedOf, useRedisStores } from './redis-scene.js';

const stores = useRedisStores();
const UNAVAILABLE = { status: 'unavailable', cause: { code: 'KEY_STORE_FAILED' } };

/** The first ask of a test whose store is impatient: a busy machine may keep even a sound Redis from answering in time. */
async function askUntilGood(store: KeyStore, entry: KeyEntry, count: number): Promise<number> {
  let allowed = 0;
  await waitUntil('the store to answer', async () => {
    allowed = await allowedOf(store, entry, count);
    return allowed > 0;
  });
  return allowed;
}

const isReady = (store: KeyStore) => async () => store.health().state === 'ready';

/** Waits until the store decides again, and asks once more: then so many are counted. */
async function expectCount(store: KeyStore, entry: KeyEntry, expected: number): Promise<void> {
  await waitUntil('the store to be ready', isReady(store));
  expect(await allowedOf(store, entry)).toBe(1);
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
    const { redis, store, logged } = await stores.set();
    const [seen, unseen] = [await addKey(store), await addKey(store)];
    await ask(store, seen, 3);
    await redis.kill();
    await askUntilDegraded(store, seen);
    for (let round = 0; round < 50; round++) expect(await allowedOf(store, seen, 2)).toBe(2);
    for (const entry of [unseen, newEntry()]) expect(await ask(store, entry)).toMatchObject(UNAVAILABLE);
    expect(store.health()).toMatchObject({ kind: 'redis', state: 'degraded', problem: expect.any(String) });
    await redis.restart();
    await expectCount(store, seen, 3 + 1);
    expect(await allowedOf(store, unseen)).toBe(1);
    expect(await ask(store, newEntry())).toEqual({ status: 'invalid' });
    expect(logged.map(({ level, message }) => [level, message.slice(0, 14)])).toEqual([
      ['warn', 'the key store '],
      ['info', 'the key store '],
    ]);
    expect(JSON.stringify(logged)).not.toContain(seen.digest);
  });

  test('it may be gone when the store opens', async () => {
    const { redis, store } = await stores.set();
    const entry = await addKey(store);
    await redis.kill();
    const { store: late } = stores.open(redis.url, { timeoutMs: 1_000 });
    expect(await ask(late, entry)).toMatchObject(UNAVAILABLE);
    await expect(late.directory.list()).rejects.toMatchObject({ code: 'KEY_STORE_INACCESSIBLE' });
    await redis.restart();
    await waitUntil('the store to be ready', isReady(late));
    expect(await allowedOf(late, entry)).toBe(1);
  });

  test('a key gets no more than what was left of its quota, in a new month a new one', async () => {
    const clock = { now: Date.parse('2024-02-29T23:59:00.000Z') };
    const { redis, store } = await stores.set({}, { clock: () => clock.now });
    const entry = await addKey(store, { plan: 'free' });
    await ask(store, entry, 6);
    await redis.kill();
    await waitUntil('the store to notice', () => store.health().state === 'degraded');
    expect(await allowedOf(store, entry, 20)).toBe(4);
    expect(await ask(store, entry)).toMatchObject({ status: 'good', allowedCount: 0 });
    clock.now = Date.parse('2024-03-01T00:00:00.000Z');
    expect(await allowedOf(store, entry, 4)).toBe(4);
    await redis.restart();
    await expectCount(store, entry, 6 + 1);
    expect((await store.directory.find(entry.record.id))?.usage).toEqual(
      usageOf({ '2024-02': 6, '2024-03': 1 }, { '2024-02-29': 6, '2024-03-01': 1 }),
    );
  });

  test('each of four workers allows a quarter of each rate, and one request at least', async () => {
    const clock = { now: 1_000_000_000_000 };
    const { redis, store } = await stores.set({}, { clock: () => clock.now, workers: 4 });
    const [quick, single] = [await addKey(store, { plan: 'quick' }), await addKey(store, { plan: 'single' })];
    const visitorRate = { requests: 8, seconds: 60 };
    const { digest } = await addKey(store, { restrictions: { ...RESTRICTIONS, visitorRate } });
    const callers = Array(10).fill({ origin: SHOP, operation: 'autocomplete', visitor: 'aa000000000000aa' });
    const askVisitor = async () => (await store.decide([{ digest, count: 10, callers }]))[0];
    const askBoth = async () => [await allowedOf(store, quick, 10), await allowedOf(store, single, 10)];
    expect(await askBoth()).toEqual([10, 1]);
    expect(await askVisitor()).toMatchObject({ status: 'publishable', allowedCount: 8 });
    clock.now += 60_000;
    await redis.kill();
    await askUntilDegraded(store, newEntry());
    expect(await askBoth()).toEqual([2, 1]);
    const shared = { requests: 2, seconds: 60 };
    expect(await askVisitor()).toMatchObject({ allowedCount: 2, restrictions: { visitorRate: shared } });
    clock.now += 1_999;
    expect(await askBoth()).toEqual([2, 0]);
    clock.now += 1;
    expect(await allowedOf(store, single, 10)).toBe(1);
    const [bulk] = await store.decide([{ digest: quick.digest, count: 1, cost: 3 }]);
    expect(bulk).toMatchObject({ allowedCount: 0, plan: { rate: { burst: 2 } }, wholePlan: { rate: { burst: 10 } } });
    clock.now += 27_999;
    expect(await askVisitor()).toMatchObject({ allowedCount: 0 });
    clock.now += 1;
    expect(await askVisitor()).toMatchObject({ allowedCount: 1 });
  });

  test('no key is served longer than the grace period, nor longer than it is valid', async () => {
    const clock = { now: 1_000_000_000_000 };
    const { redis, store } = await stores.set({}, { clock: () => clock.now, graceMs: 60_000 });
    const lasting = await addKey(store);
    const expiring = await addKey(store, { expires: new Date(clock.now + 30_000).toISOString() });
    for (const entry of [lasting, expiring]) await ask(store, entry);
    await redis.kill();
    await askUntilDegraded(store, lasting);
    clock.now += 29_999;
    expect(await allowedOf(store, expiring)).toBe(1);
    clock.now += 1;
    expect(await ask(store, expiring)).toMatchObject(UNAVAILABLE);
    clock.now += 30_000;
    expect(await allowedOf(store, lasting)).toBe(1);
    clock.now += 1;
    expect(await ask(store, lasting)).toMatchObject(UNAVAILABLE);
  });

  test('a key that was seen revoked or expired stays that, also where the store has forgotten the revocation', async () => {
    const { redis, store, logged } = await stores.set();
    const [entry, expired] = [await addKey(store), await addKey(store)];
    for (const each of [entry, expired]) await ask(store, each);
    await store.directory.change(entry.record.id, changeKeyToRevoked);
    await store.directory.change(expired.record.id, (record) => ({ ...record, expires: record.created }));
    expect([await ask(store, entry), await ask(store, expired)]).toEqual([
      { status: 'revoked' },
      { status: 'expired' },
    ]);
    await redis.kill();
    await askUntilDegraded(store, newEntry());
    for (const each of [entry, expired]) expect(await ask(store, each)).toMatchObject(UNAVAILABLE);
    await redis.restart();
    await redis.command('FLUSHALL');
    await waitUntil('the store to be ready', isReady(store));
    expect(await ask(store, entry)).toEqual({ status: 'revoked' });
    await store.directory.create(entry);
    for (let round = 0; round < 2; round++) expect(await ask(store, entry)).toEqual({ status: 'revoked' });
    expect(logged.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

describe('a Redis that is slow', () => {
  test('a request that Redis may have counted late is counted once at most, those of the outage never', async () => {
    const { redis, store } = await stores.set({}, { timeoutMs: 200 });
    const entry = await addKey(store);
    await askUntilGood(store, entry, 3);
    const before = await usedOf(store, entry);
    const rounds = 5;
    for (let round = 0; round < rounds; round++) {
      redis.pause();
      expect(await allowedOf(store, entry, 5)).toBe(5);
      expect(store.health().state).toBe('degraded');
      // In the last round the connection is given up meanwhile.
      if (round === rounds - 1) await new Promise((resolve) => setTimeout(resolve, 2_600));
      expect(await allowedOf(store, entry, 100)).toBe(100);
      redis.resume();
      await waitUntil('the store to be ready', isReady(store));
    }
    // Each was sent before the outage, and the probe that ended the outage came after it.
    expect([before + 5 * rounds - 5, before + 5 * rounds]).toContain(await usedOf(store, entry));
  }, 20_000);

  test('a round trip of more than half the timeout is no outage', async () => {
    const proxy = await startLosingProxy((await stores.start()).port);
    stores.after(() => proxy.stop());
    const { store, logged } = stores.open(`redis://127.0.0.1:${proxy.port}`, { timeoutMs: 2_500 });
    const key = createApiKey();
    await store.directory.create({ ...newEntry({ plan: 'unlimited' }), digest: digestApiKey(key) });
    const batcher = new KeyBatcher(store);
    // The rest of the time is for a busy machine.
    proxy.delay(1_300);
    const decisions: (KeyDecision | Promise<KeyDecision>)[] = [];
    for (let round = 0; round < 100; round++) {
      decisions.push(batcher.check(key));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await Promise.all(decisions)).toMatchObject(Array(100).fill({ allowedCount: 1 }));
    expect(logged).toEqual([]);
  });
});

describe('a Redis that refuses', () => {
  test.each([
    ['a full one', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0'], /OOM/],
    ['a replica, which may not write', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE'], /READONLY/],
  ])('%s: served from memory, counted when it takes writes again', async (_, begin, end, problem) => {
    const { redis, store } = await stores.set();
    const entry = await addKey(store);
    await ask(store, entry, 3);
    await redis.command(...begin);
    await askUntilDegraded(store, entry);
    for (let round = 0; round < 20; round++) expect(await allowedOf(store, entry, 2)).toBe(2);
    expect(store.health()).toMatchObject({ state: 'degraded', problem: expect.stringMatching(problem) });
    await redis.command(...end);
    await expectCount(store, entry, 3 + 1);
  });

  test('a forgotten script is sent again, and no request notices', async () => {
    const { redis, store, logged } = await stores.set();
    const entry = await addKey(store);
    for (let round = 1; round <= 5; round++) {
      expect(await ask(store, entry, 2)).toMatchObject({ allowedCount: 2, before: { used: 2 * round - 2 } });
      await redis.command('SCRIPT', 'FLUSH');
    }
    expect(logged).toEqual([]);
  });

  test('a store of another version: nothing is read, written or decided there', async () => {
    const { redis, store } = await stores.set();
    const version = `${PREFIX}:version`;
    const entry = await addKey(store);
    expect(await redis.command('GET', version)).toBe('2');
    expect(await allowedOf(store, entry)).toBe(1);
    await redis.command('SET', version, '3');
    const refusal = {
      code: 'KEY_STORE_OTHER_VERSION',
      message: expect.stringMatching(/is a key store of version 3: this program reads version 2/),
    };
    const { store: late } = stores.open(redis.url);
    await expect(late.directory.list(() => {})).rejects.toMatchObject(refusal);
    await expect(late.directory.create(newEntry())).rejects.toMatchObject(refusal);
    expect(await ask(late, entry)).toMatchObject(UNAVAILABLE);
    expect(late.health()).toMatchObject({ state: 'degraded', problem: refusal.message });
    // No outage that ends and begins with each request: a probe meets the version too.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(late.health()).toMatchObject({ state: 'degraded', errorCount: 1 });
    await redis.command('SET', version, '2');
    await waitUntil('the store to be ready', isReady(late));
    expect(await allowedOf(late, entry)).toBe(1);
    expect(await usedOf(store, entry)).toBe(2);
  });
});

test('a Redis that has lost all keys: good keys are served and others unavailable until they are back', async () => {
  let nowMs = Date.parse('2024-02-29T12:00:00.000Z');
  const { redis, store, logged } = await stores.set({}, { clock: () => nowMs });
  const entries = await Promise.all(Array.from({ length: 20 }, () => addKey(store)));
  const unseen = await addKey(store);
  for (const entry of entries) expect(await allowedOf(store, entry, 2)).toBe(2);
  await redis.command('FLUSHALL');
  for (let round = 0; round < 3; round++) {
    for (const entry of entries) expect(await allowedOf(store, entry)).toBe(1);
  }
  // It may be lost too.
  expect(await ask(store, unseen)).toMatchObject({ status: 'unavailable' });
  expect(store.health()).toMatchObject({ state: 'degraded', problem: expect.stringContaining('lost'), errorCount: 1 });
  for (const entry of [...entries, unseen]) {
    await store.directory.create({ ...entry, usage: usageOf({ '2024-01': 2 }) });
  }
  nowMs += 60_000;
  expect(store.health().state).toBe('ready');
  // What was served while they were lost is in no count.
  for (const entry of entries) expect(await usedOf(store, entry)).toBe(2);
  expect(await allowedOf(store, unseen)).toBe(1);
  expect(await ask(store, newEntry())).toEqual({ status: 'invalid' });
  expect(logged.map(({ message }) => message)).toEqual([expect.stringContaining('has lost keys that were good')]);
  await redis.command('FLUSHALL');
  nowMs += HOUR_MS + 1;
  expect(await ask(store, entries[0] as KeyEntry)).toMatchObject({ status: 'unavailable' });
});

describe('a key whose data are damaged', () => {
  interface Spoiling extends OpenedStore {
    readonly redis: RedisServer;
    /** The keys of Redis that hold its record, and its counts. */
    readonly record: string;
    readonly usage: string;
  }

  const edit =
    (from: string | RegExp, to: string) =>
    async ({ redis, record }: Spoiling): Promise<unknown> =>
      redis.command('SET', record, (await redis.command('GET', record)).replace(from, to));

  async function set(change: Parameters<typeof addKey>[1] = {}, graceMs = 0) {
    const opened = await stores.set({}, { graceMs });
    const damaged = await addKey(opened.store, change);
    const { usage } = (await opened.store.records.get('key', damaged.digest))?.value ?? {};
    const record = recordKey(addressOfKey(damaged.digest));
    return { ...opened, damaged, record, usage: `${PREFIX}:usage:${usage}` };
  }

  test.each<[string, (spoiling: Spoiling) => Promise<unknown>]>([
    [
      'another type',
      async ({ redis, record }) => {
        await redis.command('DEL', record);
        await redis.command('HSET', record, 'x', 'x');
      },
    ],
    [
      'a count that is none',
      ({ redis, usage }) => redis.command('HSET', usage, new Date().toISOString().slice(0, 7), 'many'),
    ],
    ['a rate that is no number', ({ redis, usage }) => redis.command('HSET', usage, 'arrival', 'nan')],
    ['no JSON', edit(/.$/, '')],
    ['JSON of another form', edit(/\[.*/, '[]')],
    ['a field that is missing', edit('"expires":null,', '')],
    ['an unknown state', edit('"active"', '"sleeping"')],
    ['a time that is none', edit('"expires":null', '"expires":"soon"')],
  ])('%s: that key alone is unavailable', async (name, spoil) => {
    const scene = await set();
    const { redis, store, logged, damaged, record } = scene;
    const sound = await addKey(store);
    await spoil(scene);
    for (let round = 0; round < 3; round++) {
      const decisions = await store.decide([damaged, sound].map(({ digest }) => ({ digest, count: 2 })));
      expect(decisions).toMatchObject([{ status: 'unavailable' }, { status: 'good', allowedCount: 2 }]);
    }
    expect(logged).toMatchObject([{ level: 'error', fields: { key: record } }]);
    expect(await usedOf(store, sound)).toBe(6);
    const told: string[] = [];
    await store.directory.list(({ code }) => told.push(code));
    // A list reads no rate.
    expect(told).toEqual(name.includes('rate') ? [] : ['KEY_STORE_DAMAGED']);
    await redis.command('DEL', record);
    expect(await ask(store, damaged)).toEqual({ status: 'invalid' });
  });

  test('restrictions: the key is unavailable, and stays revoked where it was', async () => {
    const scene = await set({ restrictions: RESTRICTIONS });
    const { store, damaged, logged, record } = scene;
    const callers = [{ origin: SHOP, operation: 'autocomplete', visitor: '0' }];
    const decide = () => store.decide([{ digest: damaged.digest, count: 1, callers }]);
    await edit(SHOP, `${SHOP}/path`)(scene);
    for (let round = 0; round < 2; round++) expect(await decide()).toMatchObject([{ status: 'unavailable' }]);
    expect(logged).toMatchObject([
      { level: 'error', fields: { key: record, problem: expect.stringMatching(/^DAMAGED/) } },
    ]);
    expect(store.health().state).toBe('ready');
    await edit('"active"', '"revoked"')(scene);
    expect(await decide()).toEqual([{ status: 'revoked', origins: undefined }]);
  });

  test('that was seen good is served from memory, and counted again once it is repaired', async () => {
    const { redis, store, damaged, record } = await set({}, HOUR_MS);
    await ask(store, damaged, 3);
    await redis.command('RENAME', record, 'aside');
    await redis.command('SET', record, 'x');
    expect(await allowedOf(store, damaged, 4)).toBe(4);
    expect(store.health().state).toBe('ready');
    await redis.command('RENAME', 'aside', record);
    await expectCount(store, damaged, 3 + 1);
  });
});

describe('several servers', () => {
  test('a failover under Sentinels that ask for a password: served throughout, counted where the new master had it', async () => {
    const group = await startRedisSentinel('sentinel-secret');
    stores.after(() => group.stop());
    const { store } = stores.open(group.url);
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
    expect(await allowedOf(store, entry, 5)).toBe(5);
    await expectCount(store, entry, 3 + 1);
  }, 40_000);

  test('a move of slots changes no decision', async () => {
    const group = await startRedisCluster();
    stores.after(() => group.stop());
    const { store, logged } = stores.open(group.url);
    await store.directory.list();
    const entry = await addKey(store);
    const slot = await (group.servers[0] as RedisServer).command('CLUSTER', 'KEYSLOT', PREFIX);
    let answered = await allowedOf(store, entry, 3);
    for (let round = 0; round < 3; round++) {
      await moveSlot(group.servers, slot);
      for (let index = 0; index < 5; index++) answered += await allowedOf(store, entry, 2);
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
      stores.after(() => group.stop());
      const { store: first } = stores.open(group.url);
      const entry = await addKey(first);
      const { store } = stores.open(group.url, { timeoutMs: 5_000 });
      if (hasDecided) await askUntilGood(store, entry, 1);
      const slot = await (group.servers[0] as RedisServer).command('CLUSTER', 'KEYSLOT', PREFIX);
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
      stores.after(() => group.stop());
      const { store } = stores.open(group.url, { timeoutMs: 1_000 });
      const entry = await addKey(store);
      await askUntilGood(store, entry, 1);
      const slot = Number(await (group.servers[0] as RedisServer).command('CLUSTER', 'KEYSLOT', PREFIX));
      const owner = Math.floor((slot * group.servers.length) / 16_384);
      const others = group.servers.filter((_, index) => index !== owner);
      await spoil(others[0] as RedisServer);
      await waitUntil('the key to be decided by the store', async () => {
        return (await ask(store, entry)).status === 'good' && store.health().state === 'ready';
      });
      expect(await ask(store, newEntry())).toEqual({ status: 'invalid' });
      await spoil(group.servers[owner] as RedisServer);
      await askUntilDegraded(store, entry);
      expect(await allowedOf(store, entry)).toBe(1);
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
