/** The ledger of the store in Redis: a hash for each usage id, see redis-decision-script.ts. */

import { randomBytes } from 'node:crypto';
import { isDayName, isMonthName } from '../key/calendar.js';
import { isRequestCount, keepLatestUsageCounts, type UsageCounts, type UsageLedger } from '../key/usage-counts.js';
import { isKeyStoreDamage, KeyStoreError } from '../storage/key-store-error.js';
import type { RedisClient } from '../storage/redis-client.js';
import { REDIS_PREFIX } from '../storage/redis-keyspace.js';
import { redisFieldsIn } from '../storage/redis-replies.js';
import { waitUntilRead } from '../storage/redis-wait.js';

export const USAGE_PREFIX = `${REDIS_PREFIX}:usage:`;
const ID_BYTES = 8;
const ARRIVAL = 'arrival';

export class RedisUsage implements UsageLedger {
  constructor(private readonly client: RedisClient) {}

  async begin(_digest: string, counts: UsageCounts): Promise<string> {
    const usageId = randomBytes(ID_BYTES).toString('hex');
    const { months, days } = keepLatestUsageCounts(counts);
    const fields = [...months, ...days].flatMap(([name, count]) => [name, String(count)]);
    if (fields.length > 0) await this.#ask('HSET', USAGE_PREFIX + usageId, ...fields);
    return usageId;
  }

  read(usageIds: readonly string[]): Promise<(UsageCounts | KeyStoreError)[]> {
    return Promise.all(
      usageIds.map((usageId) =>
        this.#read(usageId).catch((error: unknown) => {
          if (isKeyStoreDamage(error)) return error;
          throw error;
        }),
      ),
    );
  }

  async #read(usageId: string): Promise<UsageCounts> {
    const reply = await this.#ask('HGETALL', USAGE_PREFIX + usageId);
    const [months, days] = [new Map<string, number>(), new Map<string, number>()];
    for (const [name, text] of redisFieldsIn(reply)) {
      if (name === ARRIVAL) continue;
      const counts = isMonthName(name) ? months : isDayName(name) ? days : undefined;
      if (counts === undefined || !/^\d{1,16}$/.test(text) || !isRequestCount(Number(text))) {
        const found = `${this.client.description} at ${USAGE_PREFIX}${usageId} holds a count that is none`;
        const what = JSON.stringify(`${name} ${text}`.slice(0, 40));
        throw new KeyStoreError('KEY_STORE_DAMAGED', `${found} (${what})`, 'restore it from a backup, or delete it');
      }
      counts.set(name, Number(text));
    }
    return keepLatestUsageCounts({ months, days });
  }

  /** Also for what begins counts: they are no key's yet. */
  #ask(command: string, ...args: string[]): Promise<unknown> {
    return waitUntilRead(this.client, () => this.client.run(command, ...args));
  }
}
