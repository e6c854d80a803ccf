/** Opens the key store that the configuration chooses: Redis where there is an address of one, else the embedded one. */

import type { KeyConfig } from '../config.js';
import { openEmbeddedKeyStore } from './embedded/embedded-key-store.js';
import type { KeyStore, KeyStoreLogger } from './key-store.js';
import { createPlanFinder } from './plan.js';
import { openRedisKeyStore } from './redis/redis-key-store.js';

/**
 * Throws KeyStoreError where a folder can't be used, or must hold a store and does not; a Redis that is not there shows
 * when it is asked.
 */
export function openKeyStore(config: KeyConfig, logger: KeyStoreLogger, mustExist = false): KeyStore {
  const findPlan = createPlanFinder(config.plans, (plan) =>
    logger.error({ plan }, 'PLANS lacks the plan of a key; the limits of the plan free hold for it'),
  );
  if (config.redis === null) {
    return openEmbeddedKeyStore({ folder: config.keysDirectory, findPlan, logger, mustExist });
  }
  return openRedisKeyStore({
    address: config.redis,
    plans: config.plans,
    findPlan,
    timeoutMs: config.redisTimeoutMs,
    graceMs: config.keyGraceSeconds * 1000,
    logger,
  });
}
