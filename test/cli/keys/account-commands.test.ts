/**
 * The commands about accounts of developers: what they show, and what a developer and a server see of what they change.
 * What the actions do over each kind of store is in the contract of accounts.
 */

import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { DeveloperActions } from '../../../src/keys/accounts/developer-actions.js';
import type { SignedIn } from '../../../src/keys/accounts/sign-ins.js';
import { KeyBatcher } from '../../../src/keys/decision/key-batcher.js';
import { readKeyConfig } from '../../../src/keys/decision/key-settings.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { openKeyStore } from '../../../src/keys/decision/open-key-store.js';
import { isWellFormedApiKey } from '../../../src/keys/key/api-key.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { createTemporaryFolders } from '../../keys/temporary-folders.js';
import { PLANS, type RunOptions, run, runFailure, runJson, runText, SECRET } from './run-cli.js';

const UNKNOWN = 'acct_0123456789ab';
const ADA = 'ada@example.org';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());
let env: Record<string, string>;
/** Of the commands, and of what developers do. */
let now: string;
let options: RunOptions;
beforeEach(async () => {
  env = { KEYS_DIR: folders.make(), PLANS, KEY_SECRET: SECRET };
  now = new Date().toISOString();
  options = { env, now };
  // A store must be there.
  await inStore((store) => store.directory.list());
});

/** Uses the store as a server does. */
async function inStore<T>(use: (store: KeyStore, accounts: DeveloperActions) => Promise<T>): Promise<T> {
  const store = await openKeyStore(readKeyConfig(env), silentLogger, { isChecked: true });
  const settings = { keySecret: SECRET, keysPerAccount: 1, domains: null };
  try {
    return await use(store, new DeveloperActions(store, settings, () => Date.parse(now)));
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
    for (const clearKey of clearKeys) answers.push((await batcher.check(clearKey)).status);
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

test('suspend, also of a key that an operator put in the place of another, holds on a server’s next request', async () => {
  const ada = await signIn();
  const second = await runJson(['replace', ada.keyId, '--grace', '1h'], options);
  const [first, next] = [ada.clearKey, second.key];
  await inStore(async (store, accounts) => {
    const batcher = new KeyBatcher(store);
    for (const key of [first, next]) expect(await batcher.check(key)).toMatchObject({ allowedCount: 1 });
    expect(await runJson(['account', ada.id], options)).toMatchObject({
      used: 2,
      keys: [{ id: second.id }, { id: ada.keyId }],
    });
    expect(await accounts.revealKey(ada.token, second.id)).toBe(next);
    const out = await runText(['suspend', ada.id], options);
    expect(out).toMatch(new RegExp(`^${ada.id} \\(${ADA}\\) is suspended\\. .*: ${second.id}, ${ada.keyId}\\.`));
    expect(out).toContain(`keys resume ${ada.id}`);
    for (const key of [first, next]) expect(await batcher.check(key)).toEqual({ status: 'revoked' });
    await expect(accounts.makeKey(ada.token)).rejects.toMatchObject({ code: 'SUSPENDED' });
  });
});

test('resume lets the developer make another key; what is done already changes nothing', async () => {
  const ada = await signIn();
  expect(await runJson(['suspend', ada.id], options)).toMatchObject({ changed: true, revokedKeys: [ada.keyId] });
  const suspended = await runJson(['account', ada.id], options);
  expect(await runText(['suspend', ada.id], options)).toContain('is suspended already');
  expect(await runJson(['suspend', ada.id], options)).toMatchObject({ changed: false, revokedKeys: [] });
  expect(await runJson(['account', ada.id], options)).toEqual(suspended);
  expect(await runText(['resume', ada.id], options)).toContain('is active again');
  expect(await runText(['resume', ada.id], options)).toContain('is active already');
  const { clearKey } = await inStore((_, accounts) => accounts.makeKey(ada.token));
  expect(await ask(ada.clearKey, clearKey)).toEqual(['revoked', 'good']);
});

test('close needs the secret of the site, and deletes the account, its address and its keys', async () => {
  const ada = await signIn();
  const { KEY_SECRET: _, ...without } = env;
  const refusal = await runFailure(1, ['close', ada.id], { env: without, now });
  expect(refusal).toMatch(/^KEY_SECRET is not set: set it to that of the site, /);
  expect(await ask(ada.clearKey)).toEqual(['good']);
  expect(await runText(['close', ada.id], options)).toMatch(
    new RegExp(`^${ada.id} .* is closed, .*${ada.keyId}\\.\n$`),
  );
  expect(await ask(ada.clearKey)).toEqual(['revoked']);
  expect(await runJson(['accounts'], options)).toEqual({ accounts: [] });
  const { id, keyId } = await signIn();
  expect(await runJson(['close', id], options)).toEqual({ id, closed: true, revokedKeys: [keyId] });
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
  expect(out).toMatch(/key_\w{12} \(nightly\) of ada@example\.org .* team, good until 2099-01-01T/);
  const shown = await runJson(['account', ada.id], options);
  expect(shown.keys).toMatchObject([{ name: 'nightly' }, { id, name: 'key 2' }, { id: ada.keyId }]);
  // Each of the keys has its own count.
  expect(shown.used).toBe(2);
  expect(shown.events.slice(0, 3).map(({ act }: { act: string }) => act)).toEqual([
    'key made',
    'key revealed',
    'key made',
  ]);
  await runText(['suspend', ada.id], options);
  expect(await runFailure(1, ['create', '--account', ada.id], options)).toBe(`${ada.id} is suspended: resume it first`);
  expect((await runJson(['list'], options)).keys).toHaveLength(3);
});

test('an account that the store lacks, or that is damaged, is one line and status 1', async () => {
  const ada = await signIn();
  const commands = [['account'], ['suspend'], ['resume'], ['close'], ['create', '--account']];
  for (const command of commands) {
    expect(await runFailure(1, [...command, UNKNOWN], options)).toContain(`no account "${UNKNOWN}"`);
  }
  // An address is not repeated.
  expect(await runFailure(1, ['account', 'eve@example.org'], options)).toMatch(/no account of this address:/);
  await inStore((store) => {
    const value = { state: 'sleeping', email: 'x@example.org' };
    return store.records.write([
      { create: { kind: 'account', id: UNKNOWN, value, names: ['x@example.org'], expiresMs: null } },
    ]);
  });
  const { status, out, error } = await run(['accounts', '--json'], options);
  expect({ status, accounts: JSON.parse(out).accounts }).toMatchObject({ status: 1, accounts: [{ id: ada.id }] });
  for (const told of [
    error,
    ...(await Promise.all(commands.map((one) => runFailure(1, [...one, UNKNOWN], options)))),
  ]) {
    expect(told).toContain(`holds an account that is not valid, ${UNKNOWN}: restore a backup`);
  }
});
