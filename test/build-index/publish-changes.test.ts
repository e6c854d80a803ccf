/** The list of changes that `publish` puts beside a snapshot: against which one, when it makes none, and its end. */

import { chmodSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { changesFileOf, isPublishedFile, readCurrent } from '../../src/releases/find-snapshot.js';
import { pruneSnapshots } from '../../src/releases/snapshot-folder.js';
import { runProgram } from '../fixtures/program.js';
import { createPublishedFolder, type PublishedFolder } from '../fixtures/published-folder.js';

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
