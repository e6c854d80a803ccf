/** What changed in the full codes since another release, against a search of all codes. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { writeChanges } from '../../../build-index/diffing/write-changes.js';
import { CODE_CHANGE_KINDS, type PlaceChange } from '../../../src/core/snapshot/release-changes.js';
import { identityOf } from '../../../src/releases/folder/find-snapshot.js';
import { ChangesFile } from '../../../src/releases/served/changes-lists.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { fullCodeLines } from '../../fixtures/full-codes.mjs';
import { type FixtureRow, lineOf, rowOf } from '../../fixtures/hand-made-release.js';
import { createRandom } from '../../fixtures/random.mjs';
import { silentProgress } from '../../fixtures/silent-progress.js';

let folder: TemporaryFolder;
const inFolder = (name: string): string => join(folder.path, name);
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder.remove());

interface Full {
  readonly code: string;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}
/** The places of both releases, and one of either. */
const PLACES: readonly FixtureRow[] = [
  ['TD9', 'Hawick', 'Scotland', 'Borders', '', 55.42, -2.78],
  ['TD9', 'Newcastleton', 'Scotland', 'Borders', '', 55.18, -2.81],
  ['M1', 'Manchester', 'England', '', '', 53.47, -2.23],
  ['M10', 'Moston', 'England', '', '', 53.5, -2.18],
];
const OLD: FixtureRow = ['E1', 'Stepney', 'England', '', '', 51.51, -0.06];
const NEW: FixtureRow = ['W1', 'Soho', 'England', '', '', 51.51, -0.13];

function fullOf(rows: readonly FixtureRow[], count: number, seed: number): Full[] {
  const lines = rows.map((row) => lineOf('GB', row));
  return fullCodeLines(lines, '#@@', count, seed).map((line) => {
    const [, code = '', name = '', , , , , , , latitude, longitude] = line.split('\t');
    return { code, name, latitude: Number(latitude), longitude: Number(longitude) };
  });
}

async function buildOf(name: string, rows: readonly FixtureRow[], full: readonly Full[]): Promise<string> {
  const path = inFolder(name);
  writeRelease(path, { GB: rows, LI: [rowOf('9490', 'Vaduz')] });
  const lines = full.map(({ code, name: place, latitude, longitude }) =>
    lineOf('GB', [code, place, '', '', '', latitude, longitude]),
  );
  if (lines.length > 0) writeFileSync(join(path, 'GB_full.txt'), lines.join('\n'));
  await buildFrom(path, inFolder(`${name}.snapshot`), { releaseName: name });
  return inFolder(`${name}.snapshot`);
}

async function compare(oldPath: string, newPath: string, maxBytes?: number) {
  const path = inFolder('changes.ndjson');
  const { diff } = await writeChanges(oldPath, newPath, path, silentProgress, maxBytes);
  const text = readFileSync(path, 'utf8');
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const list = new ChangesFile(path, identityOf(path, statSync(path, { bigint: true })));
  const gb = list.header.countries.find(({ code }) => code === 'GB');
  const changes = lines.map((line) => JSON.parse(line) as PlaceChange).filter(({ change }) => /^fullCode/.test(change));
  return { diff, version: JSON.parse(first).version as number, gb, changes, list };
}

