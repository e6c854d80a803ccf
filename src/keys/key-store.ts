/**
 * Stores API keys, each under the digest of its clear key, and counts their requests. A store never sees a clear key.
 * Reads see the last finished change of any process, and a decision counts the requests that it allows in the same
 * step, so all processes together never allow more than a plan does. An unusable or damaged store is a KeyStoreError,
 * never a missing key.
 */

import type { Logger } from '../base/logger.js';
import {
  type Environment,
  integer,
  parsePath,
  readSettings,
  secret,
  setting,
  type ValuesOf,
} from '../base/settings.js';
import type { KeyCheck, KeyDecision } from './key-decision.js';
import type { KeyDirectory } from './key-directory.js';
import { createPlanFinder, DEFAULT_PLANS, type PlanTable, parsePlans } from './plan.js';
import type { RecordStore } from './records/record-store.js';
import { parseRedisAddress, type RedisAddress } from './storage/redis-address.js';

/** How a store is opened. */
export interface OpenOptions {
  /** Whether a folder without a store is an error; else there is a new store in it. */
  readonly mustExist?: boolean;
  /** Whether another process has just checked the embedded store for damage. */
  readonly isChecked?: boolean;
}

export interface KeyStore {
  /** Finds and changes keys: for people, never for a request. */
  readonly directory: KeyDirectory;
  /** All other records that live in the same place. */
  readonly records: RecordStore;
  /**
   * Decides and counts, each check by itself, at most some hundred and no two of the same key; one decision for each, in
   * their order. Rejects with KeyStoreError.
   */
  decide(checks: readonly KeyCheck[]): Promise<readonly KeyDecision[]>;
  /** Warns of settings that can lose keys or counts, as soon as the store can be reached. For servers. */
  inspect(): void;
  /** The health of the store, from its last decisions. */
  health(): KeyStoreHealth;
  /** Finishes pending writes. The store must not be used afterwards; a second close does nothing. */
  close(): Promise<void>;
}

export interface KeyStoreHealth {
  readonly kind: 'embedded' | 'redis';
  /** `degraded` while decisions are made from memory, or not at all: the store can't be asked, or has lost keys. */
  readonly state: 'ready' | 'degraded';
  /** The last problem while degraded, else null. */
  readonly problem: string | null;
  /** How often it could not be asked, or held damaged data, since it was opened. */
  readonly errorCount: number;
}

/* The settings that concern keys: all programs read them alike, but only those that show keys know the secret. */

const ONE_DAY_SECONDS = 86_400;

/** Where keys live, and what their requests are counted against. */
export const keyStoreSettings = {
  keysDirectory: setting('KEYS_DIR', './var/keys', 'the path of the key store folder', parsePath),
  redis: secret<RedisAddress | null>('REDIS_URL', null, 'an address such as redis://host:6379/0', parseRedisAddress),
  redisTimeoutMs: setting('REDIS_TIMEOUT_MS', 250, 'an integer from 1 to 60000', integer(1, 60_000)),
  keyGraceSeconds: setting(
    'KEY_GRACE_SECONDS',
    3_600,
    `an integer from 0 to ${ONE_DAY_SECONDS}`,
    integer(0, ONE_DAY_SECONDS),
  ),
  plans: setting<PlanTable>('PLANS', DEFAULT_PLANS, 'a JSON object of plans', parsePlans),
};

export const keySettings = {
  ...keyStoreSettings,
  keySecret: secret<string | null>('KEY_SECRET', null, 'a text of 32 characters or more', (text) =>
    text.length >= 32 ? text : undefined,
  ),
};

export type KeyStoreConfig = ValuesOf<typeof keyStoreSettings>;
export type KeyConfig = ValuesOf<typeof keySettings>;

/** Throws InvalidValueError on the first wrong value. */
export function readKeyConfig(environment: Environment): KeyConfig {
  return readSettings(keySettings, environment);
}

/*
 * Opens the configured key store: Redis if REDIS_URL is set, else the embedded store. Only the library of that store is
 * loaded, because loading takes most of the start time of `postal-places keys`.
 */

/**
 * Rejects with KeyStoreError if the folder can't be used, or has no store while `mustExist`. An unreachable Redis fails
 * later, at the first command.
 */
export async function openKeyStore(
  config: KeyStoreConfig,
  logger: Logger,
  options: OpenOptions = {},
): Promise<KeyStore> {
  const findPlan = createPlanFinder(config.plans, (plan) =>
    logger.error({ plan }, 'PLANS lacks the plan of a key; the limits of the plan free hold for it'),
  );
  if (config.redis === null) {
    const { openEmbeddedKeyStore } = await import('./embedded-key-store.js');
    return await openEmbeddedKeyStore({ folder: config.keysDirectory, findPlan, logger, ...options });
  }
  const { openRedisKeyStore } = await import('./redis-key-store.js');
  return openRedisKeyStore({
    address: config.redis,
    plans: config.plans,
    findPlan,
    timeoutMs: config.redisTimeoutMs,
    graceMs: config.keyGraceSeconds * 1000,
    logger,
  });
}
