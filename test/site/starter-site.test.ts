/** The site over the starter dataset: what the answers' `url` fields promise, and where the pages' own links lead. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { compileStarterSnapshot } from '../../quick-start/starter-snapshot.js';
import type { PlaceAnswer } from '../../src/format/place-answers.js';
import { placeJson } from '../../src/store/place-answers.js';
import { openSnapshot } from '../../src/store/snapshot.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { createSite, linksIn, SITE_URL, type SiteScene, textOf } from './site-scene.js';

const URL_COUNT = 10_000;
const WALKED_COUNT = 1_500;
const MAX_PAGE_BYTES = 30_000;

const folder = createTemporaryFolder();
let site: SiteScene;
let origin: string;

beforeAll(async () => {
  const path = join(folder.path, 'starter.snapshot');
  await compileStarterSnapshot(path, SITE_URL);
  site = createSite(openSnapshot(path));
  origin = await site.listen();
});
afterAll(async () => {
  await site?.close();
  folder.remove();
});

async function getPage(path: string): Promise<{ status: number; text: string; location: string | null }> {
  const response = await fetch(origin + path, { redirect: 'manual' });
  return { status: response.status, text: await response.text(), location: response.headers.get('location') };
}

test('10,000 urls of answers are pages with their own name in the heading', async () => {
  const random = createRandom(20_260_330);
  const covered = site.snapshot.countries.flatMap(({ structures }) => structures ?? []);
  let largest = 0;
  for (let at = 0; at < URL_COUNT; at++) {
    const structures = covered[Math.floor(random() * covered.length)] as (typeof covered)[number];
    const place = Math.floor(random() * structures.tree.placeCount);
    const { url, name } = JSON.parse(Buffer.from(placeJson(structures.answers, place)).toString()) as PlaceAnswer;
    const { status, text } = await getPage(url.slice(SITE_URL.length));
    largest = Math.max(largest, Buffer.byteLength(text));
    if (status !== 200 || !textOf(text, 'h1').startsWith(name))
      throw new Error(`${url}: ${status}, ${textOf(text, 'h1')}`);
  }
  expect(largest).toBeGreaterThan(4_000);
  expect(largest).toBeLessThan(MAX_PAGE_BYTES);
});

test('no link of a page leads to nothing, or elsewhere than it says', async () => {
  const random = createRandom(7);
  const found = new Set(['/', '/nowhere/at/all']);
  const walked = new Set<string>();
  while (walked.size < WALKED_COUNT) {
    const open = [...found].filter((path) => !walked.has(path));
    const path = open[Math.floor(random() * open.length)];
    if (path === undefined) break;
    walked.add(path);
    const { status, text, location } = await getPage(path);
    expect({ path, status, location }).toEqual({
      path,
      status: path === '/nowhere/at/all' ? 404 : 200,
      location: null,
    });
    for (const link of linksIn(text, path)) found.add(link.replace(/#.*/, ''));
  }
  expect(walked.size).toBe(WALKED_COUNT);
  expect([...walked].filter((path) => path.includes('/postcode/')).length).toBeGreaterThan(50);
});
