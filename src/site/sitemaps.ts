/**
 * Sitemaps (sitemaps.org) of all pages: an index, and gzipped files of at most 50,000 addresses each. The first request
 * for a file has all files of the release made, one after the other, in steps between which other requests are
 * answered: some 5 seconds for the world. They are kept in memory as long as their snapshot is served, 5 bytes for each
 * address.
 */

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Logger } from '../base/logger.js';
import { citiesOf } from '../core/lookup/cities.js';
import { codeText } from '../core/snapshot/postcode-index.js';
import type { Snapshot } from '../core/snapshot/snapshot.js';
import { browsePath, countryPath, placePath, postcodePath, RELEASES_PATH, releasePath } from './addresses.js';
import type { DocsLibrary } from './docs/docs-library.js';
import { escapeHtml } from './html/html.js';
import type { PageContext, SiteAddresses } from './html/layout.js';
import { knownReleases } from './reading/known-releases.js';
import { canonicalPlace } from './reading/unit-parts.js';
import { type CoveredCountry, isCovered, type SiteSnapshot } from './site-snapshot.js';

/** Maximum number of addresses in a file: the limit of sitemaps.org. */
export const MAX_ADDRESSES = 50_000;
/** Addresses that are rendered at once: a tenth of a millisecond. */
const STEP_ADDRESSES = 100;
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const SITE_FILE = 'site.xml.gz';

export interface Sitemaps {
  /** A gzipped file of this snapshot; undefined if there is no such file. */
  find(data: SiteSnapshot, name: string): Buffer | 'not yet' | undefined;
}

export interface SitemapSources {
  readonly snapshots: { current(): Snapshot };
  readonly addresses: SiteAddresses;
  readonly docs: DocsLibrary;
  readonly logger: Logger;
}

/** A kind of pages of a country: the number of addresses, and the path of each that is its page's canonical path. */
interface Kind {
  readonly name: string;
  readonly count: (country: CoveredCountry) => number;
  readonly path: (country: CoveredCountry, number: number) => string | undefined;
}

const KINDS: readonly Kind[] = [
  {
    name: 'places',
    count: ({ structures }) => structures.tree.placeCount,
    path: (country, place) =>
      citiesOf(country.structures).cities[place] === place && canonicalPlace(country.structures, place) === place
        ? placePath(country, place)
        : undefined,
  },
  {
    name: 'postcodes',
    count: ({ structures }) => structures.postcodes.codeCount,
    path: (country, code) => postcodePath(country, codeText(country.structures.postcodes, code)),
  },
];

/** The paths in each file, by the file's name, in the order of the index. */
type PathsByFile = ReadonlyMap<string, () => Iterable<string>>;

interface ReleaseSitemaps {
  readonly paths: PathsByFile;
  readonly made: Map<string, Buffer>;
  isBegun: boolean;
}

export function createSitemaps(
  { snapshots, addresses, docs, logger }: SitemapSources,
  maxAddresses = MAX_ADDRESSES,
): Sitemaps {
  const releases = new WeakMap<SiteSnapshot, ReleaseSitemaps>();
  let lastRun: Promise<void> = Promise.resolve();

  async function makeAll(data: SiteSnapshot, { paths, made }: ReleaseSitemaps): Promise<void> {
    const startedMs = performance.now();
    try {
      for (const [name, pathsOf] of paths) {
        // The snapshot is no longer served.
        if (snapshots.current() !== data.snapshot) return;
        made.set(name, await renderGzipped({ site: addresses, data }, pathsOf()));
      }
      const bytes = [...made.values()].reduce((sum, { length }) => sum + length, 0);
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      logger.info({ release: data.snapshot.release, files: made.size, bytes, seconds }, 'the sitemaps are made');
    } catch (error) {
      // The next request for a sitemap tries again.
      releases.delete(data);
      logger.error({ err: error, release: data.snapshot.release }, 'the sitemaps could not be made');
    }
  }

  return {
    find(data, name) {
      let release = releases.get(data);
      if (release === undefined) {
        release = { paths: listFiles(data, docs, maxAddresses), made: new Map(), isBegun: false };
        releases.set(data, release);
      }
      if (!release.paths.has(name)) return undefined;
      if (!release.isBegun) {
        release.isBegun = true;
        const files = release;
        lastRun = lastRun.then(() => makeAll(data, files));
      }
      return release.made.get(name) ?? 'not yet';
    },
  };
}

