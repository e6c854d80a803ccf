/** The visitors of publishable keys in a real Redis: what is left of them, missing rights, and outages. */

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Caller } from '../../../src/keys/key-decision.js';
import type { KeyEntry } from '../../../src/keys/key-directory.js';
import type { KeyStore } from '../../../src/keys/key-store.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/plan.js';
import { openRedisKeyStore } from '../../../src/keys/redis-key-store.js';
import { VISITORS_KEPT } from '../../../src/keys/redis-scripts.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { NOON, newEntry } from '../key-store-scene.js';
import { RESTRICTIONS, SHOP, VISITOR_INTERVAL_MS } from '../origin-cases.js';

const PLANS = parsePlans('{"free": {"requestsPerMonth": 100000, "requestsPerSecond": null, "burst": null}}');
const PREFIX = 'postal-places:{records}';
const findPlan = createPlanFinder(PLANS);

let redis: RedisServer;
const opened: KeyStore[] = [];
let nowMs = NOON;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  nowMs = NOON;
  await redis.command('FLUSHALL');
});
afterAll(async () => {
  for (const store of opened) await store.close();
  await redis?.stop();
});

async function open(url = redis.url): Promise<KeyStore> {
  const clock = () => nowMs;
  const options = { plans: PLANS, findPlan, timeoutMs: 10_000, graceMs: 3_600_000, logger: silentLogger, clock };
  const store = openRedisKeyStore({ address: parseRedisAddress(url), ...options });
  opened.push(store);
  await store.directory.list();
  return store;
}

async function addKey(store: KeyStore): Promise<KeyEntry> {
  const entry = newEntry({ restrictions: RESTRICTIONS });
  await store.directory.create(entry);
  return entry;
}

function callerOf(number: number): Caller {
  return { origin: SHOP, operation: 'autocomplete', visitor: number.toString(16).padStart(16, '0') };
}

const visitorsKey = () => redis.command('KEYS', `${PREFIX}:visitors:*`);

test('idle visitors are removed, and the rest goes by itself', async () => {
  const store = await open();
  const { digest } = await addKey(store);
  const ask = (...numbers: number[]) =>
    store.decide([{ digest, count: numbers.length, callers: numbers.map(callerOf) }]);
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

test('a flood forgets the visitors that asked least', async () => {
  const store = await open();
  const { digest } = await addKey(store);
  await store.decide([{ digest, count: 3, callers: [1, 1, 1].map(callerOf) }]);
  for (let at = 0; at < VISITORS_KEPT + 500; at += 500) {
    const callers = Array.from({ length: 500 }, (_, index) => callerOf(10 + at + index));
    await store.decide([{ digest, count: 500, callers }]);
    nowMs++;
  }
  expect(await redis.command('ZCARD', await visitorsKey())).toBe(String(VISITORS_KEPT));
  const [decision] = await store.decide([{ digest, count: 1, callers: [callerOf(1)] }]);
  expect(decision).toMatchObject({ outcomes: [{ status: 'visitor-limited' }] });
});

test('a server whose user may not count visitors serves all other keys', async () => {
  const store = await open();
  const publishable = await addKey(store);
  const secret = newEntry();
  await store.directory.create(secret);
  const rights = '+@all -zadd -zscore -zremrangebyscore'.split(' ');
  await redis.command('ACL', 'SETUSER', 'old', 'on', '>password', '~*', '&*', ...rights);
  const old = await open(redis.url.replace('redis://', 'redis://old:password@'));
  const decisions = await old.decide([
    { digest: publishable.digest, count: 1, callers: [callerOf(1)] },
    { digest: secret.digest, count: 1 },
  ]);
  expect(decisions).toMatchObject([{ status: 'unavailable' }, { status: 'good', allowedCount: 1 }]);
  expect(old.health().state).toBe('ready');
  expect((await store.directory.find(publishable.record.id))?.usage.months.size).toBe(0);
});

test('without Redis a known key keeps its restrictions, and its visitors their rate', async () => {
  const own = await startRedis();
  const store = await open(own.url);
  try {
    const { digest } = await addKey(store);
    const ask = async (...callers: Caller[]) => {
      const [decision] = await store.decide([{ digest, count: callers.length, callers }]);
      if (decision?.status !== 'publishable') throw new Error(`the key is ${decision?.status}`);
      return decision.outcomes.map(({ status }) => status);
    };
    expect(await ask(callerOf(1))).toEqual(['allowed']);
    await own.stop();
    const four = [1, 1, 1, 1].map(callerOf);
    expect(await ask(...four)).toEqual(['allowed', 'allowed', 'allowed', 'visitor-limited']);
    expect(
      await ask({ ...callerOf(2), origin: 'https://evil.example' }, { ...callerOf(2), operation: 'reverse' }),
    ).toEqual(['origin-not-allowed', 'restricted']);
    nowMs += VISITOR_INTERVAL_MS;
    expect(await ask(...four)).toEqual(['allowed', ...Array(3).fill('visitor-limited')]);
  } finally {
    await store.close();
  }
});
