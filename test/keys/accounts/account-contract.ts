/**
 * What accounts must do over every kind of key store, for developers and operators: one account for each mailbox, keys
 * that only their owner touches, and nothing half done, whoever else is at work and whatever clocks say.
 */

import { beforeEach, describe, expect, test } from '@jest/globals';
import { AccountDirectory } from '../../../src/keys/accounts/account-directory.js';
import { AccountError } from '../../../src/keys/accounts/account-error.js';
import { KEYS_KEPT } from '../../../src/keys/accounts/account-keys.js';
import type { Account } from '../../../src/keys/accounts/account-record.js';
import type { AccountSettings } from '../../../src/keys/accounts/account-settings.js';
import { CLOCK_TOLERANCE_MS } from '../../../src/keys/accounts/clock-tolerance.js';
import { DeveloperActions } from '../../../src/keys/accounts/developer-actions.js';
import { OperatorActions } from '../../../src/keys/accounts/operator-actions.js';
import { findProviderSignIn, keepProviderSignIn } from '../../../src/keys/accounts/provider-sign-ins.js';
import type { SignedIn } from '../../../src/keys/accounts/sign-ins.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { digestApiKey } from '../../../src/keys/key/api-key.js';
import { changeKeyExpiry, changeKeyPlan, changeKeyToRevoked } from '../../../src/keys/key/key-changes.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import type { RecordChange, RecordStore } from '../../../src/keys/records/record-store.js';
import { type StoreScene, type StoreUnderTest, useStoreScene } from '../decision/key-store-scene.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SETTINGS: AccountSettings = { keySecret: 'a secret of thirty-two characters', keysPerAccount: 1, domains: null };
const NO_USES = async (): Promise<readonly []> => [];

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
    const scene = new Scene(kind);
    describe('signing in', () => describeSignIns(scene));
    describe('a mailbox', () => describeMailboxes(scene));
    describe('a session', () => describeSessions(scene));
    describe('a key', () => describeKeys(scene));
    describe('an account that is closed', () => describeClosing(scene));
    describe('an operator', () => describeOperator(scene));
  });
}

class Scene {
  readonly stores: StoreScene;
  accounts!: DeveloperActions;
  operator!: OperatorActions;
  directory!: AccountDirectory;

  constructor(kind: StoreUnderTest) {
    this.stores = useStoreScene(kind);
    beforeEach(() => {
      // Redis ends records by its own clock.
      this.stores.nowMs = Date.now();
      this.accounts = this.over(this.stores.store);
      this.operator = this.operatorOver(this.stores.store);
      this.directory = new AccountDirectory(this.stores.store);
    });
  }

  over = (store: KeyStore, settings: Partial<AccountSettings> = {}): DeveloperActions =>
    new DeveloperActions(store, { ...SETTINGS, ...settings }, () => this.stores.nowMs);

  operatorOver = (store: KeyStore): OperatorActions =>
    new OperatorActions(new AccountDirectory(store), SETTINGS.keySecret, () => this.stores.nowMs);

  signIn = async (email = 'ada@example.org', accounts = this.accounts): Promise<SignedIn> => {
    const { attempt, code } = await accounts.signIns.requestCode(email);
    return accounts.signIns.redeem(attempt, code);
  };

  /** Signs in by the word of a provider that calls this address verified. */
  signInAs = (email: string, provedMs?: number): Promise<SignedIn> =>
    this.accounts.signIns.signInAs(email, NO_USES, () => {}, provedMs);

  /** A new account whose first key is shown. */
  signUp = async (email?: string) => {
    const signedIn = await this.signIn(email);
    const keyId = signedIn.account.keyIds.at(-1) ?? '';
    return { ...signedIn, keyId, clearKey: await this.accounts.revealKey(signedIn.token, keyId) };
  };

  async accountOf({ token }: SignedIn): Promise<Account> {
    const user = await this.accounts.findUser(token);
    if (user === undefined) throw new Error('nobody is signed in');
    return user.account;
  }

  async goodKeysOf(signedIn: SignedIn): Promise<KeyEntry[]> {
    const entries = await this.accounts.keysOf(await this.accountOf(signedIn));
    return entries.filter(({ record }) => record.state === 'active');
  }

