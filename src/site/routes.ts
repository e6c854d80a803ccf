/**
 * All addresses of the site but those that the snapshot has (place-routes.ts), which no country's slug may equal: the
 * first segments stand in FIRST_SEGMENTS. `account` is kept for the pages of accounts.
 */
import { decodeSegments } from './addresses.js';
import { JSON_TYPE, sendForever, sendOnce, sendTagged } from './answers.js';
import { type Answer, isKnown, moveTo, type Visit } from './app.js';
import { consoleHeaders } from './headers.js';
import type { Page } from './page.js';
import { coveragePage } from './pages/coverage-page.js';
import { consolePage, docsPage, guidePage } from './pages/docs-pages.js';
import { homePage } from './pages/home-page.js';
import { referencePage } from './pages/reference-page.js';
import { searchPage } from './pages/search-page.js';
import { findHits } from './reading/find-hits.js';
import { findNearestPlace } from './reading/find-nearest-place.js';
import { isCovered } from './site-snapshot.js';
import { robotsText, sitemap, sitemapIndex } from './sitemaps.js';

export interface Route {
  /** As Express has paths. */
  readonly path: string;
  /** Whether it costs so much that it is limited for each network address. */
  readonly isLimited?: boolean;
  readonly answer: Answer;
}

export const FIRST_SEGMENTS: readonly string[] = [
  ...['account', 'assets', 'coverage', 'docs', 'favicon.ico', 'healthz', 'maps', 'nearest', 'robots.txt', 'search'],
  ...['sitemap.xml', 'sitemaps', 'suggest'],
];

const SUGGESTION_COUNT = 8;

export const routes: readonly Route[] = [
  { path: '/', answer: page(homePage) },
  { path: '/search', isLimited: true, answer: page((visit) => searchPage(visit, visit.query.get('q') ?? '')) },
  { path: '/suggest', isLimited: true, answer: suggest },
  { path: '/nearest', isLimited: true, answer: nearest },
  {
    path: '/coverage',
    answer: page((visit) => coveragePage(visit, visit.earlierReleases.before(visit.data.snapshot))),
  },
  { path: '/docs', answer: page((visit) => docsPage(visit.docs)) },
  { path: '/docs/reference', answer: page((visit) => referencePage(visit.docs, visit.site)) },
  { path: '/docs/console', answer: page(consolePage, consolePolicy) },
  { path: '/docs/openapi.json', answer: description },
  { path: '/docs/:guide', answer: page((visit) => guidePage(visit.docs, nameIn(visit, 'guide'))) },
  { path: '/maps/:snapshot/:map', answer: map },
  { path: '/sitemap.xml', answer: tagged('application/xml', sitemapIndex) },
  { path: '/sitemaps/:file', isLimited: true, answer: tagged('application/gzip', sitemap) },
  { path: '/robots.txt', answer: tagged('text/plain; charset=utf-8', robotsText) },
  { path: '/assets/:digest/:name', answer: asset },
  { path: '/favicon.ico', answer: icon },
  { path: '/healthz', answer: health },
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
    const made = make(visit);
    if (made === undefined) return false;
    if (made.canonicalPath !== undefined && isKnown(visit, made)) return true;
    visit.send(made, headersOf?.(visit));
    return true;
  };
}

function tagged(type: string, make: (visit: Visit) => Promise<string | Buffer | undefined>): Answer {
  return async (visit) => {
    if (isKnown(visit)) return true;
    const text = await make(visit);
    if (text !== undefined) sendTagged(visit.response, visit.tag, type, text);
    return text !== undefined;
  };
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
  const found = visit.assets.find('icon.svg');
  if (found === undefined) return false;
  if (!isKnown(visit)) sendTagged(visit.response, visit.tag, found.type, found.bytes);
  return true;
}

function description({ docs, site, response }: Visit): boolean {
  sendOnce(response, 200, JSON_TYPE, JSON.stringify({ ...docs.reference.document, servers: [{ url: site.apiUrl }] }));
  return true;
}

function consolePolicy({ site }: Visit): readonly string[] {
  return consoleHeaders(new URL(site.apiUrl).origin);
}

function health({ response, data }: Visit): boolean {
  sendOnce(response, 200, JSON_TYPE, JSON.stringify({ status: 'ok', release: data.snapshot.release }));
  return true;
}

function nameIn({ request }: Visit, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}
