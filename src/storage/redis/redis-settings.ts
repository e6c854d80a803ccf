/** Warnings of settings of Redis under which data get lost. Where a setting can't be read, that is a line too. */

import type { Logger } from '../../logger.js';
import type { RedisClient } from './redis-client.js';

/** Rejects with KeyStoreError where Redis does not tell its settings. */
export async function warnOfSettings(client: RedisClient, logger: Logger): Promise<void> {
  const store = client.description;
  const persistence = String(await client.run('INFO', 'persistence'));
  if (persistence.includes('aof_enabled:0')) {
    logger.warn({ store }, 'this Redis keeps no append-only file: when it ends, it loses the latest keys and counts');
  }
  const [, policy] = /maxmemory_policy:(\S+)/.exec(String(await client.run('INFO', 'memory'))) ?? [];
  if (policy === undefined) {
    logUnreadable(client, logger, 'INFO names no maxmemory_policy');
  } else if (policy !== 'noeviction') {
    // The policies named "volatile" throw away what has an end: sessions, and what says that a flight was counted.
    logger.warn({ store, policy }, 'this Redis may throw keys away when it is full: set maxmemory-policy noeviction');
  }
}

export function logUnreadable(client: RedisClient, logger: Logger, problem: string): void {
  logger.info({ store: client.description, problem }, 'the settings of this Redis can not be looked at');
}