  /** Requests of this month, of each key that is good. */
  async usedBy(signedIn: SignedIn): Promise<number[]> {
    const entries = await this.goodKeysOf(signedIn);
    return entries.map(({ usage }) => [...usage.months.values()].reduce((sum, used) => sum + used, 0));
  }

  /** What a server decides on requests with these keys, one after the other. */
  async ask(...clearKeys: string[]): Promise<unknown[]> {
    const statuses: unknown[] = [];
    for (const key of clearKeys) {
      const [decision] = await this.stores.store.decide([{ digest: digestApiKey(key), count: 1 }]);
      statuses.push(decision?.status);
    }
    return statuses;
  }

  async keyCount(): Promise<number> {
    return (await this.stores.store.directory.list()).length;
  }
}

function describeSignIns(scene: Scene): void {
  const { stores, over, signIn, signInAs } = scene;
  const request = (email = 'ada@example.org') => scene.accounts.signIns.requestCode(email);
  const redeem = (attempt: string, code: string) => scene.accounts.signIns.redeem(attempt, code);
  const redeemLink = (attempt: string, token: string) => scene.accounts.signIns.redeemLink(attempt, token);

  test('makes an account with a key on the plan free at the first time, and only then', async () => {
    const first = await signIn();
    expect(first).toMatchObject({ isNew: true, account: { email: 'ada@example.org', state: 'active' } });
    const [key] = await scene.goodKeysOf(first);
    expect(key?.record).toMatchObject({ plan: 'free', state: 'active', expires: null });
    const second = await signIn(' Ada@EXAMPLE.org');
    expect(second.isNew).toBe(false);
    expect(await scene.goodKeysOf(second)).toEqual([key]);
    expect((await scene.accountOf(first)).id).toBe(second.account.id);
  });

  test('takes a code in any spelling, once, and for its own attempt alone', async () => {
    const [ada, bob] = [await request(), await request('bob@example.org')];
    expect(await scene.accounts.signIns.findAttempt(ada.attempt)).toBe('ada@example.org');
    expect(await refusalOf(redeem(bob.attempt, ada.code))).toBe('CODE_WRONG');
    expect(await refusalOf(redeem('no such attempt', ada.code))).toBe('CODE_GONE');
    await redeem(ada.attempt, ` ${ada.code.toLowerCase().replace('-', ' ')} `);
    expect(await refusalOf(redeem(ada.attempt, ada.code))).toBe('CODE_GONE');
    expect(await scene.accounts.signIns.findAttempt(ada.attempt)).toBeUndefined();
  });

  test('takes four wrong codes and none after the fifth, also where they come at once', async () => {
    const { attempt, code } = await request();
    for (let count = 0; count < 4; count++) expect(await refusalOf(redeem(attempt, 'BBBB-BBBB'))).toBe('CODE_WRONG');
    expect(await refusalOf(redeem(attempt, ''))).toBe('CODE_GONE');
    expect(await refusalOf(redeem(attempt, code))).toBe('CODE_GONE');
    const next = await request();
    const other = over(await stores.openAgain());
    const guesses = Array.from({ length: 12 }, (_, index) =>
      refusalOf((index % 2 === 0 ? scene.accounts : other).signIns.redeem(next.attempt, `BBBB-BBB${index}`)),
    );
    const refusals = (await Promise.all(guesses)).sort();
    expect(refusals).toEqual([...Array(8).fill('CODE_GONE'), ...Array(4).fill('CODE_WRONG')]);
  });

  test('opens an account once where two use the same code, or two codes, at once', async () => {
    const other = over(await stores.openAgain());
    const [one, two] = [await request(), await other.signIns.requestCode('ada@example.org')];
    const outcomes = await Promise.allSettled([
      redeem(one.attempt, one.code),
      other.signIns.redeem(one.attempt, one.code),
      other.signIns.redeem(two.attempt, two.code),
    ]);
    const signedIn = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.isNew] : []));
    expect(signedIn.sort()).toEqual([false, true]);
    expect(await scene.directory.list()).toHaveLength(1);
    expect(await scene.keyCount()).toBe(1);
  });

  test('through a provider is as fresh as the proof, and uses up the pending sign-in', async () => {
    const { records } = stores.store;
    await records.write([{ create: { kind: 'proof', id: 'one', value: {}, names: [], expiresMs: null } }]);
    const uses = async (): Promise<RecordChange[]> => {
      const proof = await records.get('proof', 'one');
      if (proof === undefined) throw new AccountError('CODE_GONE', 'it was used');
      return [{ delete: proof }];
    };
    const { signIns } = scene.accounts;
    const { token } = await signIns.signInAs('Ada@example.org', uses, () => {}, stores.nowMs - 9 * MINUTE);
    expect(await scene.accounts.findUser(token)).toMatchObject({
      account: { email: 'ada@example.org' },
      isFresh: true,
    });
    stores.nowMs += MINUTE;
    expect(await scene.accounts.findUser(token)).toMatchObject({ isFresh: false });
    expect(await refusalOf(signIns.signInAs('ada@example.org', uses, () => {}))).toBe('CODE_GONE');
    expect(await records.list('session')).toHaveLength(1);
  });

  test.each([
    ...['nobody', 'a@b', 'a@example.org?x', 'a@example.org/x', 'a@example.org#x', 'a@ex\\ample.org', 'a@b..c', ''],
    ...['@example.org', 'a b@example.org', 'a@example.org\nBcc: b@example.org', 'a@example.org, b@example.org'],
    ...['"a"@example.org', '<a@example.org>', `${'a'.repeat(65)}@example.org`],
  ])('wants an address that mail can go to: %j', async (address) => {
    expect(await refusalOf(request(address))).toBe('ADDRESS_INVALID');
  });

  test('is only for the domains that the operator names', async () => {
    const closed = over(stores.store, { domains: ['example.org'] });
    expect((await signIn('ada@sub.example.org', closed)).isNew).toBe(true);
    for (const attempt of [
      closed.signIns.requestCode('ada@badexample.org'),
      closed.signIns.signInAs('ada@example.com', NO_USES, () => {}),
    ]) {
      expect(await refusalOf(attempt)).toBe('ADDRESS_REFUSED');
    }
  });

  test('sends a mailbox no more than a few mails, from whichever process', async () => {
    const other = over(await stores.openAgain());
    for (let count = 0; count < 5; count++) {
      await (count % 2 === 0 ? scene.accounts : other).signIns.requestCode('ada@example.org');
    }
    for (const email of ['ADA@example.org', 'ada+again@example.org']) {
      for (const { signIns } of [scene.accounts, other])
        expect(await refusalOf(signIns.requestCode(email))).toBe('LIMITED');
    }
    await request('bob@example.org');
    stores.nowMs += 10 * MINUTE;
    await scene.accounts.signIns.withdrawCode(await request());
    await request();
    expect(await refusalOf(request())).toBe('LIMITED');
  });

  test('works for the owner of an address while somebody else mistypes its codes', async () => {
    const { token, account } = await signIn();
    const asked = [];
    for (let count = 0; count < 4; count++) asked.push(await request());
    for (const { attempt } of asked) {
      for (let count = 0; count < 6; count++) await refusalOf(redeem(attempt, 'BBBB-BBBB'));
    }
    expect(await refusalOf(request())).toBe('LIMITED');
    // Who is signed in gets a code of another count, and the links in the mails that were not asked for are good.
    const fresh = await scene.accounts.signIns.requestFreshCode(
      (await scene.accounts.findUser(token))?.account ?? account,
    );
    expect((await redeem(fresh.attempt, fresh.code)).isNew).toBe(false);
    const { attempt, token: link } = asked[0] as (typeof asked)[0];
    expect(await refusalOf(redeemLink(attempt, fresh.token))).toBe('CODE_GONE');
    expect((await redeemLink(attempt, link)).isNew).toBe(false);
    expect(await refusalOf(redeemLink(attempt, link))).toBe('CODE_GONE');
  });

  test('a code is good for its 15 minutes, whatever the clock was before', async () => {
    const { attempt, code, token } = await request();
    const madeMs = stores.nowMs;
    const lateMs = madeMs + 15 * MINUTE;
    for (const ms of [madeMs - HOUR, madeMs - CLOCK_TOLERANCE_MS - 1, lateMs]) {
      stores.nowMs = ms;
      expect(await scene.accounts.signIns.findAttempt(attempt)).toBeUndefined();
      expect(await refusalOf(redeem(attempt, code))).toBe('CODE_GONE');
      expect(await refusalOf(redeemLink(attempt, token))).toBe('CODE_GONE');
    }
    stores.nowMs = lateMs - 1;
    expect((await redeem(attempt, code)).isNew).toBe(true);
  });

  test('a sign-in at the provider is good for its 10 minutes, whatever the clock was before', async () => {
    const secrets = { state: 'state', nonce: 'nonce', verifier: 'verifier' };
    const { records } = stores.store;
    const begunMs = stores.nowMs;
    const id = await keepProviderSignIn(records, { ...secrets, begunMs, mustBeFresh: false });
    expect(await findProviderSignIn(records, id, begunMs - HOUR)).toBeUndefined();
    expect(await findProviderSignIn(records, id, begunMs + 10 * MINUTE)).toBeUndefined();
    expect(await findProviderSignIn(records, id, begunMs)).toMatchObject(secrets);
  });

  test('leaves no code, token or key in clear in the store', async () => {
    const { attempt, code, token: linkToken } = await request('bob@example.org');
    const { token, clearKey } = await scene.signUp();
    const text = await textOf(stores.store.records);
    expect(text).toContain(attempt);
    for (const secret of [code, code.replace('-', ''), linkToken, token, clearKey]) expect(text).not.toContain(secret);
  });

  test('a proof in the future is not fresh', async () => {
    const { token } = await signInAs('ada@example.org', stores.nowMs + HOUR);
    expect(await scene.accounts.findUser(token)).toMatchObject({ isFresh: false });
    expect(await refusalOf(scene.accounts.close(token, 'ada@example.org'))).toBe('SIGN_IN_STALE');
  });
}

