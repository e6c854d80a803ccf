/**
 * Changes of keys in a Redis whose answers get lost: what was sent is sent again, takes effect once, and where nobody
 * can know, the error says so. And keys that nobody can read stop no list of the others.
 */

import { afterEach, expect, test } from '@jest/globals';
import type { KeyEntry } from '../../../src/keys/key-directory.js';
import { addressOfKey, type KeyRecord, replace, revoke } from '../../../src/keys/key-record.js';
import type { KeyStore } from '../../../src/keys/key-store.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../../src/keys/plan.js';
import { recordKey } from '../../../src/keys/records/redis-record-store.js';
import { openRedisKeyStore } from '../../../src/keys/redis-key-store.js';
import type { KeyStoreError } from '../../../src/keys/storage/key-store-error.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { type LosingProxy, startLosingProxy } from '../../fixtures/losing-proxy.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { NOON, newEntry, usageOf } from '../key-store-scene.js';

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
  await expect(store.directory.create(newEntry({ id: entry.record.id }))).rejects.toMatchObject({ code: 'KEY_EXISTS' });
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
