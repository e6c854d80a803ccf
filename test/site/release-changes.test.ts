/** What the coverage page says about the release before: which one that is, what it says, and when it says nothing. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { publishSnapshot } from '../../build-index/publishing/publish-snapshot.js';
import { rollBack } from '../../build-index/publishing/roll-back.js';
import { checksumCheck } from '../../build-index/publishing/snapshot-check.js';
import type { CountryEntry, Manifest } from '../../src/format/manifest.js';
import { watchEarlierReleases } from '../../src/site/earlier-releases.js';
import { changesSection } from '../../src/site/pages/release-changes.js';
import { compareReleases } from '../../src/site/reading/compare-releases.js';
import { openSnapshot } from '../../src/store/snapshot.js';
import { buildFrom, createTemporaryFolder, writeRelease } from '../fixtures/fixture-snapshot.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { createSite, type SiteScene, textOf } from './site-scene.js';

const VADUZ: RowsByCountry[string][number] = ['9490', 'Vaduz', '', '', '', 47.14, 9.52];
const TRIESEN: RowsByCountry[string][number] = ['9495', 'Triesen', '', '', '', 47.11, 9.53];
const CANILLO: RowsByCountry[string][number] = ['AD100', 'Canillo', '', '', '', 42.58, 1.6];
const MONACO: RowsByCountry[string][number] = ['98000', 'Monaco', '', '', '', 43.73, 7.42];

const root = createTemporaryFolder();
const folder = join(root.path, 'published');
afterAll(() => root.remove());
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});

async function publish(releaseName: string, rows: RowsByCountry): Promise<void> {
  const [release, snapshot] = [join(root.path, 'release'), join(root.path, 'built.snapshot')];
  rmSync(release, { recursive: true, force: true });
  writeRelease(release, rows);
  await buildFrom(release, snapshot, { releaseName });
  await publishSnapshot(snapshot, folder, checksumCheck(silentProgress), silentProgress);
}

/** The site as it is once it has followed the folder, or another source. */
function siteOver(source = folder): SiteScene {
  const snapshot = openSnapshot(source === folder ? join(folder, 'current') : source);
  const scene: SiteScene = createSite(snapshot, {
    earlierReleases: watchEarlierReleases(source, {
      info() {},
      error() {},
      warn: (...line) => scene.logger.warn(...line),
    }),
  });
  return scene;
}

/** The section of the page without markup; empty where the page has none. */
async function changesIn(site: SiteScene): Promise<string> {
  const { status, text } = await site.get('/coverage');
  expect(status).toBe(200);
  const [, section = ''] = /(<section aria-labelledby="changes">.*?<\/section>)/s.exec(text) ?? [];
  expect(text.includes('href="#changes"')).toBe(section !== '');
  return textOf(section, 'section').replace(/\s+/g, ' ');
}

const snapshotOf = (release: string): string =>
  join(folder, readdirSync(folder).find((name) => name.startsWith(`${release}-`)) as string);