function describeMailboxes(scene: Scene): void {
  const { stores, signIn, signInAs } = scene;

  test.each([
    ['ada+1@example.org', 'ada+2@example.org', 'ada+3+4@example.org', 'Ada@example.org', 'ada+5@EXAMPLE.org'],
    ['ada.l@gmail.com', 'adal+x@gmail.com', 'a.d.a.l@googlemail.com', 'ADAL@googlemail.com', 'adal@gmail.com'],
    ['ada.l@proton.me', 'ada_l@protonmail.com', 'a-d-a-l+x@pm.me', 'adal@protonmail.ch', 'adal@proton.me'],
    ['ada.l@ya.ru', 'ada-l@yandex.ru', 'ada.l+x@yandex.com', 'ada-l@yandex.kz', 'ada.l@yandex.com.tr'],
    ['nick-shop@yahoo.com', 'nick-news@yahoo.com', 'nick+a@yahoo.com', 'nick-a-b@yahoo.com', 'nick@yahoo.com'],
  ])('%s and other spellings are one account, with one key and one count', async (first, ...others) => {
    const signedUp = await scene.signUp(first);
    await scene.ask(signedUp.clearKey, signedUp.clearKey);
    for (const email of others) {
      const requested = await scene.accounts.signIns.requestCode(email);
      // The page must not tell the address of the account to whoever types another.
      expect(await scene.accounts.signIns.findAttempt(requested.attempt)).toBe(email.toLowerCase());
      expect(requested.email).toBe(first);
      const signedIn = await scene.accounts.signIns.redeem(requested.attempt, requested.code);
      expect(signedIn).toMatchObject({ isNew: false, account: { id: signedUp.account.id, email: first } });
      expect(await refusalOf(scene.accounts.makeKey(signedIn.token))).toBe('KEY_LIMIT');
      expect(await scene.usedBy(signedIn)).toEqual([2]);
      // The next code of this mailbox would have to wait.
      stores.nowMs += 10 * MINUTE;
    }
    expect(await scene.directory.list()).toHaveLength(1);
    expect(await scene.keyCount()).toBe(1);
  });

  test('that only looks alike has an account of its own', async () => {
    const emails = ['a.da@example.org', 'ada@example.org', 'ada-1@example.org', '+ada@example.org', '+bob@example.org'];
    for (const email of [...emails, 'ada@example.com', 'ada-1@gmail.com', 'ada@yahoo.com.evil.test', 'ada@yahoo.com'])
      expect(await signIn(email)).toMatchObject({ isNew: true, account: { email } });
  });

  test('has no account of another spelling that was proved', async () => {
    // Mail to ada+ticket@ may be shown to others than ada, and somebody else may have that name at the provider.
    await signIn('ada@example.org');
    const early = await scene.accounts.signIns.requestCode('bob+early@example.org');
    await signIn('bob@example.org');
    expect(await refusalOf(scene.accounts.signIns.redeem(early.attempt, early.code))).toBe('MAILBOX_TAKEN');
    expect(await refusalOf(scene.accounts.signIns.redeemLink(early.attempt, early.token))).toBe('MAILBOX_TAKEN');
    expect(await refusalOf(signInAs('ada+ticket@example.org'))).toBe('MAILBOX_TAKEN');
    expect((await signInAs('ada@example.org')).isNew).toBe(false);
    expect(await scene.directory.list()).toHaveLength(2);
  });

  test('whose five spellings sign up at once has one account', async () => {
    const spellings = ['', '+1', '+2', '+3', '+4'];
    const outcomes = await Promise.allSettled(spellings.map((tag) => signInAs(`ada${tag}@example.org`)));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(refused).toEqual(Array(4).fill('MAILBOX_TAKEN'));
    expect(await scene.keyCount()).toBe(1);
  });
}

