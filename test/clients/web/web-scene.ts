/**
 * A shop's page in a real browser, with the elements as the build makes them, before the API over the starter dataset and a
 * publishable key of the page's origin: the server of the page, a gateway to the API that is late, wrong or silent where a
 * test says so, and the browser. Each file of tests has one scene, made before its first test; whatever the browser
 * complains of, a breach of the policy too, fails the test in which it comes.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { packageRoot } from '../../../src/base/package-root.js';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import { createApiKey, digestApiKey } from '../../../src/keys/key/api-key.js';
import { createKeyRecord } from '../../../src/keys/key/key-record.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/key/plan.js';
import { parseRestrictions } from '../../../src/keys/key/restrictions.js';
import { NO_USAGE } from '../../../src/keys/key/usage-counts.js';
import { readProgramSettings } from '../../../src/process/program/settings.js';
import { serveApi } from '../../../src/process/serving/serve-api.js';
import { createTemporaryFolder } from '../../fixtures/fixture-snapshot.js';
import { silentLogger } from '../../fixtures/recording-logger.js';
import { sharedStarterSnapshot } from '../../fixtures/starter-snapshot.js';
import { openPage } from '../../site/browser-scene.js';

interface WebScene {
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

/** Of the file of tests, with a page for all of them. */
export let scene: WebScene;
export let page: Page;
beforeAll(async () => {
  scene = await createWebScene();
  page = await scene.newPage();
});
afterAll(() => scene?.stop());

const PLANS = JSON.stringify({ free: { requestsPerMonth: null, requestsPerSecond: null, burst: null } });

