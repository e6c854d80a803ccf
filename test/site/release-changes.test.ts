/** The pages of releases, their feed, and what the pages of coverage and of countries say about the releases before. */

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { rollBack } from '../../build-index/publishing/roll-back-snapshot.js';
import { checksumCheck } from '../../build-index/publishing/snapshot-check.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { ChangesLists } from '../../src/releases/served/changes-lists.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { createPublishedReleases } from '../fixtures/published-folder.js';
import { createRecordingLogger } from '../fixtures/recording-logger.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import {
  createSite,
  decodeEntities,
  linksIn,
  plainText,
  readPage,
  SITE_URL,
  type SiteScene,
  sectionIn,
  sitemapOf,
  textOf,
} from './site-scene.js';

type Row = RowsByCountry[string][number];
const VADUZ: Row = ['9490', 'Vaduz', '', '', '', 47.14, 9.52];
const TRIESEN: Row = ['9495', 'Triesen', '', '', '', 47.11, 9.53];
const CANILLO: Row = ['AD100', 'Canillo', '', '', '', 42.58, 1.6];
const MONACO: Row = ['98000', 'Monaco', '', '', '', 43.73, 7.42];

const published = createPublishedReleases();
const { folder, publish } = published;
const logger = createRecordingLogger();
afterAll(() => published.remove());
beforeEach(() => {
  published.clear();
  logger.lines.length = 0;
});

/** The snapshot as the site serves it. */
function opened(path = join(folder, 'current')): Snapshot {
  const snapshot = openSnapshot(path);
  return { ...snapshot, changes: new ChangesLists(path, snapshot, logger) };
}

/** HTML as text, in one line, with a space for each element. */
const plain = (html: string): string => plainText(html.replaceAll('<', ' <'));

/** The section of the page of coverage without markup; empty where the page has none. */
async function changesIn(site: SiteScene): Promise<string> {
  const text = await readPage(site, '/coverage');
  const section = sectionIn(text, 'changes');
  expect(text.includes('href="#changes"')).toBe(section !== '');
  return plain(section);
}

describe('the page of coverage', () => {
  test('says what changed since the release before, through swaps and back', async () => {
    await publish('one', { LI: [VADUZ], AD: [CANILLO] });
    const site = createSite(opened());
    expect(await changesIn(site)).toBe('');
    await publish('two', { LI: [VADUZ, TRIESEN], MC: [MONACO] });
    site.snapshot = opened();
    expect(await changesIn(site)).toBe(
      'Since release one 2 places added, 1 removed, in 3 countries; 2 postal codes added; 1 postal code removed. ' +
        'New: Monaco . No longer with postal codes: Andorra . What changed by country · All releases',
    );
    await publish('three', { LI: [VADUZ], MC: [MONACO] });
    site.snapshot = opened();
    expect(await changesIn(site)).toContain('Since release two 1 place removed, in 1 country; 1 postal code removed.');
    await rollBack(folder, checksumCheck(silentProgress));
    site.snapshot = opened();
    expect(await changesIn(site)).toContain('Since release one');
    expect(logger.lines).toEqual([]);
  });

  test('passes over what was rolled back, and what is the same release built again', async () => {
    await publish('one', { LI: [VADUZ] });
    await publish('two', { LI: [TRIESEN] });
    await rollBack(folder, checksumCheck(silentProgress));
    await publish('three', { LI: [VADUZ, TRIESEN] });
    await publish('three', { LI: [VADUZ, TRIESEN], MC: [MONACO] });
    expect(await changesIn(createSite(opened()))).toContain('Since release one');
  });

  test('says so where nothing changed', async () => {
    await publish('one', { LI: [VADUZ] });
    await publish('two', { LI: [VADUZ] });
    expect(await changesIn(createSite(opened()))).toContain('No place was added, removed, moved or renamed.');
  });

  test('has another entity tag where other lists are known, and notices a list that comes later', async () => {
    await publish('one', { LI: [VADUZ] });
    await publish('two', { LI: [TRIESEN] });
    const list = published.fileOf('two', '.changes.ndjson');
    const bytes = readFileSync(list);
    rmSync(list);
    const site = createSite(opened());
    for (const path of ['/coverage', '/andorra', '/coverage/releases', '/coverage/releases.atom']) {
      rmSync(list, { force: true });
      const { headers, text } = await site.get(path);
      const known = { 'if-none-match': String(headers.etag) };
      expect([path, (await site.get(path, known)).status]).toEqual([path, 304]);
      writeFileSync(list, bytes);
      const later = await site.get(path, known);
      expect([path, later.status, later.text === text]).toEqual([path, 200, false]);
    }
  });

  test('says nothing where the list is damaged, and logs it once', async () => {
    await publish('one', { LI: [VADUZ] });
    await publish('two', { LI: [TRIESEN] });
    writeFileSync(published.fileOf('two', '.changes.ndjson'), '{}\n');
    const site = createSite(opened());
    for (let time = 0; time < 2; time++) expect(await changesIn(site)).toBe('');
    expect(logger.lines).toMatchObject([{ level: 'warn', message: 'this list of changes is not usable' }]);
  });
});

