/** What `publish` to a channel, promote, rollback, list and prune do to a folder, and what they refuse. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { promoteChannel } from '../../build-index/publishing/channel-folder.js';
import { type ListedRelease, listReleases, pruneReleases } from '../../build-index/publishing/prune-releases.js';
import { publishRelease, type ReleaseOptions } from '../../build-index/publishing/publish-release.js';
import { checksumCheck } from '../../build-index/publishing/snapshot-check.js';
import { libc } from '../../src/base/libc.js';
import { changesPath, snapshotPath } from '../../src/releases/channel/channel-file.js';
import { createKeyFiles, parseMinisignSigningKey } from '../../src/releases/channel/minisign.js';
import { buildFrom } from '../fixtures/fixture-snapshot.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { type ChannelScene, createChannelScene, failureOf, type ReleaseName } from './channel-scene.js';

let scene: ChannelScene;
const inHosted = (path: string): string => join(scene.hosted, path);
const read = (path: string): string => readFileSync(inHosted(path), 'utf8');
const channel = (name = 'stable') => scene.channel(name);
const fileOf = (name: ReleaseName): string => inHosted(snapshotPath(scene.nameOf(name)));
const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const publish = (options: Partial<ReleaseOptions>, check = checksumCheck(silentProgress)) =>
  publishRelease(
    {
      ...{ source: scene.source('two'), folder: scene.hosted, channel: 'stable', key: scene.key, withChanges: true },
      ...options,
    },
    check,
    silentProgress,
  );

beforeAll(async () => {
  scene = await createChannelScene();
  writeFileSync(join(scene.root, 'key.pub'), scene.keyFiles.public);
});
beforeEach(() => scene.restore());
afterAll(() => scene?.remove());

/** Each file of the folder with its time of change; locks are no content. */
function contents(): Map<string, bigint> {
  const names = readdirSync(scene.hosted, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => !name.endsWith('lock') && statSync(inHosted(name)).isFile());
  return new Map(files.sort().map((name) => [name, statSync(inHosted(name), { bigint: true }).ctimeNs]));
}

/** Rejects unless minisign verifies every channel, and every file of a listed release is what its channel says. */
function expectSound(): void {
  const signed = [...contents().keys()].filter((name) => name.endsWith('.json'));
  expect(signed.length).toBeGreaterThan(0);
  for (const name of signed) {
    const args = ['-V', '-q', '-p', join(scene.root, 'key.pub'), '-m', name];
    const { status, stderr } = spawnSync('minisign', args, { cwd: scene.hosted, encoding: 'utf8' });
    expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: '' });
    const { release } = channel(name.replace(/^channels\/(.*)\.json$/, '$1'));
    const files = [
      [snapshotPath(release.name), release.snapshot],
      [changesPath(release.name), release.changes],
    ] as const;
    for (const [path, file] of files) {
      if (file === null) continue;
      const compressed = readFileSync(inHosted(path));
      expect(file.compressed).toEqual({ bytes: compressed.length, sha256: sha256Of(compressed) });
      const bytes = brotliDecompressSync(compressed);
      expect(file).toMatchObject({ bytes: bytes.length, sha256: sha256Of(bytes) });
    }
  }
}