function describeSessions(scene: Scene): void {
  const { stores, signIn } = scene;
  const isUser = async ({ token }: SignedIn) => (await scene.accounts.findUser(token)) !== undefined;

  test('is another for each sign-in, and ends when its owner signs out, here or everywhere', async () => {
    const [one, two, three, bob] = [await signIn(), await signIn(), await signIn(), await signIn('bob@example.org')];
    await scene.accounts.signOut(one.token);
    expect(await Promise.all([one, two].map(isUser))).toEqual([false, true]);
    await scene.accounts.signOut(one.token);
    await scene.accounts.signOutEverywhere(two.token);
    expect(await Promise.all([two, three, bob].map(isUser))).toEqual([false, false, true]);
    expect(await refusalOf(scene.accounts.signOutEverywhere(three.token))).toBe('SIGNED_OUT');
  });

  test('is fresh for ten minutes', async () => {
    const { token, keyId } = await scene.signUp();
    stores.nowMs += 10 * MINUTE;
    expect(await scene.accounts.findUser(token)).toMatchObject({ isFresh: false });
    const acts = [
      () => scene.accounts.revealKey(token, keyId),
      () => scene.accounts.replaceKey(token, keyId, 0),
      () => scene.accounts.revokeKey(token, keyId, 'key 1'),
      () => scene.accounts.makeKey(token),
      () => scene.accounts.close(token, 'ada@example.org'),
    ];
    for (const act of acts) expect(await refusalOf(act())).toBe('SIGN_IN_STALE');
  });

  test('ends 30 days after its last use, and 90 days after the sign-in', async () => {
    const used = await signIn();
    for (let days = 0; days < 75; days += 25) {
      stores.nowMs += 25 * DAY;
      expect(await isUser(used)).toBe(true);
    }
    stores.nowMs += 16 * DAY;
    expect(await isUser(used)).toBe(false);
    const idle = await signIn();
    stores.nowMs += 31 * DAY;
    expect(await isUser(idle)).toBe(false);
  });

  test('that began in the future is none, can be deleted, and goes on where clocks differ as they may', async () => {
    const session = await signIn();
    const beganMs = stores.nowMs;
    stores.nowMs = beganMs - HOUR;
    expect(await isUser(session)).toBe(false);
    expect(await refusalOf(scene.accounts.makeKey(session.token))).toBe('SIGNED_OUT');
    stores.nowMs = beganMs - CLOCK_TOLERANCE_MS;
    expect(await scene.accounts.findUser(session.token)).toMatchObject({ isFresh: true });
    stores.nowMs -= 1;
    expect(await isUser(session)).toBe(false);
    await scene.accounts.signOut(session.token);
    stores.nowMs = beganMs;
    expect(await isUser(session)).toBe(false);
  });

  test.each(['', 'a', 'x'.repeat(43), '../../etc', '\u0000'])('has no user for the token %j', async (token) => {
    expect(await scene.accounts.findUser(token)).toBeUndefined();
  });
}