describe('the pages of releases', () => {
  const HOSTILE = '<b>"Wolf & Sohn"</b>';
  async function threeReleases(): Promise<SiteScene> {
    await publish('one', { LI: [VADUZ, TRIESEN], AD: [CANILLO] });
    await publish('two', { LI: [VADUZ, ['9497', HOSTILE, '', '', '', 47.13, 9.5]], MC: [MONACO] });
    await publish('three', { LI: [['9490', 'Wolfen', '', '', '', 47.14, 9.52]], MC: [MONACO] });
    return createSite(opened());
  }

  test('list them, the newest first', async () => {
    const text = await readPage(await threeReleases(), '/coverage/releases');
    expect(textOf(text, 'h1')).toBe('Releases');
    const rows = [...text.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) => plain(row as string));
    expect(rows).toEqual(['three 1 1 1 1', 'two 2 2 2 2 3']);
    expect(linksIn(text, '/coverage/releases')).toEqual(
      expect.arrayContaining([
        '/coverage',
        '/coverage/releases/three',
        '/coverage/releases/two',
        '/coverage/releases.atom',
      ]),
    );
    expect(text).toContain(
      '<link rel="alternate" type="application/atom+xml" title="Postal Places: releases" href="/coverage/releases.atom">',
    );
  });

  test('say what changed by country, with examples that link to places that are there', async () => {
    const site = await threeReleases();
    const two = await readPage(site, '/coverage/releases/two');
    expect(plain(two)).toContain('New: Monaco . No longer with postal codes: Andorra .');
    expect(plain(two)).toContain(`added ${HOSTILE} 9497 /b-wolf-sohn-b`);
    expect(two).not.toContain('<b>"');
    // Neither place is there in the release that is served.
    expect(linksIn(two, '/').filter((path) => path.startsWith('/liechtenstein/'))).toEqual([]);
    const three = await readPage(site, '/coverage/releases/three');
    expect(plain(three)).toContain('renamed Wolfen 9490 /wolfen before: Vaduz /vaduz');
    expect(linksIn(three, '/')).toEqual(expect.arrayContaining(['/liechtenstein', '/liechtenstein/wolfen']));
    expect(three).toContain('/v1/changes?since=two');
    for (const path of linksIn(three, '/')) expect([path, (await site.get(path)).status < 400]).toEqual([path, true]);
  });

  test('are there as long as their lists', async () => {
    const site = await threeReleases();
    for (const release of ['one', 'four', 'TWO', '..', '%2e%2e', 'two/', encodeURIComponent(HOSTILE)]) {
      expect([release, (await site.get(`/coverage/releases/${release}`)).status]).not.toEqual([release, 200]);
    }
    rmSync(published.fileOf('two', '.changes.ndjson'));
    expect((await site.get('/coverage/releases/two')).status).toBe(404);
    expect((await site.get('/coverage/releases/three')).status).toBe(200);
    expect((await site.get('/Coverage/Releases')).headers.location).toBe('/coverage/releases');
  });

  test('are told without any release before, and of a country that is counted only', async () => {
    await publish('one', { LI: [VADUZ] });
    const site = createSite(opened());
    expect(plain(await readPage(site, '/coverage/releases'))).toContain('Release one is the first one here');
    await publish('two', { LI: [TRIESEN] });
    const list = published.fileOf('two', '.changes.ndjson');
    const { countries, ...rest } = JSON.parse(readFileSync(list, 'utf8').split('\n')[0] as string);
    writeFileSync(list, `${JSON.stringify({ ...rest, countries: [{ ...countries[0], bytes: null }] })}\n`);
    site.snapshot = opened();
    const text = plain(await readPage(site, '/coverage/releases/two'));
    expect(text).toContain('The changes of 1 country are counted only: there are too many.');
    expect(text).not.toContain('Examples');
  });

  test('are in the sitemap', async () => {
    const site = await threeReleases();
    const releases = ['', '/three', '/two'].map((path) => `/coverage/releases${path}`);
    expect(await sitemapOf(site, '/sitemaps/site.xml.gz')).toEqual(expect.arrayContaining(releases));
  });

  describe('as a feed', () => {
    const elements = (xml: string, name: string): string[] =>
      [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) =>
        decodeEntities(text as string),
      );

    test('have an entry each, with absolute addresses and dates', async () => {
      const site = await threeReleases();
      const { status, headers, text, body } = await request(site.app).get('/coverage/releases.atom').buffer(true);
      const xml = text ?? String(body);
      expect([status, headers['content-type']]).toEqual([200, 'application/atom+xml; charset=utf-8']);
      expect(elements(xml, 'title')).toEqual(['Postal Places: releases', 'Release three', 'Release two']);
      const ids = elements(xml, 'id');
      expect(ids).toEqual(['.atom', '/three', '/two'].map((end) => `${SITE_URL}/coverage/releases${end}`));
      expect([...xml.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, url]) => url)).toEqual([
        ...[`${SITE_URL}/coverage/releases.atom`, `${SITE_URL}/coverage/releases`],
        ...ids.slice(1),
      ]);
      const updated = elements(xml, 'updated');
      expect(updated).toHaveLength(3);
      for (const date of updated) expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      expect(updated[0]).toBe([...updated.slice(1)].sort().at(-1));
      expect(elements(xml, 'summary')[0]).toBe(
        'Since release two: 1 place removed, 1 renamed, in 1 country; 1 postal code removed.',
      );
      parseFeed(xml);
    });

    test('are a feed without entries where there are none', async () => {
      await publish('one', { LI: [VADUZ] });
      const { text, body } = await request(createSite(opened()).app).get('/coverage/releases.atom').buffer(true);
      const xml = text ?? String(body);
      expect([elements(xml, 'updated').length, xml.includes('<entry>')]).toEqual([1, false]);
      parseFeed(xml);
    });
  });
});