describe('publish to a channel', () => {
  test('one compressed file, and a channel that says what it has', async () => {
    const report = await scene.publish('one');
    const { release, sequence, earlier } = channel();
    const { bytes, compressed } = release.snapshot;
    expect(report).toEqual({
      ...{ channel: 'stable', release: scene.nameOf('one'), sequence, previous: null, changed: true },
      ...{ bytes, transferBytes: compressed.bytes, changesTransferBytes: null, bytesWritten: compressed.bytes },
    });
    expect(release).toMatchObject({
      ...{ name: scene.nameOf('one'), formatVersion: expect.any(Number), changes: null },
      ...{ counts: { countries: 2, places: 42, postcodes: 41 } },
      snapshot: { bytes: statSync(scene.source('one')).size, sha256: sha256Of(readFileSync(scene.source('one'))) },
    });
    expect(earlier).toEqual([]);
    expect(Math.abs(sequence - Date.now() / 1000)).toBeLessThan(600);
    expectSound();
    expect(readdirSync(scene.hosted).sort()).toEqual(['.lock', '.releases.lock', 'channels', 'releases']);
    expect(readdirSync(inHosted('channels')).sort()).toEqual(['stable.json', 'stable.json.minisig']);
    expect(statSync(fileOf('one')).mode & 0o444).toBe(0o444);
  });

  test('once more: nothing is written, also to another channel but that channel', async () => {
    await scene.publish('one');
    await scene.publish('two', 'stable', true);
    const before = contents();
    expect(await scene.publish('two', 'stable', true)).toMatchObject({ changed: false, bytesWritten: 0 });
    expect(contents()).toEqual(before);
    expect(await scene.publish('two', 'next')).toMatchObject({ changed: true, bytesWritten: 0 });
    expect(channel('next').release).toEqual(channel().release);
  });

  test('another release is what the channel names, with a list of what it changes', async () => {
    await scene.publish('one');
    const before = contents();
    await scene.publish('two', 'stable', true);
    expect(channel()).toMatchObject({
      release: { name: scene.nameOf('two'), changes: { since: scene.nameOf('one') } },
      earlier: [{ name: scene.nameOf('one') }],
    });
    const changed = [...contents()].filter(([name, time]) => before.has(name) && before.get(name) !== time);
    expect(changed.map(([name]) => name)).toEqual(['channels/stable.json', 'channels/stable.json.minisig']);
    expectSound();
  });

  test('the list leads from what the channel named last, also after a rollback, or else from the newest', async () => {
    await scene.publish('one');
    await scene.publish('three');
    await scene.publish('two', 'next', true);
    expect(channel('next').release.changes?.since).toBe(scene.nameOf('three'));
    await scene.rollBack();
    const again = join(scene.root, 'four.snapshot');
    await buildFrom(join(scene.root, 'two'), again, { releaseName: 'four' });
    await publish({ source: again });
    expect(channel().release.changes?.since).toBe(scene.nameOf('one'));
  });

  test('a release before that is damaged prevents a list of changes, and nothing else', async () => {
    await scene.publish('one');
    writeFileSync(fileOf('one'), readFileSync(fileOf('one')).fill(7, 100, 200));
    expect((await failureOf(scene.publish('two', 'stable', true))).code).toBe('FILE_DAMAGED');
    expect(channel().release.name).toBe(scene.nameOf('one'));
    expect(await scene.publish('two')).toMatchObject({ changed: true });
    await scene.pull();
    expect(scene.inService()).toBe('two');
  });

  test.each<[string, (path: string, bytes: Buffer) => void]>([
    ['is gone', (path) => rmSync(path)],
    ['was cut short', (path, bytes) => writeFileSync(path, bytes.subarray(0, -1))],
    ['is empty', (path) => writeFileSync(path, '')],
    ['has other bytes', (path, bytes) => writeFileSync(path, Buffer.from(bytes).fill(7, 0, 9))],
  ])('a file that %s is written again; partial files of killed publishers are removed', async (_, harm) => {
    await scene.publish('one');
    const bytes = readFileSync(fileOf('one'));
    harm(fileOf('one'), bytes);
    writeFileSync(inHosted('releases/.x.snapshot.br.0123456789ab.partial'), 'half');
    expect(await scene.publish('one')).toMatchObject({ changed: false, bytesWritten: bytes.length });
    expect(readdirSync(inHosted('releases'))).toEqual([`${scene.nameOf('one')}.snapshot.br`]);
    expectSound();
  });

  test('a release that was built again is compared with the release before it', async () => {
    await scene.publish('one');
    await scene.publish('two', 'stable', true);
    const again = join(scene.root, 'again.snapshot');
    await buildFrom(join(scene.root, 'three'), again, { releaseName: 'two' });
    const { release: name } = await publish({ source: again });
    expect(name).not.toBe(scene.nameOf('two'));
    expect(channel().release.changes?.since).toBe(scene.nameOf('one'));
    const list = brotliDecompressSync(readFileSync(inHosted(changesPath(name)))).toString();
    expect(list).toMatch(/^.*"since":"one".*"release":"two"/);
  });

  test('a snapshot that is written to meanwhile is refused; the channel stays', async () => {
    await scene.publish('one');
    const source = join(scene.root, 'changing');
    writeFileSync(source, readFileSync(scene.source('two')));
    const check = async (path: string): Promise<string> => {
      const id = await checksumCheck(silentProgress)(path);
      writeFileSync(path, readFileSync(scene.source('three')));
      return id;
    };
    expect((await failureOf(publish({ source }, check))).code).toBe('SOURCE_CHANGED');
    expect(channel().release.name).toBe(scene.nameOf('one'));
    expect(readdirSync(inHosted('releases'))).toEqual([`${scene.nameOf('one')}.snapshot.br`]);
  });

  test('with another key is refused, and the error says what to do', async () => {
    await scene.publish('one');
    const before = contents();
    const key = parseMinisignSigningKey(createKeyFiles().secret);
    for (const name of ['one', 'two'] as const) {
      const error = await failureOf(publish({ source: scene.source(name), key }));
      expect(error.message).toMatch(/^SIGNATURE_INVALID: \S+\.json: .* of key .* remove channels/);
      expect(channel().release.name).toBe(scene.nameOf('one'));
    }
    expect(contents().get('channels/stable.json')).toBe(before.get('channels/stable.json'));
    expect((await failureOf(scene.promote('stable', 'next', key))).code).toBe('SIGNATURE_INVALID');
    expect((await failureOf(scene.rollBack('stable', key))).code).toBe('SIGNATURE_INVALID');
  });

  test('with another key, where channels were removed: no release is written, and followers go on', async () => {
    await scene.serve('one');
    const { sequence } = channel();
    rmSync(inHosted('channels'), { recursive: true });
    const key = parseMinisignSigningKey(createKeyFiles().secret);
    const report = await publish({ source: scene.source('one'), key });
    expect(report).toMatchObject({ changed: true, bytesWritten: 0 });
    expect(channel().sequence).toBeGreaterThanOrEqual(sequence);
    await scene.pull({ key });
    expect(scene.inService()).toBe('one');
    expect((await failureOf(scene.pull())).code).toBe('SIGNATURE_INVALID');
  });

  test('after a release of another format version: without a list of changes', async () => {
    await scene.publish('one');
    const { release } = channel();
    scene.sign('channels/stable.json', (file) => Object.assign(file, { release: { ...release, formatVersion: 8 } }));
    expect(await scene.publish('two', 'stable', true)).toMatchObject({ changed: true });
    expect(channel().release.changes).toBeNull();
  });

  test('files that somebody changed, or whose signature is gone, are not signed again', async () => {
    await scene.publish('one');
    writeFileSync(inHosted('channels/stable.json'), read('channels/stable.json').replace('one-', 'two-'));
    expect((await failureOf(scene.publish('one'))).code).toBe('SIGNATURE_INVALID');
    rmSync(inHosted('channels/stable.json.minisig'));
    expect((await failureOf(scene.publish('one'))).message).toMatch(/^SIGNATURE_MISSING: channels\/stable\.json has/);
  });
});

