/** What publishing, rolling back and pruning do to a folder, and what they refuse. See publishing-processes.system.ts. */

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { publishedNameOf } from '../../../build-index/publishing/publish-snapshot.js';
import { libc } from '../../../src/base/libc.js';
import { decodeHeader, HEADER_BYTES } from '../../../src/core/snapshot/header.js';
import { openSnapshot } from '../../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../../src/core/snapshot/snapshot-error.js';
import { openSnapshotFile } from '../../../src/core/snapshot/snapshot-file.js';
import { requireTaken, withFolderLocked } from '../../../src/releases/folder/folder-lock.js';
import { pruneSnapshots } from '../../../src/releases/folder/prune-snapshots.js';
import { listPublishedSnapshots, readCurrent } from '../../../src/releases/folder/published-folder.js';
import {
  isPublishedFile,
  parsePublishedName,
  publishedChangesName,
} from '../../../src/releases/folder/published-name.js';
import { buildFrom } from '../../fixtures/fixture-snapshot.js';
import { expectWhole } from '../../fixtures/kills.js';
import { runProgram } from '../../fixtures/program.js';
import { createPublishedFolder, type PublishedFolder, type PublishOptions } from '../../fixtures/published-folder.js';
import { silentProgress } from '../../fixtures/silent-progress.js';
import { buildSmallSnapshot } from '../../fixtures/small-snapshot.js';

let shop: PublishedFolder;
const inFolder = (name: string): string => join(shop.folder, name);
beforeAll(async () => {
  shop = await createPublishedFolder();
});
beforeEach(() => shop.clear());
afterAll(() => shop?.remove());

/** Changes a byte in the middle of the places, so that only a checksum tells. */
function damage(path: string): void {
  chmodSync(path, 0o644);
  const bytes = readFileSync(path);
  bytes[5000] = (bytes[5000] as number) ^ 1;
  writeFileSync(path, bytes);
}

/** Puts a copy of a file in the place of another, as `build` does. */
function replaceBy(path: string, other: string): void {
  copyFileSync(other, `${path}.new`);
  renameSync(`${path}.new`, path);
}

