/**
 * The Express application of the site: one list of routes, behind them the pages of countries, places and postal codes,
 * and one place where errors become pages. It never listens and has no state of its own. A request reads the current
 * snapshot once and uses it to its end. Requests that cost more than sending stored bytes are limited by network
 * address.
 */

import type { ServerOptions } from 'node:http';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import express from 'express';
import type { Logger } from '../base/logger.js';
import { redactUrl } from '../keys/api-key.js';
import { FairQueue } from '../server/body.js';
import { clientAddress, trustProxies } from '../server/client-address.js';
import type { ConnectionLimits } from '../server/connections.js';
import { type App, createGuardedServer, findRequestFault, type GuardedServer } from '../server/guarded-server.js';
import { decodeComponent } from '../server/target.js';
import { createAccountRouter } from './account/account-router.js';
import { hasForm } from './account/forms.js';
import type { AccountSite } from './account/open-accounts.js';
import { noAccountsPage } from './account/sign-in-pages.js';
import { type AddressLimit, createSiteLimits, type SiteLimits, wideNetworkOf } from './address-limit.js';
import {
  CLIENTS_PATH,
  decodeSegments,
  FEED_PATH,
  RELEASES_PATH,
  type ResolvedRoute,
  resolveRoute,
} from './addresses.js';
import { movedGuides, REFERENCE } from './docs/docs-library.js';
import type { Page } from './html/layout.js';
import { drawOutline, packagedOutlines } from './map/land.js';
import { countryPage } from './pages/country-page.js';
import { coveragePage } from './pages/coverage-page.js';
import { ADDRESS_FORM_PATH, addressFormPage, docsPage, guidePage } from './pages/docs-pages.js';
import { errorPage, homePage, methodPage, tooManyPage } from './pages/home-page.js';
import { placePage } from './pages/place-page.js';
import { postcodePage } from './pages/postcode-page.js';
import { codesByPrefixPage, codesOfPlacePage } from './pages/postcodes-page.js';
import { referencePage } from './pages/reference-page.js';
import { ATOM_TYPE, releaseFeed, releasePage, releasesPage } from './pages/releases-page.js';
import { notFoundPage, searchPage } from './pages/search-page.js';
import { findNearestPlace, search } from './reading/find-hits.js';
import { knownReleases, variantOf } from './reading/known-releases.js';
import {
  type Answer,
  createOpener,
  moveTo,
  type Opener,
  type RequestContext,
  type RequestSources,
} from './request-context.js';
import {
  callerHeaders,
  JSON_TYPE,
  PAGE_HEADERS,
  PLAIN_TEXT,
  redirect,
  refusalText,
  SHARED_HEADERS,
  sendForever,
  sendOnce,
  sendTagged,
  sendUnchanged,
} from './responses.js';
import { isCovered } from './site-snapshot.js';
import { createSitemaps, robotsText, sitemapIndex } from './sitemaps.js';

/*
 * The pages whose addresses the snapshot has: countries, places, postal codes. Another spelling is moved to the page's
 * own.
 */

/** False if there is no such page. */
export function findPage(context: RequestContext): boolean {
  const { request, response, path, listNumber } = context;
  const route = resolveRoute(context.data, path);
  if (route === undefined || listNumber === undefined) return false;
  if (route.path !== path) return moveTo(context, route.path);
  const address = listNumber === 1 ? path : `${path}?page=${listNumber}`;
  if (sendUnchanged(request, response, context.tagOf(address))) return true;
  const page = render(context, route, listNumber);
  if (page !== undefined) context.send(page);
  return page !== undefined;
}

function render(context: RequestContext, route: ResolvedRoute, listNumber: number): Page | undefined {
  switch (route.kind) {
    case 'country':
      return countryPage(context, route.country, listNumber);
    case 'place':
      return placePage(context, route.country, route.place, listNumber);
    case 'postcode':
      return postcodePage(context, route.country, route.match);
    case 'codes by prefix':
      return listNumber === 1 ? codesByPrefixPage(context, route.country, route.prefix) : undefined;
    case 'codes of a place':
      return codesOfPlacePage(context, route.country, route.place, listNumber);
  }
}

/*
 * All addresses of the site but those that the snapshot has, which no country's slug may equal: the
 * first segments stand in FIRST_SEGMENTS. `account` is kept for the pages of accounts.
 */

export interface Route {
  /** As Express has paths. */
  readonly path: string;
  /** The rate limit that it counts against; none if it sends stored bytes. */
  readonly limit?: keyof SiteLimits;
  readonly answer: Answer;
}

