/**
 * Accounts as a developer meets them, in a real browser. With a real mail server: the compiled site and the compiled server
 * with two workers, over one key store. With the company's provider: over three origins, as where a provider sends people
 * on to another, with scripts and without, and no page breaks its own policy on the way.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { Cookies } from '../../src/site/account/cookies.js';
import { Provider } from '../../src/site/account/provider-sign-in.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { type MailServer, startMailServer } from '../fixtures/mail-server.js';
import { createPublishedFolder, type PublishedFolder } from '../fixtures/published-folder.js';
import { originOf, type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { useAccountScene } from './account-scene.js';
import { findFaults, forgiveComplaints, openPage, overflowOf, PHONE } from './browser-scene.js';
import { CALLBACK, CLIENT, createOidcProvider, type OidcProviderScene } from './oidc-provider-scene.js';
import { API_URL } from './site-scene.js';

const folder = createTemporaryFolder();
let published: PublishedFolder;
let mails: MailServer;
let server: ServerProgram;
let site: ServerProgram;
let apiUrl: string;
let origin: string;
let earlierOutput = '';

function startSite(): ServerProgram {
  return startServerProgram('site', {
    SITE_PORT: '0',
    API_URL: apiUrl,
    SNAPSHOT: published.source('one'),
    KEYS_DIR: join(folder.path, 'keys'),
    KEY_SECRET: 'a secret of thirty-two characters',
    MAIL_URL: mails.url,
    MAIL_FROM: 'Postal Places <places@site.test>',
  });
}

beforeAll(async () => {
  published = await createPublishedFolder();
  mails = await startMailServer();
  server = startServerProgram('serve', {
    PORT: '0',
    WORKERS: '2',
    SNAPSHOT: published.source('one'),
    KEYS_DIR: join(folder.path, 'keys'),
  });
  apiUrl = await originOf(server);
  site = startSite();
  origin = await originOf(site);
});
afterAll(async () => {
  for (const program of [site, server]) program?.process.kill('SIGKILL');
  await Promise.all([site?.ended, server?.ended]);
  await mails?.stop();
  published?.remove();
  folder.remove();
});

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const at = origin;
  const isCall = (url: string): boolean => page.url().endsWith('/docs/reference') && url.startsWith(`${apiUrl}/v1/`);
  const page: Page = await openPage(
    { baseURL: at, ...options },
    { mayAsk: (url) => url.startsWith(at) || isCall(url) },
  );
  await page.goto(path);
  return page;
}

async function signIn(page: Page, email: string): Promise<void> {
  const count = mails.messages.length;
  await page.goto('/account');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.getByLabel('Code', { exact: true }).fill(await mails.codeFor(email, count));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your key: key 1' }).waitFor();
}

async function reveal(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Show the key' }).click();
  return (await page.locator('.secret code').textContent()) as string;
}

/** The statuses of several calls, each over a connection of its own, so that every worker answers some. */
async function call(key: string, count = 1): Promise<number[]> {
  const headers = { 'x-api-key': key, connection: 'close' };
  const answers = Array.from({ length: count }, async () => {
    const response = await fetch(`${apiUrl}/v1/countries`, { headers });
    // Node 24's fetch fails outside of any promise where the connection ends before the body is read.
    await response.arrayBuffer();
    return response.status;
  });
  return await Promise.all(answers);
}

test('from the front page to a first call that is answered, by keyboard alone', async () => {
  const page = await open('/');
  const press = async (name: string): Promise<void> => {
    const target = page.locator('a, button').filter({ hasText: new RegExp(`^${name}$`) });
    for (let presses = 0; presses < 30; presses++) {
      await page.keyboard.press('Tab');
      if (
        await target
          .first()
          .evaluate((element) => (element as unknown as { matches(s: string): boolean }).matches(':focus'))
      ) {
        await page.keyboard.press('Enter');
        return;
      }
    }
    throw new Error(`Tab does not come to ${name}`);
  };
  await press('Account');
  await page.waitForURL('/account');
  expect(await findFaults(page)).toEqual([]);
  // The field has the focus.
  await page.keyboard.type('ada@example.org');
  await page.keyboard.press('Enter');
  await page.waitForURL('/account/code');
  expect(await findFaults(page)).toEqual([]);
  await page.keyboard.type(await mails.codeFor('ada@example.org'));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your key: key 1' }).waitFor();
  expect(await findFaults(page)).toEqual([]);
  await press('Show the key');
  const curl = page.locator('.key pre code');
  await curl.filter({ hasText: 'pp_' }).waitFor();
  expect(await findFaults(page)).toEqual([]);
  const [, key = '', url = ''] = /^curl -H 'x-api-key: (\S+)' '(\S+)'$/.exec((await curl.textContent()) ?? '') ?? [];
  const answer = await fetch(url, { headers: { 'x-api-key': key } });
  expect(answer.status).toBe(200);
});

