/**
 * The Redis store over every kind of Redis that REDIS_URL can name, each started for this file: the contract with one
 * server and with a Cluster, then the way there with Sentinels and with TLS. What it does while Redis is slow or gone
 * is tested elsewhere.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KeyStore } from '../../../src/keys/key-store.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../../src/keys/plan.js';
import { openRedisKeyStore } from '../../../src/keys/redis-key-store.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { type RedisGroup, startRedisCluster, startRedisSentinel } from '../../fixtures/redis-groups.js';
import { type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { describeKeyStore } from '../key-store-contract.js';
import { NOON, newEntry, type StoreSurroundings, usageOf } from '../key-store-scene.js';

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
      import { openRedisKeyStore } from '${BUILT}redis-key-store.js';
      import { createPlanFinder, DEFAULT_PLANS } from '${BUILT}plan.js';
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
