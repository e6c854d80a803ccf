/**
 * The commands about accounts of developers, over both kinds of store: what they show, what they change, and for whom.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DeveloperActions } from '../../../src/keys/accounts/developer-actions.js';
import type { SignedIn } from '../../../src/keys/accounts/sign-ins.js';
import { KeyBatcher } from '../../../src/keys/decision/key-batcher.js';
import { readKeyConfig } from '../../../src/keys/decision/key-settings.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { openKeyStore } from '../../../src/keys/decision/open-key-store.js';
import { isWellFormedApiKey } from '../../../src/keys/key/api-key.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { createTemporaryFolders } from '../../keys/temporary-folders.js';
import { PLANS, type RunOptions, run, runFailure, runJson, runText, SECRET } from './run-cli.js';

const UNKNOWN = 'acct_0123456789ab';
const ADA = 'ada@example.org';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

describe('over the embedded store', () => {
  describeCommands(async () => ({ KEYS_DIR: folders.make() }));
});

describe('over Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());
  describeCommands(async () => {
    await redis.command('FLUSHALL');
    return { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '20000' };
  });
});

function describeCommands(makeStore: () => Promise<Record<string, string>>): void {
  let env: Record<string, string>;
  /** Of the commands, and of what developers do. Stores go by the machine's clock. */
  let now: string;
  let options: RunOptions;
  beforeEach(async () => {
    env = { ...(await makeStore()), PLANS, KEY_SECRET: SECRET };
    now = new Date().toISOString();
    options = { env, now };
    // A store must be there.
    await inStore((store) => store.directory.list());
  });

  /** Uses the store as a server does. */
  async function inStore<T>(use: (store: KeyStore, accounts: DeveloperActions) => Promise<T>): Promise<T> {
    const store = await openKeyStore(readKeyConfig(env), silentLogger);
    const rules = { keySecret: SECRET, keysPerAccount: 1, domains: null };
    try {
      return await use(store, new DeveloperActions(store, rules, () => Date.parse(now)));
    } finally {
      await store.close();
    }
  }

  interface Developer extends SignedIn {
    readonly id: string;
    readonly keyId: string;
    readonly clearKey: string;
  }

  async function signIn(email = ADA): Promise<Developer> {
    return inStore(async (_, accounts) => {
      const { attempt, code } = await accounts.signIns.requestCode(email);
      const signedIn = await accounts.signIns.redeem(attempt, code);
      const [key] = await accounts.keysOf(signedIn.account);
      const keyId = key?.record.id ?? '';
      const clearKey = await accounts.revealKey(signedIn.token, keyId).catch(() => '');
      return { ...signedIn, id: signedIn.account.id, keyId, clearKey };
    });
  }

  /** What a server decides on requests with these keys, one after the other. */
  async function ask(...clearKeys: string[]): Promise<string[]> {
    return inStore(async (store) => {
      const batcher = new KeyBatcher(store);
      const answers: string[] = [];
      for (const clearKey of clearKeys) {
        answers.push((await batcher.check(clearKey)).status);
      }
      return answers;
    });
  }

  test('accounts lists them, oldest first, with their good keys and what these used', async () => {
    expect(await runText(['accounts'], options)).toMatch(/^No accounts in .+\.\n$/);
    expect(await runJson(['accounts'], options)).toEqual({ accounts: [] });
    const ada = await signIn();
    const createdByAda = now;
    now = new Date(Date.parse(now) + 1000).toISOString();
    const bob = await signIn('bob@example.org');
    await ask(ada.clearKey, ada.clearKey, ada.clearKey);
    // The two keys have one count in common.
    await inStore((_, accounts) => accounts.replaceKey(ada.token, ada.keyId, 3_600_000));
    await runText(['suspend', bob.id], options);
    const { accounts } = await runJson(['accounts'], options);
    expect(accounts).toEqual([
      { id: ada.id, email: ADA, state: 'active', created: createdByAda, goodKeys: 2, used: 3 },
      { id: bob.id, email: 'bob@example.org', state: 'suspended', created: now, goodKeys: 0, used: 0 },
    ]);
    expect(await runText(['accounts'], options)).toBe(
      [
        `ID                 STATE      CREATED                   KEYS  USED  ADDRESS\n`,
        `${ada.id}  active     ${createdByAda}  2     3     ${ADA}\n`,
        `${bob.id}  suspended  ${now}  0     0     bob@example.org\n`,
      ].join(''),
    );
  });

  test('account shows one, by its id or its address, without a clear key', async () => {
    const { id, keyId, clearKey } = await signIn();
    await ask(clearKey, clearKey);
    const shown = await runJson(['account', id], options);
    expect(shown).toMatchObject({ id, email: ADA, state: 'active', created: now, month: now.slice(0, 7), used: 2 });
    expect(shown.keys).toMatchObject([{ id: keyId, name: 'key 1', state: 'active', used: 2 }]);
    expect(shown.events.map(({ act }: { act: string }) => act)).toEqual(['key revealed', 'signed up']);
    expect(await runJson(['account', ' Ada@EXAMPLE.org'], options)).toEqual(shown);
    const out = await runText(['account', ADA], options);
    expect(out).toMatch(new RegExp(`^ID +${id}\nAddress +${ADA}\nState +active\nCreated +${now}\nUsed +2 in `));
    expect(out).toMatch(new RegExp(`^${keyId} +active +free +${now} +never +2 +secret +key 1$`, 'm'));
    expect(out).toMatch(new RegExp(`^${now} +key revealed +${keyId}\n${now} +signed up$`, 'm'));
    expect(out).not.toContain('pp_');
  });

  test('a server that runs refuses the keys of a suspended account on the next request', async () => {
    const ada = await signIn();
    const second = await runJson(['create', '--account', ada.id], options);
    await inStore(async (store) => {
      const batcher = new KeyBatcher(store);
      for (const key of [ada.clearKey, second.key]) expect(await batcher.check(key)).toMatchObject({ allowedCount: 1 });
      const out = await runText(['suspend', ada.id], options);
      expect(out).toContain(
        `${ada.id} (${ADA}) is suspended. Refused from now on, for good: ${second.id}, ${ada.keyId}.`,
      );
      expect(out).toContain(
        `After keys resume ${ada.id} the developer makes another key, which goes on with the count.`,
      );
      for (const key of [ada.clearKey, second.key]) {
        expect(await batcher.check(key)).toEqual({ status: 'revoked' });
      }
    });
    const shown = await runJson(['account', ada.id], options);
    expect(shown.state).toBe('suspended');
    expect(shown.keys.map(({ state }: { state: string }) => state)).toEqual(['revoked', 'revoked']);
    await inStore(async (_, accounts) => {
      await expect(accounts.makeKey(ada.token)).rejects.toMatchObject({ code: 'SUSPENDED' });
    });
  });

  test('a key that an operator put in the place of the developer’s is refused with it', async () => {
    const ada = await signIn();
    const { id, key } = await runJson(['replace', ada.keyId, '--grace', '1h'], options);
    await ask(ada.clearKey, key);
    expect(await runJson(['account', ada.id], options)).toMatchObject({ used: 2, keys: [{ id }, { id: ada.keyId }] });
    expect(await runJson(['accounts'], options)).toMatchObject({ accounts: [{ goodKeys: 2, used: 2 }] });
    await inStore(async (_, accounts) => expect(await accounts.revealKey(ada.token, id)).toBe(key));
    expect(await runJson(['suspend', ada.id], options)).toMatchObject({ revokedKeys: [id, ada.keyId] });
    expect(await ask(ada.clearKey, key)).toEqual(['revoked', 'revoked']);
  });

  test('after resume the developer’s next key goes on with the count and the plan', async () => {
    const ada = await signIn();
    await ask(ada.clearKey, ada.clearKey);
    await runText(['set-plan', ada.keyId, 'unlimited'], options);
    await runText(['suspend', ada.id], options);
    const out = await runText(['resume', ada.id], options);
    expect(out).toContain(`${ada.id} (${ADA}) is active again. Its keys stay revoked.`);
    expect(await ask(ada.clearKey)).toEqual(['revoked']);
    const { keyId, clearKey } = await inStore((_, accounts) => accounts.makeKey(ada.token));
    expect(await ask(clearKey)).toEqual(['good']);
    expect(await runJson(['usage', keyId], options)).toMatchObject({ used: 3, plan: 'unlimited' });
    expect(await runJson(['accounts'], options)).toMatchObject({
      accounts: [{ state: 'active', goodKeys: 1, used: 3 }],
    });
  });

  test('what is done already is said, and nothing is changed', async () => {
    const { id } = await signIn();
    const asMade = await runJson(['account', id], options);
    expect(await runText(['resume', id], options)).toBe(`${id} (${ADA}) is active already; nothing was changed.\n`);
    expect(await runJson(['account', id], options)).toEqual(asMade);
    expect(await runJson(['suspend', id], options)).toMatchObject({ id, state: 'suspended', changed: true });
    const suspended = await runJson(['account', id], options);
    expect(await runText(['suspend', id], options)).toBe(`${id} (${ADA}) is suspended already; nothing was changed.\n`);
    expect(await runJson(['suspend', id], options)).toMatchObject({ changed: false, revokedKeys: [] });
    expect(await runJson(['account', id], options)).toEqual(suspended);
  });

  test('close deletes the account and its address and revokes its keys, and the month is not begun anew', async () => {
    const ada = await signIn();
    await ask(ada.clearKey, ada.clearKey);
    const { KEY_SECRET: _, ...without } = env;
    const refusal = await runFailure(1, ['close', ada.id], { env: without, now });
    expect(refusal).toMatch(/^KEY_SECRET is not set: set it to that of the site, /);
    expect(await ask(ada.clearKey)).toEqual(['good']);
    const out = await runText(['close', ada.id], options);
    expect(out).toBe(
      `${ada.id} (${ADA}) is closed, and its address deleted. Refused from now on, for good: ${ada.keyId}.\n`,
    );
    expect(await ask(ada.clearKey)).toEqual(['revoked']);
    expect(await inStore((_, accounts) => accounts.findUser(ada.token))).toBeUndefined();
    expect(await runJson(['accounts'], options)).toEqual({ accounts: [] });
    expect(await runFailure(1, ['close', ada.id], options)).toMatch(/^there is no account "acct_/);
    const again = await signIn();
    expect(again.id).not.toBe(ada.id);
    expect(await runJson(['account', ADA], options)).toMatchObject({ id: again.id, used: 3 });
    expect(await runJson(['close', again.id], options)).toEqual({
      id: again.id,
      closed: true,
      revokedKeys: [again.keyId],
    });
  });

  test('create --account makes one more key, which the developer has like the first', async () => {
    const ada = await signIn();
    const { id, key, account, ...record } = await runJson(['create', '--account', ada.id], options);
    expect(isWellFormedApiKey(key)).toBe(true);
    expect({ account, record }).toMatchObject({
      account: ada.id,
      record: { name: 'key 2', plan: 'free', expires: null },
    });
    expect(await ask(ada.clearKey, key)).toEqual(['good', 'good']);
    await inStore(async (_, accounts) => expect(await accounts.revealKey(ada.token, id)).toBe(key));
    const wanted = ['--name', 'nightly', '--plan', 'team', '--expires', '2099-01-01'];
    const out = await runText(['create', '--account', ada.id, ...wanted], options);
    expect(out).toMatch(
      /^Made the key key_\w{12} \(nightly\) of ada@example\.org on the plan team, good until 2099-01-01T/,
    );
    expect(await runFailure(2, ['create', '--account', ada.id, '--plan', 'gold'], options)).toMatch(
      /^there is no such plan/,
    );
    const shown = await runJson(['account', ada.id], options);
    expect(shown.keys).toMatchObject([{ name: 'nightly' }, { id, name: 'key 2' }, { id: ada.keyId }]);
    // Each of the keys has its own count.
    expect(shown.used).toBe(2);
    expect(shown.events.slice(0, 3).map(({ act }: { act: string }) => act)).toEqual([
      'key made',
      'key revealed',
      'key made',
    ]);
  });

  test('create --account is refused while the account is suspended, and makes no key', async () => {
    const { id } = await signIn();
    await runText(['suspend', id], options);
    expect(await runFailure(1, ['create', '--account', id], options)).toBe(`${id} is suspended: resume it first`);
    expect((await runJson(['list'], options)).keys).toHaveLength(1);
  });

  test.each(['account', 'suspend', 'resume', 'close', 'create --account'])(
    '%s with an account that the store lacks is one line and status 1',
    async (command) => {
      await signIn();
      expect(await runFailure(1, [...command.split(' '), UNKNOWN], options)).toBe(
        `there is no account "${UNKNOWN}": keys accounts shows all accounts`,
      );
    },
  );

  test('an address without an account is not repeated', async () => {
    expect(await runFailure(1, ['account', 'eve@example.org'], options)).toBe(
      'there is no account of this address: keys accounts shows all accounts',
    );
  });

  test('a damaged account is told and left out, and can not be changed', async () => {
    const ada = await signIn();
    const damage = { state: 'sleeping', email: 'x@example.org' };
    await inStore((store) => {
      const create = { kind: 'account', id: UNKNOWN, value: damage, names: ['x@example.org'], expiresMs: null };
      return store.records.write([{ create }]);
    });
    const { status, out, error } = await run(['accounts', '--json'], options);
    expect({ status, accounts: JSON.parse(out).accounts }).toMatchObject({ status: 1, accounts: [{ id: ada.id }] });
    expect(error).toMatch(
      /^postal-places: .+ holds an account that is not valid, acct_0123456789ab: restore a backup\n$/,
    );
    for (const command of ['account', 'suspend', 'resume', 'close']) {
      expect(await runFailure(1, [command, UNKNOWN], options)).toContain('an account that is not valid');
    }
  });
}