describe('a change that was interrupted', () => {
  /** As a kill between the two files leaves it: the signature of the change, the text before it, and both aside. */
  function interrupt(path: string, before: string): void {
    const [text, signature] = [read(path), read(`${path}.minisig`)];
    writeFileSync(inHosted(path), before);
    writeFileSync(
      inHosted(path.replace(/([^/]+)\.json$/, '.$1.begun')),
      JSON.stringify({ text, signature, modifiedSeconds: 1_800_000_000 }),
    );
  }

  test.each<[string, () => Promise<unknown>, ReleaseName]>([
    ['the same release', () => scene.publish('two'), 'two'],
    ['another release', () => scene.publish('three'), 'three'],
    ['promote', () => scene.promote(scene.nameOf('one')), 'one'],
    ['rollback', () => scene.rollBack(), 'one'],
  ])('of a channel is finished by the next: %s', async (_, change, expected) => {
    await scene.publish('one');
    const before = read('channels/stable.json');
    await scene.publish('two');
    const { sequence } = channel();
    interrupt('channels/stable.json', before);
    await change();
    expect(channel().release.name).toBe(scene.nameOf(expected));
    expect(channel().sequence).toBeGreaterThanOrEqual(sequence);
    expect(existsSync(inHosted('channels/.stable.begun'))).toBe(false);
    expectSound();
  });

  test('of the channel that is promoted is finished first', async () => {
    await scene.publish('one', 'next');
    const before = read('channels/next.json');
    await scene.publish('two', 'next');
    interrupt('channels/next.json', before);
    expect(await scene.promote('next')).toMatchObject({
      release: scene.nameOf('two'),
    });
    expectSound();
  });

  test('is not finished with what another key signed', async () => {
    await scene.publish('one');
    const before = read('channels/stable.json');
    const other = parseMinisignSigningKey(createKeyFiles().secret);
    scene.sign('channels/stable.json', (file) => Object.assign(file, { sequence: 1 }), other);
    const [text, signature] = [read('channels/stable.json'), read('channels/stable.json.minisig')];
    writeFileSync(inHosted('channels/stable.json'), before);
    writeFileSync(inHosted('channels/.stable.begun'), JSON.stringify({ text, signature }));
    expect((await failureOf(scene.publish('one'))).code).toBe('SIGNATURE_INVALID');
    expect(read('channels/stable.json')).toBe(before);
  });
});

