/**
 * The reference in a real browser, over the starter dataset and beside the API itself: every call can be tried, by
 * keyboard too, and what comes back is shown. A small API of the test's own answers the call with a body.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { bulkOperation } from '../../src/api/description/bulk-operation.js';
import { publicOperations } from '../../src/api/description/public-operations.js';
import { routes } from '../../src/api/description/routes.js';
import { slugOf } from '../../src/core/snapshot/slug.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { type ClientScene, createClientScene } from '../clients/client-scene.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { findFaults, forgiveComplaints, openPage, overflowOf, PHONE } from './browser-scene.js';
import { createSite, docsWithDescription, SITE_URL, type SiteScene } from './site-scene.js';

/** What these tests ask of elements; the project's types have no DOM. */
interface Boxed {
  getBoundingClientRect(): { readonly left: number; readonly right: number; readonly top: number };
}

let api: ClientScene;
let site: SiteScene;
let origin: string;
beforeAll(async () => {
  api = await createClientScene();
  site = createSite(openSnapshot(await sharedStarterSnapshot()), {
    addresses: { siteUrl: SITE_URL, apiUrl: api.url, hasAccounts: false },
  });
  origin = await site.listen();
});
afterAll(async () => {
  await site?.close();
  await api?.stop();
});

/** A page of the reference; it may ask the API and nobody else, and no address has a key. */
async function open(options: BrowserContextOptions = {}, address = origin, apiUrl = api.url): Promise<Page> {
  const page = await openPage(
    { baseURL: address, ...options },
    {
      isExpected: (complaint) => /status of 4\d\d/.test(complaint),
      mayAsk: (url) => [address, apiUrl].some((allowed) => url.startsWith(`${allowed}/`)) && !/pp_/.test(url),
    },
  );
  await page.goto('/docs/reference');
  return page;
}

function sectionOf(page: Page, id: string): Locator {
  return page.locator('section.operation').filter({ has: page.locator(`#${slugOf(id)}`) });
}

async function openForm(page: Page, id: string): Promise<Locator> {
  const section = sectionOf(page, id);
  await section.locator('.try > summary').click();
  return section;
}

/** Sends the form, and gives the status that is shown. */
async function send(section: Locator): Promise<string> {
  await section.getByRole('button', { name: 'Send' }).click();
  await section.locator('.result [role=status]').filter({ hasNotText: 'Sending' }).waitFor();
  return (await section.locator('.result [role=status]').textContent()) ?? '';
}

test('every call is answered as its form stands', async () => {
  const page = await open();
  // The key stands in the fields of all forms.
  await (await openForm(page, 'getCountry')).locator('.api-key').fill(api.key);
  // All at once: to look for one button after another on so long a page takes far longer than the calls.
  await page.evaluate(`for (const form of document.querySelectorAll('.try')) {
    form.open = true;
    form.querySelector('button').click();
  }`);
  // Without lists of changes the form of this call has no release.
  const changes = sectionOf(page, 'listChanges');
  await changes.locator('[name=since]').fill('starter');
  await send(changes);
  const statuses = await page.evaluate<[string, string][]>(`(async () => {
    const statuses = () => [...document.querySelectorAll('.operation')].map((one) =>
      [one.querySelector('h2').id, one.querySelector('.result [role=status]').textContent]);
    while (statuses().some(([, text]) => text === 'Sending …')) await new Promise((resolve) => setTimeout(resolve, 10));
    return statuses();
  })()`);
  const ids = [...routes, bulkOperation, ...publicOperations].map(({ id }) => slugOf(id));
  expect(statuses.map(([id]) => id).sort()).toEqual(ids.sort());
  for (const [id, status] of statuses)
    expect([id, status]).toEqual([id, expect.stringMatching(/^200 · [\d.]+ ms · [\d.]+ (?:bytes|kB)$/)]);
});

