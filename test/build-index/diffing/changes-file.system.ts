/** The file of a release's changes: every kind both ways, its order, its limit, and that it appears whole or not at all. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hasCountedChanges } from '../../../build-index/diffing/change-counts.js';
import { diffSnapshots } from '../../../build-index/diffing/diff-snapshots.js';
import { writeChanges } from '../../../build-index/diffing/write-changes.js';
import { CHANGE_KINDS, type ChangesHeader, type PlaceChange } from '../../../src/core/snapshot/changes-file.js';
import { buildFixtureSnapshot, createTemporaryFolder, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { runProgram } from '../../fixtures/program.js';
import { silentProgress } from '../../fixtures/silent-progress.js';
import { AFTER, BEFORE } from './changed-releases.js';

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
function told(changes: readonly PlaceChange[], country: string): string[] {
  return changes
    .filter(({ countryCode }) => countryCode === country)
    .map(({ change, path, name, oldPath, oldName }) =>
      [change, path, name, oldPath, oldName].filter(Boolean).join(' '),
    );
}

/** The same change from the new release to the old one. */
function reversed({ change, path, name, oldPath, oldName, ...rest }: PlaceChange): PlaceChange {
  const back = change === 'added' ? 'removed' : change === 'removed' ? 'added' : change;
  const now = { ...(oldPath && { oldPath: path }), ...(oldName && { oldName: name }) };
  return { ...rest, change: back, path: oldPath ?? path, name: oldName ?? name, ...now };
}

test.each([
  ['AD', 'added /canillo/soldeu Soldeu', 'added /canillo/vall Vall', 'added /canillo/vall/ransol Ransol'],
  ['AT', 'removed /salzburg Salzburg', 'removed /salzburg/salzburg Salzburg'],
  ['BE', 'added /brussel Brussel', 'moved /brussel/bruxelles Bruxelles /wallonie/bruxelles'],
  [
    'CH',
    ...['added /zh/toss Töss', 'added /zh/winti Winti', 'removed /zh/toess Toess', 'removed /zh/winterthur Winterthur'],
    'renamed /zh/zurich Zürich /zh/zuerich Zuerich',
  ],
  [
    'DK',
    'moved /sjaelland/by/kobenhavn København /sjaelland/byen/kobenhavn',
    'moved /sjaelland/egn/roskilde Roskilde /sjaelland/egnen/roskilde',
    // Its path is the same, its id another.
    'renamed /sjaelland Sjælland Sjaelland',
    'renamed /sjaelland/by By /sjaelland/byen Byen',
    'renamed /sjaelland/egn Egn /sjaelland/egnen Egnen',
  ],
  [
    'EE',
    ...['added /eesti Eesti', 'removed /harju Harju', 'removed /tartumaa Tartumaa'],
    'moved /eesti/kesklinn Kesklinn /harju/kesklinn',
    'moved /eesti/tallinn Tallinn /harju/tallinn',
    'moved /eesti/tartu Tartu /tartumaa/tartu',
  ],
  ['LI', 'removed /triesen Triesen', 'removed /vaduz Vaduz'],
  ['MC', 'added /monaco Monaco'],
  ['SM', 'added /dogana Dogana', 'removed /dogana Dogana'],
  ['VA'],
])('%s, there and back', async (country = '', ...expected) => {
  const there = await write(before.path, after.path);
  expect(told(there.changes, country)).toEqual(expected);
  const back = await write(after.path, before.path);
  expect(told(back.changes, country).sort()).toEqual(told(there.changes.map(reversed), country).sort());
});

test('a line has the fields of the place now, and what was another', async () => {
  const { changes } = await write(before.path, after.path);
  const zurich = changes.find(({ path }) => path === '/zh/zurich') as PlaceChange;
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
    expect(header.countries.map(({ code }) => code)).toEqual(
      countries
        .filter(({ counts }) => hasCountedChanges(counts))
        .map(({ code }) => code)
        .sort(),
    );
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
  const cut = await write(before.path, after.path, 800);
  expect(cut.header.counts).toEqual(whole.header.counts);
  const listed = cut.header.countries.filter(({ bytes }) => bytes !== null).map(({ code }) => code);
  expect(listed).toEqual(['AD', 'MC']);
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
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('\nrenamed (')]);
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"version":1,"since":"before"/);
    mkdirSync(join(folder.path, 'a-folder'));
    expect(runProgram(['diff', before.path, after.path, '--changes', join(folder.path, 'a-folder')]).exitCode).toBe(1);
    expect(existsSync(join(folder.path, 'a-folder'))).toBe(true);
  });
});