describe('promote and rollback', () => {
  test('write a channel and transfer nothing', async () => {
    await scene.publish('one');
    await scene.publish('two', 'next');
    const before = contents();
    const { sequence } = channel();
    const promoted = await scene.promote('next');
    expect(promoted).toMatchObject({ release: scene.nameOf('two'), previous: scene.nameOf('one'), changed: true });
    expect(promoted.sequence).toBeGreaterThan(sequence);
    const rolledBack = await scene.rollBack();
    expect(rolledBack).toMatchObject({ release: scene.nameOf('one'), previous: null });
    expect(rolledBack.sequence).toBeGreaterThan(promoted.sequence);
    expect([...contents().keys()]).toEqual([...before.keys()]);
    expectSound();
    expect((await failureOf(scene.rollBack())).code).toBe('NOTHING_BEFORE');
    expect(await scene.promote(scene.nameOf('two'))).toMatchObject({
      changed: true,
    });
  });

  test('within a second give files that hosts and rsync tell apart by time and length', async () => {
    await scene.publish('one');
    await scene.publish('two');
    const seen = new Set<string>();
    for (const release of ['one', 'two', 'one', 'two'] as const) {
      const { sequence } = await scene.promote(scene.nameOf(release));
      for (const name of ['stable.json', 'stable.json.minisig']) {
        const { mtimeMs, size } = statSync(inHosted(`channels/${name}`));
        expect(mtimeMs).toBe(sequence * 1000);
        seen.add(`${name} ${Math.floor(mtimeMs / 1000)} ${size}`);
      }
    }
    expect(seen.size).toBe(8);
  });

  test('to what the channel names already writes nothing', async () => {
    await scene.publish('one');
    const before = contents();
    expect(await scene.promote(scene.nameOf('one'))).toMatchObject({
      changed: false,
    });
    expect(contents()).toEqual(before);
  });

  test('of what is not there is refused', async () => {
    await scene.publish('one');
    const other = 'two-0123456789abcdef';
    for (const work of [scene.promote('nowhere'), scene.promote(other), scene.rollBack('nowhere')]) {
      expect((await failureOf(work)).code).toBe('NOT_PUBLISHED');
    }
    const missing = join(scene.root, 'missing');
    await failureOf(promoteChannel(missing, 'next', 'stable', scene.key));
    expect(existsSync(missing)).toBe(false);
  });
});

