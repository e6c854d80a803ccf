/**
 * A shop's page in a real browser, with the elements as the build makes them, before the API over the starter dataset and a
 * publishable key of the page's origin. Each file of tests starts it once; whatever the browser complains of, a breach
 * of the policy too, fails the test in which it comes.
 */

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { createApiKey, digestApiKey } from '../../../src/keys/api-key.js';
import { openEmbeddedKeyStore } from '../../../src/keys/embedded-key-store.js';
import { createKeyRecord } from '../../../src/keys/key-record.js';
import { createPlanFinder, NO_USAGE, parsePlans } from '../../../src/keys/plan.js';
import { parseRestrictions } from '../../../src/keys/restrictions.js';
import { serveApi } from '../../../src/process/serve-api.js';
import { readConfig } from '../../../src/process/settings.js';
import { createTemporaryFolder } from '../../fixtures/fixture-snapshot.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { sharedStarterSnapshot } from '../../fixtures/starter-snapshot.js';
import { hearComplaints, launchBrowser } from '../../site/browser-scene.js';
import { type ApiGateway, startApiGateway } from './api-gateway.js';
import { type PageServer, startPageServer } from './page-server.js';

export interface WebScene {
  readonly browser: Browser;
  readonly api: ApiGateway;
  readonly pages: PageServer;
  /** On which nobody listens. */
  readonly closedOrigin: string;
  readonly key: string;
  /** The attributes `key` and `api` of an element. */
  readonly access: string;
  /** A page in a context of its own. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Puts this in the body of the page at `/`, and goes there. */
  show(page: Page, body: string, attributes?: string): Promise<void>;
  /** Goes to a page with a form around the element with these attributes. */
  showAddress(page: Page, attributes?: string, html?: string): Promise<void>;
  stop(): Promise<void>;
}

const PLANS = JSON.stringify({ free: { requestsPerMonth: null, requestsPerSecond: null, burst: null } });

export async function createWebScene(): Promise<WebScene> {
  const snapshot = await sharedStarterSnapshot();
  const folder = createTemporaryFolder();
  let apiUrl = '';
  const api = await startApiGateway(() => apiUrl);
  const closed = await startApiGateway(() => '');
  const closedOrigin = closed.origin;
  await closed.close();
  const pages = await startPageServer([api.origin, closedOrigin]);
  const keysDir = join(folder.path, 'keys');
  const key = await createPublishableKey(keysDir, pages.origin);
  const environment = { PLANS, KEYS_DIR: keysDir, PORT: '0', DRAIN_SECONDS: '1' };
  const serving = await serveApi(readConfig(environment), snapshot, silentLogger);
  apiUrl = `http://127.0.0.1:${serving.port}`;
  const browser = await launchBrowser();
  const access = `key="${key}" api="${api.origin}"`;
  const scene: WebScene = {
    ...{ browser, api, pages, closedOrigin, key, access },
    async newPage(options = {}) {
      const context = await browser.newContext({ baseURL: pages.origin, ...options });
      context.setDefaultTimeout(SOON_MS);
      const page = await context.newPage();
      hearComplaints(page, (text) => complaints.push(text), isFailedRequest);
      return page;
    },
    async show(page, body, attributes = 'lang="en"') {
      Object.assign(pages, { body, attributes });
      pages.sent.length = 0;
      api.reset();
      await page.goto('/');
    },
    showAddress(page, attributes = '', html = 'lang="en"') {
      const element = `<postal-address-form ${access} ${attributes}></postal-address-form>`;
      return scene.show(page, `<h1>Order</h1>${formAround(element)}`, html);
    },
    async stop() {
      await browser.close();
      await Promise.all([pages.close(), api.close()]);
      await serving.stop();
      folder.remove();
    },
  };
  return scene;
}

export function formAround(contents: string): string {
  return `<form action="/send" method="post">${contents}<button>Send</button></form>`;
}

/** Of a plan without limits, and of one visitor who may ask often: the tests have one address. */
async function createPublishableKey(folder: string, origin: string): Promise<string> {
  const key = createApiKey(true);
  const operations = ['autocomplete', 'findPostcode', 'checkPostcode', 'listPostcodes'];
  const restrictions = parseRestrictions({
    origins: [origin],
    operations,
    visitorRate: { requests: 10_000, seconds: 1 },
  });
  const record = createKeyRecord('shop', new Date(), { restrictions });
  const findPlan = createPlanFinder(parsePlans(PLANS));
  const store = await openEmbeddedKeyStore({ folder, findPlan, clock: () => Date.now() });
  await store.directory.create({ digest: digestApiKey(key), record, sealed: null, usage: NO_USAGE });
  await store.close();
  return key;
}

/** What the browser itself writes of a request without success, a 404 of an unknown code too. */
function isFailedRequest(text: string): boolean {
  return text.startsWith('Failed to load resource');
}

let complaints: string[] = [];
afterEach(() => {
  const found = complaints;
  complaints = [];
  expect(found).toEqual([]);
});

/** The complaints so far, which are expected. */
export function takeComplaints(): string[] {
  const found = complaints;
  complaints = [];
  return found;
}

/** The field of an address with this id. */
export function fieldOf(page: Page, name: string): Locator {
  return page.locator(`postal-address-form #${name}`);
}

/** What this expression gives in the page, where `element` is the first of ours. */
export function onElement<Given>(page: Page, expression: string): Promise<Given> {
  const element = "document.querySelector('postal-address-form, postal-code-input')";
  return page.evaluate<Given>(`((element) => (${expression}))(${element})`);
}

/** Keeps the details of the element's `change` events from now on, for `heard`. */
export function hear(page: Page): Promise<unknown> {
  const keep = 'element.addEventListener("change", ({ detail }) => heard.push(detail))';
  return onElement(page, `(globalThis.heard = [], ${keep})`);
}

export function heard<Detail>(page: Page): Promise<Detail[]> {
  return page.evaluate<Detail[]>('heard');
}

/** Milliseconds that a test waits at most: many times what anything in a page takes, on a busy machine too. */
const SOON_MS = 20_000;

/** Expects what `look` gives to equal this, as soon as it does. */
export async function expectSoon<Seen>(look: () => Seen | Promise<Seen>, expected: unknown): Promise<void> {
  const deadlineMs = performance.now() + SOON_MS;
  for (;;) {
    const seen = await look();
    if (isDeepStrictEqual(seen, expected) || performance.now() > deadlineMs) {
      expect(seen).toEqual(expected);
      return;
    }
    await wait(10);
  }
}

/** Expects the field to have this text soon. */
export function expectValue(field: Locator, text: string): Promise<void> {
  return expectSoon(() => field.inputValue(), text);
}

/** Sends the form by its button; its fields in their order. */
export async function send(scene: WebScene, page: Page): Promise<[string, string][]> {
  await page.getByRole('button', { name: 'Send' }).click();
  return await sentFrom(scene, page);
}

/** The fields of the form that is being sent. */
export async function sentFrom(scene: WebScene, page: Page): Promise<[string, string][]> {
  await page.waitForURL('/send');
  return scene.pages.sent.at(-1) ?? [];
}