function describeKeys(scene: Scene): void {
  const { stores, over, signUp } = scene;

  test('is shown, replaced at once, and revoked', async () => {
    const { token, keyId: firstId, clearKey: shown } = await signUp();
    const { keyId, clearKey } = await scene.accounts.replaceKey(token, firstId, 0);
    expect(await scene.ask(shown, clearKey)).toEqual(['revoked', 'good']);
    expect(await scene.accounts.revealKey(token, keyId)).toBe(clearKey);
    expect(await refusalOf(scene.accounts.revokeKey(token, keyId, 'key 7'))).toBe('CONFIRMATION_WRONG');
    await scene.accounts.revokeKey(token, keyId, 'key 1');
    expect(await scene.ask(clearKey)).toEqual(['revoked']);
    expect(await refusalOf(scene.accounts.revokeKey(token, keyId, 'key 1'))).toBe('KEY_STATE');
    expect(await refusalOf(scene.accounts.replaceKey(token, keyId, 0))).toBe('KEY_STATE');
    const acts = (await scene.accounts.findUser(token))?.account.events.map(({ act }) => act);
    expect(acts).toEqual(['signed up', 'key revealed', 'key replaced', 'key revealed', 'key revoked']);
  });

  test('that was replaced with an overlap ends with the next replacement, or where it is revoked', async () => {
    const { token, keyId, clearKey: zero } = await signUp();
    const first = await scene.accounts.replaceKey(token, keyId, HOUR);
    const second = await scene.accounts.replaceKey(token, first.keyId, HOUR);
    expect(await scene.ask(zero, first.clearKey)).toEqual(['good', 'good']);
    await scene.accounts.revokeKey(token, first.keyId, 'key 1');
    expect(await scene.ask(zero, first.clearKey)).toEqual(['good', 'revoked']);
    await scene.accounts.replaceKey(token, second.keyId, 0);
    expect(await scene.ask(zero, second.clearKey)).toEqual(['revoked', 'revoked']);
    expect(await refusalOf(scene.accounts.revealKey(token, second.keyId))).toBe('KEY_STATE');
  });

  test('is changed and shown no more than some times at once', async () => {
    const { token, keyId } = await signUp();
    for (let count = 1; count < 20; count++) await scene.accounts.revealKey(token, keyId);
    expect(await refusalOf(scene.accounts.revealKey(token, keyId))).toBe('LIMITED');
    stores.nowMs += MINUTE;
    await scene.accounts.revealKey(token, keyId);
  });

  test('that was given for a time leaves no plan behind', async () => {
    const { token, keyId: id } = await signUp();
    const end = new Date(stores.nowMs + MINUTE).toISOString();
    await stores.store.directory.change(id, (record) => changeKeyExpiry(changeKeyPlan(record, 'unlimited'), end));
    await scene.accounts.revokeKey(token, id, 'key 1');
    const { keyId } = await scene.accounts.makeKey(token);
    expect((await stores.store.directory.find(keyId))?.record).toMatchObject({ plan: 'free', expires: null });
  });

  test('that follows a revoked one goes on with its count', async () => {
    const signedIn = await signUp();
    const { token, keyId, clearKey: shown } = signedIn;
    await scene.ask(shown, shown, shown);
    expect(await refusalOf(scene.accounts.makeKey(token))).toBe('KEY_LIMIT');
    await scene.accounts.revokeKey(token, keyId, 'key 1');
    const { clearKey, key } = await scene.accounts.makeKey(token);
    expect(await scene.ask(clearKey)).toEqual(['good']);
    expect(await scene.usedBy(signedIn)).toEqual([4]);
    expect(key.record.name).toBe('key 2');
  });

  test('is replaced once where two tabs ask at once', async () => {
    const { token, keyId } = await signUp();
    const tabs = [scene.accounts, over(await stores.openAgain())];
    const replaced = await Promise.allSettled(tabs.map((tab) => tab.replaceKey(token, keyId, 0)));
    expect(replaced.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await scene.keyCount()).toBe(2);
  });

  test('of another account can not be touched', async () => {
    const [{ token }, { keyId }] = [await signUp(), await signUp('bob@example.org')];
    const before = await stores.store.directory.find(keyId);
    expect(await refusalOf(scene.accounts.revealKey(token, keyId))).toBe('KEY_UNKNOWN');
    expect(await refusalOf(scene.accounts.replaceKey(token, keyId, 0))).toBe('KEY_UNKNOWN');
    expect(await refusalOf(scene.accounts.revokeKey(token, keyId, 'key 1'))).toBe('KEY_UNKNOWN');
    expect(await stores.store.directory.find(keyId)).toEqual(before);
  });

  test('that another secret sealed can not be shown, and can be replaced', async () => {
    const { token, keyId: id } = await signUp();
    const other = over(stores.store, { keySecret: 'another secret of thirty-two chars' });
    expect(await refusalOf(other.revealKey(token, id))).toBe('KEY_SEALED');
    const { keyId, clearKey } = await other.replaceKey(token, id, 0);
    expect(await other.revealKey(token, keyId)).toBe(clearKey);
  });
}

