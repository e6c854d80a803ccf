/**
 * Opens the configured key store: Redis if REDIS_URL is set, else the embedded store. Only the library of that store is
 * loaded, because loading takes most of the start time of `postal-places keys`.
 */

import type { Logger } from '../logger.js';
import type { KeyStoreConfig } from './key-settings.js';
import type { KeyStore, OpenOptions } from './key-store.js';
import { createPlanFinder } from './plan.js';

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
    const { openEmbeddedKeyStore } = await import('./embedded/embedded-key-store.js');
    return await openEmbeddedKeyStore({ folder: config.keysDirectory, findPlan, logger, ...options });
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
