/**
 * Sitemaps (sitemaps.org) of all pages: an index, and gzipped files of at most 50,000 addresses each. A file is made when it
 * is asked for, a tenth of a second of work in steps between which other requests are answered; nothing is kept.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { codeText } from '../store/postcode-index.js';
import { inTurns, type Steps } from '../store/turns.js';
import { countryPath, placePath, postcodePath } from './addresses.js';
import type { Visit } from './app.js';
import { escapeHtml } from './html/html.js';
import { type CoveredCountry, isCovered } from './site-snapshot.js';

const MAX_ADDRESSES = 50_000;
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const compress = promisify(gzip);

/** A kind of pages of a country: how many there are, and the path of each. */
interface Kind {
  readonly name: string;
  readonly count: (country: CoveredCountry) => number;
  readonly path: (country: CoveredCountry, number: number) => string;
}

const KINDS: readonly Kind[] = [
  { name: 'places', count: ({ structures }) => structures.tree.placeCount, path: placePath },
  {
    name: 'postcodes',
    count: ({ structures }) => structures.postcodes.codeCount,
    path: (country, code) => postcodePath(country, codeText(country.structures.postcodes, code)),
  },
];

export async function sitemapIndex(visit: Visit): Promise<string> {
  const files = ['site.xml.gz'];
  for (const country of visit.data.snapshot.countries.filter(isCovered)) {
    for (const { name, count } of KINDS) {
      const fileCount = Math.ceil(count(country) / MAX_ADDRESSES);
      for (let file = 1; file <= fileCount; file++) files.push(`${country.entry.code}-${name}-${file}.xml.gz`);
    }
  }
  const changed = lastChange(visit);
  const entries = files.map(
    (file) => `<sitemap><loc>${escapeHtml(`${visit.site.siteUrl}/sitemaps/${file}`)}</loc>${changed}</sitemap>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="${NAMESPACE}">\n${entries.join('')}</sitemapindex>\n`;
}

/** The file that the path names, gzipped; undefined where there is no such file. */
export async function sitemap(visit: Visit): Promise<Buffer | undefined> {
  const { file = '' } = visit.request.params;
  if (file === 'site.xml.gz') return compress(await inTurns(render(visit, sitePaths(visit))));
  const [, code = '', kindName, number] = /^([A-Z]{2})-([a-z]+)-([1-9]\d{0,4})\.xml\.gz$/.exec(String(file)) ?? [];
  const country = visit.data.snapshot.countryByCode.get(code);
  const kind = KINDS.find(({ name }) => name === kindName);
  if (kind === undefined || country === undefined || !isCovered(country)) return undefined;
  const start = (Number(number) - 1) * MAX_ADDRESSES;
  const end = Math.min(kind.count(country), start + MAX_ADDRESSES);
  if (start >= end) return undefined;
  return compress(await inTurns(render(visit, pathsOf(kind, country, start, end))));
}

export async function robotsText({ site }: Visit): Promise<string> {
  return `User-agent: *\nDisallow: /search\nDisallow: /suggest\nDisallow: /nearest\n\nSitemap: ${site.siteUrl}/sitemap.xml\n`;
}

/** Pages that are few: those of the site itself, of its documents, and of countries. */
function sitePaths({ data, docs }: Visit): string[] {
  return ['/', '/coverage', ...docs.paths, ...data.snapshot.countries.map(countryPath)];
}

function* pathsOf(kind: Kind, country: CoveredCountry, start: number, end: number): Iterable<string> {
  for (let number = start; number < end; number++) yield kind.path(country, number);
}

function* render(visit: Visit, paths: Iterable<string>): Steps<string> {
  const changed = lastChange(visit);
  let text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${NAMESPACE}">\n`;
  let count = 0;
  for (const path of paths) {
    text += `<url><loc>${escapeHtml(visit.site.siteUrl + path)}</loc>${changed}</url>\n`;
    if (++count % 500 === 0) yield;
  }
  return `${text}</urlset>\n`;
}

/** All pages change with the release. */
function lastChange({ data }: Visit): string {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(data.snapshot.manifest.sourceDate ?? '') ?? [];
  return date === undefined ? '' : `<lastmod>${date}</lastmod>`;
}