export const FIRST_SEGMENTS: readonly string[] = [
  ...['account', 'assets', 'clients', 'coverage', 'docs', 'favicon.ico', 'maps', 'nearest', 'robots.txt', 'search'],
  ...['sitemap.xml', 'sitemaps', 'suggest'],
];

const SUGGESTION_COUNT = 8;
/** When a crawler should ask again for a sitemap, in seconds: the world's take 5, and longer beside visitors. */
const SITEMAP_RETRY_SECONDS = 60;

export const routes: readonly Route[] = [
  { path: '/', limit: 'page', answer: page(homePage) },
  { path: '/search', limit: 'search', answer: page(makeSearchPage) },
  { path: '/suggest', limit: 'search', answer: suggest },
  { path: '/nearest', limit: 'search', answer: nearest },
  {
    path: '/coverage',
    limit: 'page',
    answer: page(coveragePage),
  },
  { path: RELEASES_PATH, limit: 'page', answer: page(releasesPage) },
  { path: FEED_PATH, limit: 'page', answer: feed },
  {
    path: `${RELEASES_PATH}/:release`,
    limit: 'page',
    answer: page((context) => releasePage(context, nameIn(context, 'release'))),
  },
  { path: '/docs', limit: 'page', answer: page((context) => docsPage(context.docs)) },
  { path: REFERENCE.path, limit: 'page', answer: page(referencePage) },
  { path: '/docs/openapi.json', answer: fixed(JSON_TYPE, description) },
  { path: ADDRESS_FORM_PATH, limit: 'page', answer: page(addressFormPage) },
  {
    path: '/docs/:guide',
    limit: 'page',
    answer: page((context) => guidePage(context, nameIn(context, 'guide'))),
  },
  { path: '/docs/clients/:file', answer: client },
  { path: `${CLIENTS_PATH}/:file`, answer: webModule },
  { path: '/maps/:version/:map', limit: 'page', answer: map },
  { path: '/sitemap.xml', answer: fixed('application/xml', sitemapIndex) },
  { path: '/sitemaps/:file', limit: 'page', answer: sitemap },
  { path: '/robots.txt', answer: fixed(PLAIN_TEXT, robotsText) },
  { path: '/assets/:digest/:name', answer: asset },
  { path: '/favicon.ico', answer: icon },
];

const FIXED_PATHS = new Set(routes.map(({ path }) => path).filter((path) => !path.includes(':')));

/**
 * Redirects another spelling of a fixed address or of a guide's (case, slashes), and a document that has moved; else
 * false.
 */
export function findSpelling(context: RequestContext): boolean {
  const segments = decodeSegments(context.path);
  if (segments === undefined) return false;
  const path = `/${segments.join('/').toLowerCase()}`;
  const moved = movedGuides.get(path);
  if (moved !== undefined) {
    redirect(context.response, moved);
    return true;
  }
  const isKnownPath = FIXED_PATHS.has(path) || context.docs.paths.includes(path);
  return isKnownPath && path !== context.path && moveTo(context, path);
}

/** A page; one without a canonical path is made for this request alone. */
function page(make: (context: RequestContext) => Page | undefined): Answer {
  return (context) => {
    const headers = policyOf(context);
    // The number of a list's page means nothing here.
    if (context.sendKept(context.path, headers)) return true;
    const made = make(context);
    if (made === undefined) return false;
    context.send(made, headers);
    return true;
  };
}

/** Its entries may come and go while a snapshot is served. */
function feed(context: RequestContext): boolean {
  const { request, response, path, data } = context;
  const tag = context.tagOf(path, variantOf(knownReleases(data)));
  sendTagged(request, response, tag, ATOM_TYPE, releaseFeed(context));
  return true;
}

/** A text at a fixed address that the snapshot and this program determine. */
function fixed(type: string, make: (context: RequestContext) => string): Answer {
  return (context) => {
    const { request, response, path } = context;
    const text = context.keep(`text ${path}`, () => make(context));
    sendTagged(request, response, context.tagOf(path), type, text);
    return true;
  };
}

function sitemap(context: RequestContext): boolean {
  const { request, response, path } = context;
  const found = context.sitemaps.find(context.data, nameIn(context, 'file'));
  if (found === undefined) return false;
  if (found === 'not yet') {
    const headers = ['retry-after', String(SITEMAP_RETRY_SECONDS)];
    sendOnce(response, 503, PLAIN_TEXT, 'The sitemaps of this release are being made.\n', headers);
  } else sendTagged(request, response, context.tagOf(path), 'application/gzip', found);
  return true;
}