describe('publish', () => {
  test('a copy under a name of release and content, read-only, and current names it', async () => {
    const report = await shop.publish('one');
    const { id } = openSnapshot(shop.source('one'));
    const name = `one-${id}.snapshot`;
    const bytes = readFileSync(shop.source('one'));
    const { length } = bytes;
    expect(report).toEqual({ name, release: 'one', id, bytes: length, previous: null, copied: true, changes: null });
    expect(readlinkSync(inFolder('current'))).toBe(name);
    expect(readFileSync(inFolder('current')).equals(bytes)).toBe(true);
    expect(statSync(inFolder(name)).mode & 0o777).toBe(0o444);
    expect(statSync(inFolder(name)).nlink).toBe(1);
    expect(readdirSync(shop.folder).sort()).toEqual(['.lock', name, 'current', 'history.json'].sort());
  });

  test('once more: nothing is copied, and what is before it stays', async () => {
    await shop.publish('one');
    const { name } = await shop.publish('two');
    const { ino, ctimeMs } = statSync(inFolder(name));
    const phases: string[] = [];
    const again = await shop.publish('two', { progress: { ...silentProgress, start: (phase) => phases.push(phase) } });
    expect(again).toMatchObject({ name, copied: false, previous: expect.stringMatching(/^one-/) });
    expect(statSync(inFolder(name))).toMatchObject({ ino, ctimeMs });
    expect(phases).toEqual(['checking']);
  });

  test('of a source whose copy is there no more is read than tells which snapshot it is', async () => {
    const { name } = await shop.publish('one');
    await shop.publish('two');
    copyFileSync(shop.source('one'), shop.source('damaged'));
    damage(shop.source('damaged'));
    expect(await shop.publish('damaged')).toMatchObject({ name, copied: false });
    await expectWhole(shop.folder);
  });

  test.each<[string, (path: string) => void]>([
    ['with another byte', damage],
    ['cut short', (path) => truncateSync(path, 5000)],
    ['emptied', (path) => truncateSync(path, 0)],
    ['written over with another snapshot', (path) => writeFileSync(path, readFileSync(shop.source('two')))],
  ])('a published file that is damaged is replaced, never written to: %s', async (_, harm) => {
    const { name } = await shop.publish('one');
    chmodSync(inFolder(name), 0o644);
    harm(inFolder(name));
    linkSync(inFolder(name), inFolder('damaged'));
    const damaged = readFileSync(inFolder('damaged'));
    expect(await shop.publish('one')).toMatchObject({ name, copied: true });
    expect(readFileSync(inFolder(name)).equals(readFileSync(shop.source('one')))).toBe(true);
    expect(readFileSync(inFolder('damaged')).equals(damaged)).toBe(true);
    await expectWhole(shop.folder);
  });

  test('a release name that can not be part of a file name is refused, and the error says what to do', async () => {
    const wrong = ['first of May', '../../../etc', '.hidden', '', 'x'.repeat(65)];
    for (const release of wrong) expect(() => publishedNameOf({ release, id: '0' })).toThrow('UNPUBLISHABLE_NAME');
    await buildFrom(shop.releasePath, shop.source('unnamed'), { releaseName: wrong[0] as string });
    const remedy = expect.stringContaining('--release-name');
    await expect(shop.publish('unnamed')).rejects.toMatchObject({ code: 'UNPUBLISHABLE_NAME', remedy });
    expect(readdirSync(shop.folder)).toEqual([]);
  });

  test('a file that is not a snapshot is refused before the folder is created', async () => {
    rmSync(shop.folder, { recursive: true });
    writeFileSync(shop.source('text'), 'x'.repeat(5000));
    await expect(shop.publish('text')).rejects.toMatchObject({ code: 'NOT_A_SNAPSHOT' });
    expect(existsSync(shop.folder)).toBe(false);
  });

  test('partial files that nobody writes go, those at work and those of others stay', async () => {
    const { name } = await shop.publish('one');
    const [stale, atWork, other] = [`.${name}.0123456789ab.partial`, `.${name}.ba9876543210.partial`, '.x.partial'];
    for (const partial of [stale, atWork, other]) writeFileSync(inFolder(partial), 'left behind');
    const fd = openSnapshotFile(inFolder(atWork));
    try {
      await shop.publish('two');
    } finally {
      closeSync(fd);
    }
    expect(readdirSync(shop.folder).filter((file) => file.endsWith('.partial'))).toEqual([atWork, other].sort());
    expect(await pruneSnapshots(shop.folder, 2)).toMatchObject({ partialsRemoved: 1, removed: [] });
  });

  test('what a publisher killed before the flip left behind is in nobody’s way', async () => {
    await shop.publish('one');
    const history = readFileSync(inFolder('history.json'), 'utf8');
    const { name } = await shop.publish('two');
    // As it is after a kill between the history and the flip.
    unlinkSync(inFolder('current'));
    symlinkSync(JSON.parse(history)[0].name, inFolder('current'));
    symlinkSync(name, inFolder('.current.new'));
    writeFileSync(inFolder('.history.json.new'), '[');
    expect(shop.inService()).toEqual(['one', undefined]);
    expect((await shop.publish('three')).previous).toMatch(/^one-/);
    expect(readdirSync(shop.folder).filter((file) => file.endsWith('.new'))).toEqual([]);
  });

  test('a folder that another process has locked: waits, and then says so', async () => {
    const fd = openSync(inFolder('.lock'), 'a');
    try {
      expect(libc()?.tryLock(fd, 'exclusive')).toBe('taken');
      // A minute later.
      const now = jest.spyOn(performance, 'now');
      now.mockReturnValueOnce(0).mockReturnValue(60_001);
      await expect(withFolderLocked(shop.folder, () => 0)).rejects.toMatchObject({ code: 'FOLDER_LOCKED' });
      now.mockRestore();
    } finally {
      setTimeout(() => closeSync(fd), 100);
    }
    expect(await withFolderLocked(shop.folder, () => 'mine')).toBe('mine');
  });

  test('a lock that is not taken is held by another, or the file system has none', () => {
    const held = (): Error => new Error('held');
    expect(() => requireTaken('taken', shop.folder, held)).not.toThrow();
    expect(() => requireTaken('held', shop.folder, held)).toThrow('held');
    expect(() => requireTaken('unsupported', shop.folder, held)).toThrow(/^NO_LOCKS.*can't lock files/);
  });
});

describe('the check of a publication', () => {
  test('finds a flipped bit wherever it is', async () => {
    const small = await buildSmallSnapshot();
    const { manifestOffset } = decodeHeader(small.bytes.subarray(0, HEADER_BYTES), small.bytes.length);
    const refusals = new Set<string>();
    // A prime: all columns of every table, and the zeros between, have their turn.
    for (let at = 0; at < small.bytes.length; at += at < HEADER_BYTES || at >= manifestOffset ? 13 : 101) {
      const bytes = Uint8Array.from(small.bytes);
      bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
      writeFileSync(shop.source('flipped'), bytes);
      const refusal: unknown = await shop.publish('flipped').catch((error) => error);
      if (!(refusal instanceof SnapshotError)) throw new Error(`byte ${at}: ${JSON.stringify(refusal)}`);
      refusals.add(refusal.code);
    }
    small.folder.remove();
    const codes = ['HEADER_DAMAGED', 'MANIFEST_DAMAGED', 'NOT_A_SNAPSHOT', 'PADDING_NOT_ZERO', 'SECTION_DAMAGED'];
    expect([...refusals].sort()).toEqual(codes);
    expect(readdirSync(shop.folder)).toEqual([]);
  });

  test('looks at cross-references only where it is to be deep', async () => {
    shop.makeInconsistent();
    await shop.publish('one');
    const before = readdirSync(shop.folder);
    const deeply = (release: string) => shop.publish(release, { deep: true });
    const refusal = { code: 'STRUCTURE_INVALID' };
    await expect(deeply('inconsistent')).rejects.toMatchObject(refusal);
    expect(readdirSync(shop.folder)).toEqual(before);
    const { name } = await shop.publish('inconsistent');
    expect(readCurrent(shop.folder)).toBe(name);
    await deeply('two');
    // The copy that is there is looked at as well.
    await expect(deeply('inconsistent')).rejects.toMatchObject(refusal);
    expect(await deeply('one')).toMatchObject({ release: 'one', copied: false });
    expect(readdirSync(shop.folder).filter((file) => file.endsWith('.partial'))).toEqual([]);
    // What was in service may be so again.
    for (const release of ['inconsistent', 'two']) await shop.publish(release);
    expect(await shop.rollBack()).toMatchObject({ name });
  });

  /** Does something to the source while it is published, as the phase begins. */
  const during = (phase: string, act: () => void): PublishOptions => ({
    progress: { ...silentProgress, start: (started) => started === phase && act() },
  });

  test.each<[string, string, (path: string) => void]>([
    ['becomes another snapshot', 'SOURCE_CHANGED', (path) => writeFileSync(path, readFileSync(shop.source('two')))],
    ['is replaced by another', 'SOURCE_CHANGED', (path) => replaceBy(path, shop.source('two'))],
    ['gets another byte', 'SECTION_DAMAGED', damage],
    ['gets shorter', 'LENGTH_MISMATCH', (path) => truncateSync(path, 5000)],
    ['is emptied', 'FILE_TOO_SHORT', (path) => truncateSync(path, 0)],
    ['is built anew, header last', 'NOT_A_SNAPSHOT', (path) => writeFileSync(path, new Uint8Array(50_000))],
  ])('a source that %s before it is copied is refused with %s', async (_, code, change) => {
    await shop.publish('one');
    const before = readdirSync(shop.folder);
    const changing = shop.source('changing');
    for (const deep of [false, true]) {
      copyFileSync(shop.source('three'), changing);
      const options = during('copying', () => change(changing));
      await expect(shop.publish('changing', { ...options, deep })).rejects.toMatchObject({ code });
    }
    expect(readdirSync(shop.folder)).toEqual(before);
    expect(shop.inService()).toEqual(['one', undefined]);
  });

  test.each([
    ['checking', false],
    ['verifying', true],
  ])('a source that is written to once it is copied makes no difference (%s)', async (phase, deep) => {
    const changing = shop.source('changing');
    copyFileSync(shop.source('three'), changing);
    const { name } = await shop.publish('changing', { ...during(phase, () => damage(changing)), deep });
    expect(readFileSync(inFolder(name)).equals(readFileSync(shop.source('three')))).toBe(true);
  });
});

describe('rollback', () => {
  test('goes one back, and then a further one', async () => {
    for (const release of ['one', 'two', 'three']) await shop.publish(release);
    expect(await shop.rollBack()).toMatchObject({
      release: 'two',
      rolledBack: expect.stringMatching(/^three-/),
      previous: expect.stringMatching(/^one-/),
    });
    expect(await shop.rollBack()).toMatchObject({ release: 'one', previous: null });
    await expect(shop.rollBack()).rejects.toMatchObject({ code: 'NOTHING_BEFORE' });
    expect(shop.inService()).toEqual(['one', undefined]);
    await expectWhole(shop.folder);
  });

  test('a release that was in service twice is gone back to twice', async () => {
    for (const release of ['one', 'two', 'one', 'three', 'two']) await shop.publish(release);
    const releases: string[] = [];
    while (shop.inService()[1] !== undefined) releases.push((await shop.rollBack()).release);
    expect(releases).toEqual(['three', 'one', 'two', 'one']);
  });

  test('what is published after a rollback lies behind what was gone back to', async () => {
    for (const release of ['one', 'two']) await shop.publish(release);
    await shop.rollBack();
    await shop.publish('three');
    expect(shop.inService()).toEqual(['three', 'one']);
    expect(shop.releases()).toEqual(['three', 'one', 'two']);
  });

  test('skips what is no longer there', async () => {
    const names: string[] = [];
    for (const release of ['one', 'two', 'three']) names.push((await shop.publish(release)).name);
    rmSync(inFolder(names[1] as string));
    expect(shop.inService()).toEqual(['three', 'one']);
    expect(await shop.rollBack()).toMatchObject({ release: 'one' });
  });

  test('refuses a damaged file and names it', async () => {
    const { name } = await shop.publish('one');
    await shop.publish('two');
    damage(inFolder(name));
    await expect(shop.rollBack()).rejects.toMatchObject({
      code: 'SECTION_DAMAGED',
      expected: expect.stringContaining(name),
      remedy: expect.stringContaining('roll back again'),
    });
    expect(shop.inService()).toEqual(['two', 'one']);
  });

  test('of an empty folder', async () => {
    await expect(shop.rollBack()).rejects.toMatchObject({ code: 'NOTHING_BEFORE' });
  });
});

describe('a history that is of no use', () => {
  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['cut short', '[{"name": "one-'],
    ['of another shape', '{"name": 1}'],
    ['of other names', '[{"name":"../../etc/passwd","publishedAt":"2026-01-01T00:00:00.000Z"}]'],
    ['with other times', '[{"name":"one-0123456789abcdef.snapshot","publishedAt":"\\u001b[2J"}]'],
  ])('%s: publishing goes on, and rollback has what was in service', async (_, text) => {
    await shop.publish('one');
    rmSync(inFolder('history.json'));
    if (text !== undefined) writeFileSync(inFolder('history.json'), text);
    expect(shop.inService()).toEqual(['one', undefined]);
    await shop.publish('two');
    expect(shop.inService()).toEqual(['two', 'one']);
    expect(await shop.rollBack()).toMatchObject({ release: 'one' });
  });

  test('current changed by hand: it is what the next publication lies behind', async () => {
    const { name } = await shop.publish('one');
    await shop.publish('two');
    const byHand = name.replace('one', 'by-hand');
    copyFileSync(inFolder(name), inFolder(byHand));
    unlinkSync(inFolder('current'));
    symlinkSync(`./${byHand}`, inFolder('current'));
    expect(shop.inService()).toEqual(['by-hand', 'two']);
    await shop.publish('three');
    expect(shop.inService()).toEqual(['three', 'by-hand']);
  });
});

