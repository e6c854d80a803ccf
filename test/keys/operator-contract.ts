/** What an operator's acts must do over every kind of key store, whoever else is at work on the same account. */

import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Account } from '../../src/keys/accounts/account.js';
import { AccountDirectory, KEYS_KEPT } from '../../src/keys/accounts/account-directory.js';
import { Accounts, OperatorActions } from '../../src/keys/accounts/accounts.js';
import { digestApiKey } from '../../src/keys/api-key.js';
import type { KeyStore } from '../../src/keys/key-store.js';
import { type StoreUnderTest, useStoreScene } from './key-store-scene.js';

const SECRET = 'a secret of thirty-two characters';
const HOUR = 3_600_000;

export function describeOperatorActions(name: string, kind: StoreUnderTest): void {
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

    function accountsOver(store: KeyStore): Accounts {
      const rules = { keySecret: SECRET, keysPerAccount: 1, domains: null };
      return new Accounts(store, rules, () => scene.nowMs);
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
