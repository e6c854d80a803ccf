/**
 * Changes of keys in a Redis whose answers get lost: what was sent is sent again, takes effect once, and where nobody
 * can know, the error says so. And keys that nobody can read stop no list of the others.
 */

import { afterEach, expect, test } from '@jest/globals';
import { replace, revoke } from '../../../src/keys/key-changes.js';
import type { KeyRecord } from '../../../src/keys/key-record.js';
import type { KeyEntry, KeyStore, KeyStoreError } from '../../../src/keys/key-store.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../../src/keys/plan.js';
import { parseRedisAddress } from '../../../src/keys/redis/redis-address.js';
import { openRedisKeyStore } from '../../../src/keys/redis/redis-key-store.js';
import { type LosingProxy, startLosingProxy } from '../../fixtures/losing-proxy.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { NOON, newEntry } from '../key-store-scene.js';

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
const writeTo = ({ digest }: KeyEntry): string => `postal-places:key:{${digest}}`;

test('a key whose creation was not answered is there once', async () => {
  const { proxy, store } = await setScene();
  const entry = newEntry({}, 'v1.c2VhbGVk');
  proxy.lose(entry.digest, 2);
  await store.create(entry);
  expect(proxy.left()).toBe(0);
  expect(await store.list()).toEqual([entry]);
  await expect(store.create(newEntry({ id: entry.record.id }))).rejects.toMatchObject({ code: 'KEY_EXISTS' });
});

test('a change that was not answered takes effect once', async () => {
  const { proxy, store } = await setScene();
  const entry = newEntry();
  await store.create(entry);
  // The reading, then the writing.
  proxy.lose(writeTo(entry), 2);
  expect(await store.change(entry.record.id, revoke)).toMatchObject({ state: 'revoked' });
  expect(proxy.left()).toBe(0);
  expect(await store.find(entry.record.id)).toMatchObject({ record: { state: 'revoked' } });
});

test('a replacement that was not answered is made once, and its successor is the one that was given', async () => {
  const { redis, proxy, store } = await setScene();
  const [old, successor] = [{ ...newEntry(), usage: new Map([['2024-02', 7]]) }, newEntry()];
  await store.create(old);
  await redis.command('SCRIPT', 'FLUSH');
  proxy.lose('\r\nreplaced\r\n', 1);
  expect(await store.replace(old.record.id, succeedBy(successor))).toMatchObject({ replacedBy: successor.record.id });
  expect(proxy.left()).toBe(0);
  expect(await store.find(successor.record.id)).toEqual({ ...successor, usage: old.usage });
  expect(await store.list()).toHaveLength(2);
});

test('where the answer never comes, the error says what to look at, and the key can be replaced once more', async () => {
  const { proxy, store } = await setScene();
  const [old, successor, next] = [newEntry(), newEntry(), newEntry()];
  await store.create(old);
  proxy.lose('\r\nreplaced\r\n', 1_000_000);
  await expect(store.replace(old.record.id, succeedBy(successor))).rejects.toMatchObject({
    code: 'KEY_STORE_UNSURE',
    remedy: expect.stringMatching(`show ${old.record.id} .*${successor.record.id}`),
  });
  proxy.lose('', 0);
  expect(await store.find(old.record.id)).toMatchObject({ record: { replacedBy: successor.record.id } });
  await store.replace(successor.record.id, succeedBy(next));
  expect(await store.decide([{ digest: next.digest, count: 1 }])).toMatchObject([{ allowedCount: 1 }]);
}, 20_000);

test('a replacement that Redis refused leaves no successor behind', async () => {
  const { redis, store } = await setScene();
  const [old, successor] = [newEntry(), newEntry()];
  await store.create(old);
  // The hash of the successor may be written, the one that is replaced may not.
  await redis.command('ACL', 'SETUSER', 'default', 'resetkeys', `%R~*`, '~postal-places:ids', `~${writeTo(successor)}`);
  await expect(store.replace(old.record.id, succeedBy(successor))).rejects.toMatchObject({ code: 'KEY_STORE_FAILED' });
  expect(await store.list()).toEqual([old]);
});

test('a damaged key is told of and left out of a list', async () => {
  const { redis, store } = await setScene();
  const [sound, noHash, noCount, noField] = [newEntry(), newEntry(), newEntry(), newEntry()];
  for (const entry of [sound, noHash, noCount, noField]) await store.create(entry);
  await redis.command('DEL', writeTo(noHash));
  await redis.command('SET', writeTo(noHash), 'x');
  await redis.command('HSET', writeTo(noCount), 'used:2024-02', '1.5');
  await redis.command('HDEL', writeTo(noField), 'graceUntil');
  const damaged: KeyStoreError[] = [];
  expect(await store.list((error) => damaged.push(error))).toEqual([sound]);
  expect(damaged.map(({ code }) => code)).toEqual(Array(3).fill('KEY_STORE_DAMAGED'));
  for (const entry of [noHash, noCount, noField]) {
    expect(damaged.filter(({ message }) => message.includes(writeTo(entry)))).toHaveLength(1);
  }
  await expect(store.list()).rejects.toMatchObject({ code: 'KEY_STORE_DAMAGED' });
});