describe('prune', () => {
  test('keeps the current one and those before it; what was rolled back goes first', async () => {
    for (const release of ['one', 'two', 'three']) await shop.publish(release);
    await shop.rollBack();
    const { removed, kept, bytesFreed } = await pruneSnapshots(shop.folder, 2);
    expect(kept.map(({ release, reason }) => [release, reason])).toEqual([
      ['two', 'current'],
      ['one', 'newest'],
    ]);
    expect(removed.map(({ release }) => release)).toEqual(['three']);
    expect(bytesFreed).toBe(statSync(shop.source('three')).size);
    expect(shop.releases()).toEqual(['two', 'one']);
  });

  test('a file that was never in service is as new as it is; nothing else in the folder is touched', async () => {
    const { name } = await shop.publish('one');
    for (const other of ['notes.txt', 'x.snapshot']) writeFileSync(inFolder(other), 'keep me');
    copyFileSync(inFolder(name), inFolder(name.replace('one', 'stray')));
    expect(await pruneSnapshots(shop.folder, 2)).toMatchObject({ removed: [] });
    expect(await pruneSnapshots(shop.folder, 1)).toMatchObject({ removed: [{ release: 'stray' }] });
    const files = [name, 'notes.txt', 'x.snapshot', '.lock', 'current', 'history.json'];
    expect(readdirSync(shop.folder).sort()).toEqual(files.sort());
  });

  test('leaves what this process has open, and forgets what it has removed', async () => {
    for (const release of ['one', 'two', 'three']) await shop.publish(release);
    const open = listPublishedSnapshots(shop.folder).find(({ release }) => release === 'one')?.name as string;
    const fd = openSnapshotFile(inFolder(open));
    const { kept } = await pruneSnapshots(shop.folder, 1);
    expect(kept.map(({ release, reason }) => [release, reason])).toEqual([
      ['three', 'current'],
      ['one', 'open'],
    ]);
    closeSync(fd);
    const history: { name: string }[] = JSON.parse(readFileSync(inFolder('history.json'), 'utf8'));
    expect(history.map(({ name }) => parsePublishedName(name)?.release)).toEqual(['one', 'three']);
    expect(await pruneSnapshots(shop.folder, 1)).toMatchObject({ removed: [{ release: 'one' }] });
    expect(readCurrent(shop.folder)).toMatch(/^three-/);
  });

  test('removes nothing where nothing says what is in service', async () => {
    for (const release of ['one', 'two']) await shop.publish(release);
    rmSync(inFolder('current'));
    await expect(pruneSnapshots(shop.folder, 1)).rejects.toMatchObject({ code: 'NOTHING_IN_SERVICE' });
    expect(shop.releases().sort()).toEqual(['one', 'two']);
  });
});

