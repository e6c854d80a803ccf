/** The file of a release's changes: every kind both ways, its order, its limit, and that it appears whole or not at all. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { diffSnapshots } from '../../build-index/diffing/diff-snapshots.js';
import { writeChanges } from '../../build-index/diffing/write-changes.js';
import { CHANGE_KINDS, type ChangesHeader, type PlaceChange } from '../../src/core/snapshot/release-changes.js';
import { pruneSnapshots } from '../../src/releases/folder/prune-snapshots.js';
import { readCurrent } from '../../src/releases/folder/published-folder.js';
import { changesFileOf, isPublishedFile } from '../../src/releases/folder/published-name.js';
import { buildFixtureSnapshot, createTemporaryFolder, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { type RowsByCountry, rowOf as row } from '../fixtures/hand-made-release.js';
import { runProgram } from '../fixtures/program.js';
import { createPublishedFolder, type PublishedFolder } from '../fixtures/published-folder.js';
import { silentProgress } from '../fixtures/silent-progress.js';

const BEFORE: RowsByCountry = {
  AD: [row('AD100', 'Canillo', 'Canillo')],
  AT: [row('1010', 'Wien', 'Wien'), row('5020', 'Salzburg', 'Salzburg')],
  BE: [row('1000', 'Bruxelles', 'Wallonie'), row('1300', 'Wavre', 'Wallonie'), row('9000', 'Gent', 'Vlaanderen')],
  CH: [row('8000', 'Zuerich', 'ZH')],
  DK: [row('1050', 'København', 'Sjaelland')],
  LI: [row('9490', 'Vaduz')],
  VA: [row('00120', 'Vatican City')],
};
const AFTER: RowsByCountry = {
  AD: [row('AD100', 'Canillo', 'Canillo'), row('AD101', 'Soldeu', 'Canillo'), row('AD101', 'Bordes', 'Canillo')],
  AT: [row('1010', 'Wien', 'Wien')],
  BE: [row('1000', 'Bruxelles', 'Brussel'), row('1300', 'Wavre', 'Wallonie'), row('9000', 'Gent', 'Vlaanderen')],
  CH: [row('8000', 'Zürich', 'ZH')],
  DK: [row('1050', 'København', 'Sjælland')],
  MC: [row('98000', 'Monaco')],
  VA: [row('00120', 'Vatican City')],
};

const folder = createTemporaryFolder();
let before: FixtureSnapshot;
let after: FixtureSnapshot;
beforeAll(async () => {
  before = await buildFixtureSnapshot(BEFORE, { releaseName: 'before' });
  after = await buildFixtureSnapshot(AFTER, { releaseName: 'after' });
});
afterAll(() => {
  before?.cleanup();
  after?.cleanup();
  folder.remove();
});

interface ReadFile {
  readonly header: ChangesHeader & { readonly version: number; readonly counts: object };
  readonly changes: readonly PlaceChange[];
  readonly lines: readonly string[];
}

async function write(oldPath: string, newPath: string, maxBytes?: number): Promise<ReadFile> {
  const path = join(folder.path, 'list.changes.ndjson');
  await writeChanges(oldPath, newPath, path, silentProgress, maxBytes);
  const [first = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  return { header: JSON.parse(first), changes: lines.map((line) => JSON.parse(line)), lines };
}

/** Kind, old path or name, and path of each change of a country. */
function told({ changes }: ReadFile, country: string): string[] {
  return changes
    .filter(({ countryCode }) => countryCode === country)
    .map(({ change, path, name, oldPath, oldName }) =>
      [change, path, name, oldPath, oldName].filter(Boolean).join(' '),
    );
}