test.each([
  ['with scripts', 'bob@example.org', true],
  ['without scripts', 'carol@example.org', false],
])(
  '%s: a key is refused on the next request once it is replaced or revoked, by every worker, and an account closed',
  async (_, email, javaScriptEnabled) => {
    const page = await open('/account', { javaScriptEnabled });
    await signIn(page, email);
    const first = await reveal(page);
    expect(await call(first, 8)).toEqual(Array(8).fill(200));
    await page.getByText('Replace this key').click();
    await page.getByRole('button', { name: 'Replace key' }).click();
    const second = (await page.locator('.secret code').textContent()) as string;
    expect(await call(first, 8)).toEqual(Array(8).fill(401));
    expect(await call(second, 8)).toEqual(Array(8).fill(200));
    await page.getByText('Revoke this key').click();
    await page.getByLabel('Revoking is permanent').fill('key 1');
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('This account has no valid key.').waitFor();
    expect(await call(second, 8)).toEqual(Array(8).fill(401));
    if (javaScriptEnabled) expect(await findFaults(page)).toEqual([]);
    await page.locator('summary', { hasText: 'Close my account' }).click();
    await page.getByLabel('Your keys are revoked').fill(email);
    await page.getByRole('button', { name: 'Close my account' }).click();
    await page.getByRole('heading', { name: 'Your account is closed' }).waitFor();
  },
);

test('a key is hidden again after a minute', async () => {
  const page = await open('/');
  await page.clock.install();
  await signIn(page, 'grace@example.org');
  // From here on its time passes by these calls alone.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 10_000);
  expect(await reveal(page)).toMatch(/^pp_/);
  await page.clock.runFor(59_000);
  expect(await page.locator('.secret code').textContent()).toMatch(/^pp_[^•]/);
  await page.clock.runFor(2_000);
  await page.getByRole('button', { name: 'Show the key' }).waitFor();
});

test('the key is the same, and the session goes on, after the site was started anew', async () => {
  const page = await open('/account');
  await signIn(page, 'erin@example.org');
  const key = await reveal(page);
  site.process.kill('SIGTERM');
  expect(await site.ended).toBe(0);
  earlierOutput = site.stdout() + site.stderr();
  site = startSite();
  origin = await originOf(site);
  const next = await open('/account', { storageState: await page.context().storageState() });
  expect(await reveal(next)).toBe(key);
});

