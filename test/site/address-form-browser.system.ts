/** The page of the address form in a real browser, beside the API itself and under the policy of the site. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { type ClientScene, createClientScene } from '../clients/client-scene.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { findFaults, openPage, overflowOf, PHONE } from './browser-scene.js';
import { createSite, type SiteScene } from './site-scene.js';

let api: ClientScene;
let site: SiteScene;
let origin: string;
beforeAll(async () => {
  api = await createClientScene();
  const addresses = { siteUrl: '', apiUrl: api.url, hasAccounts: true, formKey: '' };
  site = createSite(openSnapshot(await sharedStarterSnapshot()), { addresses });
  origin = await site.listen();
  // No page has been asked for yet.
  addresses.siteUrl = origin;
  addresses.formKey = await api.createFormKey(origin);
});
afterAll(async () => {
  await site?.close();
  await api?.stop();
});

async function open(options: BrowserContextOptions = {}, ownKeys: readonly object[] = []): Promise<Page> {
  const page = await openPage({ baseURL: origin, ...options });
  await page.route('**/account/keys/publishable', (route) => route.fulfill({ json: { keys: ownKeys } }));
  await page.goto('/docs/address-form');
  return page;
}

/** Waits for what the element says. Playwright's own `waitForFunction` evaluates texts, which the policy forbids. */
async function waitUntil(page: Page, condition: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const { value, shadowRoot } = document.querySelector('postal-address-form');
      if (${condition}) resolve();
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

test.each<[string, BrowserContextOptions]>([
  ['on a desk', {}],
  ['on a phone, in the dark', { ...PHONE, hasTouch: true, colorScheme: 'dark' }],
])('a code to try fills in city and state, and what would be sent is shown: %s', async (_, options) => {
  const page = await open(options);
  expect(await findFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'United States' }).click();
  const field = (name: string) => page.getByRole('combobox', { name, exact: true });
  await page.locator('postal-address-form').getByText('ZIP code').waitFor();
  await waitUntil(page, "value.city === 'Beverly Hills'");
  expect(await field('State').inputValue()).toBe('California');
  // The street is missing.
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Please fill in this field.').waitFor();
  expect(await findFaults(page)).toEqual([]);
  await page.keyboard.type('9876 Wilshire Blvd');
  await page.keyboard.press('Enter');
  await page.locator('.sent pre').first().waitFor();
  const sent = await page.locator('.sent pre').allTextContents();
  expect(JSON.parse(sent[0] as string)).toEqual({
    ...{
      country: 'US',
      street: '9876 Wilshire Blvd',
      city: 'Beverly Hills',
      state: 'California',
      'postal-code': '90210',
    },
  });
  expect(JSON.parse(sent[1] as string)).toMatchObject({ countryCode: 'US', postalCode: '90210' });
  expect(await findFaults(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
});

test('ten countries have a code to try, which fills in a city or a state, or offers cities', async () => {
  const page = await open();
  const buttons = page.locator('.tried button');
  expect(await buttons.count()).toBe(10);
  for (const button of await buttons.all()) {
    await button.click();
    const code = await button.getAttribute('data-code');
    const said = "value.city + value.state + shadowRoot.querySelector('#city-hint').textContent";
    await waitUntil(page, `value.postalCode === '${code}' && ${said} !== ''`);
  }
});

test('the snippet has the reader’s newest key, as text', async () => {
  const keys = [
    { name: 'old', clearKey: 'pp_pub_old' },
    { name: '<b>shop</b>', clearKey: 'pp_pub_new' },
  ];
  const page = await open({}, keys);
  await page.getByText('This is your key “<b>shop</b>”').waitFor();
  const snippet = (await page.locator('.snippet').textContent()) ?? '';
  expect(snippet).toContain('api-key="pp_pub_new"');
  expect(snippet).toContain(`src="${origin}/clients/postal-places.js"`);
});

test('without a script there are plain fields', async () => {
  const page = await open({ javaScriptEnabled: false });
  await page.getByRole('textbox', { name: 'Postal code' }).fill('10115');
  await page.getByRole('button', { name: 'Send' }).click();
  expect(new URL(page.url()).searchParams.get('postal-code')).toBe('10115');
});