function describeClosing(scene: Scene): void {
  const { stores, over, signIn, signUp } = scene;

  test('is gone with its address and sessions, its key is revoked, and its mailbox goes on with the month', async () => {
    const { token, account, clearKey } = await signUp('ada+1@example.org');
    const other = await signIn('ada+1@example.org');
    await scene.ask(clearKey, clearKey, clearKey);
    expect(await refusalOf(scene.accounts.close(token, 'ada@example.org'))).toBe('CONFIRMATION_WRONG');
    await scene.accounts.close(token, 'Ada+1@example.org ');
    expect(await scene.ask(clearKey)).toEqual(['revoked']);
    for (const ended of [token, other.token]) expect(await scene.accounts.findUser(ended)).toBeUndefined();
    expect(await scene.directory.list()).toEqual([]);
    expect(await textOf(stores.store.records)).not.toMatch(/ada\+1@/);
    const again = await signUp('ada+2@example.org');
    expect(again).toMatchObject({ isNew: true, account: { email: 'ada+2@example.org' } });
    expect(again.account.id).not.toBe(account.id);
    await scene.ask(again.clearKey, again.clearKey);
    expect(await scene.usedBy(again)).toEqual([5]);
    await scene.accounts.close(again.token, 'ada+2@example.org');
    expect(await scene.usedBy(await signIn('ada@example.org'))).toEqual([5]);
  });

  test.each(['x@müller.de', ' X@XN--MLLER-KVA.de', 'x@mu\u0308ller.de'])('is named as %j', async (typed) => {
    const { token, account } = await signIn('x@Müller.de');
    expect(account.email).toBe('x@xn--mller-kva.de');
    for (const other of ['x@muller.de', 'x@mueller.de', 'müller.de', ''])
      expect(await refusalOf(scene.accounts.close(token, other))).toBe('CONFIRMATION_WRONG');
    await scene.accounts.close(token, typed);
    expect(await scene.directory.list()).toEqual([]);
  });

  test('begins the month anew with none of its keys', async () => {
    const two = over(stores.store, { keysPerAccount: 2 });
    const { token, clearKey } = await signUp();
    await scene.ask(clearKey, (await two.makeKey(token)).clearKey);
    await two.close(token, 'ada@example.org');
    const again = await signIn('ada@example.org', two);
    await two.makeKey(again.token);
    expect(await scene.usedBy(again)).toEqual([1, 1]);
  });
}