describe('the page of coverage', () => {
  test('compares with the release before, through swaps and back', async () => {
    await publish('one', { LI: [VADUZ], AD: [CANILLO] });
    const site = siteOver();
    expect(await changesIn(site)).toBe('');
    await publish('two', { LI: [VADUZ, TRIESEN], MC: [MONACO] });
    site.snapshot = openSnapshot(join(folder, 'current'));
    expect(await changesIn(site)).toBe(
      'Since release one In total 1 more postal code and 1 more place, with changes in 1 country.' +
        'New: Monaco.No longer with postal codes: Andorra. CountryCodesPlaces Liechtenstein +1+1',
    );
    await publish('three', { LI: [VADUZ], MC: [MONACO] });
    site.snapshot = openSnapshot(join(folder, 'current'));
    expect(await changesIn(site)).toContain(
      'Since release two In total 1 fewer postal code and 1 fewer place, with changes',
    );
    await rollBack(folder, checksumCheck(silentProgress));
    site.snapshot = openSnapshot(join(folder, 'current'));
    expect(await changesIn(site)).toContain('Since release one');
    expect(site.logger.lines).toEqual([]);
  });

  test('passes over what was rolled back, and what is the same release built again', async () => {
    await publish('one', { LI: [VADUZ] });
    await publish('two', { LI: [TRIESEN] });
    await rollBack(folder, checksumCheck(silentProgress));
    await publish('three', { LI: [VADUZ, TRIESEN] });
    await publish('three', { LI: [VADUZ, TRIESEN], MC: [MONACO] });
    expect(await changesIn(siteOver())).toContain('Since release one');
  });

  test('says so where no count changed', async () => {
    await publish('one', { LI: [VADUZ] });
    await publish('two', { LI: [TRIESEN] });
    expect(await changesIn(siteOver())).toBe('Since release one The counts of every country are unchanged.');
  });

  test('says what came and what went where they have as many codes and places', async () => {
    await publish('one', { LI: [VADUZ], AD: [CANILLO] });
    await publish('two', { LI: [VADUZ], MC: [MONACO] });
    expect(await changesIn(siteOver())).toBe(
      'Since release one In total the same number of postal codes and the same number of places.New: Monaco.No longer with postal codes: Andorra.',
    );
  });

  test('has a tag of both releases', async () => {
    await publish('one', { LI: [VADUZ] });
    await publish('two', { LI: [VADUZ, TRIESEN] });
    const [compared, alone] = [siteOver(), siteOver(snapshotOf('two'))];
    const [both, one] = [await compared.get('/coverage'), await alone.get('/coverage')];
    for (const [scene, tag, status] of [
      [compared, both.headers.etag, 304],
      [compared, one.headers.etag, 200],
      [alone, both.headers.etag, 200],
      [alone, one.headers.etag, 304],
    ] as const)
      expect((await scene.get('/coverage', { 'if-none-match': String(tag) })).status).toBe(status);
    // Of another release before, though its name is the same.
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await publish('one', { LI: [TRIESEN], MC: [MONACO] });
    await publish('two', { LI: [VADUZ, TRIESEN] });
    const other = siteOver();
    expect(other.snapshot.id).toBe(compared.snapshot.id);
    expect((await other.get('/coverage', { 'if-none-match': String(both.headers.etag) })).status).toBe(200);
  });

  test('says nothing where the file before is damaged or gone, and tells it once', async () => {
    await publish('one', { LI: [VADUZ] });
    await publish('two', { LI: [TRIESEN] });
    const [before, away] = [snapshotOf('one'), join(root.path, 'away')];
    const bytes = readFileSync(before);
    chmodSync(before, 0o600);
    writeFileSync(before, bytes.subarray(0, 100));
    const damaged = siteOver();
    for (let time = 0; time < 2; time++) expect(await changesIn(damaged)).toBe('');
    // Under another address the page is made anew, and the file is not read again.
    expect((await damaged.get('/coverage?again')).text).not.toContain('Since');
    expect(damaged.logger.lines).toMatchObject([{ level: 'warn', fields: { release: 'two' } }]);
    renameSync(before, away);
    const alone = siteOver();
    expect(await changesIn(alone)).toBe('');
    rmSync(folder, { recursive: true });
    const gone = createSite(alone.snapshot, { earlierReleases: watchEarlierReleases(folder, alone.logger) });
    expect(await changesIn(gone)).toBe('');
    expect(alone.logger.lines).toMatchObject([
      { level: 'warn', fields: { reason: expect.stringContaining('ENOENT') } },
    ]);
  });

  test('says nothing where the source is a file', async () => {
    await publish('one', { LI: [VADUZ] });
    await publish('two', { LI: [TRIESEN] });
    const site = siteOver(snapshotOf('two'));
    expect(await changesIn(site)).toBe('');
    expect(site.logger.lines).toEqual([]);
  });
});

