/** Accounts over the embedded store: the contract, and what only time can end. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Accounts } from '../../src/keys/accounts/accounts.js';
import { openEmbeddedKeyStore } from '../../src/keys/embedded-key-store.js';
import type { KeyStore } from '../../src/keys/key-store.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../src/keys/plan.js';
import { openRedisKeyStore } from '../../src/keys/redis-key-store.js';
import { parseRedisAddress } from '../../src/keys/storage/redis-address.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { type RedisServer, startRedis } from '../fixtures/redis-server.js';
import { describeAccounts } from './account-contract.js';
import type { StoreSurroundings, StoreUnderTest } from './key-store-scene.js';
import { describeMailboxes } from './mailbox-contract.js';
import { describeOperatorActions } from './operator-contract.js';
import { createTemporaryFolders } from './temporary-folders.js';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());
let folder = '';

const storeUnderTest: StoreUnderTest = {
  openEmpty: (surroundings) => {
    folder = folders.make();
    return openEmbeddedKeyStore({ folder, logger: silentLogger, ...surroundings });
  },
  openAgain: (surroundings) => openEmbeddedKeyStore({ folder, logger: silentLogger, ...surroundings }),
};

describeAccounts('accounts over the embedded store', storeUnderTest);
describeMailboxes('mailboxes over the embedded store', storeUnderTest);
describeOperatorActions('acts of operators over the embedded store', storeUnderTest);

test('codes end after 15 minutes, idle sessions after 30 days, and all of them after 90', async () => {
  let nowMs = Date.parse('2026-01-01T00:00:00.000Z');
  const store = await openEmbeddedKeyStore({
    folder: join(folders.make(), 'keys'),
    findPlan: createPlanFinder(DEFAULT_PLANS),
    clock: () => nowMs,
    logger: silentLogger,
  });
  try {
    const rules = { keySecret: 'a secret of thirty-two characters', keysPerAccount: 1, domains: null };
    const accounts = new Accounts(store, rules, () => nowMs);
    const { attempt, code } = await accounts.signIns.requestCode('ada@example.org');
    nowMs += 15 * 60_000 + 1;
    await expect(accounts.signIns.redeem(attempt, code)).rejects.toMatchObject({ code: 'CODE_GONE' });
    const second = await accounts.signIns.requestCode('ada@example.org');
    const { token } = await accounts.signIns.redeem(second.attempt, second.code);
    for (let days = 0; days < 75; days += 25) {
      nowMs += 25 * 86_400_000;
      expect(await accounts.findUser(token)).toBeDefined();
    }
    nowMs += 16 * 86_400_000;
    expect(await accounts.findUser(token)).toBeUndefined();
    const third = await accounts.signIns.requestCode('ada@example.org');
    const idle = await accounts.signIns.redeem(third.attempt, third.code);
    nowMs += 31 * 86_400_000;
    expect(await accounts.findUser(idle.token)).toBeUndefined();
  } finally {
    await store.close();
  }
});

describe('over Redis', () => {
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
});