test('the response is shown with the headers that tell something, and can be folded away', async () => {
  const page = await open();
  const section = await openForm(page, 'findPostcode');
  await section.locator('.api-key').fill(api.key);
  await section.getByLabel('country', { exact: true }).fill('AD');
  await section.getByLabel('postcode', { exact: true }).fill('ad 100');
  await send(section);
  const shown = JSON.parse((await section.locator('.result pre').textContent()) ?? '');
  expect(shown).toMatchObject({ statusCode: 200, data: { countryCode: 'AD', postcode: 'AD100' } });
  const names = await section.locator('.result dt').allTextContents();
  expect(names).toEqual(['etag', 'x-dataset-release', 'x-correlation-id']);
  expect(await section.locator('.result dd').last().textContent()).toBe(shown.metadata.correlationId);
  await section.locator('.result summary').click();
  expect(await section.locator('.result pre').isVisible()).toBe(false);
});

test('an error is shown with its code, and what a plan leaves with its headers', async () => {
  const page = await open();
  const section = await openForm(page, 'getCountry');
  await section.locator('.api-key').fill('pp_wrong');
  expect(await send(section)).toMatch(/^401 SERVICE_API_KEY_INVALID · /);
  await section.locator('.api-key').fill(api.spentKey);
  expect(await send(section)).toMatch(/^429 SERVICE_QUOTA_EXCEEDED · /);
  expect(await section.locator('.result dt').allTextContents()).toEqual(
    expect.arrayContaining(['ratelimit', 'ratelimit-policy', 'retry-after']),
  );
});

test('a parameter that is needed must be there, and one that is empty is not sent', async () => {
  const page = await open();
  const section = await openForm(page, 'autocomplete');
  await section.locator('.api-key').fill(api.key);
  await section.getByLabel('q', { exact: true }).fill('');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await section.getByRole('button', { name: 'Send' }).click();
  expect(await section.locator('input:invalid').getAttribute('name')).toBe('q');
  expect(asked).toEqual([]);
  await section.getByLabel('q', { exact: true }).fill('münchen & co');
  await section.getByLabel('country', { exact: true }).fill('');
  await send(section);
  expect(asked).toEqual([`${api.url}/v1/autocomplete?q=m%C3%BCnchen+%26+co&limit=5`]);
});

test('the key outlives a reload of the tab, and no other tab has it', async () => {
  const page = await open();
  await (await openForm(page, 'getCountry')).locator('.api-key').fill(api.key);
  // The browser asks whether the page has changed, and goes by the policy of the answer.
  await page.reload();
  expect(new URL(page.url()).search).toBe('');
  const section = await openForm(page, 'listCountries');
  expect(await send(section)).toMatch(/^200 /);
  const other = await page.context().newPage();
  await other.goto('/docs/reference');
  expect(await (await openForm(other, 'listCountries')).locator('.api-key').inputValue()).toBe('');
});

test('a call is tried by keyboard alone', async () => {
  const page = await open();
  const section = sectionOf(page, 'getRelease');
  await section.locator('.try > summary').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await section.locator('.result pre').waitFor();
  expect(await section.locator('.result [role=status]').textContent()).toMatch(/^200 /);
  for (let presses = 0; presses < 2; presses++) await page.keyboard.press('Tab');
  expect(
    await section
      .locator('.result pre')
      .evaluate((block) => (block as unknown as { matches(s: string): boolean }).matches(':focus')),
  ).toBe(true);
});

test('the language that is chosen for one call is that of all', async () => {
  const page = await open();
  await sectionOf(page, 'reverse').getByText('Python', { exact: true }).click();
  for (const id of ['listCountries', 'reverse', 'distance']) {
    await sectionOf(page, id).locator('.example[open] > summary').getByText('Python').waitFor();
    expect(await sectionOf(page, id).locator('.example[open]').count()).toBe(1);
  }
});

