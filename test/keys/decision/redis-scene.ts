/** Stores in a Redis that their test starts, spoils and repairs. What was started is stopped after the test. */

import { afterEach } from '@jest/globals';
import type { KeyDecision } from '../../../src/keys/decision/key-decision.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { openRedisKeyStore, type RedisDecisionOptions } from '../../../src/keys/decision/redis-key-store.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import type { KeyRecord } from '../../../src/keys/key/key-record.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/key/plan.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { createRecordingLogger, type LoggedLine } from '../../fixtures/recording-logger.js';
import { type RedisOptions, type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { newEntry } from './key-store-scene.js';

const PLANS = parsePlans(
  JSON.stringify({
    free: { requestsPerMonth: 10, requestsPerSecond: null, burst: null },
    unlimited: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
    quick: { requestsPerMonth: null, requestsPerSecond: 8, burst: 10 },
    single: { requestsPerMonth: null, requestsPerSecond: 2, burst: 1 },
  }),
);
export const HOUR_MS = 3_600_000;
/** The start of all keys in Redis. */
export const PREFIX = 'postal-places:{records}';

export type StoreOptions = Partial<RedisDecisionOptions>;

export interface OpenedStore {
  readonly store: KeyStore;
  readonly logged: readonly LoggedLine[];
}

export interface RedisStores {
  /** Stops something after the test. */
  after(stop: () => unknown): void;
  start(options?: RedisOptions): Promise<RedisServer>;
  open(url: string, options?: StoreOptions): OpenedStore;
  /** A store in a Redis of its own. */
  set(redisOptions?: RedisOptions, options?: StoreOptions): Promise<OpenedStore & { readonly redis: RedisServer }>;
}

export function useRedisStores(): RedisStores {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });
  const stores: RedisStores = {
    after: (stop) => void cleanups.push(stop),
    async start(options = {}) {
      const redis = await startRedis({ appendOnly: true, ...options });
      cleanups.push(() => redis.stop());
      return redis;
    },
    open(url, options = {}) {
      const logger = createRecordingLogger();
      const store = openRedisKeyStore({
        ...{ address: parseRedisAddress(url), plans: PLANS, findPlan: createPlanFinder(PLANS) },
        // Long, unless a test is about it: other processes may keep this one waiting.
        ...{ timeoutMs: 10_000, graceMs: HOUR_MS, logger, ...options },
      });
      cleanups.push(() => store.close());
      return { store, logged: logger.lines };
    },
    async set(redisOptions, options) {
      const redis = await stores.start(redisOptions);
      return { redis, ...stores.open(redis.url, options) };
    },
  };
  return stores;
}

export async function addKey(store: KeyStore, change: Partial<KeyRecord> = {}): Promise<KeyEntry> {
  const entry = newEntry({ plan: 'unlimited', ...change });
  await store.directory.create(entry);
  return entry;
}

export async function ask(store: KeyStore, { digest }: KeyEntry, count = 1): Promise<KeyDecision> {
  const [decision] = await store.decide([{ digest, count }]);
  return decision as KeyDecision;
}

/** How many of the requests the store allows. */
export async function allowedOf(store: KeyStore, entry: KeyEntry, count = 1): Promise<number> {
  const decision = await ask(store, entry, count);
  return decision.status === 'good' ? decision.allowedCount : 0;
}

export async function usedOf(store: KeyStore, { record }: KeyEntry): Promise<number> {
  const entry = await store.directory.find(record.id);
  return [...(entry?.usage.months.values() ?? [])].reduce((sum, count) => sum + count, 0);
}
