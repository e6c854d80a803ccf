/** Accounts over the embedded store and over Redis. */

import { afterAll, beforeAll, describe } from '@jest/globals';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { openRedisKeyStore } from '../../../src/keys/decision/redis-key-store.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import type { StoreSurroundings } from '../decision/key-store-scene.js';
import { createTemporaryFolders } from '../temporary-folders.js';
import { describeAccounts } from './account-contract.js';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());
let folder = '';

describeAccounts('accounts over the embedded store', {
  openEmpty: (surroundings) => {
    folder = folders.make();
    return openEmbeddedKeyStore({ folder, logger: silentLogger, ...surroundings });
  },
  openAgain: (surroundings) => openEmbeddedKeyStore({ folder, logger: silentLogger, ...surroundings }),
});

describe('accounts over Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());

  async function open(surroundings: StoreSurroundings): Promise<KeyStore> {
    const address = parseRedisAddress(redis.url);
    const waits = { timeoutMs: 20_000, graceMs: 300_000, logger: silentLogger };
    const store = openRedisKeyStore({ ...surroundings, address, ...waits });
    await store.directory.list();
    return store;
  }

  describeAccounts('in one Redis', {
    async openEmpty(surroundings) {
      await redis.command('FLUSHALL');
      return open(surroundings);
    },
    openAgain: open,
  });
});
