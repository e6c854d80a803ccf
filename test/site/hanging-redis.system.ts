/** Pages of accounts while Redis answers nothing, or late: each comes in time and says so, however often it asks Redis. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import type { KeyStore } from '../../src/keys/decision/key-store.js';
import { openRedisKeyStore } from '../../src/keys/decision/redis-key-store.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../src/keys/key/plan.js';
import { parseRedisAddress } from '../../src/keys/storage/redis-address.js';
import { waitLimitsOf } from '../../src/site/account/open-accounts.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { type LosingProxy, startLosingProxy } from '../fixtures/losing-proxy.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { type RedisServer, startRedis } from '../fixtures/redis-server.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { type AccountScene, CLEAR_KEY, createAccountScene, keyIdIn, type Visitor } from './account-scene.js';

const TIMEOUT_MS = 200;
/** What a test on a busy machine allows beside the promise; without the promise a page takes five seconds and more. */
const SLACK_MS = 1_500;

let snapshot: Snapshot;
let redis: RedisServer;
let proxy: LosingProxy;
let scene: AccountScene;
let browser: Visitor;
let keyId = '';
/** Of the site, as a test sets them: what is no test of them is not to fail where the machine is busy. */
const limits: { answerMs: number; requestMs: number } = waitLimitsOf(20_000);
const limitTo = (timeoutMs: number): unknown => Object.assign(limits, waitLimitsOf(timeoutMs));
beforeAll(async () => {
  snapshot = await openFixture(HAND_MADE_ROWS);
  redis = await startRedis();
});
beforeEach(async () => {
  await redis.command('FLUSHALL');
  proxy = await startLosingProxy(redis.port);
  scene = await createAccountScene(snapshot, openStore, { waitLimits: limits });
  browser = scene.browser();
  await browser.signIn('ada@example.org');
  keyId = keyIdIn((await browser.get('/account')).text);
  expect(keyId).not.toBe('');
  limitTo(TIMEOUT_MS);
});
afterEach(async () => {
  limitTo(20_000);
  redis.resume();
  await scene.close();
  await proxy.stop();
});
afterAll(() => redis.stop());

async function openStore(): Promise<KeyStore> {
  return openRedisKeyStore({
    address: parseRedisAddress(`redis://127.0.0.1:${proxy.port}`),
    plans: DEFAULT_PLANS,
    findPlan: createPlanFinder(DEFAULT_PLANS),
    timeoutMs: TIMEOUT_MS,
    graceMs: 0,
    logger: silentLogger,
  });
}

/** Each page that asks the store, asked for at once; each gets 503 in time. */
async function expectRefusals(): Promise<void> {
  const startMs = performance.now();
  const answers = await Promise.all([
    browser.get('/account'),
    browser.post(`/account/keys/${keyId}/reveal`),
    browser.post(`/account/keys/${keyId}/replace`, { overlap: '0' }),
    browser.post('/account/close', { email: 'ada@example.org' }),
    browser.post('/account/sign-out-everywhere'),
    browser.post('/account/fresh'),
    scene.browser().post('/account/sign-in', { email: 'bob@example.org' }),
    scene.browser().post('/account/code', { attempt: 'x'.repeat(22), code: 'BCDF-2345' }),
  ]);
  expect(performance.now() - startMs).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);
  expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
    answers.map(() => [503, '30']),
  );
  // Nothing was sent that changes anything.
  for (const { text } of answers) expect(text).toContain('Nothing was changed');
}

test('a Redis that stops responding', async () => {
  redis.pause();
  await expectRefusals();
  expect((await browser.get('/andorra')).status).toBe(200);
  redis.resume();
  limitTo(20_000);
  await waitUntil('pages to come again', async () => (await browser.get('/account')).status === 200);
  expect((await browser.post(`/account/keys/${keyId}/reveal`)).text).toMatch(CLEAR_KEY);
});

test('a Redis that is gone', async () => {
  await redis.kill();
  try {
    await expectRefusals();
  } finally {
    await redis.restart();
  }
  // It has lost everybody, and is asked again.
  await waitUntil('pages to come again', async () => (await browser.get('/account')).status === 200);
});

test('a Redis of which each answer is in time, and all together are not', async () => {
  proxy.delay(TIMEOUT_MS / 2);
  const startMs = performance.now();
  const late = await browser.get('/account');
  expect(performance.now() - startMs).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);
  expect([late.status, late.text.includes('Nothing was changed')]).toEqual([503, true]);
  proxy.delay(0);
  limitTo(20_000);
  expect((await browser.get('/account')).status).toBe(200);
});

test('an answer that is lost on the way to a change leaves it unsure, and is told so in time', async () => {
  const startMs = performance.now();
  proxy.hold('evalsha');
  const unsure = await browser.post(`/account/keys/${keyId}/reveal`);
  expect(performance.now() - startMs).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);
  expect([unsure.status, unsure.text.includes('as a whole or not at all')]).toEqual([503, true]);
});
