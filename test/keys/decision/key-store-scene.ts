/**
 * The scene of the contract's tests: a store of the kind under test, a table of plans, and a clock that stands still
 * until a test moves it. Every test gets an empty store; what it opened is closed after it.
 */

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import type { Admission, KeyDecision } from '../../../src/keys/decision/key-decision.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { openRedisKeyStore } from '../../../src/keys/decision/redis-key-store.js';
import { createApiKey, digestApiKey } from '../../../src/keys/key/api-key.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import { createKeyRecord, type KeyRecord, parseKeyRecord } from '../../../src/keys/key/key-record.js';
import {
  createPlanFinder,
  type Plan,
  type PlanFinder,
  type PlanTable,
  parsePlans,
} from '../../../src/keys/key/plan.js';
import { NO_USAGE, type UsageCounts } from '../../../src/keys/key/usage-counts.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import type { RedisGroup } from '../../fixtures/redis-groups.js';
import { startRedis } from '../../fixtures/redis-server.js';

/** What a store is opened with. */
export interface StoreSurroundings {
  readonly plans: PlanTable;
  readonly findPlan: PlanFinder;
  readonly clock: () => number;
}

/** A kind of store. */
export interface StoreUnderTest {
  /** Opens a new, empty store. */
  openEmpty(surroundings: StoreSurroundings): Promise<KeyStore>;
  /** Opens the store that was made last once more, while it is open or after it was closed. */
  openAgain(surroundings: StoreSurroundings): Promise<KeyStore>;
}

/** Embedded stores, each in a folder of its own. */
export function embeddedStore(folders: { make(): string }): StoreUnderTest {
  let folder = '';
  const openAgain = (surroundings: StoreSurroundings) =>
    openEmbeddedKeyStore({ folder, logger: silentLogger, ...surroundings });
  return {
    openEmpty(surroundings) {
      folder = folders.make();
      return openAgain(surroundings);
    },
    openAgain,
  };
}

/** The store in the Redis that `start` starts before the tests of the enclosing `describe`. */
export function redisStore(start: () => Promise<Pick<RedisGroup, 'url' | 'servers' | 'stop'>>): StoreUnderTest {
  let redis: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    redis = await start();
  });
  afterAll(() => redis?.stop());
  const openAgain = async (surroundings: StoreSurroundings): Promise<KeyStore> => {
    // Long, as a busy machine may need: the contract is about no Redis that is slow.
    const waits = { timeoutMs: 20_000, graceMs: 300_000, logger: silentLogger };
    const store = openRedisKeyStore({ ...surroundings, address: parseRedisAddress(redis.url), ...waits });
    await store.directory.list();
    return store;
  };
  return {
    async openEmpty(surroundings) {
      await Promise.all(redis.servers.map((server) => server.command('FLUSHALL')));
      return openAgain(surroundings);
    },
    openAgain,
  };
}

/** One server. */
export async function startOneRedis(): Promise<RedisGroup> {
  const server = await startRedis();
  return { url: server.url, servers: [server], stop: () => server.stop() };
}

/** Every interval is a whole number of milliseconds, so that what is computed here by hand is exact. */
const PLANS = parsePlans(
  JSON.stringify({
    free: { requestsPerMonth: 5, requestsPerSecond: 50, burst: 100 },
    hundred: { requestsPerMonth: 100, requestsPerSecond: null, burst: null },
    none: { requestsPerMonth: 0, requestsPerSecond: null, burst: null },
    quick: { requestsPerMonth: null, requestsPerSecond: 50, burst: 3 },
    both: { requestsPerMonth: 10, requestsPerSecond: 50, burst: 4 },
    slow: { requestsPerMonth: null, requestsPerSecond: 0.1, burst: 2 },
    single: { requestsPerMonth: 30, requestsPerSecond: 2, burst: 1 },
    unlimited: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
  }),
);

export const NOON = Date.parse('2024-02-15T12:00:00.000Z');

export interface StoreScene {
  /** The store opened first. */
  readonly store: KeyStore;
  nowMs: number;
  plan(name: string): Plan;
  /** Opens the store once more. */
  openAgain(): Promise<KeyStore>;
  /** Creates a key that differs from an active one on the plan `unlimited` as said. */
  addKey(change?: Partial<KeyRecord>): Promise<KeyEntry>;
  /** The decision on requests of a key that came at once, which must be good. */
  ask(entry: KeyEntry, count: number, store?: KeyStore): Promise<Admission>;
  /** Likewise, on requests that each take `cost` units, and `rateCost` of the rate. */
  askFor(entry: KeyEntry, cost: number, count?: number, rateCost?: number): Promise<Admission>;
  /** The decision on one request of a key. */
  decisionOn(entry: KeyEntry): Promise<KeyDecision>;
  /** What the store keeps of a key, which must be there. */
  find(entry: KeyEntry): Promise<KeyEntry>;
}

/** Gives each test of the enclosing `describe` a new scene; what is returned always stands for the present one. */
export function useStoreScene({ openEmpty, openAgain }: StoreUnderTest): StoreScene {
  const findPlan = createPlanFinder(PLANS);
  const surroundings: StoreSurroundings = { plans: PLANS, findPlan, clock: () => scene.nowMs };
  let opened: KeyStore[] = [];
  const scene: StoreScene = {
    get store() {
      return opened[0] as KeyStore;
    },
    nowMs: NOON,
    plan: findPlan,
    async openAgain() {
      const store = await openAgain(surroundings);
      opened.push(store);
      return store;
    },
    async addKey(change = {}) {
      const entry = newEntry({ plan: 'unlimited', ...change });
      await scene.store.directory.create(entry);
      return entry;
    },
    async ask({ digest }, count, store = scene.store) {
      return goodDecision(await store.decide([{ digest, count }]));
    },
    async askFor({ digest }, cost, count = 1, rateCost = cost) {
      return goodDecision(await scene.store.decide([{ digest, count, cost, rateCost }]));
    },
    async decisionOn({ digest }) {
      const [decision] = await scene.store.decide([{ digest, count: 1 }]);
      return decision as KeyDecision;
    },
    async find({ record }) {
      const entry = await scene.store.directory.find(record.id);
      if (entry === undefined) throw new Error(`the store has no key ${record.id}`);
      return entry;
    },
  };
  beforeEach(async () => {
    scene.nowMs = NOON;
    opened = [await openEmpty(surroundings)];
  });
  afterEach(async () => {
    for (const store of opened) await store.close();
  });
  return scene;
}

function goodDecision([decision]: readonly KeyDecision[]): Admission {
  if (decision?.status !== 'good') throw new Error(`the key is not good: ${JSON.stringify(decision)}`);
  return decision;
}

/** Counts of these months and days. */
export function usageOf(
  months: Readonly<Record<string, number>>,
  days: Readonly<Record<string, number>> = {},
): UsageCounts {
  return { months: new Map(Object.entries(months)), days: new Map(Object.entries(days)) };
}

/** An entry of a new key, in no store yet, whose record differs as said from an active one on the plan `free`. */
export function newEntry(change: Partial<KeyRecord> = {}, sealed: string | null = null): KeyEntry {
  const record = parseKeyRecord({ ...createKeyRecord('somebody', new Date(0)), ...change });
  return { digest: digestApiKey(createApiKey()), record, sealed, usage: NO_USAGE };
}
