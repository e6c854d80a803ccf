/** Logs settings of Redis that can lose data, and settings that can't be read. */

import { messageOf } from '../../expected-error.js';
import type { Logger } from '../../logger.js';
import type { RedisClient } from './redis-client.js';

/** Checks the settings at the first connection; repeats the check if the connection is lost before the reply. */
export function warnOfSettingsWhenReady(client: RedisClient, logger: Logger): void {
  let hasLooked = false;
  const look = (): void => {
    if (hasLooked || !client.isReady()) return;
    hasLooked = true;
    void warnOfSettings(client, logger).catch((error) => {
      hasLooked = client.isReady();
      if (hasLooked) logUnreadable(client, logger, messageOf(error));
    });
  };
  client.onChange(look);
  look();
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
    // The "volatile" policies evict keys with an expiry: sessions, and the receipts of counted batches.
    logger.warn({ store, policy }, 'this Redis may throw keys away when it is full: set maxmemory-policy noeviction');
  }
}

function logUnreadable(client: RedisClient, logger: Logger, problem: string): void {
  logger.info({ store: client.description, problem }, 'the settings of this Redis can not be looked at');
}