/** Throws unless a parser of XML reads it as a feed of Atom. */
function parseFeed(xml: string): void {
  const script =
    'import sys, xml.etree.ElementTree as tree\nassert tree.parse(sys.stdin).getroot().tag == "{http://www.w3.org/2005/Atom}feed"';
  execFileSync('python3', ['-c', script], { input: xml, stdio: 'pipe' });
}

test('the page of a country without postal codes names the last release that had them', async () => {
  const sayOf = async (site: SiteScene, path: string): Promise<string> => {
    const [, answer = ''] = /<p class="answer">(.*?)<\/p>/s.exec(await readPage(site, path)) ?? [];
    return answer;
  };
  await publish('one', { LI: [VADUZ], AD: [CANILLO] });
  const site = createSite(opened());
  expect(await sayOf(site, '/monaco')).toBe('No postal codes are included for Monaco in release one.');
  await publish('two', { LI: [VADUZ] });
  await publish('three', { LI: [VADUZ] });
  site.snapshot = opened();
  const [andorra, monaco] = ['Andorra', 'Monaco'].map(
    (name) => `No postal codes are included for ${name} in release three.`,
  );
  expect(await sayOf(site, '/andorra')).toBe(`${andorra} Release one was the last that had them.`);
  expect(await sayOf(site, '/monaco')).toBe(`${monaco} Neither has any release since one.`);
  // A country with codes says nothing of the kind.
  expect(await sayOf(site, '/liechtenstein')).not.toMatch(/release/i);
});