function makeSearchPage(context: RequestContext): Page {
  const [text, country, kind] = ['q', 'country', 'kind'].map((name) => context.query.get(name) ?? '');
  return searchPage(context, text ?? '', country ?? '', kind ?? '');
}

function suggest({ data, query, response }: RequestContext): boolean {
  const { hits } = search(data, query.get('q') ?? '', SUGGESTION_COUNT);
  sendOnce(response, 200, JSON_TYPE, JSON.stringify(hits.map(({ name, where, path }) => ({ name, where, path }))));
  return true;
}

function nearest({ data, query, response }: RequestContext): boolean {
  const found = findNearestPlace(data, query.get('lat') ?? '', query.get('lng') ?? '');
  sendOnce(response, 200, JSON_TYPE, JSON.stringify(found ?? null));
  return true;
}

/** A country's own map, or the outline behind the map of a place. */
function map(context: RequestContext): boolean {
  const { data } = context;
  const [, code = '', land] = /^([A-Z]{2})(-land)?\.svg$/.exec(nameIn(context, 'map')) ?? [];
  if (land !== undefined) {
    const outlines = packagedOutlines();
    if (!outlines.codes.has(code)) return false;
    return sendMap(
      context,
      outlines.digest,
      context.keep(`land ${code}`, () => drawOutline(outlines.ringsOf(code))),
    );
  }
  const country = data.snapshot.countryByCode.get(code);
  if (country === undefined || !isCovered(country)) return false;
  return sendMap(context, data.snapshot.id, data.mapOf(country).svg);
}

/** A page of the release before may ask for another version: the map is as good, and not to be kept. */
function sendMap(context: RequestContext, version: string, svg: string | Buffer): true {
  if (nameIn(context, 'version') === version) sendForever(context.response, 'image/svg+xml', svg);
  else sendOnce(context.response, 200, 'image/svg+xml', svg);
  return true;
}

function asset(context: RequestContext): boolean {
  const { assets, response } = context;
  const found = assets.find(nameIn(context, 'name'));
  if (found === undefined) return false;
  if (nameIn(context, 'digest') === assets.digest) sendForever(response, found.type, found.bytes);
  else sendOnce(response, 200, found.type, found.bytes);
  return true;
}

/** A client to install, at an address that stays. */
function client(context: RequestContext): boolean {
  const { assets, request, response, path } = context;
  const name = nameIn(context, 'file');
  const found = assets.clients.some((one) => one.name === name) ? assets.find(name) : undefined;
  if (found !== undefined) sendTagged(request, response, context.tagOf(path), found.type, found.bytes);
  return found !== undefined;
}

/** The elements for web pages, at the address from which pages of all sites load them. */
function webModule(context: RequestContext): boolean {
  const { assets, request, response, path } = context;
  const { name } = assets.webModule;
  const found = nameIn(context, 'file') === name ? assets.find(name) : undefined;
  if (found !== undefined) sendTagged(request, response, context.tagOf(path), found.type, found.bytes, SHARED_HEADERS);
  return found !== undefined;
}

/** For clients that request an icon without reading a page. */
function icon(context: RequestContext): boolean {
  const { request, response, path } = context;
  const found = context.assets.find('icon.svg');
  if (found !== undefined) sendTagged(request, response, context.tagOf(path), found.type, found.bytes);
  return found !== undefined;
}

function description({ docs, site }: RequestContext): string {
  return JSON.stringify({ ...docs.description, servers: [{ url: site.apiUrl }] });
}

/** Pages on which calls are tried. */
const CALLING_PATHS: readonly string[] = [REFERENCE.path, ADDRESS_FORM_PATH];

/** The headers of a page with a policy of its own, whether the page is kept or has to be made; else undefined. */
export function policyOf({ path, site }: RequestContext): readonly string[] | undefined {
  return CALLING_PATHS.includes(path) ? callerHeaders(new URL(site.apiUrl).origin) : undefined;
}

function nameIn({ request }: RequestContext, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}

export interface SiteDependencies extends Omit<RequestSources, 'sitemaps'> {
  readonly logger: Logger;
  /** Addresses and subnets of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
  readonly limits?: SiteLimits;
  /** Undefined without accounts. */
  readonly account?: AccountSite | undefined;
}

