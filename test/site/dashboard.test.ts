/**
 * What the dashboard says of a key's use in this month, and what the script of the reference is told of the reader's
 * account: the keys, their plans, and a key in clear.
 */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { createAccount } from '../../src/keys/accounts/account-record.js';
import { createApiKey, digestApiKey } from '../../src/keys/key/api-key.js';
import { createKeyRecord } from '../../src/keys/key/key-record.js';
import { createPlanFinder, parsePlans } from '../../src/keys/key/plan.js';
import { dashboardPage } from '../../src/site/account/dashboard-page.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';
import { type AccountScene, createAccountScene, SAME_ORIGIN, type Visitor } from './account-scene.js';
import { textOf } from './site-scene.js';

const NOW = new Date('2026-11-22T12:00:00.000Z');

/** The text of the page of a developer with one key that was used 1,234 times this month. */
function pageWith(requestsPerMonth: number | null): string {
  const usage = { months: new Map([['2026-11', 1_234]]), days: new Map([['2026-11-22', 1_234]]) };
  const account = createAccount('ada@example.org', NOW.getTime());
  const event = { at: NOW.toISOString(), act: 'key made', keyId: null };
  const { body } = dashboardPage({
    account: { ...account, events: [event] },
    keys: [{ digest: digestApiKey(createApiKey()), record: createKeyRecord('key 1', NOW), sealed: null, usage }],
    planOf: (name) => ({ name, requestsPerMonth, rate: null }),
    ...{
      isFresh: true,
      mayMakePublishableKey: true,
      mayMakeKey: false,
      nowMs: NOW.getTime(),
      example: '/v1/countries',
    },
    ways: { hasMail: true, provider: undefined },
    site: { siteUrl: 'https://site.test', apiUrl: 'https://api.test', hasAccounts: true },
  });
  return textOf(`<main>${body.text}</main>`, 'main');
}

test.each([
  [10_000, '1,234 of 10,000 requests · resets on 1 December'],
  [1, '1,234 of 1 request · resets on 1 December'],
  [null, '1,234 requests (no limit) · resets on 1 December'],
])('a quota of %s', (requestsPerMonth, text) => {
  expect(pageWith(requestsPerMonth)).toContain(text);
});

test('recent activity is told in the words of the page', () => {
  const text = pageWith(10_000);
  expect(text).toMatch(/Recent activity\s+2026-11-22 12:00 UTC key created/);
  expect(text).not.toContain('key made');
});

describe('the script of the reference', () => {
  const CLEAR_KEY = /^pp_[\da-hjkmnp-tv-z]{39}$/;
  const JSON_ONLY = { ...SAME_ORIGIN, accept: 'application/json' };

  const folders = createTemporaryFolders();
  let snapshot: Snapshot;
  let scene: AccountScene;
  let script: Visitor;
  beforeAll(async () => {
    snapshot = await openFixture(HAND_MADE_ROWS);
  });
  beforeEach(async () => {
    scene = await createAccountScene(snapshot, folders.make());
    script = scene.browser(JSON_ONLY);
  });
  afterEach(() => scene.close());
  afterAll(() => folders.clear());

  interface Keys {
    readonly keys: readonly { readonly id: string; readonly name: string; readonly plan: string }[];
    readonly isFresh: boolean;
  }

  async function keysOf(visitor: Visitor): Promise<Keys> {
    const { status, body, headers } = await visitor.get('/account/keys');
    expect([status, headers['cache-control'], headers['referrer-policy']]).toEqual([200, 'no-store', 'same-origin']);
    return body as Keys;
  }

  test('a reader who is not signed in has no keys', async () => {
    expect(await keysOf(script)).toEqual({ keys: [], isFresh: false });
  });

  test('a signed-in reader has the valid keys with the limits of their plan', async () => {
    await script.signIn('ada@example.org');
    const { keys, isFresh } = await keysOf(script);
    expect(isFresh).toBe(true);
    const plan = 'free: 10,000 requests a month, 0 of them used; 50 a second, 100 at once';
    expect(keys).toEqual([{ id: expect.stringMatching(/^key_/), name: 'key 1', plan }]);
    const [{ id, name } = { id: '', name: '' }] = keys;
    // No other reader has them, and a key that is revoked is none.
    expect(await keysOf(scene.browser(JSON_ONLY))).toEqual({ keys: [], isFresh: false });
    await script.post(`/account/keys/${id}/revoke`, { name });
    expect(await keysOf(script)).toEqual({ keys: [], isFresh: true });
  });

  test('a plan without limits is said to have none', async () => {
    const plans = parsePlans('{"free": {"requestsPerMonth": null, "requestsPerSecond": null, "burst": null}}');
    await scene.close();
    scene = await createAccountScene(snapshot, folders.make(), { planOf: createPlanFinder(plans) });
    script = scene.browser(JSON_ONLY);
    await script.signIn('ada@example.org');
    expect((await keysOf(script)).keys).toMatchObject([
      { plan: 'free: any number of requests a month, 0 so far; at any rate' },
    ]);
  });

  test('a browser that goes to the address is led to the account', async () => {
    const reader = scene.browser({ ...SAME_ORIGIN, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    await reader.signIn('ada@example.org');
    const { status, headers } = await reader.get('/account/keys');
    expect([status, headers.location]).toEqual([303, '/account']);
  });

  describe('the key in clear', () => {
    test('is given to the script of its owner, and the owner is told by mail', async () => {
      await script.signIn('ada@example.org');
      const [key] = (await keysOf(script)).keys;
      const mailCount = scene.mails.length;
      const { status, body, headers } = await script.post(`/account/keys/${key?.id}/reveal`);
      expect([status, headers['cache-control'], headers.refresh]).toEqual([200, 'no-store', undefined]);
      expect(body).toEqual({ keyId: key?.id, clearKey: expect.stringMatching(CLEAR_KEY) });
      expect(scene.mails).toHaveLength(mailCount + 1);
    });

    test('is given to nobody else: not later, not to another, not from elsewhere', async () => {
      await script.signIn('ada@example.org');
      const id = (await keysOf(script)).keys[0]?.id;
      const path = `/account/keys/${id}/reveal`;
      const other = scene.browser(JSON_ONLY);
      expect((await other.post(path)).headers.location).toBe('/account');
      await other.signIn('eve@example.org');
      expect((await other.post(path)).status).toBe(404);
      const elsewhere = scene.browser({ 'sec-fetch-site': 'cross-site', accept: 'application/json' });
      for (const [name, value] of script.cookies) elsewhere.cookies.set(name, value);
      expect((await elsewhere.post(path)).status).toBe(403);
      scene.aheadMs = 11 * 60_000;
      expect((await keysOf(script)).isFresh).toBe(false);
      const stale = await script.post(path);
      expect([stale.status, stale.text.includes('pp_')]).toEqual([403, stale.text.includes('pp_••')]);
    });
  });
});
