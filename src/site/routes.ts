/**
 * The routes of the site. A list has the routes at fixed addresses; no country's slug may equal their first segments,
 * nor `account`. Behind them come the pages of countries, places and postal codes, whose paths the snapshot determines;
 * another spelling of such a path is redirected.
 */

import { runSync } from '../base/cooperative.js';
import type { AddressLimit } from '../server/address-limit.js';
import { REFERENCE } from './docs/api-reference.js';
import { movedDocuments } from './docs/moved-documents.js';
import type { Page } from './html/page.js';
import { type Answer, type RequestContext, redirectTo } from './http/request-context.js';
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
} from './http/responses.js';
import { countryMapOf } from './map/country-map.js';
import { drawWorldMap } from './map/world-map.js';
import { ADDRESS_FORM_PATH, addressFormPage } from './pages/address-form-page.js';
import { codesByPrefixPage, codesOfPlacePage, sectorPage } from './pages/code-list-pages.js';
import { countryPage } from './pages/country-page.js';
import { coveragePage } from './pages/coverage-page.js';
import { docsSearchPage, suggestDocs } from './pages/docs-search-page.js';
import { docsPage, guidePage } from './pages/guide-pages.js';
import { homePage } from './pages/home-page.js';
import { placePage } from './pages/place-page.js';
import { postcodePage } from './pages/postcode-page.js';
import { referencePage } from './pages/reference-page.js';
import { ATOM_TYPE, releaseFeed } from './pages/release-feed.js';
import { releasePage, releasesPage } from './pages/release-pages.js';
import { searchPage } from './pages/search-page.js';
import { findSitemap, robotsText, sitemapIndex } from './pages/sitemaps.js';
import { isCovered } from './reading/covered-country.js';
import { knownReleases, variantOfReleases } from './reading/known-releases.js';
import { findNearestPlace } from './reading/nearest-place.js';
import { CLIENTS_PATH, FEED_PATH, listPath, RELEASES_PATH } from './reading/page-paths.js';
import { search } from './reading/place-search.js';
import { decodePathSegments, type ResolvedRoute, resolveRoute } from './reading/resolve-path.js';

/** Rate limits by network address, for requests that cost more than sending stored bytes. */
export interface SiteLimits {
  /** Searches, which take milliseconds. */
  readonly search: AddressLimit;
  /** Pages that are not cached, which take some tenths of a millisecond to render. */
  readonly page: AddressLimit;
}

export interface Route {
  /** In the syntax of Express. */
  readonly path: string;
  /** The rate limit that requests count against; none for stored bytes. */
  readonly limit?: keyof SiteLimits;
  readonly answer: Answer;
}

const SUGGESTION_COUNT = 8;

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
export function redirectToRoute(context: RequestContext): boolean {
  const segments = decodePathSegments(context.path);
  if (segments === undefined) return false;
  const path = `/${segments.join('/').toLowerCase()}`;
  const moved = movedDocuments.get(path);
  if (moved !== undefined) {
    redirect(context.response, moved);
    return true;
  }
  const isKnownPath = FIXED_PATHS.has(path) || context.docs.paths.includes(path);
  return isKnownPath && path !== context.path && redirectTo(context, path);
}

/** Sends a page; one without a canonical path is made for this request alone. */
function page(make: (context: RequestContext) => Page | undefined): Answer {
  return (context) => {
    const headers = policyOf(context);
    // These pages have no lists with page numbers.
    if (context.sendCached(context.path, headers)) return true;
    const made = make(context);
    if (made === undefined) return false;
    context.send(made, headers);
    return true;
  };
}

/** Not cached: its entries may come and go while a snapshot is served. */
function feed(context: RequestContext): boolean {
  const { request, response, path, snapshot } = context;
  const tag = context.tagOf(path, variantOfReleases(knownReleases(snapshot)));
  sendTagged(request, response, tag, ATOM_TYPE, releaseFeed(context));
  return true;
}

