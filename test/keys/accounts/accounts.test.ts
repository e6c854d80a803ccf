/** Accounts over the embedded store: the contract, and what only time can end. */

import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AccountDirectory } from '../../../src/keys/accounts/account-directory.js';
import { AccountError } from '../../../src/keys/accounts/account-error.js';
import { KEYS_KEPT } from '../../../src/keys/accounts/account-keys.js';
import type { Account } from '../../../src/keys/accounts/account-record.js';
import { DeveloperActions } from '../../../src/keys/accounts/developer-actions.js';
import { OperatorActions } from '../../../src/keys/accounts/operator-actions.js';
import type { SignedIn } from '../../../src/keys/accounts/sign-ins.js';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { openRedisKeyStore } from '../../../src/keys/decision/redis-key-store.js';
import { digestApiKey } from '../../../src/keys/key/api-key.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../../src/keys/key/plan.js';
import { parseRedisAddress } from '../../../src/keys/storage/redis-address.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { describeAccounts } from './account-contract.js';
import { type StoreSurroundings, type StoreUnderTest, useStoreScene } from '../decision/key-store-scene.js';
import { createTemporaryFolders } from '../temporary-folders.js';

/*
 * One account for each mailbox, over every kind of key store: however its address is spelled, and whoever closes it
 * meanwhile.
 */

const RULES = { keySecret: 'a secret of thirty-two characters', keysPerAccount: 1, domains: null };
const NO_USES = async (): Promise<readonly []> => [];

