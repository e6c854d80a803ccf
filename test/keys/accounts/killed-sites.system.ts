/**
 * Sites that are killed while people sign up, replace and revoke keys and close accounts, over both kinds of store: no
 * account is without its keys, no good key without its account, and nothing is there twice.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { AccountDirectory } from '../../../src/keys/accounts/account-directory.js';
import { readKeyConfig } from '../../../src/keys/decision/key-settings.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { openKeyStore } from '../../../src/keys/decision/open-key-store.js';
import { hasGoodKeyStatus } from '../../../src/keys/key/key-status.js';
import { createRandom } from '../../fixtures/random.mjs';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { startRedis } from '../../fixtures/redis-server.js';
import { createTemporaryFolders } from '../temporary-folders.js';

const BUILT = new URL('../../../dist/src/', import.meta.url).href;
const KILLS = 12;
/** A site is killed soon after the beginning of one of its first acts. */
const ACTS = 12;
const LONGEST_MS = 4;

const SITE = `
  import { DeveloperActions } from '${BUILT}keys/accounts/developer-actions.js';
  import { readKeyConfig } from '${BUILT}keys/decision/key-settings.js';
  import { openKeyStore } from '${BUILT}keys/decision/open-key-store.js';
  const store = await openKeyStore(readKeyConfig(process.env), { info() {}, warn() {}, error() {} });
  const rules = { keySecret: 'a secret of thirty-two characters', keysPerAccount: 1, domains: null };
  const accounts = new DeveloperActions(store, rules);
  const act = (promise) => {
    process.stdout.write('.');
    return promise;
  };
  for (let round = 0; ; round++) {
    const { attempt, code } = await act(accounts.signIns.requestCode(process.argv[1] + '-' + round + '@example.org'));
    const { token, account } = await act(accounts.signIns.redeem(attempt, code));
    const { keyId } = await act(accounts.replaceKey(token, account.keyIds[0], round % 2 === 0 ? 0 : 60_000));
    await act(accounts.revokeKey(token, keyId, 'key 1'));
    if (round % 2 === 0) await act(accounts.makeKey(token));
    if (round % 3 === 0) await act(accounts.close(token, account.email));
  }`;

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

/** What is wrong with what a killed site left. */
async function findWrongs(store: KeyStore): Promise<string[]> {
  const directory = new AccountDirectory(store);
  const accounts = await directory.list();
  const keys = await store.directory.list();
  const owners = new Map<string, string>();
  const wrongs: string[] = [];
  for (const { id, keyIds } of accounts) {
    if (keyIds.length === 0) wrongs.push(`${id} has no key`);
    for (const keyId of keyIds) {
      if (owners.has(keyId)) wrongs.push(`${keyId} has two accounts`);
      owners.set(keyId, id);
    }
  }
  const known = new Map(keys.map(({ record }) => [record.id, record]));
  for (const keyId of owners.keys()) if (!known.has(keyId)) wrongs.push(`${keyId} of an account is not there`);
  for (const record of known.values()) {
    const { id } = record;
    if (hasGoodKeyStatus(record, Date.now()) && !owners.has(id)) wrongs.push(`${id} is good and has no account`);
  }
  for (const { id, keyIds } of accounts) {
    const active = keyIds.filter((keyId) => known.get(keyId)?.state === 'active');
    if (active.length > 1) wrongs.push(`${id} has ${active.length} active keys`);
  }
  const addresses = accounts.map(({ email }) => email);
  if (new Set(addresses).size < addresses.length) wrongs.push('an address has two accounts');
  return wrongs;
}

async function killSites(environment: Record<string, string>): Promise<number> {
  const random = createRandom(15);
  const store = await openKeyStore(readKeyConfig(environment), silentLogger);
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', SITE, `site${kill}`], {
        env: { PATH: process.env.PATH, ...environment },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const actCount = 1 + Math.floor(random() * ACTS);
      for (let begun = 0; begun < actCount; ) begun += (await once(child.stdout, 'data'))[0].length;
      await wait(random() * LONGEST_MS);
      child.kill('SIGKILL');
      const [, signal] = await once(child, 'close');
      expect(signal).toBe('SIGKILL');
      expect(await findWrongs(store)).toEqual([]);
    }
    return (await store.directory.list()).length;
  } finally {
    await store.close();
  }
}

test('over the embedded store', async () => {
  expect(await killSites({ KEYS_DIR: join(folders.make(), 'keys') })).toBeGreaterThan(KILLS);
});

test('over Redis', async () => {
  const redis = await startRedis();
  try {
    expect(await killSites({ REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '20000' })).toBeGreaterThan(KILLS);
  } finally {
    await redis.stop();
  }
});
