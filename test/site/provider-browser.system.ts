/**
 * Sign-in through the company's provider in a real browser, over three origins, as where a provider sends people on to
 * another: with scripts and without, and no page breaks its own policy on the way.
 */

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Cookies } from '../../src/site/account/cookies.js';
import { Provider } from '../../src/site/account/provider-sign-in.js';
import { useAccountScene } from './account-scene.js';
import { findFaults, openPage } from './browser-scene.js';
import { CALLBACK, CLIENT, createOidcProvider, type OidcProviderScene } from './oidc-provider-scene.js';
import { API_URL } from './site-scene.js';

// The two know each other's address only once both listen.
const options = { ...CLIENT, issuer: '' };
const addresses = { siteUrl: '', apiUrl: API_URL, hasAccounts: true };
const scene = useAccountScene(({ open }) =>
  open(
    ({ records }, clock) => ({
      mailer: undefined,
      cookies: new Cookies(false),
      provider: new Provider('Example Account', options, records, clock),
    }),
    { addresses },
  ),
);
let oidc: OidcProviderScene;
beforeEach(async () => {
  const origin = await scene.account.site.listen();
  addresses.siteUrl = origin;
  oidc = await createOidcProvider([origin + CALLBACK], (issuer) => ({
    interactions: { url: (_, { uid }) => `${issuer.replace('127.0.0.1', 'localhost')}/interaction/${uid}` },
  }));
  options.issuer = oidc.issuer;
});
afterEach(() => oidc.stop());

async function open(javaScriptEnabled: boolean): Promise<Page> {
  const page = await openPage({ baseURL: addresses.siteUrl, javaScriptEnabled });
  await page.goto('/account');
  return page;
}

const titleOf = (page: Page) => page.locator('h1').textContent();

test('one press leads to the account, and going back signs in nobody again', async () => {
  const page = await open(true);
  await page.getByRole('button', { name: 'Sign in with Example Account' }).press('Enter');
  await page.waitForURL('**/account');
  await page.getByText('ada@example.org').first().waitFor();
  expect(await scene.account.store.records.list('session')).toHaveLength(1);
  await page.goBack();
  await page.waitForLoadState();
  expect(new URL(page.url()).pathname).toBe('/account');
  expect(await scene.account.store.records.list('session')).toHaveLength(1);
});

test('without scripts, a button is pressed on coming back', async () => {
  const page = await open(false);
  await page.getByRole('button', { name: 'Sign in with Example Account' }).click();
  await page.getByRole('heading', { name: 'Back from Example Account' }).waitFor();
  expect(await scene.account.store.records.list('session')).toEqual([]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('ada@example.org').first().waitFor();
  expect(await titleOf(page)).toBe('Your account');
});

test.each(['/account', '/account/provider/callback?code=x&state=y'])('%s has no fault', async (path) => {
  const page = await open(true);
  await page.route('**/site.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
  await page.goto(path);
  expect(await findFaults(page)).toEqual([]);
});
