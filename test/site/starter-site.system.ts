/** The site over the starter dataset: what the answers' `url` fields promise, and where the pages' own links lead. */

import { Agent, get } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { type PlaceResource, placeJson } from '../../src/core/snapshot/rendered-places.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { STARTER_DATE, STARTER_SITE_URL, sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { API_URL, createSite, linksIn, type SiteScene, textOf } from './site-scene.js';

const URL_COUNT = Number(process.env.SITE_URLS ?? 2_000);
const WALKED_COUNT = 800;
const MAX_PAGE_BYTES = 40_000;
const MISSING = '/nowhere/at/all';

let site: SiteScene;
let origin: string;

beforeAll(async () => {
  const addresses = { siteUrl: STARTER_SITE_URL, apiUrl: API_URL, hasAccounts: false };
  site = createSite(openSnapshot(await sharedStarterSnapshot()), { addresses });
  origin = await site.listen();
});
afterAll(async () => {
  agent.destroy();
  await site?.close();
});

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

const agent = new Agent({ keepAlive: true });

/** As fetch gives it, at half the cost. */
function getPage(path: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    get(origin + path, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, text: Buffer.concat(chunks).toString(), location: headers.location ?? null });
      });
    }).on('error', reject);
  });
}

test('every page credits GeoNames, with link, licence and the date of the data', async () => {
  for (const path of ['/', MISSING, '/germany/postcode/10115']) {
    const [, footer = ''] = /<footer>(.*?)<\/footer>/s.exec((await getPage(path)).text) ?? [];
    expect(footer).toContain('<a href="https://www.geonames.org/">GeoNames</a>');
    expect(footer).toContain(
      '<a href="https://creativecommons.org/licenses/by/4.0/" rel="license">CC BY 4.0</a>, adapted',
    );
    expect(footer).toContain(`with data from ${STARTER_DATE}.`);
  }
});

test('urls of answers are pages with their own name in the heading', async () => {
  const random = createRandom(20_260_330);
  const covered = site.snapshot.countries.flatMap(({ structures }) => structures ?? []);
  let largest = 0;
  for (let at = 0; at < URL_COUNT; at++) {
    const structures = covered[Math.floor(random() * covered.length)] as (typeof covered)[number];
    const place = Math.floor(random() * structures.tree.placeCount);
    const { url, name } = JSON.parse(decodeUtf8(placeJson(structures.renderedPlaces, place))) as PlaceResource;
    const { status, text } = await getPage(url.slice(STARTER_SITE_URL.length));
    largest = Math.max(largest, gzipSync(text).length);
    if (status !== 200 || !textOf(text, 'h1').startsWith(name))
      throw new Error(`${url}: ${status}, ${textOf(text, 'h1')}`);
  }
  expect(largest).toBeGreaterThan(2_000);
  expect(largest).toBeLessThan(MAX_PAGE_BYTES);
});

test('no link of a page leads to nothing, or elsewhere than it says', async () => {
  const random = createRandom(7);
  const open = ['/', MISSING];
  const found = new Set(open);
  const walked: string[] = [];
  while (walked.length < WALKED_COUNT && open.length > 0) {
    const [path = ''] = open.splice(Math.floor(random() * open.length), 1);
    walked.push(path);
    const { status, text, location } = await getPage(path);
    expect({ path, status, location }).toEqual({ path, status: path === MISSING ? 404 : 200, location: null });
    for (const link of linksIn(text, path).map((href) => href.replace(/#.*/, ''))) {
      if (!found.has(link)) open.push(link);
      found.add(link);
    }
  }
  expect(walked).toHaveLength(WALKED_COUNT);
  expect(walked.filter((path) => path.includes('/postcode/')).length).toBeGreaterThan(50);
});
