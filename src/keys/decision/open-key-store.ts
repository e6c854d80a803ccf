/** Opens the key store that the settings name. */

import type { Logger } from '../../base/logger.js';
import { createPlanFinder } from '../key/plan.js';
import type { KeyStoreConfig } from './key-settings.js';
import type { KeyStore, OpenOptions } from './key-store.js';

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
