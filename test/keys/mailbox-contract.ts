/**
 * One account for each mailbox, over every kind of key store: however its address is spelled, and whoever closes it
 * meanwhile.
 */

import { beforeEach, describe, expect, test } from '@jest/globals';
import { AccountError } from '../../src/keys/accounts/account.js';
import { Accounts } from '../../src/keys/accounts/accounts.js';
import type { SignedIn } from '../../src/keys/accounts/sign-ins.js';
import { digestApiKey } from '../../src/keys/api-key.js';
import { type StoreUnderTest, useStoreScene } from './key-store-scene.js';

const RULES = { keySecret: 'a secret of thirty-two characters', keysPerAccount: 1, domains: null };
const NO_USES = async (): Promise<readonly []> => [];

export function describeMailboxes(name: string, kind: StoreUnderTest): void {
  describe(name, () => {
    const scene = useStoreScene(kind);
    let accounts: Accounts;
    beforeEach(() => {
      // Redis ends records by its own clock.
      scene.nowMs = Date.now();
      accounts = new Accounts(scene.store, RULES, () => scene.nowMs);
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