function describeMailboxes(name: string, kind: StoreUnderTest): void {
  describe(name, () => {
    const scene = useStoreScene(kind);
    let accounts: DeveloperActions;
    beforeEach(() => {
      // Redis ends records by its own clock.
      scene.nowMs = Date.now();
      accounts = new DeveloperActions(scene.store, RULES, () => scene.nowMs);
    });

    async function signIn(email: string): Promise<SignedIn> {
      const { attempt, code } = await accounts.signIns.requestCode(email);
      return accounts.signIns.redeem(attempt, code);
    }

    /** Signs in by the word of a provider that calls this address verified. */
    function signInAs(email: string): Promise<SignedIn> {
      return accounts.signIns.signInAs(email, NO_USES, () => {});
    }

    async function codeOf(promise: Promise<unknown>): Promise<unknown> {
      const error = await promise.then(
        () => undefined,
        (reason) => reason,
      );
      return error instanceof AccountError ? error.code : error;
    }

    async function use({ token, account }: SignedIn, count: number): Promise<void> {
      const clearKey = await accounts.revealKey(token, account.keyIds.at(-1) ?? '');
      const [decision] = await scene.store.decide([{ digest: digestApiKey(clearKey), count }]);
      expect(decision?.status).toBe('good');
    }

    /** Requests of this month, of each key that is good. */
    async function usedBy({ token }: SignedIn): Promise<number[]> {
      const visitor = await accounts.findUser(token);
      const entries = visitor === undefined ? [] : await accounts.keysOf(visitor.account);
      const good = entries.filter(({ record }) => record.state === 'active');
      return good.map(({ usage }) => [...usage.months.values()].reduce((sum, used) => sum + used, 0));
    }

    test.each([
      ['ada+1@example.org', 'ada+2@example.org', 'ada+3+4@example.org', 'Ada@example.org', 'ada+5@EXAMPLE.org'],
      ['ada.l@gmail.com', 'adal+x@gmail.com', 'a.d.a.l@googlemail.com', 'ADAL@googlemail.com', 'adal@gmail.com'],
      ['ada.l@proton.me', 'ada_l@protonmail.com', 'a-d-a-l+x@pm.me', 'adal@protonmail.ch', 'adal@proton.me'],
      ['ada.l@ya.ru', 'ada-l@yandex.ru', 'ada.l+x@yandex.com', 'ada-l@yandex.kz', 'ada.l@yandex.com.tr'],
      ['nick-shop@yahoo.com', 'nick-news@yahoo.com', 'nick+a@yahoo.com', 'nick-a-b@yahoo.com', 'nick@yahoo.com'],
    ])('%s and other spellings are one account, with one key and one count', async (first, ...others) => {
      const signedUp = await signIn(first);
      await use(signedUp, 2);
      for (const email of others) {
        const requested = await accounts.signIns.requestCode(email);
        // The page must not tell the address of the account to whoever types another.
        expect(await accounts.signIns.findAttempt(requested.attempt)).toBe(email.toLowerCase());
        expect(requested.email).toBe(first);
        const signedIn = await accounts.signIns.redeem(requested.attempt, requested.code);
        expect(signedIn).toMatchObject({ isNew: false, account: { id: signedUp.account.id, email: first } });
        expect(await codeOf(accounts.makeKey(signedIn.token))).toBe('KEY_LIMIT');
        expect(await usedBy(signedIn)).toEqual([2]);
        // The next code of this mailbox would have to wait.
        scene.nowMs += 600_000;
      }
      expect(await accounts.directory.list()).toHaveLength(1);
      expect(await scene.store.directory.list()).toHaveLength(1);
    });

    test('addresses of different mailboxes are different accounts', async () => {
      const emails = [
        'a.da@example.org',
        'ada@example.org',
        'ada-1@example.org',
        '+ada@example.org',
        '+bob@example.org',
      ];
      for (const email of [...emails, 'ada@example.com', 'ada-1@gmail.com', 'ada@yahoo.com.evil.test', 'ada@yahoo.com'])
        expect(await signIn(email)).toMatchObject({ isNew: true, account: { email } });
    });

    test('closing and signing up with another tag goes on with the month', async () => {
      const one = await signIn('ada+1@example.org');
      await use(one, 3);
      await accounts.close(one.token, 'ada+1@example.org');
      const two = await signIn('ada+2@example.org');
      expect(two).toMatchObject({ isNew: true, account: { email: 'ada+2@example.org' } });
      await use(two, 2);
      expect(await usedBy(two)).toEqual([5]);
      await accounts.close(two.token, 'ada+2@example.org');
      expect(await usedBy(await signIn('ada@example.org'))).toEqual([5]);
    });

    test('a proof for one spelling opens no account of another', async () => {
      // Mail to ada+ticket@ may be shown to others than ada, and somebody else may have that name at the provider.
      await signIn('ada@example.org');
      const early = await accounts.signIns.requestCode('bob+early@example.org');
      await signIn('bob@example.org');
      expect(await codeOf(accounts.signIns.redeem(early.attempt, early.code))).toBe('MAILBOX_TAKEN');
      expect(await codeOf(accounts.signIns.redeemLink(early.attempt, early.token))).toBe('MAILBOX_TAKEN');
      expect(await codeOf(signInAs('ada+ticket@example.org'))).toBe('MAILBOX_TAKEN');
      expect((await signInAs('ada@example.org')).isNew).toBe(false);
      expect(await accounts.directory.list()).toHaveLength(2);
    });

    test('of five spellings that sign up at once, one makes the account', async () => {
      const spellings = ['', '+1', '+2', '+3', '+4'];
      const outcomes = await Promise.allSettled(spellings.map((tag) => signInAs(`ada${tag}@example.org`)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
      expect(refused).toEqual(Array(4).fill('MAILBOX_TAKEN'));
      expect(await scene.store.directory.list()).toHaveLength(1);
    });
  });
}

/* What an operator's acts must do over every kind of key store, whoever else is at work on the same account. */

const SECRET = 'a secret of thirty-two characters';
const HOUR = 3_600_000;

function describeOperatorActions(name: string, kind: StoreUnderTest): void {
  describe(name, () => {
    const scene = useStoreScene(kind);
    let directory: AccountDirectory;
    let acts: OperatorActions;
    beforeEach(() => {
      // Redis ends records by its own clock.
      scene.nowMs = Date.now();
      directory = new AccountDirectory(scene.store);
      acts = new OperatorActions(directory, SECRET, () => scene.nowMs);
    });

    function accountsOver(store: KeyStore): DeveloperActions {
      const rules = { keySecret: SECRET, keysPerAccount: 1, domains: null };
      return new DeveloperActions(store, rules, () => scene.nowMs);
    }

    async function signIn(email = 'ada@example.org') {
      const accounts = accountsOver(scene.store);
      const { attempt, code } = await accounts.signIns.requestCode(email);
      return accounts.signIns.redeem(attempt, code);
    }

    async function read(id: string): Promise<Account> {
      const found = await directory.find(id);
      if (found === undefined) throw new Error(`there is no account ${id}`);
      return found.account;
    }

    async function statusesOf(clearKeys: readonly string[]): Promise<unknown[]> {
      const decisions = await scene.store.decide(clearKeys.map((key) => ({ digest: digestApiKey(key), count: 1 })));
      return decisions.map(({ status }) => status);
    }

    test('of several concurrent suspensions of an account, one changes it', async () => {
      const { account } = await signIn();
      const others = await Promise.all([scene.openAgain(), scene.openAgain()]);
      const everybody = [acts, ...others.map((store) => new OperatorActions(new AccountDirectory(store), SECRET))];
      const outcomes = await Promise.all(everybody.map((one) => one.suspend(account.id)));
      expect(outcomes.filter(({ isChanged }) => isChanged)).toHaveLength(1);
      expect((await read(account.id)).events.map(({ act }) => act)).toEqual(['signed up', 'suspended']);
    });

    test('a developer who replaces the key meanwhile is left without a good one', async () => {
      const { token, account } = await signIn();
      const other = accountsOver(await scene.openAgain());
      const keyId = account.keyIds[0] ?? '';
      const shown = await other.revealKey(token, keyId);
      const [replaced] = await Promise.allSettled([other.replaceKey(token, keyId, HOUR), acts.suspend(account.id)]);
      // The key may be revoked after the account was read, and before the key is.
      if (replaced.status === 'rejected') expect(['SUSPENDED', 'KEY_STATE']).toContain(replaced.reason.code);
      const made = replaced.status === 'fulfilled' ? [replaced.value.clearKey] : [];
      expect(new Set(await statusesOf([shown, ...made]))).toEqual(new Set(['revoked']));
      expect((await read(account.id)).state).toBe('suspended');
    });

    test('an account that is closed while others act on it is gone for them', async () => {
      const { account } = await signIn();
      const other = new OperatorActions(new AccountDirectory(await scene.openAgain()), SECRET);
      const outcomes = await Promise.allSettled([acts.close(account.id), other.close(account.id)]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'ACCOUNT_UNKNOWN' },
      });
      await expect(acts.resume(account.id)).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' });
      expect(await directory.list()).toEqual([]);
    });

    test('an account forgets keys that are no longer good, and never one that is', async () => {
      const { account } = await signIn();
      const first = account.keyIds[0] ?? '';
      const clearKeys: string[] = [];
      const make = async (): Promise<string> => {
        const { key, clearKey } = await acts.makeKey(account.id, {});
        clearKeys.push(clearKey);
        return key.record.id;
      };
      const second = await make();
      while (clearKeys.length < KEYS_KEPT - 1) await make();
      await expect(make()).rejects.toMatchObject({ code: 'KEY_LIMIT' });
      await scene.store.directory.change(second, (record) => ({ ...record, state: 'revoked' }));
      const last = await make();
      const { keyIds } = await read(account.id);
      expect(keyIds).toHaveLength(KEYS_KEPT);
      expect(keyIds).toEqual(expect.arrayContaining([first, last]));
      expect(keyIds).not.toContain(second);
      const { revokedKeyIds } = await acts.suspend(account.id);
      expect([...revokedKeyIds].sort()).toEqual([...keyIds].sort());
      for (const clearKey of clearKeys) expect(await statusesOf([clearKey])).toEqual(['revoked']);
    });

    test('a damaged account is reported to onDamaged, or rejected without it', async () => {
      const { account } = await signIn();
      const value = { ...(await read(account.id)), id: undefined };
      const damages = [
        { email: 'not-its-name@example.org' },
        { created: '\u001b[31mred' },
        { events: [{ at: value.created, act: '\u001b[31mred', keyId: null }] },
        { events: [{ at: value.created, act: 'signed in', keyId: '\u001b[31mred' }] },
        { keyIds: ['key_1'] },
      ];
      for (const [index, damage] of damages.entries()) {
        const name = `damaged-${index}@example.org`;
        const create = { kind: 'account', id: `acct_00000000000${index}`, names: [name], expiresMs: null };
        await scene.store.records.write([{ create: { ...create, value: { ...value, email: name, ...damage } } }]);
      }
      const told: string[] = [];
      expect(await directory.list((error) => told.push(error.code))).toMatchObject([{ id: account.id }]);
      expect(told).toEqual(damages.map(() => 'KEY_STORE_DAMAGED'));
      await expect(directory.list()).rejects.toMatchObject({ code: 'KEY_STORE_DAMAGED' });
    });
  });
}

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
    const accounts = new DeveloperActions(store, rules, () => nowMs);
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
