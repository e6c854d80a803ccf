/**
 * Stores that an earlier version wrote, in which keys were not yet records: test/fixtures/earlier-key-stores has the two
 * files of an embedded store and the hashes of a Redis, written by that version for the same six keys. They are carried
 * over when they are first used.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { digestApiKey, encodeApiKey } from '../../src/keys/api-key.js';
import { openEmbeddedKeyStore } from '../../src/keys/embedded/embedded-key-store.js';
import { revoke } from '../../src/keys/key-changes.js';
import type { KeyEntry } from '../../src/keys/key-directory.js';
import type { KeyStore } from '../../src/keys/key-store.js';
import { createPlanFinder, parsePlans } from '../../src/keys/plan.js';
import { openRedisKeyStore } from '../../src/keys/redis/redis-key-store.js';
import { createKeySeal } from '../../src/keys/sealing.js';
import { parseRedisAddress } from '../../src/storage/redis/redis-address.js';
import { createRecordingLogger, type LoggedLine } from '../fixtures/recording-logger.js';
import { startRedisCluster } from '../fixtures/redis-groups.js';
import { type RedisServer, startRedis } from '../fixtures/redis-server.js';
import { newEntry, usageOf } from './key-store-scene.js';
import { createTemporaryFolders } from './temporary-folders.js';

const FIXTURES = new URL('../fixtures/earlier-key-stores/', import.meta.url);
const SECRET = 'a secret of thirty-two characters';
const LATER = Date.parse('2026-10-06T12:00:01.000Z');
const PLANS = parsePlans(
  JSON.stringify({
    free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
    business: { requestsPerMonth: 1_000_000, requestsPerSecond: 200, burst: 400 },
  }),
);
const opening = { plans: PLANS, findPlan: createPlanFinder(PLANS), clock: () => LATER };

const folders = createTemporaryFolders();
afterAll(() => folders.clear());
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

interface Opened {
  readonly store: KeyStore;
  readonly logged: LoggedLine[];
}

/** A store with the six keys, written by the earlier version. */
interface EarlierStore {
  open(): Promise<Opened>;
  /** Damages the data of the key that was imported. */
  damage(): Promise<unknown>;
}

const IMPORTED = digestApiKey(encodeApiKey(Buffer.alloc(20, 6)));

async function makeEmbedded(): Promise<EarlierStore> {
  const folder = join(folders.make(), 'keys');
  mkdirSync(folder);
  for (const name of ['keys.mdb', 'usage.bin']) {
    writeFileSync(join(folder, name), gunzipSync(readFileSync(new URL(`${name}.gz`, FIXTURES))));
  }
  return {
    async open() {
      const logger = createRecordingLogger();
      return { store: keep(await openEmbeddedKeyStore({ folder, ...opening, logger })), logged: logger.lines };
    },
    async damage() {
      const file = join(folder, 'keys.mdb');
      const bytes = readFileSync(file);
      const name = '"name":"imported"';
      for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name)) bytes.write('"naem"', at);
      writeFileSync(file, bytes);
    },
  };
}

async function fillRedis(url: string, command: (...words: string[]) => Promise<unknown>): Promise<EarlierStore> {
  const dump = JSON.parse(readFileSync(new URL('redis.json', FIXTURES), 'utf8')) as Record<string, object>;
  for (const [name, fields] of Object.entries(dump)) await command('HSET', name, ...Object.entries(fields).flat());
  return {
    async open() {
      const logger = createRecordingLogger();
      const address = parseRedisAddress(url);
      const store = openRedisKeyStore({ ...opening, address, timeoutMs: 20_000, graceMs: 0, logger });
      return { store: keep(store), logged: logger.lines };
    },
    damage: () => command('HDEL', `postal-places:key:{${IMPORTED}}`, 'state'),
  };
}

async function makeRedis(): Promise<EarlierStore> {
  const redis = await startRedis();
  cleanups.push(() => redis.stop());
  return fillRedis(redis.url, redis.command.bind(redis));
}

