/**
 * The addresses of the site and what answers at each: a list of routes, all but those that the snapshot has, whose first
 * segments no country's slug may equal; and the pages of countries, places and postal codes, of which
 * another spelling is moved to the page's own. `account` is kept for the pages of accounts.
 */

import type { AddressLimit } from '../server/address-limit.js';
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
import { ATOM_TYPE, coveragePage, releaseFeed, releasePage, releasesPage } from './pages/coverage-pages.js';
import {
  ADDRESS_FORM_PATH,
  addressFormPage,
  docsPage,
  docsSearchPage,
  guidePage,
  suggestDocs,
} from './pages/docs-pages.js';
import { homePage } from './pages/home-page.js';
import { placePage } from './pages/place-page.js';
import { postcodePage } from './pages/postcode-page.js';
import { codesByPrefixPage, codesOfPlacePage, sectorPage } from './pages/postcodes-page.js';
import { referencePage } from './pages/reference-page.js';
import { searchPage } from './pages/search-page.js';
import { reverseGeocode, search } from './reading/find-hits.js';
import { knownReleases, variantOf } from './reading/known-releases.js';
import { type Answer, moveTo, type RequestContext } from './request-context.js';
import {
  callerHeaders,
  JSON_TYPE,
  PLAIN_TEXT,
  redirect,
  SHARED_HEADERS,
  sendForever,
  sendOnce,
  sendTagged,
  sendUnchanged,
} from './responses.js';
import { isCovered } from './site-snapshot.js';
import { robotsText, sitemapIndex } from './sitemaps.js';

/** Rate limits by network address, for requests that cost more than sending stored bytes. */
export interface SiteLimits {
  /** Searches, which take milliseconds. */
  readonly search: AddressLimit;
  /** Pages that are not kept and have to be made, which take some tenths of a millisecond. */
  readonly page: AddressLimit;
}

export interface Route {
  /** As Express has paths. */
  readonly path: string;
  /** The rate limit that it counts against; none if it sends stored bytes. */
  readonly limit?: keyof SiteLimits;
  readonly answer: Answer;
}

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
  { path: '/docs/search', limit: 'search', answer: page((context) => docsSearchPage(context, queryOf(context))) },
  { path: '/docs/suggest', limit: 'search', answer: suggestPassages },
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

function queryOf({ query }: RequestContext): string {
  return query.get('q') ?? '';
}

function suggestPassages(context: RequestContext): boolean {
  const hits = suggestDocs(context.docs, queryOf(context), SUGGESTION_COUNT);
  sendOnce(context.response, 200, JSON_TYPE, JSON.stringify(hits));
  return true;
}

function suggest(context: RequestContext): boolean {
  const { data, response } = context;
  const { hits } = search(data, queryOf(context), SUGGESTION_COUNT);
  sendOnce(response, 200, JSON_TYPE, JSON.stringify(hits.map(({ name, where, path }) => ({ name, where, path }))));
  return true;
}

function nearest({ data, query, response }: RequestContext): boolean {
  const found = reverseGeocode(data, query.get('lat') ?? '', query.get('lng') ?? '');
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
      return postcodePage(context, route.code);
    case 'sector':
      return sectorPage(context, route.country, route.sector, listNumber);
    case 'codes by prefix':
      return listNumber === 1 ? codesByPrefixPage(context, route.country, route.prefix) : undefined;
    case 'codes of a place':
      return codesOfPlacePage(context, route.country, route.place, listNumber);
  }
}