test('the reference shows the plan of a signed-in reader, and calls with their key', async () => {
  const page = await open('/docs/reference');
  expect(await page.locator('p.plan').first().isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Use my key' }).count()).toBe(0);
  await signIn(page, 'grace@example.org');
  await page.goto('/docs/reference');
  await page.locator('p.plan').first().waitFor();
  const plan = expect.stringMatching(/“key 1” .* plan free: 10,000 requests/);
  expect(await page.locator('p.plan').allTextContents()).toEqual([plan, plan]);
  const section = page.locator('section.operation').filter({ has: page.locator('#listcountries') });
  await section.locator('.try > summary').click();
  expect(await findFaults(page)).toEqual([]);
  await page.route('**/reveal', (route) => route.abort(), { times: 1 });
  await section.getByRole('button', { name: 'Use my key' }).click();
  await section.getByRole('button', { name: 'try again' }).click();
  forgiveComplaints(/net::ERR_FAILED/);
  const field = section.locator('.api-key');
  await waitUntil('the key', async () => (await field.inputValue()) !== '');
  const key = await field.inputValue();
  expect(await call(key)).toEqual([200]);
  await section.getByRole('button', { name: 'Send' }).click();
  await section.locator('.result pre').waitFor();
  expect(await section.locator('.result [role=status]').textContent()).toMatch(/^200 /);
  expect(await section.locator('.result dt').allTextContents()).toContain('ratelimit');
  // Whoever is signed out has the key no more.
  await page.goto('/account');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.goto('/docs/reference');
  await waitUntil('no key', async () => (await page.locator('.api-key').first().inputValue()) === '');
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('a key for web pages works for its own pages alone', async () => {
  const [own, other] = [await startPage(), await startPage()];
  const phone = { ...PHONE, colorScheme: 'dark' } as const;
  const page = await open('/account', phone);
  const expectNoFault = async (): Promise<void> => {
    const onPhone = [await findFaults(page), await overflowOf(page)];
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.emulateMedia({ colorScheme: 'light' });
    const onDesk = [await findFaults(page), await overflowOf(page)];
    expect({ onPhone, onDesk }).toEqual({ onPhone: [[], 0], onDesk: [[], 0] });
    await page.setViewportSize(phone.viewport);
    await page.emulateMedia(phone);
  };
  await expectNoFault();
  await signIn(page, 'ivan@example.org');
  await page.getByText('Replace this key').click();
  await page.getByText('Create a key for web pages').click();
  await expectNoFault();
  await page.getByLabel('Origins of your web pages').fill(`${own.origin}/checkout`);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('alert').filter({ hasText: 'An origin must be a scheme and a host' }).waitFor();
  forgiveComplaints(/status of 422/);
  await expectNoFault();
  await page.getByLabel('Origins of your web pages').fill(`${own.origin}\nhttps://*.shop.example`);
  await page.getByLabel('Name', { exact: true }).fill('shop');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('heading', { name: 'Key for web pages: shop' }).waitFor();
  await expectNoFault();
  const key = (await page.locator('.secret code.copy').textContent()) as string;
  expect(key).toMatch(/^pp_pub_/);
  const shop = await page.context().newPage();
  const ask = (target: string, headers: Record<string, string> = {}): Promise<unknown> =>
    shop.evaluate(
      async ([url, sent]) =>
        await fetch(url, { headers: sent }).then(
          ({ status }) => status,
          () => 'unreadable',
        ),
      [`${apiUrl}${target}`, headers] as const,
    );
  await shop.goto(own.origin);
  expect(await ask('/v1/autocomplete?q=be', { 'x-api-key': key })).toBe(200);
  expect(await ask(`/v1/autocomplete?q=be&key=${key}`)).toBe(200);
  expect(await ask(`/v1/countries?key=${key}`)).toBe(403);
  await shop.goto(other.origin);
  expect(await ask('/v1/autocomplete?q=be', { 'x-api-key': key })).toBe('unreadable');
  expect(await ask(`/v1/autocomplete?q=be&key=${key}`)).toBe('unreadable');
  for (const { close } of [own, other]) close();
});

/** An empty page of an origin of its own. */
async function startPage(): Promise<{ readonly origin: string; close(): void }> {
  const pageServer = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<title>Shop</title>'),
  );
  await new Promise<void>((resolve) => pageServer.listen(0, '127.0.0.1', resolve));
  const { port } = pageServer.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => void pageServer.close() };
}

test('logs have neither addresses nor keys', () => {
  expect(earlierOutput + site.stdout() + site.stderr() + server.stdout() + server.stderr()).not.toMatch(
    /@example\.org|pp_(?:pub_)?[\da-z]{8}/,
  );
});

describe('through the provider', () => {
  // The two know each other's address only once both listen.
  const options = { ...CLIENT, issuer: '' };
  const addresses = { siteUrl: '', apiUrl: API_URL, hasAccounts: true };
  const scene = useAccountScene((tests) =>
    tests.open(
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
    addresses.siteUrl = await scene.account.site.listen();
    oidc = await createOidcProvider([addresses.siteUrl + CALLBACK], (issuer) => ({
      interactions: { url: (_, { uid }) => `${issuer.replace('127.0.0.1', 'localhost')}/interaction/${uid}` },
    }));
    options.issuer = oidc.issuer;
  });
  afterEach(() => oidc.stop());

  async function openHere(javaScriptEnabled: boolean): Promise<Page> {
    const page = await openPage({ baseURL: addresses.siteUrl, javaScriptEnabled });
    await page.goto('/account');
    return page;
  }

  test('one press leads to the account, and going back signs in nobody again', async () => {
    const page = await openHere(true);
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
    const page = await openHere(false);
    await page.getByRole('button', { name: 'Sign in with Example Account' }).click();
    await page.getByRole('heading', { name: 'Back from Example Account' }).waitFor();
    expect(await scene.account.store.records.list('session')).toEqual([]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('ada@example.org').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/account');
  });

  test('its pages have no fault', async () => {
    const page = await openHere(true);
    expect(await findFaults(page)).toEqual([]);
    await page.route('**/site.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
    await page.goto('/account/provider/callback?code=x&state=y');
    expect(await findFaults(page)).toEqual([]);
  });
});
