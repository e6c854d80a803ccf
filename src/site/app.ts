/**
 * The Express application of the site: one list of routes, behind them the pages of countries, places and postal codes,
 * and one place where errors become pages. It never listens and holds nothing but what it is given. A request takes the
 * snapshot once and uses it to its end.
 */
import { createHash } from 'node:crypto';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Logger } from '../logger.js';
import { packageVersion } from '../package-root.js';
import type { Snapshot } from '../store/snapshot.js';
import { createAccountRouter } from './account/account-router.js';
import type { AccountSite } from './account/account-site.js';
import { noAccountsPage } from './account/sign-in-pages.js';
import { type AddressLimit, createAddressLimit } from './address-limit.js';
import { answerNotModified, HTML, redirect, sendOnce, sendTagged } from './answers.js';
import type { Assets } from './assets.js';
import type { DocsLibrary } from './docs/docs-library.js';
import { type EarlierReleases, NO_EARLIER_RELEASES } from './earlier-releases.js';
import { PAGE_HEADERS, PRIVATE_HEADERS } from './headers.js';
import { renderDocument } from './html/layout.js';
import type { Page, PageContext, SiteAddresses } from './page.js';
import { PageCache } from './page-cache.js';
import { errorPage, methodPage, tooManyPage } from './pages/error-pages.js';
import { notFoundPage } from './pages/search-page.js';
import { findPage } from './place-routes.js';
import { findSpelling, routes } from './routes.js';
import { siteSnapshotOf } from './site-snapshot.js';

export interface SiteDependencies {
  readonly snapshots: { current(): Snapshot };
  readonly addresses: SiteAddresses;
  readonly assets: Assets;
  readonly docs: DocsLibrary;
  /** Default: none are known. */
  readonly earlierReleases?: EarlierReleases;
  readonly logger: Logger;
  /** Addresses and subnets of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
  readonly limit?: AddressLimit;
  /** Undefined where nobody can sign in. */
  readonly account?: AccountSite | undefined;
}

/** What a route is given. */
export interface Visit extends PageContext {
  readonly request: Request;
  readonly response: Response;
  /** The path as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly assets: Assets;
  readonly docs: DocsLibrary;
  readonly earlierReleases: EarlierReleases;
  /** Of everything that the snapshot and this program determine. */
  readonly tag: string;
  /** Renders and sends a page; one that the snapshot does not determine is not to be kept. */
  send(page: Page, headers?: readonly string[]): void;
}

/** Answers, or gives false where there is nothing at this address. */
export type Answer = (visit: Visit) => boolean | Promise<boolean>;

export function createSiteApp(dependencies: SiteDependencies): Express {
  const { trustedProxies = [], logger, limit = createAddressLimit() } = dependencies;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', [...trustedProxies]);
  const cache = new PageCache();
  const open = createOpener(dependencies, cache);

  const { account } = dependencies;
  if (account !== undefined) app.use('/account', createAccountRouter(account, open, logger));
  app.use(refuseOtherMethods(open));
  app.get('/account', (request, response) => open(request, response).send(noAccountsPage()));
  app.use((request, response, next) => {
    if (!sendAgain(open(request, response), cache)) next();
  });
  for (const { path, isLimited, answer } of routes) {
    app.get(path, async (request, response) => {
      const visit = open(request, response);
      if (isLimited && refuseHasty(visit, limit)) return;
      if (!(await answer(visit)) && !findSpelling(visit)) refuseUnknown(visit, limit);
    });
  }
  app.use((request, response) => {
    const visit = open(request, response);
    if (!findPage(visit) && !findSpelling(visit)) refuseUnknown(visit, limit);
  });
  app.use(createErrorHandler(open, logger));
  return app;
}

/** Nothing writes into it. */
const NO_QUERY = new URLSearchParams();

type Opener = (request: Request, response: Response) => Visit;

function createOpener(dependencies: SiteDependencies, cache: PageCache): Opener {
  const { snapshots, addresses, assets, docs, earlierReleases = NO_EARLIER_RELEASES } = dependencies;
  // The address of the site may not be known before the first request.
  let build: string | undefined;
  const digest = (): string => {
    const parts = [packageVersion(), assets.digest, docs.digest, JSON.stringify(addresses)];
    build ??= createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
    return build;
  };
  const layout = { assetsPath: assets.path };
  return (request, response) => {
    const data = siteSnapshotOf(snapshots.current());
    const { url } = request;
    const queryAt = url.indexOf('?');
    const visit: Visit = {
      site: addresses,
      data,
      request,
      response,
      path: queryAt < 0 ? url : url.slice(0, queryAt),
      query: queryAt < 0 ? NO_QUERY : new URLSearchParams(url.slice(queryAt + 1)),
      assets,
      docs,
      earlierReleases,
      tag: `W/"${data.snapshot.id}-${build ?? digest()}"`,
      send(page, headers) {
        const { status = 200, canonicalPath, isPrivate = false } = page;
        const text = Buffer.from(renderDocument(page, visit, layout));
        if (status !== 200 || canonicalPath === undefined) {
          sendOnce(response, status, HTML, text, headers, isPrivate ? PRIVATE_HEADERS : PAGE_HEADERS);
          return;
        }
        // Only a page of the default policy and tag can be sent again without its route.
        if (headers === undefined && page.variant === undefined) cache.keep(visit.tag, url, text);
        sendTagged(response, tagOf(visit, page), HTML, text, headers);
      },
    };
    return visit;
  };
}

/** A page that was made before; false where there is none. */
function sendAgain(visit: Visit, cache: PageCache): boolean {
  const page = cache.find(visit.tag, visit.request.url);
  if (page === undefined) return false;
  if (!isKnown(visit)) sendTagged(visit.response, visit.tag, HTML, page);
  return true;
}

function refuseOtherMethods(open: Opener): RequestHandler {
  return (request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') next();
    else open(request, response).send(methodPage(), ['allow', 'GET, HEAD']);
  };
}

/** The page of nothing searches, and is limited as the search is: where the limit is reached it does not search. */
function refuseUnknown(visit: Visit, limit: AddressLimit): void {
  const isHasty = limit.waitMs(visit.request.ip ?? '', performance.now()) > 0;
  visit.send(notFoundPage(visit, isHasty ? '' : visit.path));
}

function refuseHasty(visit: Visit, limit: AddressLimit): boolean {
  const waitMs = limit.waitMs(visit.request.ip ?? '', performance.now());
  if (waitMs > 0) visit.send(tooManyPage(), ['retry-after', String(Math.ceil(waitMs / 1000))]);
  return waitMs > 0;
}

/** Whether the client has what the tag names; such an answer was sent then. `page` where it is made already. */
export function isKnown(visit: Visit, page?: Page): boolean {
  return answerNotModified(visit.request, visit.response, tagOf(visit, page));
}

function tagOf({ tag }: Visit, page?: Page): string {
  return page?.variant === undefined ? tag : `${tag.slice(0, -1)}-${page.variant}"`;
}

export function moveTo({ response, query }: Visit, path: string): true {
  const text = query.toString();
  redirect(response, text === '' ? path : `${path}?${text}`);
  return true;
}

function createErrorHandler(open: Opener, logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    logger.error({ err: error, path: request.path }, 'a page could not be made');
    if (response.headersSent) next(error);
    else open(request, response).send(errorPage());
  };
}
