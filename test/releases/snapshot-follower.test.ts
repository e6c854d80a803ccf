/** Following a source: what is noticed, refused, tried again, left and left alone. Files here are only named, never read. */

import { realpathSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { findSnapshot } from '../../src/releases/folder/find-snapshot.js';
import { type PinnedSnapshot, pinSnapshot } from '../../src/releases/folder/pinned-snapshot.js';
import { flipCurrent } from '../../src/releases/folder/published-folder.js';
import { parsePublishedName } from '../../src/releases/folder/published-name.js';
import { SnapshotFollower } from '../../src/releases/served/snapshot-follower.js';
import { fakeTimers } from '../fixtures/fake-timers.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

const ONE = 'one-0000000000000001.snapshot';
const TWO = 'two-0000000000000002.snapshot';
const THREE = 'three-0000000000000003.snapshot';

let folder: TemporaryFolder;
let follower: SnapshotFollower;
let checked: string[];
let served: string[];
let logged: string[];
let isBad: (path: string) => boolean;
let pinned: PinnedSnapshot;
let servingCount: number;
let failureCount: number;

beforeEach(() => {
  fakeTimers('setTimeout', 'clearTimeout', 'performance');
  folder = createTemporaryFolder();
  [checked, served, logged] = [[], [], []];
  isBad = () => false;
  servingCount = 1;
  failureCount = 0;
  for (const name of [ONE, TWO]) writeFileSync(inFolder(name), name);
  flipCurrent(folder.path, ONE);
});
afterEach(async () => {
  await follower.stop();
  pinned.release();
  folder.remove();
  jest.useRealTimers();
});

const inFolder = (name: string): string => join(folder.path, name);

/** Follows from what the source names now, which was checked once and is whole. */
async function follow(source = folder.path): Promise<void> {
  begin(source);
  await follower.look();
  checked = [];
}

function begin(source = folder.path, remedy?: string): void {
  pinned = pinSnapshot(findSnapshot(source));
  const note = ({ release = '' }: { release?: string }, message: string): void =>
    void logged.push(`${message} ${release}`.trim());
  follower = new SnapshotFollower({
    source,
    check: async (openPath) => {
      const path = realpathSync(openPath);
      checked.push(path);
      if (isBad(path)) throw new Error('it is rotten');
      return parsePublishedName(basename(path)) ?? { release: 'unnamed', id: '' };
    },
    processes: {
      get pinned() {
        return pinned;
      },
      servingCount: () => servingCount,
      failureCount: () => failureCount,
      swap: async (next) => {
        served.push(next.path);
        pinned.release();
        pinned = next;
      },
    },
    logger: { info: note, warn: note, error: note },
    remedy,
  });
}

test('the served file is checked once, and not swapped', async () => {
  begin();
  await follower.look();
  await follower.look();
  expect([checked, served, logged]).toEqual([[inFolder(ONE)], [], []]);
});

test('another file behind current is checked, served and logged', async () => {
  await follow();
  flipCurrent(folder.path, TWO);
  await follower.look();
  await follower.look();
  expect([checked, served]).toEqual([[inFolder(TWO)], [inFolder(TWO)]]);
  expect(follower.state()).toEqual({ swapCount: 1, refusedCount: 0, refused: null, damaged: null });
  expect(logged).toEqual(['serving another snapshot two']);
});

test('a flip is noticed without being asked', async () => {
  await follow();
  flipCurrent(folder.path, TWO);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(served).toEqual([inFolder(TWO)]);
});

test('a file that is replaced is followed as well', async () => {
  const file = inFolder('places.snapshot');
  writeFileSync(file, 'one');
  await follow(file);
  writeFileSync(`${file}.partial`, 'two');
  renameSync(`${file}.partial`, file);
  await follower.look();
  expect(served).toEqual([file]);
});

test('a damaged file is refused and logged once, the earlier one stays, and a repaired one is served', async () => {
  await follow();
  isBad = (path) => path.endsWith(TWO);
  flipCurrent(folder.path, TWO);
  await follower.look();
  await follower.look();
  const path = inFolder(TWO);
  expect(follower.state()).toEqual({
    swapCount: 0,
    refusedCount: 1,
    refused: { path, reason: 'it is rotten' },
    damaged: null,
  });
  expect([served, logged]).toEqual([[], ['the snapshot was refused; the one before goes on being served']]);
  isBad = () => false;
  await follower.look();
  expect(follower.state()).toMatchObject({ swapCount: 1, refused: null });
});

test('a damaged file that the source no longer names is not reported as refused', async () => {
  writeFileSync(inFolder(THREE), THREE);
  await follow();
  isBad = (path) => {
    if (path.endsWith(TWO)) flipCurrent(folder.path, THREE);
    return path.endsWith(TWO);
  };
  flipCurrent(folder.path, TWO);
  await follower.look();
  expect(served).toEqual([inFolder(THREE)]);
  expect(follower.state()).toEqual({ swapCount: 1, refusedCount: 0, refused: null, damaged: null });
});

test('a refused one is read again after a minute, and forgotten when the source goes back', async () => {
  await follow();
  isBad = () => true;
  flipCurrent(folder.path, TWO);
  await jest.advanceTimersByTimeAsync(59_000);
  expect([checked, follower.state().refused]).toEqual([
    [inFolder(TWO)],
    { path: inFolder(TWO), reason: 'it is rotten' },
  ]);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(checked).toHaveLength(2);
  flipCurrent(folder.path, ONE);
  await follower.look();
  expect(follower.state()).toEqual({ swapCount: 0, refusedCount: 1, refused: null, damaged: null });
});

test('after stop nothing is looked at any more', async () => {
  await follow();
  await follower.stop();
  flipCurrent(folder.path, TWO);
  await follower.look();
  expect(served).toEqual([]);
});

test('a wrong current link is reported', async () => {
  const link = inFolder('current');
  await follow();
  const problemOf = async (change: () => void): Promise<string | undefined> => {
    change();
    await follower.look();
    await follower.look();
    return follower.state().refused?.reason;
  };
  const pointTo = (name: string) => (): void => {
    rmSync(link, { force: true });
    symlinkSync(name, link);
  };
  expect(await problemOf(pointTo('other.snapshot'))).toContain(`${link} names other.snapshot, which is no published`);
  const gone = 'gone-0000000000000003.snapshot';
  expect(await problemOf(pointTo(gone))).toContain(`${link} names ${gone}, which is not there`);
  expect(await problemOf(() => rmSync(link))).toMatch(/no snapshot is in service there/);
  expect(follower.state().refusedCount).toBe(3);
  expect(await problemOf(() => flipCurrent(folder.path, ONE))).toBeUndefined();
  expect(logged.at(-1)).toBe('the source names what is served again; nothing is refused');
});

/** Publishes a third snapshot, so that TWO was in service last, THREE before that, and ONE is. */
function publishMore(): void {
  writeFileSync(inFolder(THREE), THREE);
  const publishedAt = '2026-03-01T00:00:00.000Z';
  const history = [THREE, TWO, ONE].map((name) => ({ name, publishedAt }));
  writeFileSync(inFolder('history.json'), JSON.stringify(history));
}

test('the newest undamaged snapshot replaces a damaged served one, which is reported as refused', async () => {
  publishMore();
  isBad = (path) => path.endsWith(ONE);
  begin();
  await follower.look();
  expect(served).toEqual([inFolder(TWO)]);
  const refused = { path: inFolder(ONE), reason: 'it is rotten' };
  expect(follower.state()).toEqual({ swapCount: 1, refusedCount: 1, refused, damaged: null });
  expect(logged).toEqual([
    'the snapshot in service is damaged',
    'serving another snapshot two',
    'the snapshot was refused; the one before goes on being served',
  ]);
  flipCurrent(folder.path, THREE);
  await follower.look();
  expect(served).toEqual([inFolder(TWO), inFolder(THREE)]);
  expect(follower.state()).toMatchObject({ refused: null });
});

test('of several damaged ones the first that is whole is served', async () => {
  publishMore();
  isBad = (path) => !path.endsWith(THREE);
  begin();
  await follower.look();
  expect(served).toEqual([inFolder(THREE)]);
});

/** What is told of a damaged file in service. */
function damagedAt(path: string): object {
  return { path, reason: `damaged or wrong: postal-places verify ${path} says where; it is rotten` };
}

test('without an undamaged snapshot the damaged one stays in service, is logged once, and recovers when it is repaired', async () => {
  isBad = () => true;
  begin();
  await follower.look();
  await follower.look();
  const damaged = damagedAt(inFolder(ONE));
  expect(follower.state()).toEqual({ swapCount: 0, refusedCount: 0, refused: null, damaged });
  expect(logged).toEqual([
    'the snapshot in service is damaged',
    'this snapshot can not take the place of the damaged one',
  ]);
  isBad = () => false;
  await follower.look();
  expect(follower.state()).toMatchObject({ damaged: null });
  expect([served, logged.at(-1)]).toEqual([[], 'the snapshot in service is whole again']);
});

test('what to do about a damaged file is told where the source knows more', async () => {
  isBad = () => true;
  begin(join(folder.path, ONE), 'remove it');
  await follower.look();
  expect(follower.state().damaged?.reason).toMatch(/; it is rotten; remove it$/);
});

test('a file that is written to while it is served is damaged, and not refused as if it were another', async () => {
  const file = inFolder('places.snapshot');
  writeFileSync(file, 'one');
  await follow(file);
  isBad = () => true;
  truncateSync(file, 1);
  await follower.look();
  await follower.look();
  const damaged = damagedAt(file);
  expect(follower.state()).toEqual({ swapCount: 0, refusedCount: 0, refused: null, damaged });
});

test('the served file is checked again when no process serves any more', async () => {
  await follow();
  isBad = (path) => path.endsWith(ONE);
  servingCount = 0;
  await follower.look();
  expect(served).toEqual([inFolder(TWO)]);
});

test('the served file is checked again when an answer has failed: at once, then once a minute', async () => {
  await follow();
  failureCount = 1;
  await follower.look();
  // It is whole: an error of ours fails answers too, as often as it is met.
  failureCount = 1_000;
  for (let look = 0; look < 3; look++) await follower.look();
  expect([checked, logged, follower.state().damaged]).toEqual([[inFolder(ONE)], [], null]);
  jest.advanceTimersByTime(60_000);
  await follower.look();
  expect(checked).toHaveLength(2);
});

test('a file that an answer failed of is damaged at once', async () => {
  rmSync(inFolder(TWO));
  await follow();
  isBad = () => true;
  await follower.look();
  expect(follower.state().damaged).toBeNull();
  failureCount = 1;
  await follower.look();
  expect(follower.state()).toMatchObject({ refused: null, damaged: damagedAt(inFolder(ONE)) });
  expect(logged).toEqual(['the snapshot in service is damaged']);
});
