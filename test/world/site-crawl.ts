/**
 * A seeded crawl of the website over a whole release: it reads the units of the first level and those with the most
 * children, whose pages are the longest, then follows links and jumps to places and codes drawn at random.
 * Each page is read once, and every link on it must be the address of a page; links are resolved, not fetched, so a
 * crawl of n pages checks some twenty links for each.
 */

import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { childRange, levelRange } from '../../src/core/snapshot/place-tree.js';
import { indexedPostcode } from '../../src/core/snapshot/postcode-index.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { isCovered } from '../../src/site/reading/covered-country.js';
import { placePath, postcodePath } from '../../src/site/reading/page-paths.js';
import { resolveRoute } from '../../src/site/reading/resolve-path.js';
import { createRandom } from '../fixtures/random.mjs';
import { createSite, linksIn } from '../site/site-scene.js';

/** Compressed. */
const MAX_PAGE_BYTES = 40_000;
/** Share of the pages that the crawl reaches by a link. */
const FOLLOWED = 0.6;
/** Number of units of each country that the crawl reads because of their size. */
const UNITS_OF_COUNTRY = 20;
/** Pages of the site itself, which tests of their own check. */
const OWN_PAGE = /^\/(?:docs|coverage|search|account)?(?:[/?]|$)/;

export interface CrawlReport {
  readonly pageCount: number;
  readonly linkCount: number;
  readonly largestBytes: number;
  /** What is wrong, with its page; at most MAX_FAULTS. */
  readonly faults: readonly string[];
}

const MAX_FAULTS = 50;

export async function crawlSite(snapshot: Snapshot, pageCount: number, seed: number): Promise<CrawlReport> {
  const site = createSite(snapshot);
  const server = createServer(site.app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    return await crawl(snapshot, pageCount, createRandom(seed), (path) => fetchPage(server, agent, path));
  } finally {
    agent.destroy();
    server.close();
  }
}

interface FetchedPage {
  readonly status: number | undefined;
  readonly body: Buffer;
}

async function fetchPage(server: Server, agent: Agent, path: string): Promise<FetchedPage> {
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ agent, port, path }), 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await buffer(response) };
}

async function crawl(
  snapshot: Snapshot,
  pageCount: number,
  random: () => number,
  read: (path: string) => Promise<FetchedPage>,
): Promise<CrawlReport> {
  const faults: string[] = [];
  const known = new Set(snapshot.countries.map(({ entry }) => `/${entry.slug}`));
  const waiting = [...known];
  const units = listLargestUnits(snapshot);
  const draw = createDraw(snapshot, random);
  let largestBytes = 0;
  for (let page = 0; page < pageCount && faults.length < MAX_FAULTS; page++) {
    const isFollowed = waiting.length > 0 && random() < FOLLOWED;
    const path = units[page] ?? (isFollowed ? takeOne(waiting, random) : draw());
    const { status, body } = await read(path);
    const text = body.toString();
    const bytes = gzipSync(body).length;
    largestBytes = Math.max(largestBytes, bytes);
    if (status !== 200) faults.push(`${path}: status ${status}`);
    if (bytes > MAX_PAGE_BYTES) faults.push(`${path}: ${bytes} bytes`);
    const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'));
    faults.push(...findListFaults(main).map((fault) => `${path}: ${fault}`));
    for (const link of linksIn(main, path)) {
      if (known.has(link) || OWN_PAGE.test(link)) continue;
      known.add(link);
      const { pathname } = new URL(link, 'http://site.test');
      if (resolveRoute(snapshot, pathname)?.path !== pathname) faults.push(`${path}: a link to ${link}`);
      waiting.push(link);
    }
  }
  return { pageCount, linkCount: known.size, largestBytes, faults };
}

/** The units of the first level, and those with the most children: UNITS_OF_COUNTRY of each country. */
function listLargestUnits(snapshot: Snapshot): string[] {
  return snapshot.countries.filter(isCovered).flatMap((country) => {
    const { tree } = country.structures;
    const sizeOf = (place: number): number => {
      const { start, end } = childRange(tree, place);
      return end - start;
    };
    const all = Array.from({ length: tree.placeCount }, (_, place) => place).filter((place) => sizeOf(place) > 0);
    const largest = all.sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, UNITS_OF_COUNTRY);
    const { start, end } = levelRange(tree, 1);
    const first = Array.from({ length: end - start }, (_, at) => start + at).filter((place) => sizeOf(place) > 0);
    return [...new Set([...first, ...largest])].map((place) => placePath(country, place));
  });
}

/** Takes one of the waiting addresses out of the list. */
function takeOne(waiting: string[], random: () => number): string {
  const at = Math.floor(random() * waiting.length);
  const taken = waiting[at] as string;
  waiting[at] = waiting.at(-1) as string;
  waiting.pop();
  return taken;
}

/** Gives addresses of places and codes; large countries come as often as they are large. */
function createDraw(snapshot: Snapshot, random: () => number): () => string {
  const covered = snapshot.countries.filter(isCovered);
  const total = covered.reduce((sum, { structures }) => sum + structures.tree.placeCount, 0);
  return () => {
    let at = Math.floor(random() * total);
    for (const country of covered) {
      const { tree, postcodes } = country.structures;
      if (at >= tree.placeCount) at -= tree.placeCount;
      else if (random() < 0.7) return placePath(country, at);
      else return postcodePath(country, indexedPostcode(postcodes, Math.floor(random() * postcodes.codeCount)));
    }
    throw new Error('a number of a place beyond the last country');
  };
}

/** Empty lists, empty lines and lines that look the same, and a page that answers nothing. */
export function findListFaults(main: string): string[] {
  const faults: string[] = [];
  // The trail may lead from a country to its city of the same name: Panama, Luxembourg.
  const lists = main.replace(/<nav class="trail".*?<\/nav>/s, '');
  for (const [, , list = ''] of lists.matchAll(/<(ul|ol)[^>]*>(.*?)<\/\1>/gs)) {
    const lines = [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line = '']) => line.replace(/<[^>]*>/g, '').trim());
    if (lines.length === 0) faults.push('an empty list');
    if (lines.includes('')) faults.push('an empty line');
    const twice = lines.find((line, at) => lines.indexOf(line) !== at);
    if (twice !== undefined) faults.push(`two lines ${JSON.stringify(twice)}`);
  }
  const [, answer = ''] = /<p class="answer"[^>]*>(.*?)<\/p>/s.exec(main) ?? [];
  const hasName = /<h1[^>]*>[^<]/.test(main);
  if (!hasName || answer.replace(/<[^>]*>/g, '').trim() === '') faults.push('neither a code nor a city');
  return faults;
}