/** Sends a text that the snapshot and this program determine. */
function fixed(type: string, make: (context: RequestContext) => string): Answer {
  return (context) => {
    const { request, response, path } = context;
    const text = context.cached(`text ${path}`, () => make(context));
    sendTagged(request, response, context.tagOf(path), type, text);
    return true;
  };
}

async function sitemap(context: RequestContext): Promise<boolean> {
  const { request, response, path } = context;
  const file = await findSitemap(context, nameIn(context, 'file'));
  if (file !== undefined) sendTagged(request, response, context.tagOf(path), 'application/gzip', file);
  return file !== undefined;
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
  const { snapshot, response } = context;
  const { hits } = search(snapshot, queryOf(context), SUGGESTION_COUNT);
  sendOnce(response, 200, JSON_TYPE, JSON.stringify(hits.map(({ name, where, path }) => ({ name, where, path }))));
  return true;
}

function nearest({ snapshot, query, response }: RequestContext): boolean {
  const found = findNearestPlace(snapshot, query.get('lat') ?? '', query.get('lng') ?? '');
  sendOnce(response, 200, JSON_TYPE, JSON.stringify(found ?? null));
  return true;
}

/** The map of the world or of a country. */
function map(context: RequestContext): boolean {
  const { snapshot } = context;
  const name = nameIn(context, 'map');
  if (name === 'world.svg') return sendMap(context, runSync(drawWorldMap(snapshot)));
  const [, code = ''] = /^([A-Z]{2})\.svg$/.exec(name) ?? [];
  const country = snapshot.countryByCode.get(code);
  if (country === undefined || !isCovered(country)) return false;
  return sendMap(context, countryMapOf(country).svg);
}

/** A page of the previous release may ask for another version: it gets this map, which it must not keep. */
function sendMap(context: RequestContext, svg: string): true {
  if (nameIn(context, 'version') === context.snapshot.id) sendForever(context.response, 'image/svg+xml', svg);
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
  const name = nameIn(context, 'file');
  return context.assets.clients.some((one) => one.name === name) && sendAsset(context, name);
}

/** The elements for web pages, at the address from which pages of all sites load them. */
function webModule(context: RequestContext): boolean {
  const { name } = context.assets.webModule;
  return nameIn(context, 'file') === name && sendAsset(context, name, SHARED_HEADERS);
}

/** For clients that request an icon without reading a page. */
function icon(context: RequestContext): boolean {
  return sendAsset(context, 'icon.svg');
}

/** Sends an asset at an address without the digest of the assets. */
function sendAsset(context: RequestContext, name: string, headers?: readonly string[]): boolean {
  const { assets, request, response, path } = context;
  const found = assets.find(name);
  if (found !== undefined) sendTagged(request, response, context.tagOf(path), found.type, found.bytes, headers);
  return found !== undefined;
}

function description({ docs, site }: RequestContext): string {
  return JSON.stringify({ ...docs.description, servers: [{ url: site.apiUrl }] });
}

/** Pages on which calls are tried. */
const CALLING_PATHS: readonly string[] = [REFERENCE.path, ADDRESS_FORM_PATH];

/** The headers of a page with a policy of its own, also when the page comes from the cache; else undefined. */
export function policyOf({ path, site }: RequestContext): readonly string[] | undefined {
  return CALLING_PATHS.includes(path) ? callerHeaders(new URL(site.apiUrl).origin) : undefined;
}

function nameIn({ request }: RequestContext, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}

/** Sends the page of a country, place or code, or redirects to it; false if there is no such page. */
export function routeToPage(context: RequestContext): boolean {
  const { request, response, path, listNumber } = context;
  const route = resolveRoute(context.snapshot, path);
  if (route === undefined || listNumber === undefined) return false;
  if (route.path !== path) return redirectTo(context, route.path);
  if (sendUnchanged(request, response, context.tagOf(listPath(path, listNumber)))) return true;
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