export function sitemapIndex(
  { site, data, docs }: PageContext & { readonly docs: DocsLibrary },
  maxAddresses = MAX_ADDRESSES,
): string {
  const changed = lastChange(data);
  const entries = Array.from(
    listFiles(data, docs, maxAddresses).keys(),
    (name) => `<sitemap><loc>${escapeHtml(`${site.siteUrl}/sitemaps/${name}`)}</loc>${changed}</sitemap>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="${NAMESPACE}">\n${entries.join('')}</sitemapindex>\n`;
}

export function robotsText({ site }: PageContext): string {
  const paths = ['/search', '/suggest', '/nearest', '/docs/search', '/docs/suggest'];
  const rules = paths.map((path) => `Disallow: ${path}\n`).join('');
  return `User-agent: *\n${rules}\nSitemap: ${site.siteUrl}/sitemap.xml\n`;
}

function listFiles(data: SiteSnapshot, docs: DocsLibrary, maxAddresses: number): PathsByFile {
  const { countries } = data.snapshot;
  // Pages that are few: those of the site itself, of its documents, of countries, and where their codes are browsed.
  const browsed = countries.filter(isCovered).map((country) => browsePath(country, ''));
  const releases = knownReleases(data).map(({ header }) => releasePath(header.release));
  const ofReleases = [...new Set(['/coverage', RELEASES_PATH, ...releases])];
  const few = (): string[] => ['/', ...ofReleases, ...docs.paths, ...countries.map(countryPath), ...browsed];
  const files = new Map<string, () => Iterable<string>>([[SITE_FILE, few]]);
  for (const country of countries.filter(isCovered)) {
    for (const kind of KINDS) {
      const count = kind.count(country);
      for (let start = 0; start < count; start += maxAddresses) {
        const end = Math.min(count, start + maxAddresses);
        const name = `${country.entry.code}-${kind.name}-${start / maxAddresses + 1}.xml.gz`;
        files.set(name, () => pathsOf(kind, country, start, end));
      }
    }
  }
  return files;
}

function* pathsOf(kind: Kind, country: CoveredCountry, start: number, end: number): Iterable<string> {
  for (let number = start; number < end; number++) {
    const path = kind.path(country, number);
    if (path !== undefined) yield path;
  }
}

/** Renders as fast as it compresses, on a thread of node's: the text is never whole, and requests come in between. */
async function renderGzipped(context: PageContext, paths: Iterable<string>): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const [bytes] = await Promise.all([buffer(gzip), pipeline(Readable.from(render(context, paths)), gzip)]);
  return bytes;
}

/** The text of a file, some STEP_ADDRESSES addresses at a time. */
function* render({ site, data }: PageContext, paths: Iterable<string>): Generator<string> {
  const changed = lastChange(data);
  let text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${NAMESPACE}">\n`;
  let count = 0;
  for (const path of paths) {
    text += `<url><loc>${escapeHtml(site.siteUrl + path)}</loc>${changed}</url>\n`;
    if (++count % STEP_ADDRESSES === 0) {
      yield text;
      text = '';
    }
  }
  yield `${text}</urlset>\n`;
}

/** All pages change with the release. */
function lastChange({ snapshot }: SiteSnapshot): string {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(snapshot.manifest.sourceDate ?? '') ?? [];
  return date === undefined ? '' : `<lastmod>${date}</lastmod>`;
}
