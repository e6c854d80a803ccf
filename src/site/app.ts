/**
 * The Express application of the site: the routes, behind them the pages of countries, places and postal codes, and one
 * place where errors become pages; and the site's server. The application never listens and has no state of its own. A
 * request reads the current snapshot once and uses it to its end. Requests that cost more than sending stored bytes are
 * limited by network address.
 */

import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import express from 'express';
import type { Logger } from '../base/logger.js';
import { decodeComponent } from '../base/query-string.js';
import { redactUrl } from '../keys/api-key.js';
import { type AddressLimit, createAddressLimit, wideNetworkOf } from '../server/address-limit.js';
import { clientAddress, trustProxies } from '../server/client-address.js';
import { FairQueue } from '../server/fair-queue.js';
import { type App, createGuardedServer, type GuardedServer } from '../server/guarded-server.js';
import { findRequestFault } from '../server/refusals.js';
import type { ConnectionLimits } from '../server/server-connections.js';
import { createAccountRouter } from './account/account-router.js';
import { hasForm } from './account/forms.js';
import type { AccountSite } from './account/open-accounts.js';
import { noAccountsPage } from './account/sign-in-pages.js';
import { errorPage, methodPage, tooManyPage } from './pages/home-page.js';
import { notFoundPage } from './pages/search-page.js';
import { createOpener, type Opener, type RequestContext, type RequestSources } from './request-context.js';
import { PAGE_HEADERS, PLAIN_TEXT, refusalText, sendOnce } from './responses.js';
import { findPage, findSpelling, policyOf, routes, type SiteLimits } from './routes.js';
import { createSitemaps } from './sitemaps.js';

export interface SiteDependencies extends Omit<RequestSources, 'sitemaps'> {
  readonly logger: Logger;
  /** Is told of each page that can't be made. */
  readonly onFailure?: () => void;
  /** Addresses and subnets of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
  readonly limits?: SiteLimits;
  /** Undefined without accounts. */
  readonly account?: AccountSite | undefined;
}

function createSiteLimits(): SiteLimits {
  return {
    // Allows fast typing with a suggestion for each key stroke.
    search: createAddressLimit({ requestsPerSecond: 10, burst: 40 }),
    // A crawler in a hurry: 1 % of a processor.
    page: createAddressLimit({ requestsPerSecond: 50, burst: 200 }),
  };
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
  app.use(createErrorHandler(open, dependencies));
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

function createErrorHandler(
  open: Opener,
  { logger, onFailure }: Pick<SiteDependencies, 'logger' | 'onFailure'>,
): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    onFailure?.();
    logger.error({ err: error, url: redactUrl(request.originalUrl) }, 'a page could not be made');
    if (response.headersSent) next(error);
    else open(request, response).send(errorPage());
  };
}

/* The site's server: the guarded server with refusals as plain text, and bodies only of the forms of accounts. */

const REFUSAL_HEADERS = [...PAGE_HEADERS, 'cache-control', 'no-store', 'content-type', PLAIN_TEXT];

export interface SiteServerOptions {
  readonly connectionLimits?: ConnectionLimits;
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