// The place of DK is moved: its unit, at the same path, has another id.
test.each([
  [
    'AD',
    ['added /canillo/bordes Bordes', 'added /canillo/soldeu Soldeu'],
    ['removed /canillo/bordes Bordes', 'removed /canillo/soldeu Soldeu'],
  ],
  [
    'AT',
    ['removed /salzburg Salzburg', 'removed /salzburg/salzburg Salzburg'],
    ['added /salzburg Salzburg', 'added /salzburg/salzburg Salzburg'],
  ],
  [
    'BE',
    ['added /brussel Brussel', 'moved /brussel/bruxelles Bruxelles /wallonie/bruxelles'],
    ['removed /brussel Brussel', 'moved /wallonie/bruxelles Bruxelles /brussel/bruxelles'],
  ],
  ['CH', ['renamed /zh/zurich Zürich /zh/zuerich Zuerich'], ['renamed /zh/zuerich Zuerich /zh/zurich Zürich']],
  [
    'DK',
    ['moved /sjaelland/kobenhavn København /sjaelland/kobenhavn', 'renamed /sjaelland Sjælland Sjaelland'],
    ['moved /sjaelland/kobenhavn København /sjaelland/kobenhavn', 'renamed /sjaelland Sjaelland Sjælland'],
  ],
  ['LI', ['removed /vaduz Vaduz'], ['added /vaduz Vaduz']],
  ['MC', ['added /monaco Monaco'], ['removed /monaco Monaco']],
  ['VA', [], []],
])('%s, there and back', async (country, there, back) => {
  expect(told(await write(before.path, after.path), country)).toEqual(there);
  expect(told(await write(after.path, before.path), country)).toEqual(back);
});

test('a line has the fields of the place now, and what was another', async () => {
  const { changes } = await write(before.path, after.path);
  const zurich = changes.find(({ countryCode }) => countryCode === 'CH') as PlaceChange;
  expect(zurich).toEqual({
    ...{ countryCode: 'CH', change: 'renamed', id: expect.stringMatching(/^[0-9a-f-]{36}$/), path: '/zh/zurich' },
    ...{ name: 'Zürich', localName: 'Zürich', type: 'locality', postalCode: '8000' },
    ...{ oldId: expect.stringMatching(/^[0-9a-f-]{36}$/), oldPath: '/zh/zuerich', oldName: 'Zuerich' },
    oldLocalName: 'Zuerich',
  });
  expect(zurich.oldId).not.toBe(zurich.id);
});

describe('the header', () => {
  test('names both releases, and counts as the report of diff does', async () => {
    const { header, changes, lines } = await write(before.path, after.path);
    const { totals, before: was, after: is, countries } = diffSnapshots(before.path, after.path, silentProgress);
    expect(header).toMatchObject({
      version: 1,
      since: 'before',
      release: 'after',
      sinceSnapshot: was.id,
      snapshot: is.id,
    });
    for (const kind of CHANGE_KINDS) {
      expect([kind, changes.filter(({ change }) => change === kind).length]).toEqual([kind, totals[kind]]);
      expect(header.counts).toMatchObject({ [kind]: totals[kind] });
    }
    expect(header.countries.map(({ code }) => code)).toEqual(['AD', 'AT', 'BE', 'CH', 'DK', 'LI', 'MC']);
    for (const { code, bytes, ...counts } of header.countries) {
      expect(countries.find((country) => country.code === code)?.counts).toMatchObject(counts);
      for (const kind of CHANGE_KINDS) {
        const own = lines.filter((_, at) => changes[at]?.countryCode === code && changes[at]?.change === kind);
        expect(bytes?.[kind]).toBe(own.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0));
      }
    }
  });

  test('of equal snapshots lists nothing', async () => {
    const { header, changes } = await write(before.path, before.path);
    expect([header.countries, changes]).toEqual([[], []]);
  });
});

test('a country whose lines do not fit is counted only; a later one may fit', async () => {
  const whole = await write(before.path, after.path);
  const cut = await write(before.path, after.path, 600);
  expect(cut.header.counts).toEqual(whole.header.counts);
  const listed = cut.header.countries.filter(({ bytes }) => bytes !== null).map(({ code }) => code);
  expect(listed).toEqual(['AD', 'LI']);
  expect(cut.changes).toEqual(whole.changes.filter(({ countryCode }) => listed.includes(countryCode)));
});