test('without scripts all is there but the forms', async () => {
  const page = await open({ javaScriptEnabled: false });
  const section = sectionOf(page, 'findPostcode');
  expect(await section.locator('.try').isVisible()).toBe(false);
  expect(await section.locator('.response').textContent()).toContain('"postcode": "10115"');
  await section.getByText('Python', { exact: true }).click();
  expect(await section.locator('.example[open] pre').textContent()).toContain('places.find_postcode("DE", "10115")');
  expect(await page.locator('.copying').count()).toBe(0);
});

test.each([
  ['on a desk', {}],
  ['on a phone, in the dark', { ...PHONE, colorScheme: 'dark' }],
] as const)('%s nothing is wrong after a call, and nothing wider than the window', async (_, options) => {
  const page = await open(options);
  for (const id of ['nearby', 'getPlace']) {
    const section = await openForm(page, id);
    await section.locator('.api-key').fill(api.key);
    await send(section);
  }
  expect(await findFaults(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
});

test('the response is beside the call on a wide screen, and below it on a phone', async () => {
  for (const [options, isBeside] of [
    [{ viewport: { width: 1300, height: 900 } }, true],
    [PHONE, false],
  ] as const) {
    const page = await open(options);
    const section = sectionOf(page, 'getPlace');
    const boxOf = (selector: string): Promise<{ left: number; right: number; top: number }> =>
      section
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { left, right, top } = (element as unknown as Boxed).getBoundingClientRect();
          return { left, right, top };
        });
    const [words, response] = [await boxOf('.fields-of'), await boxOf('.response')];
    expect(response.left > words.right).toBe(isBeside);
    expect(response.top > words.top + 100 && response.left <= words.right).toBe(!isBeside);
  }
});

describe('a call with a body', () => {
  let server: Server;
  let small: SiteScene;
  let [smallUrl, apiUrl] = ['', ''];
  const received: unknown[] = [];
  beforeAll(async () => {
    server = createServer((request: IncomingMessage, response) => {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', 'content-type, x-api-key');
      if (request.method === 'OPTIONS') response.end();
      else {
        void textOf(request).then((body) => {
          const { method, url, headers } = request;
          received.push({ method, url, type: headers['content-type'], key: headers['x-api-key'], body });
          response.end('no <b>JSON</b>');
        });
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const addresses = { siteUrl: SITE_URL, apiUrl, hasAccounts: false };
    small = createSite(site.snapshot, { addresses, docs: docsWithDescription() });
    smallUrl = await small.listen();
  });
  afterAll(async () => {
    await small?.close();
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });

  test('sends it as JSON, and shows what is no JSON as text', async () => {
    const page = await open({}, smallUrl, apiUrl);
    const section = await openForm(page, 'second');
    await section.locator('.api-key').fill('pp-of-the-test');
    await section.getByLabel('body').fill('{"asked": [1]}');
    expect(await send(section)).toMatch(/^200 · /);
    expect(await section.locator('.result pre').textContent()).toBe('no <b>JSON</b>');
    const sent = { method: 'POST', url: '/v1/second', type: 'application/json', key: 'pp-of-the-test' };
    expect(received.splice(0)).toEqual([{ ...sent, body: '{"asked": [1]}' }]);
    expect(await findFaults(page)).toEqual([]);
  });

  test('with choices sends what was chosen, and a path as one segment', async () => {
    const page = await open({}, smallUrl, apiUrl);
    const section = await openForm(page, 'first');
    await section.locator('.api-key').fill('pp-of-the-test');
    await section.getByLabel('kind').selectOption('small');
    await section.getByLabel('isNew').selectOption('not sent');
    await send(section);
    expect(received.splice(0)).toMatchObject([{ method: 'GET', url: '/v1/first/a%2Fb?kind=small', body: '' }]);
  });

  test('an API that is not there is told', async () => {
    const page = await open({}, smallUrl, apiUrl);
    await page.route(`${apiUrl}/**`, (route) => route.abort());
    const section = await openForm(page, 'first');
    await section.locator('.api-key').fill('pp-of-the-test');
    expect(await send(section)).toMatch(/^No response: /);
    forgiveComplaints(/net::ERR_FAILED/);
  });
});
