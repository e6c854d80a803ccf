/**
 * A clock that was ahead and is set right: what was proved in that time is not fresh again, or for longer than it was.
 */

import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { CLOCK_TOLERANCE_MS } from '../../../src/keys/accounts/clock-tolerance.js';
import { DeveloperActions } from '../../../src/keys/accounts/developer-actions.js';
import { CODE_MINUTES } from '../../../src/keys/accounts/mailed-codes.js';
import {
  findProviderSignIn,
  keepProviderSignIn,
  PROVIDER_SIGN_IN_MINUTES,
} from '../../../src/keys/accounts/provider-sign-ins.js';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../../src/keys/key/plan.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { createTemporaryFolders } from '../temporary-folders.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-03-01T12:00:00.000Z');
const RULES = { keySecret: 'a secret of thirty-two characters', keysPerAccount: 1, domains: null };

const folders = createTemporaryFolders();
let store: KeyStore;
let accounts: DeveloperActions;
let nowMs = NOON;
const clock = (): number => nowMs;
beforeEach(async () => {
  nowMs = NOON;
  const findPlan = createPlanFinder(DEFAULT_PLANS);
  store = await openEmbeddedKeyStore({ folder: folders.make(), findPlan, clock, logger: silentLogger });
  accounts = new DeveloperActions(store, RULES, clock);
});
afterEach(() => store.close());
afterAll(() => folders.clear());

async function signIn(): Promise<string> {
  const { attempt, code } = await accounts.signIns.requestCode('ada@example.org');
  return (await accounts.signIns.redeem(attempt, code)).token;
}

test('a session created in the future is not valid, and can be deleted', async () => {
  const token = await signIn();
  nowMs = NOON - HOUR;
  expect(await accounts.findUser(token)).toBeUndefined();
  await expect(accounts.makeKey(token)).rejects.toMatchObject({ code: 'SIGNED_OUT' });
  nowMs = NOON;
  expect(await accounts.findUser(token)).toMatchObject({ isFresh: true });
  nowMs = NOON - HOUR;
  await accounts.signOut(token);
  nowMs = NOON;
  expect(await accounts.findUser(token)).toBeUndefined();
});

test('a session goes on where clocks differ by as much as they may', async () => {
  const token = await signIn();
  nowMs = NOON - CLOCK_TOLERANCE_MS;
  expect(await accounts.findUser(token)).toMatchObject({ isFresh: true });
  nowMs -= 1;
  expect(await accounts.findUser(token)).toBeUndefined();
});

test('a proof in the future is not fresh', async () => {
  const uses = async (): Promise<readonly []> => [];
  const { token } = await accounts.signIns.signInAs('ada@example.org', uses, () => {}, NOON + HOUR);
  expect(await accounts.findUser(token)).toMatchObject({ isFresh: false });
  await expect(accounts.close(token, 'ada@example.org')).rejects.toMatchObject({ code: 'SIGN_IN_STALE' });
});

test('a code is good for no longer than its 15 minutes', async () => {
  const { attempt, code, token } = await accounts.signIns.requestCode('ada@example.org');
  const lateMs = NOON + CODE_MINUTES * MINUTE;
  for (const ms of [NOON - HOUR, NOON - CLOCK_TOLERANCE_MS - 1, lateMs]) {
    nowMs = ms;
    expect(await accounts.signIns.findAttempt(attempt)).toBeUndefined();
    await expect(accounts.signIns.redeem(attempt, code)).rejects.toMatchObject({ code: 'CODE_GONE' });
    await expect(accounts.signIns.redeemLink(attempt, token)).rejects.toMatchObject({ code: 'CODE_GONE' });
  }
  nowMs = lateMs - 1;
  expect((await accounts.signIns.redeem(attempt, code)).isNew).toBe(true);
});

test('a sign-in at the provider is good for no longer than its 10 minutes', async () => {
  const secrets = { state: 'state', nonce: 'nonce', verifier: 'verifier' };
  const id = await keepProviderSignIn(store.records, { ...secrets, begunMs: NOON, mustBeFresh: false });
  const find = (ms: number) => findProviderSignIn(store.records, id, ms);
  expect(await find(NOON - HOUR)).toBeUndefined();
  expect(await find(NOON + PROVIDER_SIGN_IN_MINUTES * MINUTE)).toBeUndefined();
  expect(await find(NOON)).toMatchObject(secrets);
});