describe('the file', () => {
  test('replaces one that is there, and leaves it where the comparison fails', async () => {
    const path = join(folder.path, 'kept.ndjson');
    await writeChanges(before.path, after.path, path, silentProgress);
    const bytes = readFileSync(path);
    const noSnapshot = join(folder.path, 'no.snapshot');
    writeFileSync(noSnapshot, 'no snapshot');
    await expect(writeChanges(noSnapshot, after.path, path, silentProgress)).rejects.toThrow('FILE_TOO_SHORT');
    expect(readFileSync(path).equals(bytes)).toBe(true);
    await writeChanges(after.path, before.path, path, silentProgress);
    expect(readFileSync(path).equals(bytes)).toBe(false);
    expect(readdirSync(folder.path).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('is written by diff --changes beside its report', () => {
    const path = join(folder.path, 'by-diff.ndjson');
    const { exitCode, stdout } = runProgram(['diff', before.path, after.path, '--max-loss', '100', '--changes', path]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('places renamed')]);
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"version":1,"since":"before"/);
    mkdirSync(join(folder.path, 'a-folder'));
    expect(runProgram(['diff', before.path, after.path, '--changes', join(folder.path, 'a-folder')]).exitCode).toBe(1);
    expect(existsSync(join(folder.path, 'a-folder'))).toBe(true);
  });
});

describe('The list of changes that `publish` puts beside a snapshot', () => {
  let shop: PublishedFolder;
  beforeAll(async () => {
    shop = await createPublishedFolder();
  });
  beforeEach(() => shop.clear());
  afterAll(() => shop?.remove());

  const lists = (): string[] => readdirSync(shop.folder).filter((name) => name.endsWith('.changes.ndjson'));
  const sinceOf = (list: string): string =>
    JSON.parse(readFileSync(join(shop.folder, list), 'utf8').split('\n')[0] as string).since;

  test('it compares with the release in service before, and is not made again', async () => {
    expect((await shop.publish('one')).changes).toBeNull();
    expect(lists()).toEqual([]);
    const { name, changes } = await shop.publish('two');
    expect(changes).toMatchObject({
      name: changesFileOf(name),
      since: 'one',
      added: 0,
      removed: 0,
      moved: 0,
      renamed: 0,
    });
    expect(lists().map(sinceOf)).toEqual(['one']);
    expect((await shop.publish('two')).changes).toBeNull();
    // A list that was lost, or not written by a publisher that was killed, is made at the next publication.
    rmSync(join(shop.folder, changesFileOf(name)));
    expect((await shop.publish('two')).changes).toMatchObject({ since: 'one' });
    await shop.rollBack();
    expect((await shop.publish('three')).changes).toMatchObject({ since: 'one' });
  });

  test('a release that was in service before has its list too where it comes back', async () => {
    for (const release of ['one', 'two', 'one']) await shop.publish(release);
    expect(lists().map(sinceOf).sort()).toEqual(['one', 'two']);
  });

  test('a snapshot before it that cannot be compared prevents nothing', async () => {
    const { name } = await shop.publish('one');
    chmodSync(join(shop.folder, name), 0o644);
    truncateSync(join(shop.folder, name), 5000);
    const { changes } = await shop.publish('two');
    expect(changes).toEqual({ problem: expect.stringContaining(`can't compare with ${name}: `) });
    expect(shop.inService()[0]).toBe('two');
    expect(lists()).toEqual([]);
    expect(runProgram(['publish', shop.source('three'), '--to', shop.folder]).stdout).toMatch(/: since two 0 added/);
  });

  test('--no-changes writes none', async () => {
    await shop.publish('one');
    const { stdout } = runProgram(['publish', shop.source('two'), '--to', shop.folder, '--no-changes', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ release: 'two', changes: null });
    expect(lists()).toEqual([]);
  });

  test('prune removes it with its snapshot', async () => {
    for (const release of ['one', 'two', 'three']) await shop.publish(release);
    expect(lists()).toHaveLength(2);
    await pruneSnapshots(shop.folder, 1);
    expect(lists()).toEqual([changesFileOf(readCurrent(shop.folder) as string)]);
  });

  test('names', () => {
    expect(changesFileOf('/a/b.snapshot')).toBe('/a/b.changes.ndjson');
    expect(changesFileOf('/a/b')).toBe('/a/b.changes.ndjson');
    for (const [name, isOurs] of [
      ['one-0123456789abcdef.snapshot', true],
      ['one-0123456789abcdef.changes.ndjson', true],
      ['one.changes.ndjson', false],
      ['one-0123456789abcdeg.changes.ndjson', false],
      ['-one-0123456789abcdef.snapshot', false],
      [`${'x'.repeat(65)}-0123456789abcdef.snapshot`, false],
    ] as const)
      expect([name, isPublishedFile(name)]).toEqual([name, isOurs]);
  });
});
