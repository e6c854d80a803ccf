/**
 * The settings that concern keys, and the store that they name. All programs read them alike, but only those that show
 * keys know the secret.
 */

import type { Logger } from '../../base/logger.js';
import {
  type Environment,
  integer,
  parsePath,
  readSettings,
  secret,
  setting,
  type ValuesOf,
} from '../../base/settings.js';
import { createPlanFinder, DEFAULT_PLANS, type PlanTable, parsePlans } from '../key/plan.js';
import { parseRedisAddress, type RedisAddress } from '../storage/redis-address.js';
import type { KeyStore, OpenOptions } from './key-store.js';

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

/**
 * Opens the configured key store: Redis if REDIS_URL is set, else the embedded store. Only that store's library is
 * loaded, because loading takes most of the start time of `postal-places keys`. Rejects with KeyStoreError if the folder
 * can't be used, or has no store while `mustExist`. An unreachable Redis fails later, at the first command.
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
    workers: options.workers,
    logger,
  });
}