describe('the list of changes beside a snapshot', () => {
  const lists = (): string[] => readdirSync(shop.folder).filter((name) => name.endsWith('.changes.ndjson'));
  const sinceOf = (list: string): string =>
    JSON.parse(readFileSync(inFolder(list), 'utf8').split('\n')[0] as string).since;

  test('it compares with the release in service before, and is not made again', async () => {
    expect((await shop.publish('one')).changes).toBeNull();
    expect(lists()).toEqual([]);
    const { name, changes } = await shop.publish('two');
    const none = { added: 0, removed: 0, moved: 0, renamed: 0 };
    expect(changes).toMatchObject({ name: publishedChangesName(name), since: 'one', ...none });
    expect(lists().map(sinceOf)).toEqual(['one']);
    expect((await shop.publish('two')).changes).toBeNull();
    // A list that was lost, or not written by a publisher that was killed, is made at the next publication.
    rmSync(inFolder(publishedChangesName(name)));
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
    chmodSync(inFolder(name), 0o644);
    truncateSync(inFolder(name), 5000);
    const { changes } = await shop.publish('two');
    expect(changes).toEqual({ problem: expect.stringContaining(`can't compare with ${name}: `) });
    expect(shop.inService()[0]).toBe('two');
    expect(lists()).toEqual([]);
    expect(runProgram(['publish', shop.source('three'), '--to', shop.folder]).stdout).toMatch(
      /^changes .*since two, added 0/m,
    );
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
    expect(lists()).toEqual([publishedChangesName(readCurrent(shop.folder) as string)]);
  });

  test('names', () => {
    expect(publishedChangesName('/a/b.snapshot')).toBe('/a/b.changes.ndjson');
    expect(publishedChangesName('/a/b')).toBe('/a/b.changes.ndjson');
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
