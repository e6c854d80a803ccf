/**
 * All addresses of the site but those that the snapshot has (place-routes.ts), which no country's slug may equal: the
 * first segments stand in FIRST_SEGMENTS. `account` is kept for the pages of accounts.
 */
import { decodeSegments } from './addresses.js';
import { JSON_TYPE, PLAIN_TEXT, sendForever, sendOnce, sendTagged } from './answers.js';
import { consoleHeaders } from './headers.js';
import type { SiteLimits } from './limits.js';
import type { Page } from './page.js';
import { coveragePage } from './pages/coverage-page.js';
import { consolePage, docsPage, guidePage } from './pages/docs-pages.js';
import { homePage } from './pages/home-page.js';
import { referencePage } from './pages/reference-page.js';
import { searchPage } from './pages/search-page.js';
import { findHits } from './reading/find-hits.js';
import { findNearestPlace } from './reading/find-nearest-place.js';
import { isCovered } from './site-snapshot.js';
import { robotsText, sitemapIndex } from './sitemaps.js';
import { type Answer, moveTo, type Visit } from './visit.js';

export interface Route {
  /** As Express has paths. */
  readonly path: string;
  /** Which limit of a network address it counts against; none where it sends bytes that are there. */
  readonly limit?: keyof SiteLimits;
  readonly answer: Answer;
}

export const FIRST_SEGMENTS: readonly string[] = [
  ...['account', 'assets', 'coverage', 'docs', 'favicon.ico', 'maps', 'nearest', 'robots.txt', 'search'],
  ...['sitemap.xml', 'sitemaps', 'suggest'],
];

const SUGGESTION_COUNT = 8;
/** When a crawler should ask again for a sitemap, in seconds: the world's take 5, and longer beside visitors. */
const SITEMAP_RETRY_SECONDS = 60;

export const routes: readonly Route[] = [
  { path: '/', limit: 'page', answer: page(homePage) },
  { path: '/search', limit: 'search', answer: page((visit) => searchPage(visit, visit.query.get('q') ?? '')) },
  { path: '/suggest', limit: 'search', answer: suggest },
  { path: '/nearest', limit: 'search', answer: nearest },
  {
    path: '/coverage',
    limit: 'page',
    answer: page((visit) => coveragePage(visit, visit.earlierReleases.before(visit.data.snapshot))),
  },
  { path: '/docs', limit: 'page', answer: page((visit) => docsPage(visit.docs)) },
  { path: '/docs/reference', limit: 'page', answer: page((visit) => referencePage(visit.docs, visit.site)) },
  { path: '/docs/console', limit: 'page', answer: page(consolePage, consolePolicy) },
  { path: '/docs/openapi.json', answer: fixed(JSON_TYPE, description) },
  { path: '/docs/:guide', limit: 'page', answer: page((visit) => guidePage(visit.docs, nameIn(visit, 'guide'))) },
  { path: '/maps/:snapshot/:map', limit: 'page', answer: map },
  { path: '/sitemap.xml', answer: fixed('application/xml', sitemapIndex) },
  { path: '/sitemaps/:file', limit: 'page', answer: sitemap },
  { path: '/robots.txt', answer: fixed(PLAIN_TEXT, robotsText) },
  { path: '/assets/:digest/:name', answer: asset },
  { path: '/favicon.ico', answer: icon },
];

const FIXED_PATHS = new Set(routes.map(({ path }) => path).filter((path) => !path.includes(':')));

/** Moves another spelling of a fixed address or of a guide's, with other case or slashes; false where it is none. */
export function findSpelling(visit: Visit): boolean {
  const segments = decodeSegments(visit.path);
  if (segments === undefined) return false;
  const path = `/${segments.join('/').toLowerCase()}`;
  const isKnownPath = FIXED_PATHS.has(path) || visit.docs.paths.includes(path);
  return isKnownPath && path !== visit.path && moveTo(visit, path);
}

/** A page; one without a canonical path is made for this request alone. */
function page(make: (visit: Visit) => Page | undefined, headersOf?: (visit: Visit) => readonly string[]): Answer {
  return (visit) => {
    // The number of a list's page means nothing here.
    if (visit.sendKept(visit.path)) return true;
    const made = make(visit);
    if (made === undefined) return false;
    visit.send(made, headersOf?.(visit));
    return true;
  };
}

/** A text at a fixed address that the snapshot and this program determine. */
function fixed(type: string, make: (visit: Visit) => string): Answer {
  return (visit) => {
    const { request, response, path } = visit;
    const text = visit.keep(`text ${path}`, () => make(visit));
    sendTagged(request, response, visit.tagOf(path), type, text);
    return true;
  };
}

function sitemap(visit: Visit): boolean {
  const { request, response, path } = visit;
  const found = visit.sitemaps.find(visit.data, nameIn(visit, 'file'));
  if (found === undefined) return false;
  if (found === 'not yet') {
    const headers = ['retry-after', String(SITEMAP_RETRY_SECONDS)];
    sendOnce(response, 503, PLAIN_TEXT, 'The sitemaps of this release are being made.\n', headers);
  } else sendTagged(request, response, visit.tagOf(path), 'application/gzip', found);
  return true;
}

function suggest({ data, query, response }: Visit): boolean {
  const hits = findHits(data, query.get('q') ?? '', SUGGESTION_COUNT);
  sendOnce(response, 200, JSON_TYPE, JSON.stringify(hits.map(({ name, where, path }) => ({ name, where, path }))));
  return true;
}

function nearest({ data, query, response }: Visit): boolean {
  const found = findNearestPlace(data, query.get('lat') ?? '', query.get('lng') ?? '');
  sendOnce(response, 200, JSON_TYPE, JSON.stringify(found ?? null));
  return true;
}

function map(visit: Visit): boolean {
  const { data, response } = visit;
  const [, code, whole] = /^([A-Z]{2})(-whole)?\.svg$/.exec(nameIn(visit, 'map')) ?? [];
  const country = data.snapshot.countryByCode.get(code ?? '');
  if (country === undefined || !isCovered(country)) return false;
  const maps = data.mapsOf(country);
  const { svg } = whole === undefined ? maps.main : maps.whole;
  // A page of the snapshot before may ask while another takes its place: the map is as good, and not to be kept.
  if (nameIn(visit, 'snapshot') === data.snapshot.id) sendForever(response, 'image/svg+xml', svg);
  else sendOnce(response, 200, 'image/svg+xml', svg);
  return true;
}

function asset(visit: Visit): boolean {
  const { assets, response } = visit;
  const found = assets.find(nameIn(visit, 'name'));
  if (found === undefined) return false;
  if (nameIn(visit, 'digest') === assets.digest) sendForever(response, found.type, found.bytes);
  else sendOnce(response, 200, found.type, found.bytes);
  return true;
}

/** For those who ask for an icon where no page names one. */
function icon(visit: Visit): boolean {
  const { request, response, path } = visit;
  const found = visit.assets.find('icon.svg');
  if (found !== undefined) sendTagged(request, response, visit.tagOf(path), found.type, found.bytes);
  return found !== undefined;
}

function description({ docs, site }: Visit): string {
  return JSON.stringify({ ...docs.reference.document, servers: [{ url: site.apiUrl }] });
}

function consolePolicy({ site }: Visit): readonly string[] {
  return consoleHeaders(new URL(site.apiUrl).origin);
}

function nameIn({ request }: Visit, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}
