/**
 * Opens the key store that the configuration chooses: Redis where there is an address of one, else the embedded one.
 * Only that one's library is loaded, which takes most of the time in which the key program starts.
 */

import type { Logger } from '../logger.js';
import type { KeyStoreConfig } from './key-settings.js';
import type { KeyStore } from './key-store.js';
import { createPlanFinder } from './plan.js';

/**
 * Rejects with KeyStoreError where a folder can't be used, or must hold a store and does not; a Redis that is not there
 * shows when it is asked.
 */
export async function openKeyStore(config: KeyStoreConfig, logger: Logger, mustExist = false): Promise<KeyStore> {
  const findPlan = createPlanFinder(config.plans, (plan) =>
    logger.error({ plan }, 'PLANS lacks the plan of a key; the limits of the plan free hold for it'),
  );
  if (config.redis === null) {
    const { openEmbeddedKeyStore } = await import('./embedded/embedded-key-store.js');
    return await openEmbeddedKeyStore({ folder: config.keysDirectory, findPlan, logger, mustExist });
  }
  const { openRedisKeyStore } = await import('./redis/redis-key-store.js');
  return openRedisKeyStore({
    address: config.redis,
    plans: config.plans,
    findPlan,
    timeoutMs: config.redisTimeoutMs,
    graceMs: config.keyGraceSeconds * 1000,
    logger,
  });
}