export function createSiteApp(dependencies: SiteDependencies): Express {
  const { trustedProxies = [], logger, account } = dependencies;
  const limits = dependencies.limits ?? createSiteLimits();
  const queue = new FairQueue();
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  trustProxies(app, trustedProxies);
  const open = createOpener({ ...dependencies, sitemaps: createSitemaps(dependencies) });

  app.use(refuseUnreadable(open));
  if (account !== undefined) {
    app.use('/account', limitPages(open, limits, queue), createAccountRouter(account, open, logger));
  }
  app.use(refuseOtherMethods(open));
  app.get('/account', (request, response) => open(request, response).send(noAccountsPage()));
  app.use((request, response, next) => {
    if (!sendAgain(open(request, response))) next();
  });
  for (const { path, limit, answer } of routes) {
    app.get(path, async (request, response) => {
      const context = open(request, response);
      if (limit !== undefined && !(await isAdmitted(context, limits[limit], queue))) return;
      if (!answer(context) && !findSpelling(context)) refuseUnknown(context, limits);
    });
  }
  app.use(async (request, response) => {
    const context = open(request, response);
    if (!(await isAdmitted(context, limits.page, queue))) return;
    if (!findPage(context) && !findSpelling(context)) refuseUnknown(context, limits);
  });
  app.use(createErrorHandler(open, logger));
  return app;
}

/** Sends a cached page; false if there is none. */
function sendAgain(context: RequestContext): boolean {
  const { path, listNumber } = context;
  if (listNumber === undefined) return false;
  return context.sendKept(listNumber === 1 ? path : `${path}?page=${listNumber}`, policyOf(context));
}

/** Refuses requests without a valid Host, and paths that Express can't decode. */
function refuseUnreadable(open: Opener): RequestHandler {
  return (request, response, next) => {
    const fault = findRequestFault(request);
    if (fault !== undefined) {
      const { status, text } = refusalText(fault);
      sendOnce(response, status, PLAIN_TEXT, text);
      return;
    }
    const context = open(request, response);
    const isPath = context.path.startsWith('/') && decodeComponent(context.path) !== undefined;
    if (!isPath) context.sendFixed(404, () => notFoundPage(context, ''));
    else next();
  };
}

function refuseOtherMethods(open: Opener): RequestHandler {
  return (request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') next();
    else open(request, response).sendFixed(405, methodPage, ['allow', 'GET, HEAD']);
  };
}

/** Pages of accounts are made anew for each request, and read the store. */
function limitPages(open: Opener, { page }: SiteLimits, queue: FairQueue): RequestHandler {
  return async (request, response, next) => {
    if (await isAdmitted(open(request, response), page, queue)) next();
  };
}

/** The page of nothing searches, and is limited as the search is: where the limit is reached it does not search. */
function refuseUnknown(context: RequestContext, { search }: SiteLimits): void {
  const forMs = search.waitMs(clientAddress(context.request), performance.now());
  if (forMs > 0) context.sendFixed(404, () => notFoundPage(context, ''));
  else context.send(notFoundPage(context, context.path));
}

/** Resolves with true when the request may do its work, with false if it was refused or its client has disconnected. */
async function isAdmitted(context: RequestContext, limit: AddressLimit, queue: FairQueue): Promise<boolean> {
  const address = clientAddress(context.request);
  const forMs = limit.waitMs(address, performance.now());
  if (forMs > 0) {
    context.sendFixed(429, tooManyPage, ['retry-after', String(Math.ceil(forMs / 1000))]);
    return false;
  }
  await queue.enter(wideNetworkOf(address));
  return !context.response.destroyed;
}

function createErrorHandler(open: Opener, logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    logger.error({ err: error, url: redactUrl(request.originalUrl) }, 'a page could not be made');
    if (response.headersSent) next(error);
    else open(request, response).send(errorPage());
  };
}

/* The site's server: the guarded server with refusals as plain text, and bodies only of the forms of accounts. */

const REFUSAL_HEADERS = [...PAGE_HEADERS, 'cache-control', 'no-store', 'content-type', PLAIN_TEXT];

export interface SiteServerOptions {
  readonly connectionLimits?: ConnectionLimits;
  readonly nodeOptions?: ServerOptions;
}

/** Makes a server that answers with the app; it does not listen yet. */
export function createSiteServer(app: Express, options: SiteServerOptions = {}): GuardedServer {
  return createGuardedServer(app as unknown as App, {
    ...options,
    readsBody: (request) => request.url?.startsWith('/account/') === true && hasForm(request),
    renderRefusal(refusal) {
      const { status, text } = refusalText(refusal);
      return { status, headers: REFUSAL_HEADERS, body: text };
    },
  });
}