describe('list and prune', () => {
  const names = (releases: readonly ListedRelease[]): string[] => releases.map(({ name }) => name);

  test('list: the newest first, with the channels that name each', async () => {
    await scene.publish('one');
    await scene.publish('two', 'next');
    await scene.promote('stable', 'old');
    expect(listReleases(scene.hosted)).toEqual([
      expect.objectContaining({ name: scene.nameOf('two'), channels: ['next'] }),
      expect.objectContaining({ name: scene.nameOf('one'), channels: ['old', 'stable'] }),
    ]);
  });

  test('prune removes old releases with their lists, and nothing that is kept', async () => {
    await scene.publish('one');
    await scene.publish('two', 'stable', true);
    await scene.publish('three', 'stable', true);
    const { size } = statSync(fileOf('one'));
    // "stable" names three, and its rollback would go to two.
    const report = await pruneReleases(scene.hosted, 1);
    expect(report).toMatchObject({ removed: [scene.nameOf('one')], bytesFreed: size });
    expect(names(report.kept)).toEqual([scene.nameOf('three'), scene.nameOf('two')]);
    expect(readdirSync(inHosted('releases')).length).toBe(4);
    expectSound();
    expect(await scene.rollBack()).toMatchObject({ release: scene.nameOf('two') });
    // The channel still names what is gone.
    expect((await failureOf(scene.rollBack())).code).toBe('NOT_PUBLISHED');
  });

  test('prune keeps what a channel names, however old, and removes what no channel names', async () => {
    await scene.publish('one', 'old');
    await scene.publish('two');
    await scene.publish('three', 'next');
    writeFileSync(inHosted('releases/four-0123456789abcdef.snapshot.br'), 'of a publisher that was killed');
    const report = await pruneReleases(scene.hosted, 1);
    expect(report).toMatchObject({ removed: [], bytesFreed: 30 });
    expect(report.kept).toHaveLength(3);
    expectSound();
  });

  test('prune with a channel that it can not read removes nothing', async () => {
    await scene.publish('one');
    await scene.publish('two');
    await scene.publish('three');
    writeFileSync(inHosted('channels/next.json'), '{}');
    const before = contents();
    expect((await failureOf(pruneReleases(scene.hosted, 1))).code).toBe('FILE_INVALID');
    expect(contents()).toEqual(before);
  });

  test('prune and publishers exclude one another; publishers and promotions do not', async () => {
    await scene.publish('one');
    const fd = openSync(inHosted('.releases.lock'), 'a');
    try {
      expect(libc()?.tryLock(fd, 'shared')).toBe('taken');
      expect((await failureOf(pruneReleases(scene.hosted, 1))).message).toMatch(/^FOLDER_LOCKED: .*; try again/);
      await scene.publish('two');
      await scene.promote('stable', 'next');
      closeSync(openSync(inHosted('.releases.lock'), 'a'));
      expect(libc()?.tryLock(fd, 'exclusive')).toBe('taken');
      for (const work of [
        () => scene.publish('three'),
        () => scene.promote('stable', 'next'),
        () => scene.rollBack(),
      ]) {
        expect((await failureOf(work())).message).toMatch(/^FOLDER_LOCKED: prune removes releases/);
      }
    } finally {
      closeSync(fd);
    }
    expect(channel().release.name).toBe(scene.nameOf('two'));
  });
});
