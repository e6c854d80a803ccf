/**
 * Sitemaps (sitemaps.org) of all pages: an index, and gzipped files of at most 50,000 addresses each. A file is made when
 * it is first asked for, one after the other and between other requests: some 5 seconds for all files of the world. Files
 * stay in memory while their snapshot is served, at 5 bytes for each address.
 */

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { oncePer } from '../../base/once-per.js';
import { indexedPostcode } from '../../core/snapshot/postcode-index.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { DocsLibrary } from '../docs/docs-library.js';
import { escapeHtml } from '../html/html.js';
import type { PageContext } from '../html/page.js';
import { type CoveredCountry, isCovered } from '../reading/covered-country.js';
import { knownReleases } from '../reading/known-releases.js';
import { browsePath, countryPath, placePath, postcodePath, RELEASES_PATH, releasePath } from '../reading/page-paths.js';
import { canonicalPlace } from '../reading/single-child-chains.js';
import { isStanding } from '../reading/standing-place.js';

/** Maximum number of addresses in a file: the limit of sitemaps.org. */
const MAX_ADDRESSES = 50_000;
/** Number of addresses that are rendered at once, in a tenth of a millisecond. */
const STEP_ADDRESSES = 100;
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const SITE_FILE = 'site.xml.gz';

/** A page context with the documents, whose pages are listed too. */
type SitemapContext = PageContext & { readonly docs: DocsLibrary };

/**
 * A kind of pages of a country, counted by number; `path` is undefined for a page whose canonical path is another's.
 */
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
      isStanding(country.structures, place) && canonicalPlace(country.structures, place) === place
        ? placePath(country, place)
        : undefined,
  },
  {
    name: 'postcodes',
    count: ({ structures }) => structures.postcodes.codeCount,
    path: (country, code) => postcodePath(country, indexedPostcode(country.structures.postcodes, code)),
  },
];

/** The paths in each file, by the file's name, in the order of the index. */
type PathsByFile = ReadonlyMap<string, () => Iterable<string>>;

/** The files of a snapshot that were asked for, by the site's address and their names. */
const filesOf = oncePer((_: Snapshot) => new Map<string, Promise<Buffer>>());
let lastFile: Promise<unknown> = Promise.resolve();

/** A gzipped file; undefined if there is no such file. */
export function findSitemap(context: SitemapContext, name: string): Promise<Buffer> | undefined {
  const paths = listFiles(context).get(name);
  if (paths === undefined) return undefined;
  const files = filesOf(context.snapshot);
  const key = `${context.site.siteUrl} ${name}`;
  const known = files.get(key);
  if (known !== undefined) return known;
  const file = Promise.allSettled([lastFile]).then(() => renderGzipped(context, paths()));
  files.set(key, file);
  lastFile = file;
  // After a failure, the next request makes the file again.
  file.catch(() => files.delete(key));
  return file;
}

export function sitemapIndex(context: SitemapContext): string {
  const changed = lastChange(context.snapshot);
  const entries = Array.from(
    listFiles(context).keys(),
    (name) => `<sitemap><loc>${escapeHtml(`${context.site.siteUrl}/sitemaps/${name}`)}</loc>${changed}</sitemap>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="${NAMESPACE}">\n${entries.join('')}</sitemapindex>\n`;
}

export function robotsText({ site }: PageContext): string {
  const paths = ['/search', '/suggest', '/nearest', '/docs/search', '/docs/suggest'];
  const rules = paths.map((path) => `Disallow: ${path}\n`).join('');
  return `User-agent: *\n${rules}\nSitemap: ${site.siteUrl}/sitemap.xml\n`;
}

function listFiles({ snapshot, docs }: SitemapContext): PathsByFile {
  const { countries } = snapshot;
  // The few pages of the site itself, its documents and releases, and of countries and the start of their codes.
  const browsed = countries.filter(isCovered).map((country) => browsePath(country, ''));
  const releases = knownReleases(snapshot).map(({ header }) => releasePath(header.release));
  const ofReleases = [...new Set(['/coverage', RELEASES_PATH, ...releases])];
  const few = (): string[] => ['/', ...ofReleases, ...docs.paths, ...countries.map(countryPath), ...browsed];
  const files = new Map<string, () => Iterable<string>>([[SITE_FILE, few]]);
  for (const country of countries.filter(isCovered)) {
    for (const kind of KINDS) {
      const count = kind.count(country);
      for (let start = 0; start < count; start += MAX_ADDRESSES) {
        const end = Math.min(count, start + MAX_ADDRESSES);
        const name = `${country.entry.code}-${kind.name}-${start / MAX_ADDRESSES + 1}.xml.gz`;
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

/** Compresses on a thread of Node's and renders no faster than that, so the whole text is never in memory. */
async function renderGzipped(context: PageContext, paths: Iterable<string>): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const [bytes] = await Promise.all([buffer(gzip), pipeline(Readable.from(render(context, paths)), gzip)]);
  return bytes;
}

/** The text of a file, some STEP_ADDRESSES addresses at a time. */
function* render({ site, snapshot }: PageContext, paths: Iterable<string>): Generator<string> {
  const changed = lastChange(snapshot);
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
function lastChange(snapshot: Snapshot): string {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(snapshot.manifest.sourceDate ?? '') ?? [];
  return date === undefined ? '' : `<lastmod>${date}</lastmod>`;
}