async function makeCluster(): Promise<EarlierStore> {
  const cluster = await startRedisCluster();
  cleanups.push(() => cluster.stop());
  /** Each key lies on one of the nodes; the others refuse it. */
  const command = async (...words: string[]): Promise<unknown> => {
    const slot = Number(await (cluster.servers[0] as RedisServer).command('CLUSTER', 'KEYSLOT', words[1] as string));
    const node = cluster.servers[Math.floor((slot * cluster.servers.length) / 16_384)] as RedisServer;
    return node.command(...words);
  };
  return fillRedis(cluster.url, command);
}

function keep(store: KeyStore): KeyStore {
  cleanups.push(() => store.close());
  return store;
}

const keyOf = (number: number) => encodeApiKey(Buffer.alloc(20, number));

/** What the earlier version showed of the keys, without their seals. */
const EXPECTED = [
  ['our website', 'active', usageOf({ '2026-09': 3, '2026-10': 10 })],
  ['mobile "app" é 東京', 'active', usageOf({ '2026-09': 5 })],
  ['revoked', 'revoked', usageOf({ '2026-09': 1 })],
  ['replaced', 'replaced', usageOf({ '2026-09': 4, '2026-10': 3 })],
  ['replaced', 'active', usageOf({ '2026-09': 4, '2026-10': 8 })],
  ['imported', 'active', usageOf({ '2024-06': 7, '2026-08': 12, '2026-10': 1 })],
] as const;

describe.each([
  ['the embedded store', makeEmbedded],
  ['Redis', makeRedis],
  ['a Cluster of Redis', makeCluster],
])('%s', (_, make) => {
  test('has every key, its seal and its counts, and goes on with them', async () => {
    const { store, logged } = await (await make()).open();
    const entries = await store.directory.list();
    const shown = entries.map(({ record, usage }) => [record.name, record.state, usage]);
    expect(shown).toEqual(EXPECTED);
    for (const [index, { digest, sealed, record }] of entries.entries()) {
      expect(digest).toBe(digestApiKey(keyOf(index + 1)));
      if (sealed !== null) expect(createKeySeal(SECRET).open(sealed, record.id)).toBe(keyOf(index + 1));
    }
    expect(entries.filter(({ sealed }) => sealed !== null)).toHaveLength(3);
    const verdicts = await store.decide(entries.map(({ digest }) => ({ digest, count: 2 })));
    expect(verdicts.map(({ standing }) => standing)).toEqual(['good', 'good', 'revoked', 'good', 'good', 'good']);
    expect(verdicts[0]).toMatchObject({ before: { used: 10 }, plan: { name: 'business' }, allowedCount: 2 });
    const { usage } = (await store.directory.find(entries[0]?.record.id ?? '')) as KeyEntry;
    expect(usage).toEqual(usageOf({ '2026-09': 3, '2026-10': 12 }, { '2026-10-06': 2 }));
    expect(logged).toMatchObject([{ level: 'info', fields: { keys: 6 } }]);
  });

  test('opened again, and by several at once, it is carried over once', async () => {
    const earlier = await make();
    const stores = await Promise.all([earlier.open(), earlier.open(), earlier.open()]);
    const digest = digestApiKey(keyOf(1));
    const verdicts = await Promise.all(stores.map(({ store }) => store.decide([{ digest, count: 1 }])));
    expect(verdicts).toMatchObject(Array(3).fill([{ allowedCount: 1 }]));
    await stores[0]?.store.directory.change('key_000000000001', revoke);
    await stores[0]?.store.directory.create(newEntry());
    const { store } = await earlier.open();
    const entries = await store.directory.list();
    expect(entries).toHaveLength(7);
    const [first] = entries.filter((entry) => entry.digest === digest) as [KeyEntry];
    expect([first.record.state, first.usage.months.get('2026-10')]).toEqual(['revoked', 13]);
  });

  test('damaged data stay where they are, the log tells of them, and the other keys are carried over', async () => {
    const earlier = await make();
    await earlier.damage();
    const { store, logged } = await earlier.open();
    const names = (await store.directory.list()).map(({ record }) => record.name);
    expect(names).toEqual(EXPECTED.slice(0, 5).map(([name]) => name));
    const errors = logged.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([{ message: expect.stringContaining('earlier version') }]);
    expect(JSON.stringify(errors)).toContain(IMPORTED);
  });
});
