/** Logs settings of Redis that can lose data, and settings that can't be read. */

import { errorMessageOf } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { RedisClient } from './redis-client.js';

/** Checks the settings at the first connection; repeats the check if the connection is lost before the reply. */
export function warnOfSettingsWhenReady(client: RedisClient, logger: Logger): void {
  let hasLooked = false;
  const look = (): void => {
    if (hasLooked) return;
    hasLooked = true;
    void warnOfSettings(client, logger).catch((error) => {
      hasLooked = client.isReady();
      if (hasLooked) logUnreadable(client, logger, errorMessageOf(error));
    });
  };
  client.onReady(look);
  if (client.isReady()) look();
}

async function warnOfSettings(client: RedisClient, logger: Logger): Promise<void> {
  const store = client.description;
  const persistence = String(await client.run('INFO', 'persistence'));
  if (persistence.includes('aof_enabled:0')) {
    logger.warn({ store }, 'this Redis keeps no append-only file: when it ends, it loses the latest keys and counts');
  }
  const [, policy] = /maxmemory_policy:(\S+)/.exec(String(await client.run('INFO', 'memory'))) ?? [];
  if (policy === undefined) {
    logUnreadable(client, logger, 'INFO names no maxmemory_policy');
  } else if (policy !== 'noeviction') {
    // The "volatile" policies evict keys with an expiry: sessions, and the visitors of publishable keys.
    logger.warn({ store, policy }, 'this Redis may throw keys away when it is full: set maxmemory-policy noeviction');
  }
}

function logUnreadable(client: RedisClient, logger: Logger, problem: string): void {
  logger.info({ store: client.description, problem }, 'the settings of this Redis can not be looked at');
}