async function createWebScene(): Promise<WebScene> {
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
  const serving = await serveApi(readProgramSettings(environment), snapshot, silentLogger);
  apiUrl = `http://127.0.0.1:${serving.port}`;
  const access = `key="${key}" api="${api.origin}"`;
  const scene: WebScene = {
    ...{ api, pages, closedOrigin, key, access },
    async newPage(options = {}) {
      const page = await openPage({ baseURL: pages.origin, ...options }, { isExpected: isFailedRequest });
      page.setDefaultTimeout(SOON_MS);
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
export async function send(from = page): Promise<[string, string][]> {
  await from.getByRole('button', { name: 'Send' }).click();
  return await sentFrom(from);
}

/** The fields of the form that is being sent. */
export async function sentFrom(from = page): Promise<[string, string][]> {
  await from.waitForURL('/send');
  return scene.pages.sent.at(-1) ?? [];
}

/** Answers in place of the API. */
export type Answer = (response: ServerResponse, target: string) => void;

interface ApiGateway {
  readonly origin: string;
  /** Targets of the requests since the last `reset`, such as `/v1/countries/DE/postcodes/10115`. */
  readonly targets: string[];
  /** Undefined where the API answers. */
  answer: Answer | undefined;
  /** Milliseconds before every answer. */
  delayMs: number;
  reset(): void;
  close(): Promise<void>;
}

/** `apiUrl` is asked when the first request comes. */
async function startApiGateway(apiUrl: () => string): Promise<ApiGateway> {
  const server = createServer((request, response) => void reply(request, response));
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = (request.url ?? '').replace(/[?&]key=[^&]*/, '');
    gateway.targets.push(target);
    const { answer, delayMs } = gateway;
    if (delayMs > 0) await wait(delayMs);
    if (answer === undefined) forward(apiUrl(), request, response);
    else answer(response, target);
  };
  const gateway: ApiGateway = {
    targets: [],
    answer: undefined,
    delayMs: 0,
    origin: await listen(server),
    reset() {
      gateway.targets.length = 0;
      gateway.answer = undefined;
      gateway.delayMs = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gateway;
}

/** Listens on a free port; the origin. */
async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function forward(apiUrl: string, { url = '', method, headers }: IncomingMessage, response: ServerResponse): void {
  const { host, ...others } = headers;
  const forwarded = ask(`${apiUrl}${url}`, { method, headers: others }, (answer) => {
    // What the page keeps is its own, and not the browser's.
    response.writeHead(answer.statusCode ?? 500, { ...answer.headers, 'cache-control': 'no-store' });
    answer.pipe(response);
  });
  forwarded.on('error', () => response.destroy());
  forwarded.end();
}

/** An answer with this status and body, which every page may read. */
export function answerWith(status: number, body: string | object, contentType = 'application/json'): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': contentType, 'access-control-allow-origin': '*' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

const WARSAW = { name: 'Warszawa', localName: 'Warszawa', type: 'municipality', population: 1_702_139 };

/**
 * Answers for the code 00-001 in Poland, of which the starter dataset has none: the release lacks the code, whose block
 * belongs to Warsaw.
 */
export const inferWarsaw: Answer = (response, target) => {
  const path = '/mazowieckie/warszawa';
  const check = { countryCode: 'PL', asked: '00-001', postcode: null, match: 'inferred', hasKnownFormat: true };
  const inferred = { placeId: 'warsaw', placeName: 'Warszawa', placePath: path, city: 'Warszawa' };
  const context = [{ level: 1, name: 'Mazowieckie', iso3166_2: 'PL-14' }];
  const place = { ...WARSAW, id: 'warsaw', level: 2, postalCode: null, path, countryCode: 'PL', context };
  if (target.includes('/check')) answerWith(200, { data: { ...check, inferred } })(response, target);
  else if (target.includes('/autocomplete')) {
    const city = { id: 'warsaw', name: 'Warszawa' };
    answerWith(200, { data: [{ ...place, city, label: 'Warszawa, Poland' }] })(response, target);
  } else answerWith(404, { error: { code: 'POSTCODE_NOT_FOUND', message: 'none' } })(response, target);
};

/** Never answers; the connection stays open. */
export const hang: Answer = () => {};

interface PageServer {
  readonly origin: string;
  /** Contents of the body of the page at `/`. */
  body: string;
  /** Attributes of its html element. */
  attributes: string;
  /** What `/page.js` has, for the pages of frameworks. */
  script: string;
  /** The forms that were sent, each as its fields in their order. */
  readonly sent: [string, string][][];
  /** Texts that scripts have posted to `/orders`. */
  readonly orders: string[];
  close(): Promise<void>;
}

const MODULE = readFileSync(join(packageRoot(), 'dist/src/site/assets/postal-places.js'));
/** With a background that axe-core can see: it takes that of the browser for white, in the dark too. */
const STYLE = `:root { color-scheme: light dark; font-family: sans-serif; color: CanvasText; background: Canvas; }
body { max-inline-size: 40rem; margin: 1rem auto; padding-inline: 1rem; }
button { margin-block-start: 1rem; min-block-size: 2.75rem; font: inherit; }`;

/** `apiOrigins` are all that the pages may ask. */
async function startPageServer(apiOrigins: readonly string[]): Promise<PageServer> {
  // Vue makes a policy of its name where it is loaded.
  const policy = [
    "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "script-src 'self'; style-src 'self'; require-trusted-types-for 'script'; trusted-types vue",
    `connect-src 'self' ${apiOrigins.join(' ')}`,
  ].join('; ');
  const reply = (response: ServerResponse, type: string, content: string | Buffer): void => {
    response.writeHead(200, { 'content-type': `text/${type}; charset=utf-8`, 'content-security-policy': policy });
    response.end(content);
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '', server.origin);
    if (pathname === '/postal-places.js') reply(response, 'javascript', MODULE);
    else if (pathname === '/page.js') reply(response, 'javascript', server.script);
    else if (pathname === '/page.css') reply(response, 'css', STYLE);
    else if (pathname === '/send') {
      server.sent.push([...new URLSearchParams(await textOf(request))]);
      reply(response, 'html', pageOf('lang="en"', '<h1>Thank you</h1>'));
    } else if (pathname === '/orders') {
      server.orders.push(await textOf(request));
      reply(response, 'plain', '');
    } else reply(response, 'html', pageOf(server.attributes, server.body));
  };
  const listening = createServer((request, response) => void serve(request, response));
  const server: PageServer = {
    ...{ body: '', attributes: '', script: '', sent: [], orders: [] },
    origin: await listen(listening),
    async close() {
      listening.closeAllConnections();
      await new Promise((resolve) => listening.close(resolve));
    },
  };
  return server;
}

function pageOf(attributes: string, body: string): string {
  return `<!doctype html>
<html ${attributes}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Order</title>
<link rel="stylesheet" href="/page.css">
<script type="module" src="/postal-places.js"></script>
<script type="module" src="/page.js"></script>
</head>
<body><main>${body}</main></body>
</html>`;
}
