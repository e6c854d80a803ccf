/**
 * What the dashboard says of a key's use in this month, and what the script of the reference is told of the reader's
 * account: the keys, their plans, and a key in clear.
 */

import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAccount } from '../../src/keys/accounts/account-record.js';
import { createApiKey, digestApiKey } from '../../src/keys/key/api-key.js';
import { createKeyRecord } from '../../src/keys/key/key-record.js';
import { createPlanFinder, parsePlans } from '../../src/keys/key/plan.js';
import { dashboardPage } from '../../src/site/account/dashboard-page.js';
import { CLEAR_KEY, SAME_ORIGIN, SCRIPT, useAccountScene, type Visitor } from './account-scene.js';
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
  const scene = useAccountScene();
  let script: Visitor;
  beforeEach(() => {
    script = scene.account.browser(SCRIPT);
  });

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
    expect(await keysOf(scene.account.browser(SCRIPT))).toEqual({ keys: [], isFresh: false });
    await script.post(`/account/keys/${id}/revoke`, { name });
    expect(await keysOf(script)).toEqual({ keys: [], isFresh: true });
    scene.account.aheadMs = 11 * 60_000;
    expect((await keysOf(script)).isFresh).toBe(false);
  });

  test('a plan without limits is said to have none', async () => {
    const plans = parsePlans('{"free": {"requestsPerMonth": null, "requestsPerSecond": null, "burst": null}}');
    const unlimited = (await scene.open({ planOf: createPlanFinder(plans) })).browser(SCRIPT);
    await unlimited.signIn('ada@example.org');
    expect((await keysOf(unlimited)).keys).toMatchObject([
      { plan: 'free: any number of requests a month, 0 so far; at any rate' },
    ]);
  });

  test('a browser that goes to the address is led to the account', async () => {
    const reader = scene.account.browser({ ...SAME_ORIGIN, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    await reader.signIn('ada@example.org');
    const { status, headers } = await reader.get('/account/keys');
    expect([status, headers.location]).toEqual([303, '/account']);
  });

  test('gets the key of its owner in clear, and the owner is told by mail', async () => {
    await script.signIn('ada@example.org');
    const [key] = (await keysOf(script)).keys;
    const mailCount = scene.account.mails.length;
    const { status, body, headers } = await script.post(`/account/keys/${key?.id}/reveal`);
    expect([status, headers['cache-control'], headers.refresh]).toEqual([200, 'no-store', undefined]);
    expect(body).toEqual({ keyId: key?.id, clearKey: expect.stringMatching(CLEAR_KEY) });
    expect(scene.account.mails).toHaveLength(mailCount + 1);
  });
});
