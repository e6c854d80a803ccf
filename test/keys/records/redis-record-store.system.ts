/**
 * Records in a Redis that is hard to live with: answers get lost, rights are missing, its memory is full, or something
 * lies there that no store of ours wrote. A write is done once or not at all.
 */

import { afterEach, expect, test } from '@jest/globals';
import { type RecordChange, type StoredRecord, untilRecordsUnchanged } from '../../../src/keys/records/record-store.js';
import { RedisRecordStore } from '../../../src/keys/records/redis-record-store.js';
import { KeyStoreError } from '../../../src/keys/storage/key-store-error.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { RedisClient } from '../../../src/keys/storage/redis-client.js';
import { type LosingProxy, startLosingProxy } from '../../fixtures/losing-proxy.js';
import { createRandom } from '../../fixtures/random.mjs';
import { startRedisCluster } from '../../fixtures/redis-groups.js';
import { type RedisOptions, type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { describeRecords } from './record-contract.js';
import { addRecord, newRecord, type OpenedRecords } from './record-scene.js';

const HOUR_MS = 3_600_000;
const PREFIX = 'postal-places:{records}';
/** What a write sends, and nothing else, holds this. */
const WRITES = `${PREFIX}:write:`;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function connect(url: string): RedisClient {
  const client = new RedisClient(parseRedisAddress(url));
  cleanups.push(() => client.close());
  return client;
}

async function start(options: RedisOptions = {}): Promise<{ redis: RedisServer; store: RedisRecordStore }> {
  const redis = await startRedis(options);
  cleanups.push(() => redis.stop());
  return { redis, store: new RedisRecordStore(connect(redis.url)) };
}

/** `store` asks Redis itself, `far` by a way that loses answers. */
async function startFar(): Promise<{ store: RedisRecordStore; far: RedisRecordStore; proxy: LosingProxy }> {
  const { redis, store } = await start();
  const proxy = await startLosingProxy(redis.port);
  cleanups.push(() => proxy.stop());
  return { store, far: new RedisRecordStore(connect(`redis://127.0.0.1:${proxy.port}`)), proxy };
}

test('a write without a reply is done once, for every kind of change', async () => {
  const { store, far, proxy } = await startFar();
  const [one, two] = [await addRecord(far, 'one'), await addRecord(far, 'two')];
  proxy.lose(WRITES, 2);
  const version = await far.write([
    { create: newRecord('three') },
    { change: one, to: { ...one, value: { n: 1 } } },
    { delete: two },
  ]);
  expect(proxy.left()).toBe(0);
  expect(await store.list('account')).toEqual([
    { ...one, value: { n: 1 }, version },
    { ...newRecord('three'), version },
  ]);
  const [, three] = (await store.list('account')) as [StoredRecord, StoredRecord];
  proxy.lose(WRITES, 1);
  await far.write([{ delete: three }]);
  expect(proxy.left()).toBe(0);
  proxy.lose(WRITES, 1);
  await expect(far.write([{ delete: three }])).rejects.toMatchObject({ code: 'RECORD_CHANGED' });
  expect(proxy.left()).toBe(0);
});

test('a value moved between two records while replies get lost is neither lost nor doubled', async () => {
  const random = createRandom(7);
  const { store, far, proxy } = await startFar();
  for (const id of ['left', 'right']) await addRecord(store, id, { value: { amount: 100 } });
  const move = (from: RedisRecordStore) =>
    untilRecordsUnchanged(async () => {
      const [left, right] = (await from.list('account')) as [StoredRecord, StoredRecord];
      await from.write([
        { change: left, to: { ...left, value: { amount: (left.value.amount as number) - 1 } } },
        { change: right, to: { ...right, value: { amount: (right.value.amount as number) + 1 } } },
      ]);
    });
  for (let round = 0; round < 15; round++) {
    proxy.lose(random() < 0.7 ? WRITES : 'MGET', Math.floor(random() * 3));
    await Promise.all([move(far), move(store), move(far)]);
  }
  expect((await store.list('account')).map(({ value }) => value)).toEqual([{ amount: 55 }, { amount: 145 }]);
});

test('a write that arrives again after another change does nothing', async () => {
  const { redis, store } = await start();
  const client = connect(redis.url);
  let meanwhile = async (): Promise<unknown> => undefined;
  const doubling: RedisClient = Object.assign(Object.create(client), {
    async runScript(...call: Parameters<RedisClient['runScript']>) {
      expect(await client.runScript(...call)).toBe('done');
      await meanwhile();
      return client.runScript(...call);
    },
  });
  const twice = new RedisRecordStore(doubling);
  meanwhile = async () => {
    await store.write([{ delete: (await store.get('account', 'one')) as StoredRecord }]);
  };
  await twice.write([{ create: newRecord('one') }]);
  expect(await store.list('account')).toEqual([]);
  const two = await addRecord(store, 'two');
  meanwhile = () => addRecord(store, 'two', { value: { again: true } });
  await twice.write([{ delete: two }]);
  expect(await store.list('account')).toMatchObject([{ id: 'two', value: { again: true } }]);
});

test('a write that may have been done and then fails is not said to have failed', async () => {
  const { redis, store } = await start();
  const client = connect(redis.url);
  const codes = ['KEY_STORE_UNSURE', 'KEY_STORE_FAILED'] as const;
  let count = 0;
  const failing: RedisClient = Object.assign(Object.create(client), {
    async runScript(...call: Parameters<RedisClient['runScript']>) {
      if (count === 0) await client.runScript(...call);
      throw new KeyStoreError(codes[count++] as 'KEY_STORE_UNSURE', 'lost', 'none');
    },
  });
  const attempt = new RedisRecordStore(failing).write([{ create: newRecord('one') }]);
  await expect(attempt).rejects.toMatchObject({ code: 'KEY_STORE_UNSURE' });
  expect(count).toBe(2);
  expect(await store.list('account')).toHaveLength(1);
});

test('where a right is missing, a set is none, or Redis is full, a write is not half done', async () => {
  const { redis, store } = await start();
  const [one, two] = [
    await addRecord(store, 'one'),
    await addRecord(store, 'two', { expiresMs: Date.now() + HOUR_MS }),
  ];
  const write: RecordChange[] = [
    { create: newRecord('three', { expiresMs: Date.now() + HOUR_MS }) },
    { delete: one },
    { change: two, to: { ...two, names: ['other'], expiresMs: null } },
  ];
  const ends = `${PREFIX}:ends:account`;
  const hardships: [string[], string[], string][] = [
    ...['set', 'del', 'pexpireat', 'zadd', 'zrem', 'zrangebyscore', 'time'].map(
      (name): [string[], string[], string] => [
        ['ACL', 'SETUSER', 'default', `-${name}`],
        ['ACL', 'SETUSER', 'default', '+@all'],
        'KEY_STORE_FAILED',
      ],
    ),
    [['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0'], 'KEY_STORE_FAILED'],
    [['RENAME', ends, 'aside'], ['RENAME', 'aside', ends], 'KEY_STORE_DAMAGED'],
  ];
  for (const [begin, end, code] of hardships) {
    await redis.command(...begin);
    if (begin[0] === 'RENAME') await redis.command('SET', ends, 'no set');
    await expect(store.write(write)).rejects.toMatchObject({ code });
    await redis.command(...end);
    expect(await store.list('account')).toEqual([one, two]);
    expect(await store.findByName('account', 'name of one')).toEqual(one);
    expect(await store.findByName('account', 'other')).toBeUndefined();
  }
  await store.write(write);
  expect((await store.list('account')).map(({ id }) => id)).toEqual(['three', 'two']);
});

test('damaged records are errors that name them, and spoil no other', async () => {
  const { redis, store } = await start();
  const [sound, list, text, robbed] = [
    await addRecord(store, 'sound'),
    await addRecord(store, 'list'),
    await addRecord(store, 'text'),
    await addRecord(store, 'robbed'),
  ];
  const at = (id: string): string => `${PREFIX}:record:account:${id}`;
  await redis.command('DEL', at('list'));
  await redis.command('RPUSH', at('list'), 'x');
  await redis.command('SET', at('text'), `${text.version}[["a"],null,7]`);
  await redis.command('SET', `${PREFIX}:name:account:robbed`, 'robbed');
  const damaged: KeyStoreError[] = [];
  expect(await store.list('account', (error) => damaged.push(error))).toEqual([robbed, sound]);
  expect(damaged.map(({ code }) => code)).toEqual(Array(2).fill('KEY_STORE_DAMAGED'));
  await expect(store.list('account')).rejects.toMatchObject({ code: 'KEY_STORE_DAMAGED' });
  for (const attempt of [
    () => store.get('account', 'list'),
    () => store.get('account', 'text'),
    () => store.findByName('account', 'name of list'),
    () => store.findByName('account', 'robbed'),
    () => store.write([{ delete: list }]),
  ]) {
    await expect(attempt()).rejects.toMatchObject({
      code: 'KEY_STORE_DAMAGED',
      message: expect.stringMatching(/record:account:(?:list|text|robbed) holds/),
    });
  }
  await store.write([{ delete: sound }]);
});

test('a record that Redis has thrown away before its end leaves its name and its id free', async () => {
  const { redis, store } = await start();
  await addRecord(store, 'one', { expiresMs: Date.now() + HOUR_MS });
  await redis.command('DEL', `${PREFIX}:record:account:one`);
  expect(await store.list('account')).toEqual([]);
  expect(await store.findByName('account', 'name of one')).toBeUndefined();
  await addRecord(store, 'two', { names: ['name of one'] });
  const again = await addRecord(store, 'one', { names: [] });
  expect(await store.findByName('account', 'name of one')).toMatchObject({ id: 'two' });
  expect(await store.get('account', 'one')).toEqual(again);
});

test('nothing is left of records that were deleted or have ended, but receipts that have an end', async () => {
  const { redis, store } = await start();
  const soon = Date.now() + 100;
  const ended = Array.from({ length: 40 }, (_, n) => ({ create: newRecord(`${n}`, { expiresMs: soon }) }));
  await store.write(ended);
  const kept = await addRecord(store, 'kept');
  await new Promise((resolve) => setTimeout(resolve, 110));
  await store.write([{ delete: kept }]);
  const keys = (await redis.command('KEYS', '*')).split('\n');
  const receipts = keys.filter((key) => key.startsWith(WRITES));
  expect(keys.filter((key) => !receipts.includes(key))).toEqual([`${PREFIX}:version`]);
  expect(receipts).toHaveLength(3);
  for (const key of receipts) expect(Number(await redis.command('PTTL', key))).toBeGreaterThan(500_000);
});

/* The contract, with one server and with a Cluster. */

async function openOn(redis: { readonly url: string; stop(): Promise<void> }): Promise<OpenedRecords> {
  const clients = [
    new RedisClient(parseRedisAddress(redis.url)),
    new RedisClient(parseRedisAddress(redis.url)),
  ] as const;
  return {
    stores: [new RedisRecordStore(clients[0]), new RedisRecordStore(clients[1])],
    nowMs: Date.now,
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    async close() {
      for (const client of clients) client.close();
      await redis.stop();
    },
  };
}

describeRecords('the store in one Redis', async () => openOn(await startRedis()));
describeRecords('the store in a Redis Cluster', async () => openOn(await startRedisCluster()));