describe('a comparison', () => {
  const entryOf = (index: number, codes: number, places: number): CountryEntry => ({
    code: String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26)),
    name: `Country ${index}`,
    slug: `country-${index}`,
    alpha3: 'AAA',
    population: 0,
    givenFormat: null,
    centre: null,
    distinctPostcodes: codes,
    levelCounts: [0, 0, 0, places],
    slices: [{ offset: 0, length: 1 }],
  });
  const manifestOf = (release: string, countries: readonly CountryEntry[]): Manifest => ({
    ...{ release, countries, sourceDate: null, siteUrl: '', foldingVersion: 1, sections: [] },
    ...{ previousRelease: null, builderVersion: null },
  });

  test('has the largest changes first, in either direction, and at most 50 on the page', () => {
    const before = manifestOf(
      'a',
      Array.from({ length: 60 }, (_, index) => entryOf(index, 100, 2000)),
    );
    const now = manifestOf(
      'b',
      Array.from({ length: 60 }, (_, index) => entryOf(index, 100 + (index % 2 ? -index : index), 2000)),
    );
    const changes = compareReleases(before, now);
    expect(changes.changed.map(({ codes }) => codes).slice(0, 3)).toEqual([-59, 58, -57]);
    expect([changes.changed.length, changes.total]).toEqual([59, { codes: -30, places: 0 }]);
    const rows = [...JSON.stringify(changesSection(changes)).matchAll(/scope=\\"row\\"/g)];
    expect(rows).toHaveLength(50);
  });

  test('of counts over a thousand has signs and commas', () => {
    const changes = compareReleases(
      manifestOf('a', [entryOf(0, 5000, 1)]),
      manifestOf('b', [entryOf(0, 1, 1_234_568)]),
    );
    const text = JSON.stringify(changesSection(changes));
    for (const part of [
      '<td>−4,999</td><td>+1,234,567</td>',
      'In total 4,999 fewer postal codes and 1,234,567 more places',
    ])
      expect(text).toContain(part);
  });
});

describe('the page of a country without postal codes', () => {
  async function sayOf(site: SiteScene, path: string): Promise<string> {
    const { status, text } = await site.get(path);
    expect(status).toBe(200);
    const [, answer = ''] = /<p class="answer">(.*?)<\/p>/s.exec(text) ?? [];
    return answer;
  }

  test('names the last release that had them, or says that the release before has none either', async () => {
    await publish('one', { LI: [VADUZ], AD: [CANILLO] });
    const site = siteOver();
    const inOne = 'No postal codes are included for Monaco in release one.';
    expect(await sayOf(site, '/monaco')).toBe(inOne);
    await publish('two', { LI: [VADUZ] });
    site.snapshot = openSnapshot(join(folder, 'current'));
    const [andorra, monaco] = ['Andorra', 'Monaco'].map(
      (name) => `No postal codes are included for ${name} in release two.`,
    );
    expect(await sayOf(site, '/andorra')).toBe(`${andorra} Release one was the last that had them.`);
    expect(await sayOf(site, '/monaco')).toBe(`${monaco} Neither has the release before, one.`);
    // A country with codes says nothing of the kind.
    expect(await sayOf(site, '/liechtenstein')).not.toMatch(/release/i);
    // A file alone knows no release before.
    const alone = siteOver(snapshotOf('two'));
    expect(await sayOf(alone, '/andorra')).toBe(andorra);
  });

  test('has another entity tag where the release before is another', async () => {
    const tagOf = async (site: SiteScene): Promise<string | undefined> => (await site.get('/andorra')).headers.etag;
    await publish('one', { LI: [VADUZ], AD: [CANILLO] });
    await publish('two', { LI: [VADUZ] });
    const [followed, alone] = [siteOver(), siteOver(snapshotOf('two'))];
    expect(await tagOf(followed)).toEqual(expect.any(String));
    expect(await tagOf(followed)).not.toBe(await tagOf(alone));
  });
});