test('lists the codes that a search of all codes finds: new, gone, far from before or of another place', async () => {
  const old = fullOf([...PLACES, OLD], 400, 3);
  const random = createRandom(9);
  const now: Full[] = [];
  const expected = { fullCodeAdded: [] as string[], fullCodeRemoved: [] as string[], fullCodeMoved: [] as string[] };
  const other: Readonly<Record<string, string>> = { Hawick: 'Newcastleton', Newcastleton: 'Hawick' };
  for (const full of old) {
    const { code, name, latitude } = full;
    const chance = Math.floor(random() * 8);
    if (name === 'Stepney' || chance === 0) expected.fullCodeRemoved.push(code);
    // A degree of latitude has 111.2 km.
    else if (chance === 1) now.push({ ...full, latitude: latitude + 0.0085 });
    else if (chance === 2) {
      now.push({ ...full, latitude: latitude + 0.0095 });
      expected.fullCodeMoved.push(code);
    } else if (chance === 3 && other[name] !== undefined) {
      now.push({ ...full, name: other[name] });
      expected.fullCodeMoved.push(code);
    } else now.push(full);
  }
  for (const full of fullOf([...PLACES, NEW], 60, 4)) {
    if (old.some(({ code }) => code === full.code)) continue;
    now.push(full);
    expected.fullCodeAdded.push(full.code);
  }
  const paths = [await buildOf('old', [...PLACES, OLD], old), await buildOf('new', [...PLACES, NEW], now)] as const;
  const { diff, version, gb, changes, list } = await compare(...paths);
  expect(version).toBe(2);
  const counts = { fullCodeAdded: expected.fullCodeAdded.length, fullCodeRemoved: expected.fullCodeRemoved.length };
  const fullCodes = {
    before: old.length,
    after: now.length,
    ...counts,
    fullCodeMoved: expected.fullCodeMoved.length,
  };
  expect(gb).toMatchObject({ added: 1, removed: 1, codesAdded: 1, codesRemoved: 1, fullCodes });
  expect(diff.totals).toMatchObject({
    ...{ fullCodesBefore: old.length, fullCodesAfter: now.length, fullCodesAdded: expected.fullCodeAdded.length },
    ...{ fullCodesRemoved: expected.fullCodeRemoved.length, fullCodesMoved: expected.fullCodeMoved.length },
  });
  expect(diff.examples.fullCodesMoved).toHaveLength(5);
  const fullAt = new Map([...old, ...now].map((full) => [full.code, full]));
  for (const kind of CODE_CHANGE_KINDS) {
    const listed = changes.filter(({ change }) => change === kind);
    // In the order of first parts, then second parts.
    const sorted = expected[kind].sort((a, b) => (a < b ? -1 : 1));
    expect(listed.map(({ postalCode }) => postalCode)).toEqual(sorted);
    expect(list.read(gb as never, kind, 0, listed.length)).toEqual(listed);
    for (const { name, postalCode, oldId, oldPath, movedKm } of listed) {
      expect(name).toBe(fullAt.get(postalCode as string)?.name);
      const was = old.find(({ code }) => code === postalCode);
      const isElsewhere = kind === 'fullCodeMoved' && was?.name !== name;
      expect([typeof oldId, typeof oldPath]).toEqual(isElsewhere ? ['string', 'string'] : ['undefined', 'undefined']);
      expect(movedKm).toBe(kind !== 'fullCodeMoved' ? undefined : isElsewhere ? 0 : 1.1);
    }
  }
  // Without these codes the places still fit.
  const cut = await compare(...paths, 1200);
  expect(cut.gb).toMatchObject({ bytes: expect.anything(), fullCodes: { ...fullCodes, bytes: null } });
  expect(cut.changes).toEqual([]);
  const same = await compare(paths[0], paths[0]);
  expect([same.version, same.gb]).toEqual([1, undefined]);
});

test('the first release with full codes, and the first without, count them and list none', async () => {
  const full = fullOf(PLACES, 50, 3);
  const [without, having] = [await buildOf('without', PLACES, []), await buildOf('having', PLACES, full)];
  const none = { fullCodeAdded: 0, fullCodeRemoved: 0, fullCodeMoved: 0, bytes: null };
  const first = await compare(without, having);
  expect(first.gb?.fullCodes).toEqual({ ...none, before: 0, after: 50, fullCodeAdded: 50 });
  const last = await compare(having, without);
  expect(last.gb?.fullCodes).toEqual({ ...none, before: 50, after: 0, fullCodeRemoved: 50 });
  expect([first, last].flatMap(({ changes }) => changes)).toEqual([]);
});