function describeOperator(scene: Scene): void {
  const { stores, over, operatorOver, signIn, signUp } = scene;

  test('suspends an account, which has no good key until it is resumed and makes one', async () => {
    const { token, account, clearKey } = await signUp();
    await scene.operator.suspend(account.id);
    expect(await scene.ask(clearKey)).toEqual(['revoked']);
    expect(await refusalOf(scene.accounts.makeKey(token))).toBe('SUSPENDED');
    expect(await refusalOf(scene.accounts.close(token, 'ada@example.org'))).toBe('SUSPENDED');
    expect((await signIn()).account.state).toBe('suspended');
    await scene.operator.resume(account.id);
    expect(await scene.ask((await scene.accounts.makeKey(token)).clearKey)).toEqual(['good']);
  });

  test('is one of several who suspend an account at once, and one changes it', async () => {
    const { account } = await signIn();
    const others = await Promise.all([stores.openAgain(), stores.openAgain()]);
    const everybody = [scene.operator, ...others.map(operatorOver)];
    const outcomes = await Promise.all(everybody.map((one) => one.suspend(account.id)));
    expect(outcomes.filter(({ isChanged }) => isChanged)).toHaveLength(1);
    expect((await scene.directory.find(account.id))?.account.events.map(({ act }) => act)).toEqual([
      'signed up',
      'suspended',
    ]);
  });

  test('leaves a developer who replaces the key meanwhile without a good one', async () => {
    const { token, account, keyId, clearKey } = await signUp();
    const other = over(await stores.openAgain());
    const [replaced] = await Promise.allSettled([
      other.replaceKey(token, keyId, HOUR),
      scene.operator.suspend(account.id),
    ]);
    // The key may be revoked after the account was read, and before the key is.
    if (replaced.status === 'rejected') expect(['SUSPENDED', 'KEY_STATE']).toContain(replaced.reason.code);
    const made = replaced.status === 'fulfilled' ? [replaced.value.clearKey] : [];
    expect(new Set(await scene.ask(clearKey, ...made))).toEqual(new Set(['revoked']));
    expect((await scene.directory.find(account.id))?.account.state).toBe('suspended');
  });

  test('who closes an account that another closes is told, and it is gone for all', async () => {
    const { account } = await signIn();
    const operators = [scene.operator, operatorOver(await stores.openAgain())];
    const outcomes = await Promise.allSettled(operators.map((one) => one.close(account.id)));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(refused).toEqual(['ACCOUNT_UNKNOWN']);
    expect(await refusalOf(scene.operator.resume(account.id))).toBe('ACCOUNT_UNKNOWN');
    expect(await scene.directory.list()).toEqual([]);
  });

  test('may add keys until an account would forget a good one', async () => {
    const { account, keyId: first } = await signUp();
    const made = [await scene.operator.makeKey(account.id, {})];
    while (made.length < KEYS_KEPT - 1) made.push(await scene.operator.makeKey(account.id, {}));
    expect(await refusalOf(scene.operator.makeKey(account.id, {}))).toBe('KEY_LIMIT');
    const forgotten = made[0]?.keyId ?? '';
    await stores.store.directory.change(forgotten, changeKeyToRevoked);
    const last = await scene.operator.makeKey(account.id, {});
    const { keyIds } = last.account;
    expect(keyIds).toHaveLength(KEYS_KEPT);
    expect(keyIds).toEqual(expect.arrayContaining([first, last.keyId]));
    expect(keyIds).not.toContain(forgotten);
    const { revokedKeyIds } = await scene.operator.suspend(account.id);
    expect([...revokedKeyIds].sort()).toEqual([...keyIds].sort());
    const statuses = await scene.ask(...[...made, last].map(({ clearKey }) => clearKey));
    expect(new Set(statuses)).toEqual(new Set(['revoked']));
  });

  test('sees the latest fifty events', async () => {
    const { token, account } = await signIn();
    for (let count = 0; count < 30; count++) {
      await scene.operator.suspend(account.id);
      await scene.operator.resume(account.id);
    }
    expect((await scene.accounts.findUser(token))?.account.events).toHaveLength(50);
  });

  test('is told of damaged accounts, which spoil no other', async () => {
    const { account } = await signIn();
    const value = { ...account, id: undefined };
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
      await stores.store.records.write([{ create: { ...create, value: { ...value, email: name, ...damage } } }]);
    }
    const told: string[] = [];
    expect(await scene.directory.list((error) => told.push(error.code))).toMatchObject([{ id: account.id }]);
    expect(told).toEqual(damages.map(() => 'KEY_STORE_DAMAGED'));
    await expect(scene.directory.list()).rejects.toMatchObject({ code: 'KEY_STORE_DAMAGED' });
  });
}

/** All records of these kinds. */
async function textOf(records: RecordStore): Promise<string> {
  const kinds = ['account', 'closed-account', 'session', 'sign-in', 'rate-limit', 'key'];
  return JSON.stringify(await Promise.all(kinds.map((kind) => records.list(kind))));
}
