/** Accounts over Redis: the contract. */

import { afterAll, beforeAll } from '@jest/globals';
import type { KeyStore } from '../../src/keys/key-store.js';
import { openRedisKeyStore } from '../../src/keys/redis-key-store.js';
import { parseRedisAddress } from '../../src/keys/storage/redis-address.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { type RedisServer, startRedis } from '../fixtures/redis-server.js';
import { describeAccounts } from './account-contract.js';
import type { StoreSurroundings, StoreUnderTest } from './key-store-scene.js';
import { describeMailboxes } from './mailbox-contract.js';
import { describeOperatorActions } from './operator-contract.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());

async function open(surroundings: StoreSurroundings): Promise<KeyStore> {
  const address = parseRedisAddress(redis.url);
  const store = openRedisKeyStore({
    ...surroundings,
    address,
    timeoutMs: 20_000,
    graceMs: 300_000,
    logger: silentLogger,
  });
  await store.directory.list();
  return store;
}

const storeUnderTest: StoreUnderTest = {
  async openEmpty(surroundings) {
    await redis.command('FLUSHALL');
    return open(surroundings);
  },
  openAgain: open,
};

describeAccounts('accounts over Redis', storeUnderTest);
describeMailboxes('mailboxes over Redis', storeUnderTest);
describeOperatorActions('acts of operators over Redis', storeUnderTest);
