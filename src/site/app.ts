/**
 * The Express application of the site: the routes, behind them the pages of countries, places and postal codes, and one
 * place where errors become pages. The application never listens and has no state of its own. A request reads the
 * current snapshot once and uses it to its end. Requests that cost more than sending stored bytes are limited by
 * network address.
 */

import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Logger } from '../base/logger.js';
import { decodeComponent } from '../base/query-string.js';
import { redactApiKeysInUrl } from '../keys/key/key-redaction.js';
import { type AddressLimit, createAddressLimit } from '../server/address-limit.js';
import { clientAddress, trustProxies } from '../server/client-address.js';
import { FairQueue } from '../server/fair-queue.js';
import { wideNetworkOf } from '../server/networks.js';
import { findRequestFault } from '../server/refusals.js';
import { createAccountRouter } from './account/account-router.js';
import type { AccountSite } from './account/open-accounts.js';
import { noAccountsPage } from './account/outcome-pages.js';
import { refusalText } from './http/refusals.js';
import { createOpener, type Opener, type RequestContext, type RequestSources } from './http/request-context.js';
import { PLAIN_TEXT, sendOnce } from './http/responses.js';
import { errorPage, methodPage, tooManyPage } from './pages/error-pages.js';
import { notFoundPage } from './pages/not-found-page.js';
import { listPath } from './reading/page-paths.js';
import { policyOf, redirectToRoute, routes, routeToPage, type SiteLimits } from './routes.js';

export interface SiteDependencies extends RequestSources {
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
    // Allows a crawler in a hurry: 1 % of a processor.
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
  const open = createOpener(dependencies);

  app.use(refuseUnreadable(open));
  if (account !== undefined) {
    app.use('/account', limitPages(open, limits, queue), createAccountRouter(account, open, logger));
  }
  app.use(refuseOtherMethods(open));
  app.get('/account', (request, response) => open(request, response).send(noAccountsPage()));
  app.use((request, response, next) => {
    if (!sendCached(open(request, response))) next();
  });
  for (const { path, limit, answer } of routes) {
    app.get(path, async (request, response) => {
      const context = open(request, response);
      if (limit !== undefined && !(await isAdmitted(context, limits[limit], queue))) return;
      if (!(await answer(context)) && !redirectToRoute(context)) refuseUnknown(context, limits);
    });
  }
  app.use(async (request, response) => {
    const context = open(request, response);
    if (!(await isAdmitted(context, limits.page, queue))) return;
    if (!routeToPage(context) && !redirectToRoute(context)) refuseUnknown(context, limits);
  });
  app.use(createErrorHandler(open, dependencies));
  return app;
}

/** Sends a cached page; false if there is none. */
function sendCached(context: RequestContext): boolean {
  const { path, listNumber } = context;
  return listNumber !== undefined && context.sendCached(listPath(path, listNumber), policyOf(context));
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

/** Pages of accounts are rendered for each request, from the key store. */
function limitPages(open: Opener, { page }: SiteLimits, queue: FairQueue): RequestHandler {
  return async (request, response, next) => {
    if (await isAdmitted(open(request, response), page, queue)) next();
  };
}

/** The page of an unknown address searches; a client that has reached the limit of searches gets it without results. */
function refuseUnknown(context: RequestContext, { search }: SiteLimits): void {
  const forMs = search.waitMs(clientAddress(context.request), performance.now());
  if (forMs > 0) context.sendFixed(404, () => notFoundPage(context, ''));
  else context.send(notFoundPage(context, context.path));
}

/** Resolves with true when the request's turn has come, with false if it was refused or its client has disconnected. */
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
    logger.error({ err: error, url: redactApiKeysInUrl(request.originalUrl) }, 'a page could not be made');
    if (response.headersSent) next(error);
    else open(request, response).send(errorPage());
  };
}
