/** What the dashboard says of a key's use in this month, with a quota and without. */

import { expect, test } from '@jest/globals';
import { createAccount } from '../../src/keys/accounts/account.js';
import { createApiKey, digestApiKey } from '../../src/keys/api-key.js';
import { createKeyRecord } from '../../src/keys/key-record.js';
import { dashboardPage } from '../../src/site/account/dashboard-page.js';
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
