/**
 * What accounts must do over every kind of key store: sign in, act on keys of their own, and leave nothing half done.
 */

import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AccountSettings } from '../../../src/keys/accounts/account-directory.js';
import { AccountError } from '../../../src/keys/accounts/account-error.js';
import { DeveloperActions } from '../../../src/keys/accounts/developer-actions.js';
import type { SignedIn } from '../../../src/keys/accounts/sign-ins.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { digestApiKey } from '../../../src/keys/key/api-key.js';
import { expire, setPlan } from '../../../src/keys/key/key-changes.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import type { RecordChange, RecordStore } from '../../../src/keys/records/record-store.js';
import { type StoreUnderTest, useStoreScene } from '../decision/key-store-scene.js';

const MINUTE = 60_000;
const RULES: AccountSettings = { keySecret: 'a secret of thirty-two characters', keysPerAccount: 1, domains: null };

/** The code of the error that a promise must reject with. */
async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const outcome = await promise.then(
    () => 'done',
    (error) => error,
  );
  if (outcome instanceof AccountError) return outcome.code;
  throw outcome instanceof Error ? outcome : new Error(`it was not refused: ${outcome}`);
}

export function describeAccounts(name: string, kind: StoreUnderTest): void {
  describe(name, () => {
    const scene = useStoreScene(kind);
    let accounts: DeveloperActions;
    beforeEach(() => {
      // Redis ends records by its own clock.
      scene.nowMs = Date.now();
      accounts = accountsOver(scene.store);
    });

    function accountsOver(store: KeyStore, rules: Partial<AccountSettings> = {}): DeveloperActions {
      return new DeveloperActions(store, { ...RULES, ...rules }, () => scene.nowMs);
    }

    async function signIn(email = 'ada@example.org', over = accounts): Promise<SignedIn> {
      const { attempt, code } = await over.signIns.requestCode(email);
      return over.signIns.redeem(attempt, code);
    }

    async function onlyKeyOf(signedIn: SignedIn, over = accounts): Promise<KeyEntry> {
      const account = (await over.findUser(signedIn.token))?.account;
      const keys = account === undefined ? [] : await over.keysOf(account);
      const good = keys.filter(({ record }) => record.state === 'active');
      expect(good).toHaveLength(1);
      return good[0] as KeyEntry;
    }

    async function statusOf(clearKey: string): Promise<string | undefined> {
      const [decision] = await scene.store.decide([{ digest: digestApiKey(clearKey), count: 1 }]);
      return decision?.status;
    }

    describe('signing in', () => {
      test('makes an account with a key on the plan free at the first time, and only then', async () => {
        const first = await signIn();
        expect(first).toMatchObject({ isNew: true, account: { email: 'ada@example.org', state: 'active' } });
        const key = await onlyKeyOf(first);
        expect(key.record).toMatchObject({ plan: 'free', state: 'active', expires: null });
        const second = await signIn(' Ada@EXAMPLE.org');
        expect(second.isNew).toBe(false);
        expect(second.token).not.toBe(first.token);
        expect((await onlyKeyOf(second)).record.id).toBe(key.record.id);
        expect((await accounts.findUser(first.token))?.account.id).toBe(second.account.id);
      });

      test('takes a code in any spelling, once', async () => {
        const { attempt, code } = await accounts.signIns.requestCode('ada@example.org');
        expect(await accounts.signIns.findAttempt(attempt)).toBe('ada@example.org');
        await accounts.signIns.redeem(attempt, ` ${code.toLowerCase().replace('-', ' ')} `);
        expect(await refusalOf(accounts.signIns.redeem(attempt, code))).toBe('CODE_GONE');
        expect(await accounts.signIns.findAttempt(attempt)).toBeUndefined();
      });

      test('through a provider is as fresh as the proof, and uses up the pending sign-in', async () => {
        await scene.store.records.write([
          { create: { kind: 'proof', id: 'one', value: {}, names: [], expiresMs: null } },
        ]);
        const uses = async (): Promise<RecordChange[]> => {
          const proof = await scene.store.records.get('proof', 'one');
          if (proof === undefined) throw new AccountError('CODE_GONE', 'it was used');
          return [{ delete: proof }];
        };
        const provedMs = scene.nowMs - 9 * MINUTE;
        const { token } = await accounts.signIns.signInAs('Ada@example.org', uses, () => {}, provedMs);
        expect(await accounts.findUser(token)).toMatchObject({ account: { email: 'ada@example.org' }, isFresh: true });
        scene.nowMs += MINUTE;
        expect(await accounts.findUser(token)).toMatchObject({ isFresh: false });
        const again = accounts.signIns.signInAs('ada@example.org', uses, () => {});
        expect(await refusalOf(again)).toBe('CODE_GONE');
        const strict = accountsOver(scene.store, { domains: ['example.com'] });
        expect(await refusalOf(strict.signIns.signInAs('ada@example.org', uses, () => {}))).toBe('ADDRESS_REFUSED');
        expect(await scene.store.records.list('session')).toHaveLength(1);
      });

      test('takes four wrong codes, and none after the fifth', async () => {
        const { attempt, code } = await accounts.signIns.requestCode('ada@example.org');
        for (let count = 0; count < 4; count++) {
          expect(await refusalOf(accounts.signIns.redeem(attempt, 'BBBB-BBBB'))).toBe('CODE_WRONG');
        }
        expect(await refusalOf(accounts.signIns.redeem(attempt, ''))).toBe('CODE_GONE');
        expect(await refusalOf(accounts.signIns.redeem(attempt, code))).toBe('CODE_GONE');
      });

      test('counts guesses that come at once', async () => {
        const { attempt } = await accounts.signIns.requestCode('ada@example.org');
        const other = accountsOver(await scene.openAgain());
        const guesses = Array.from({ length: 12 }, (_, index) =>
          refusalOf((index % 2 === 0 ? accounts : other).signIns.redeem(attempt, `BBBB-BBB${index}`)),
        );
        const refusals = (await Promise.all(guesses)).sort();
        expect(refusals.filter((refusal) => refusal === 'CODE_WRONG')).toHaveLength(4);
        expect(refusals.filter((refusal) => refusal === 'CODE_GONE')).toHaveLength(8);
      });

      test('opens an account once where two use the same code, or two codes, at once', async () => {
        const other = accountsOver(await scene.openAgain());
        const one = await accounts.signIns.requestCode('ada@example.org');
        const two = await other.signIns.requestCode('ada@example.org');
        const outcomes = await Promise.allSettled([
          accounts.signIns.redeem(one.attempt, one.code),
          other.signIns.redeem(one.attempt, one.code),
          other.signIns.redeem(two.attempt, two.code),
        ]);
        const signedIn = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
        expect(signedIn).toHaveLength(2);
        expect(signedIn.filter(({ isNew }) => isNew)).toHaveLength(1);
        expect(await accounts.directory.list()).toHaveLength(1);
        expect(await scene.store.directory.list()).toHaveLength(1);
      });

      test('is for the address of the attempt alone', async () => {
        const ada = await accounts.signIns.requestCode('ada@example.org');
        const bob = await accounts.signIns.requestCode('bob@example.org');
        expect(await refusalOf(accounts.signIns.redeem(bob.attempt, ada.code))).toBe('CODE_WRONG');
        expect(await refusalOf(accounts.signIns.redeem('no such attempt', ada.code))).toBe('CODE_GONE');
      });

      test.each([
        [
          'nobody',
          'a@b',
          'a@example.org?x',
          'a@example.org/x',
          'a@example.org#x',
          'a@ex\\ample.org',
          'a@b..c',
          '@example.org',
          'a b@example.org',
          'a@example.org\nBcc: b@example.org',
        ],
        ['a@example.org, b@example.org', '"a"@example.org', '<a@example.org>', `${'a'.repeat(65)}@example.org`, ''],
      ])('wants an address that mail can go to: %j', async (...addresses) => {
        for (const address of addresses)
          expect(await refusalOf(accounts.signIns.requestCode(address))).toBe('ADDRESS_INVALID');
      });

      test('is only for the domains that the operator names', async () => {
        const closed = accountsOver(scene.store, { domains: ['example.org'] });
        expect((await signIn('ada@sub.example.org', closed)).isNew).toBe(true);
        expect(await refusalOf(closed.signIns.requestCode('ada@badexample.org'))).toBe('ADDRESS_REFUSED');
      });

      test('sends an address no more than a few mails, from whichever process', async () => {
        const other = accountsOver(await scene.openAgain());
        for (let count = 0; count < 5; count++)
          await (count % 2 === 0 ? accounts : other).signIns.requestCode('ada@example.org');
        expect(await refusalOf(accounts.signIns.requestCode('ADA@example.org'))).toBe('LIMITED');
        expect(await refusalOf(other.signIns.requestCode('ada@example.org'))).toBe('LIMITED');
        expect(await refusalOf(accounts.signIns.requestCode('ada+again@example.org'))).toBe('LIMITED');
        await accounts.signIns.requestCode('bob@example.org');
        scene.nowMs += 10 * MINUTE;
        const unsent = await accounts.signIns.requestCode('ada@example.org');
        await accounts.signIns.withdrawCode(unsent);
        await accounts.signIns.requestCode('ada@example.org');
        expect(await refusalOf(accounts.signIns.requestCode('ada@example.org'))).toBe('LIMITED');
      });

      test('works for the owner of an address while somebody else mistypes its codes', async () => {
        const { token, account } = await signIn();
        const asked = [];
        for (let count = 0; count < 4; count++) asked.push(await accounts.signIns.requestCode('ada@example.org'));
        for (const { attempt } of asked) {
          for (let count = 0; count < 6; count++) await refusalOf(accounts.signIns.redeem(attempt, 'BBBB-BBBB'));
        }
        expect(await refusalOf(accounts.signIns.requestCode('ada@example.org'))).toBe('LIMITED');
        // Who is signed in gets a code of another count, and the links in the mails that were not asked for are good.
        const fresh = await accounts.signIns.requestFreshCode((await accounts.findUser(token))?.account ?? account);
        expect((await accounts.signIns.redeem(fresh.attempt, fresh.code)).isNew).toBe(false);
        const [first] = asked;
        expect(await refusalOf(accounts.signIns.redeemLink(first?.attempt ?? '', fresh.token))).toBe('CODE_GONE');
        expect((await accounts.signIns.redeemLink(first?.attempt ?? '', first?.token ?? '')).isNew).toBe(false);
        expect(await refusalOf(accounts.signIns.redeemLink(first?.attempt ?? '', first?.token ?? ''))).toBe(
          'CODE_GONE',
        );
      });
    });

    describe('a session', () => {
      test('is another for each sign-in, and ends when its owner signs out', async () => {
        const [one, two] = [await signIn(), await signIn()];
        await accounts.signOut(one.token);
        expect(await accounts.findUser(one.token)).toBeUndefined();
        expect(await accounts.findUser(two.token)).toBeDefined();
        await accounts.signOut(one.token);
      });

      test('ends with all others of its account', async () => {
        const [one, two, bob] = [await signIn(), await signIn(), await signIn('bob@example.org')];
        await accounts.signOutEverywhere(two.token);
        expect(await accounts.findUser(one.token)).toBeUndefined();
        expect(await accounts.findUser(two.token)).toBeUndefined();
        expect(await accounts.findUser(bob.token)).toBeDefined();
        expect(await refusalOf(accounts.signOutEverywhere(one.token))).toBe('SIGNED_OUT');
      });

      test('is fresh for ten minutes', async () => {
        const signedIn = await signIn();
        const { record } = await onlyKeyOf(signedIn);
        scene.nowMs += 10 * MINUTE;
        expect(await accounts.findUser(signedIn.token)).toMatchObject({ isFresh: false });
        const acts = [
          () => accounts.revealKey(signedIn.token, record.id),
          () => accounts.replaceKey(signedIn.token, record.id, 0),
          () => accounts.revokeKey(signedIn.token, record.id, record.name),
          () => accounts.makeKey(signedIn.token),
          () => accounts.close(signedIn.token, 'ada@example.org'),
        ];
        for (const act of acts) expect(await refusalOf(act())).toBe('SIGN_IN_STALE');
      });

      test.each(['', 'a', 'x'.repeat(43), '../../etc', '\u0000'])('has no user for the token %j', async (token) => {
        expect(await accounts.findUser(token)).toBeUndefined();
      });
    });

    describe('a key', () => {
      test('is shown, replaced at once, and revoked', async () => {
        const { token, account } = await signIn();
        const [first] = await accounts.keysOf(account);
        const shown = await accounts.revealKey(token, first?.record.id ?? '');
        expect(await statusOf(shown)).toBe('good');
        const { keyId, clearKey } = await accounts.replaceKey(token, first?.record.id ?? '', 0);
        expect(await statusOf(shown)).toBe('revoked');
        expect(await statusOf(clearKey)).toBe('good');
        expect(await accounts.revealKey(token, keyId)).toBe(clearKey);
        expect(await refusalOf(accounts.revokeKey(token, keyId, 'key 7'))).toBe('CONFIRMATION_WRONG');
        await accounts.revokeKey(token, keyId, 'key 1');
        expect(await statusOf(clearKey)).toBe('revoked');
        expect(await refusalOf(accounts.revokeKey(token, keyId, 'key 1'))).toBe('KEY_STATE');
        expect(await refusalOf(accounts.replaceKey(token, keyId, 0))).toBe('KEY_STATE');
        const acts = (await accounts.findUser(token))?.account.events.map(({ act }) => act);
        expect(acts).toEqual(['signed up', 'key revealed', 'key replaced', 'key revealed', 'key revoked']);
      });

      test('stays good for a while where that is asked for', async () => {
        const { token, account } = await signIn();
        const [first] = await accounts.keysOf(account);
        const shown = await accounts.revealKey(token, first?.record.id ?? '');
        await accounts.replaceKey(token, first?.record.id ?? '', 5 * MINUTE);
        expect(await statusOf(shown)).toBe('good');
      });

      test('that was replaced with an overlap ends with the next replacement, or where it is revoked', async () => {
        const { token, account } = await signIn();
        const id = account.keyIds[0] ?? '';
        const zero = await accounts.revealKey(token, id);
        const first = await accounts.replaceKey(token, id, 60 * MINUTE);
        const second = await accounts.replaceKey(token, first.keyId, 60 * MINUTE);
        expect([await statusOf(zero), await statusOf(first.clearKey)]).toEqual(['good', 'good']);
        await accounts.revokeKey(token, first.keyId, 'key 1');
        expect([await statusOf(zero), await statusOf(first.clearKey)]).toEqual(['good', 'revoked']);
        await accounts.replaceKey(token, second.keyId, 0);
        expect([await statusOf(zero), await statusOf(second.clearKey)]).toEqual(['revoked', 'revoked']);
        expect(await refusalOf(accounts.revealKey(token, second.keyId))).toBe('KEY_STATE');
      });

      test('is changed and shown no more than some times at once', async () => {
        const { token, account } = await signIn();
        for (let count = 0; count < 20; count++) await accounts.revealKey(token, account.keyIds[0] ?? '');
        expect(await refusalOf(accounts.revealKey(token, account.keyIds[0] ?? ''))).toBe('LIMITED');
        scene.nowMs += MINUTE;
        await accounts.revealKey(token, account.keyIds[0] ?? '');
      });

      test('that was given for a time leaves no plan behind', async () => {
        const { token, account } = await signIn();
        const id = account.keyIds[0] ?? '';
        const end = new Date(scene.nowMs + MINUTE).toISOString();
        await scene.store.directory.change(id, (record) => expire(setPlan(record, 'unlimited'), end));
        await accounts.revokeKey(token, id, 'key 1');
        const { keyId } = await accounts.makeKey(token);
        expect((await scene.store.directory.find(keyId))?.record).toMatchObject({ plan: 'free', expires: null });
      });

      test('that follows a revoked one goes on with its count', async () => {
        const { token, account } = await signIn();
        const [first] = await accounts.keysOf(account);
        const shown = await accounts.revealKey(token, first?.record.id ?? '');
        for (let count = 0; count < 3; count++) await statusOf(shown);
        expect(await refusalOf(accounts.makeKey(token))).toBe('KEY_LIMIT');
        await accounts.revokeKey(token, first?.record.id ?? '', 'key 1');
        const { keyId, clearKey } = await accounts.makeKey(token);
        expect(await statusOf(clearKey)).toBe('good');
        const found = await scene.store.directory.find(keyId);
        expect([...(found?.usage.months.values() ?? [])]).toEqual([4]);
        expect(found?.record.name).toBe('key 2');
      });

      test('is made once where two tabs ask at once', async () => {
        const { token, account } = await signIn();
        const [first] = await accounts.keysOf(account);
        const other = accountsOver(await scene.openAgain());
        const id = first?.record.id ?? '';
        const replaced = await Promise.allSettled([accounts.replaceKey(token, id, 0), other.replaceKey(token, id, 0)]);
        expect(replaced.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect(await scene.store.directory.list()).toHaveLength(2);
      });

      test('of another account can not be touched', async () => {
        const ada = await signIn();
        const bob = await signIn('bob@example.org');
        const { record } = await onlyKeyOf(bob);
        expect(await refusalOf(accounts.revealKey(ada.token, record.id))).toBe('KEY_UNKNOWN');
        expect(await refusalOf(accounts.replaceKey(ada.token, record.id, 0))).toBe('KEY_UNKNOWN');
        expect(await refusalOf(accounts.revokeKey(ada.token, record.id, record.name))).toBe('KEY_UNKNOWN');
        expect(await scene.store.directory.find(record.id)).toMatchObject({ record });
      });

      test('that another secret sealed can not be shown, and can be replaced', async () => {
        const signedIn = await signIn();
        const { record } = await onlyKeyOf(signedIn);
        const other = accountsOver(scene.store, { keySecret: 'another secret of thirty-two chars' });
        expect(await refusalOf(other.revealKey(signedIn.token, record.id))).toBe('KEY_SEALED');
        const { keyId, clearKey } = await other.replaceKey(signedIn.token, record.id, 0);
        expect(await other.revealKey(signedIn.token, keyId)).toBe(clearKey);
      });
    });

    describe('an account', () => {
      test('that is closed is gone with its address and sessions, and its key is revoked', async () => {
        const { token, account } = await signIn();
        const other = await signIn();
        const shown = await accounts.revealKey(token, account.keyIds[0] ?? '');
        await statusOf(shown);
        expect(await refusalOf(accounts.close(token, 'bob@example.org'))).toBe('CONFIRMATION_WRONG');
        await accounts.close(token, 'Ada@example.org ');
        expect(await statusOf(shown)).toBe('revoked');
        expect(await accounts.findUser(token)).toBeUndefined();
        expect(await accounts.findUser(other.token)).toBeUndefined();
        expect(await accounts.directory.list()).toEqual([]);
        expect(await textOf(scene.store.records)).not.toContain('ada@');
        // Who comes back in the same month goes on with its count.
        const again = await signIn();
        expect(again.isNew).toBe(true);
        expect(again.account.id).not.toBe(account.id);
        const clearKey = await accounts.revealKey(again.token, again.account.keyIds.at(-1) ?? '');
        await statusOf(clearKey);
        expect([...((await onlyKeyOf(again)).usage.months.values() ?? [])]).toEqual([2]);
      });

      test.each(['x@müller.de', ' X@XN--MLLER-KVA.de', 'x@mu\u0308ller.de'])(
        'is closed by its address as %j',
        async (typed) => {
          const { token, account } = await signIn('x@Müller.de');
          expect(account.email).toBe('x@xn--mller-kva.de');
          for (const other of ['x@muller.de', 'x@mueller.de', 'müller.de', ''])
            expect(await refusalOf(accounts.close(token, other))).toBe('CONFIRMATION_WRONG');
          await accounts.close(token, typed);
          expect(await accounts.directory.list()).toEqual([]);
        },
      );

      test('that is closed and made anew begins the month anew with none of its keys', async () => {
        const two = accountsOver(scene.store, { keysPerAccount: 2 });
        const { token, account } = await signIn('ada@example.org', two);
        const keys = [await two.revealKey(token, account.keyIds[0] ?? ''), (await two.makeKey(token)).clearKey];
        for (const key of keys) await statusOf(key);
        await two.close(token, 'ada@example.org');
        const again = await signIn('ada@example.org', two);
        await two.makeKey(again.token);
        const entries = await two.keysOf((await two.findUser(again.token))?.account ?? again.account);
        const good = entries.filter(({ record }) => record.state === 'active');
        expect(good.map(({ usage }) => [...usage.months.values()])).toEqual([[1], [1]]);
      });

      test('that is suspended has no good key until it is resumed and makes one', async () => {
        const { token, account } = await signIn();
        const shown = await accounts.revealKey(token, account.keyIds[0] ?? '');
        const find = async () => {
          const found = await accounts.directory.find(account.id);
          if (found === undefined) throw new Error('the account is gone');
          return found;
        };
        const suspension = await accounts.updates.prepareSuspension(await find(), scene.nowMs);
        await scene.store.records.write(suspension.changes);
        expect(await statusOf(shown)).toBe('revoked');
        expect(await refusalOf(accounts.makeKey(token))).toBe('SUSPENDED');
        expect(await refusalOf(accounts.close(token, 'ada@example.org'))).toBe('SUSPENDED');
        expect((await signIn()).account.state).toBe('suspended');
        await scene.store.records.write(accounts.updates.prepareResumption(await find(), scene.nowMs).changes);
        const { clearKey } = await accounts.makeKey(token);
        expect(await statusOf(clearKey)).toBe('good');
      });

      test('keeps its latest fifty events', async () => {
        const { token, account } = await signIn();
        for (let count = 0; count < 60; count++) {
          const found = await accounts.directory.find(account.id);
          if (found === undefined) throw new Error('the account is gone');
          await scene.store.records.write(accounts.updates.prepareEvent(found, 'signed in', scene.nowMs).changes);
        }
        expect((await accounts.findUser(token))?.account.events).toHaveLength(50);
      });
    });

    test('no store holds a code, a token or a key in clear', async () => {
      const { attempt, code, token: linkToken } = await accounts.signIns.requestCode('bob@example.org');
      const { token, account } = await signIn();
      const clearKey = await accounts.revealKey(token, account.keyIds[0] ?? '');
      const text = await textOf(scene.store.records);
      expect(text).toContain(attempt);
      for (const secret of [code, code.replace('-', ''), linkToken, token, clearKey])
        expect(text).not.toContain(secret);
    });
  });
}

/** All records of these kinds. */
async function textOf(records: RecordStore): Promise<string> {
  const kinds = ['account', 'closed-account', 'session', 'sign-in', 'rate-limit', 'key'];
  return JSON.stringify(await Promise.all(kinds.map((kind) => records.list(kind))));
}
