/** What `publish --parts`, promote, rollback, list and prune do to a folder, and what they refuse. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type ListedRelease, listPublishedReleases, pruneParts } from '../../build-index/publishing/prune-parts.js';
import { publishParts } from '../../build-index/publishing/publish-parts.js';
import { checksumCheck } from '../../build-index/publishing/publish-snapshot.js';
import { promote, rollBackChannel } from '../../build-index/publishing/write-channel.js';
import type { ChannelFile } from '../../src/channels/channel-file.js';
import { createKeyFiles, parseSigningKey } from '../../src/channels/minisign.js';
import { expandPart, RangeWriter, sha256Of } from '../../src/channels/part-bytes.js';
import { parseReleaseFile, type ReleaseFile } from '../../src/channels/release-file.js';
import { libc } from '../../src/platform/libc.js';
import { buildFrom } from '../fixtures/fixture-snapshot.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { type ChannelScene, createChannelScene, failureOf, type ReleaseName } from './channel-scene.js';

let scene: ChannelScene;
const inParts = (path: string): string => join(scene.parts, path);
const read = (path: string): string => readFileSync(inParts(path), 'utf8');
const channel = (name = 'stable'): ChannelFile => JSON.parse(read(`channels/${name}.json`)) as ChannelFile;
const release = (name: ReleaseName): ReleaseFile =>
  parseReleaseFile(read(`releases/${scene.nameOf(name)}.json`), scene.nameOf(name));

beforeAll(async () => {
  scene = await createChannelScene();
  writeFileSync(join(scene.root, 'key.pub'), scene.keyFiles.public);
});
beforeEach(() => scene.restore());
afterAll(() => scene?.remove());

/** Each file of the folder with its time of change; locks are no content. */
function contents(): Map<string, bigint> {
  const names = readdirSync(scene.parts, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => !name.endsWith('lock') && statSync(inParts(name)).isFile());
  return new Map(files.sort().map((name) => [name, statSync(inParts(name), { bigint: true }).ctimeNs]));
}

/** Rejects unless minisign verifies every file of JSON, and every part that a release names is what its name says. */
async function expectSound(): Promise<void> {
  const signed = [...contents().keys()].filter((name) => name.endsWith('.json'));
  expect(signed.length).toBeGreaterThan(1);
  for (const name of signed) {
    const args = ['-V', '-q', '-p', join(scene.root, 'key.pub'), '-m', name];
    const { status, stderr } = spawnSync('minisign', args, { cwd: scene.parts, encoding: 'utf8' });
    expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: '' });
  }
  for (const { name } of listPublishedReleases(scene.parts)) {
    const { parts, bytes, sha256 } = parseReleaseFile(read(`releases/${name}.json`), name);
    const path = join(scene.root, 'assembled');
    writeFileSync(path, Buffer.alloc(bytes));
    const fd = openSync(path, 'r+');
    try {
      for (const part of parts) {
        const compressed = readFileSync(inParts(`parts/${part.sha256}.br`));
        expect(compressed.length).toBe(part.compressedBytes);
        const { delta } = part;
        if (delta !== undefined) expect(statSync(inParts(`parts/${delta.sha256}.br`)).size).toBe(delta.compressedBytes);
        expect(await expandPart([compressed], new RangeWriter(fd, part.ranges))).toBe(part.sha256);
      }
    } finally {
      closeSync(fd);
    }
    expect(sha256Of(readFileSync(path))).toBe(sha256);
  }
}

describe('publish --parts', () => {
  test('parts, a release and a channel, from which the snapshot can be put together again', async () => {
    const report = await scene.publish('one');
    const { parts, ...head } = release('one');
    expect(report).toEqual({
      ...{
        channel: 'stable',
        release: scene.nameOf('one'),
        sequence: channel().sequence,
        previous: null,
        changed: true,
      },
      ...{ bytes: statSync(scene.source('one')).size, partCount: parts.length, partsWritten: parts.length },
      transferBytes: parts.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0),
      bytesWritten: parts.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0),
      ...{ deltasWritten: 0, deltaBytesWritten: 0, deltaProblem: null },
    });
    expect(head).toMatchObject({
      ...{ release: 'one', formatVersion: expect.any(Number), changes: null, bytes: report.bytes },
      ...{ counts: { countries: 2, places: 42, postcodes: 41 }, sha256: sha256Of(readFileSync(scene.source('one'))) },
    });
    expect(channel()).toMatchObject({ channel: 'stable', release: scene.nameOf('one'), earlier: [] });
    expect(Math.abs(channel().sequence - Date.now() / 1000)).toBeLessThan(60);
    await expectSound();
    expect(readdirSync(scene.parts).sort()).toEqual(['.lock', '.parts.lock', 'channels', 'parts', 'releases']);
    expect(readdirSync(inParts('channels')).sort()).toEqual(['stable.json', 'stable.json.minisig']);
    expect(statSync(inParts(`parts/${parts[0]?.sha256}.br`)).mode & 0o444).toBe(0o444);
  });

  test('once more: nothing is written', async () => {
    await scene.publish('one');
    const before = contents();
    expect(await scene.publish('one')).toMatchObject({ changed: false, partsWritten: 0, bytesWritten: 0 });
    expect(contents()).toEqual(before);
  });

  test('another release shares the parts that did not change, and is what the channel names', async () => {
    await scene.publish('one');
    const before = contents();
    const report = await scene.publish('two');
    const [one, two] = [release('one'), release('two')];
    const namesOf = ({ parts }: ReleaseFile, name: string) => parts.filter((part) => part.name === name);
    expect(namesOf(two, 'AD').map(({ sha256 }) => sha256)).toEqual(namesOf(one, 'AD').map(({ sha256 }) => sha256));
    expect(namesOf(two, 'LI').map(({ sha256 }) => sha256)).not.toEqual(namesOf(one, 'LI').map(({ sha256 }) => sha256));
    expect(report.partsWritten).toBeLessThan(report.partCount);
    expect(channel()).toMatchObject({ release: scene.nameOf('two'), earlier: [scene.nameOf('one')] });
    const changed = [...contents()].filter(([name, time]) => before.has(name) && before.get(name) !== time);
    expect(changed.map(([name]) => name)).toEqual(['channels/stable.json', 'channels/stable.json.minisig']);
    await expectSound();
  });

  test('to another channel leaves the first as it is', async () => {
    await scene.publish('one');
    const before = read('channels/stable.json');
    await scene.publish('two', 'next');
    expect(read('channels/stable.json')).toBe(before);
    expect(channel('next')).toMatchObject({ channel: 'next', release: scene.nameOf('two'), earlier: [] });
  });

  test('a part that is gone is written again; partial files of killed publishers are removed', async () => {
    await scene.publish('one');
    const [first] = release('one').parts;
    rmSync(inParts(`parts/${first?.sha256}.br`));
    writeFileSync(inParts(`parts/.${first?.sha256}.br.0123456789ab.partial`), 'half');
    expect(await scene.publish('one')).toMatchObject({ changed: false, partsWritten: 1 });
    expect(readdirSync(inParts('parts')).filter((name) => name.startsWith('.'))).toEqual([]);
    await expectSound();
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['was cut short', (bytes) => bytes.subarray(0, -1)],
    ['is empty', () => Buffer.alloc(0)],
    ['has other bytes', (bytes) => Buffer.from(bytes).fill(7, 0, 9)],
  ])('a part that %s is written again', async (_, harm) => {
    await scene.publish('one');
    const path = inParts(`parts/${release('one').parts[1]?.sha256}.br`);
    const bytes = readFileSync(path);
    writeFileSync(path, harm(bytes));
    expect(await scene.publish('one')).toMatchObject({ changed: false, partsWritten: 1 });
    expect(readFileSync(path).equals(bytes)).toBe(true);
    await expectSound();
  });

  test('a release that was built again is compared with the release before it', async () => {
    await scene.publish('one');
    await scene.publish('two', 'stable', true);
    const again = join(scene.root, 'again.snapshot');
    await buildFrom(join(scene.root, 'three'), again, { releaseName: 'two' });
    const options = { source: again, folder: scene.parts, channel: 'stable', key: scene.key, withChanges: true };
    const { release: name } = await publishParts(options, checksumCheck(silentProgress), silentProgress);
    expect(name).not.toBe(scene.nameOf('two'));
    expect(JSON.parse(read(`releases/${name}.json`)).changes.since).toBe(scene.nameOf('one'));
    expect(read(`releases/${name}.changes.ndjson`)).toMatch(/^.*"since":"one".*"release":"two"/);
  });

  test('a damaged snapshot is refused; nothing is written', async () => {
    await scene.publish('one');
    const before = contents();
    const bytes = readFileSync(scene.source('two'));
    bytes.writeUInt8(bytes.readUInt8(5_000) ^ 1, 5_000);
    const source = join(scene.root, 'damaged');
    writeFileSync(source, bytes);
    const options = { source, folder: scene.parts, channel: 'stable', key: scene.key, withChanges: true };
    const error = await failureOf(publishParts(options, checksumCheck(silentProgress), silentProgress));
    expect(error.code).toBe('SECTION_DAMAGED');
    expect(contents()).toEqual(before);
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
    const options = { source, folder: scene.parts, channel: 'stable', key: scene.key, withChanges: true };
    expect((await failureOf(publishParts(options, check, silentProgress))).code).toBe('SOURCE_CHANGED');
    expect(channel().release).toBe(scene.nameOf('one'));
  });

  test('with another key is refused, and the error says what to do', async () => {
    await scene.publish('one');
    const before = contents();
    const key = parseSigningKey(createKeyFiles().secret);
    for (const name of ['one', 'two'] as const) {
      const options = { source: scene.source(name), folder: scene.parts, channel: 'stable', key, withChanges: true };
      const error = await failureOf(publishParts(options, checksumCheck(silentProgress), silentProgress));
      expect(error.message).toMatch(
        /^SIGNATURE_INVALID: \S+\.json: the signature .* of key .*; sign with the key that signed it; to change the key, remove releases and channels/,
      );
      expect(channel().release).toBe(scene.nameOf('one'));
    }
    expect(contents().get('channels/stable.json')).toBe(before.get('channels/stable.json'));
    expect((await failureOf(promote(scene.parts, 'stable', 'next', key))).code).toBe('SIGNATURE_INVALID');
    expect((await failureOf(rollBackChannel(scene.parts, 'stable', key))).code).toBe('SIGNATURE_INVALID');
  });

  test('with another key, where releases and channels were removed: no part is written, and followers go on', async () => {
    await scene.publish('one');
    await scene.pull();
    const { sequence } = channel();
    for (const name of ['releases', 'channels']) rmSync(inParts(name), { recursive: true });
    const key = parseSigningKey(createKeyFiles().secret);
    const options = { source: scene.source('one'), folder: scene.parts, channel: 'stable', key, withChanges: true };
    const report = await publishParts(options, checksumCheck(silentProgress), silentProgress);
    expect(report).toMatchObject({ changed: true, partsWritten: 0 });
    expect(channel().sequence).toBeGreaterThanOrEqual(sequence);
    await scene.pull({ key });
    expect(scene.inService()).toBe('one');
    expect((await failureOf(scene.pull())).code).toBe('SIGNATURE_INVALID');
  });

  test('after a release of another format version: without a list of changes', async () => {
    await scene.publish('one');
    scene.sign(`releases/${scene.nameOf('one')}.json`, (file) => Object.assign(file, { formatVersion: 8 }));
    expect(await scene.publish('two', 'stable', true)).toMatchObject({ changed: true });
    expect(release('two').changes).toBeNull();
  });

  test('files that somebody changed, or whose signature is gone, are not signed again', async () => {
    await scene.publish('one');
    writeFileSync(inParts('channels/stable.json'), read('channels/stable.json').replace('one-', 'two-'));
    expect((await failureOf(scene.publish('one'))).code).toBe('SIGNATURE_INVALID');
    rmSync(inParts('channels/stable.json.minisig'));
    expect((await failureOf(scene.publish('one'))).message).toMatch(/^SIGNATURE_MISSING: channels\/stable\.json has/);
  });
});

describe('a change that was interrupted', () => {
  /** As a kill between the two files leaves it: the signature of the change, the text before it, and both aside. */
  function interrupt(path: string, before: string): void {
    const [text, signature] = [read(path), read(`${path}.minisig`)];
    writeFileSync(inParts(path), before);
    writeFileSync(
      inParts(path.replace(/([^/]+)\.json$/, '.$1.begun')),
      JSON.stringify({ text, signature, options: {} }),
    );
  }

  test.each<[string, () => Promise<unknown>, ReleaseName]>([
    ['the same release', () => scene.publish('two'), 'two'],
    ['another release', () => scene.publish('three'), 'three'],
    ['promote', () => promote(scene.parts, scene.nameOf('one'), 'stable', scene.key), 'one'],
    ['rollback', () => rollBackChannel(scene.parts, 'stable', scene.key), 'one'],
  ])('of a channel is finished by the next: %s', async (_, change, expected) => {
    await scene.publish('one');
    const before = read('channels/stable.json');
    await scene.publish('two');
    const { sequence } = channel();
    interrupt('channels/stable.json', before);
    await change();
    expect(channel().release).toBe(scene.nameOf(expected));
    expect(channel().sequence).toBeGreaterThanOrEqual(sequence);
    expect(existsSync(inParts('channels/.stable.begun'))).toBe(false);
    await expectSound();
  });

  test('of the channel that is promoted is finished first', async () => {
    await scene.publish('one', 'next');
    const before = read('channels/next.json');
    await scene.publish('two', 'next');
    interrupt('channels/next.json', before);
    expect(await promote(scene.parts, 'next', 'stable', scene.key)).toMatchObject({ release: scene.nameOf('two') });
    await expectSound();
  });

  test('of a release is finished when it is published again', async () => {
    await scene.publish('one');
    const path = `releases/${scene.nameOf('one')}.json`;
    const before = read(path);
    scene.sign(path, (file) => Object.assign(file, { publishedAt: '2020-01-01T00:00:00.000Z' }));
    interrupt(path, before);
    await scene.publish('one');
    expect(release('one').publishedAt).toBe('2020-01-01T00:00:00.000Z');
    await expectSound();
  });

  test('is not finished with what another key signed', async () => {
    await scene.publish('one');
    const before = read('channels/stable.json');
    const other = parseSigningKey(createKeyFiles().secret);
    scene.sign('channels/stable.json', (file) => Object.assign(file, { sequence: 1 }), other);
    const [text, signature] = [read('channels/stable.json'), read('channels/stable.json.minisig')];
    writeFileSync(inParts('channels/stable.json'), before);
    writeFileSync(inParts('channels/.stable.begun'), JSON.stringify({ text, signature }));
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
    const promoted = await promote(scene.parts, 'next', 'stable', scene.key);
    expect(promoted).toMatchObject({ release: scene.nameOf('two'), previous: scene.nameOf('one'), changed: true });
    expect(promoted.sequence).toBeGreaterThan(sequence);
    const rolledBack = await rollBackChannel(scene.parts, 'stable', scene.key);
    expect(rolledBack).toMatchObject({ release: scene.nameOf('one'), previous: null });
    expect(rolledBack.sequence).toBeGreaterThan(promoted.sequence);
    expect([...contents().keys()]).toEqual([...before.keys()]);
    await expectSound();
    expect((await failureOf(rollBackChannel(scene.parts, 'stable', scene.key))).code).toBe('NOTHING_BEFORE');
  });

  test('within a second give files that hosts and rsync tell apart by time and length', async () => {
    await scene.publish('one');
    await scene.publish('two');
    const seen = new Set<string>();
    for (const release of ['one', 'two', 'one', 'two'] as const) {
      const { sequence } = await promote(scene.parts, scene.nameOf(release), 'stable', scene.key);
      for (const name of ['stable.json', 'stable.json.minisig']) {
        const { mtimeMs, size } = statSync(inParts(`channels/${name}`));
        expect(mtimeMs).toBe(sequence * 1000);
        seen.add(`${name} ${Math.floor(mtimeMs / 1000)} ${size}`);
      }
    }
    expect(seen.size).toBe(8);
  });

  test('to what the channel names already writes nothing', async () => {
    await scene.publish('one');
    const before = contents();
    expect(await promote(scene.parts, scene.nameOf('one'), 'stable', scene.key)).toMatchObject({ changed: false });
    expect(contents()).toEqual(before);
  });

  test('of what is not there is refused', async () => {
    await scene.publish('one');
    const other = 'two-0123456789abcdef';
    for (const work of [
      promote(scene.parts, 'nowhere', 'stable', scene.key),
      promote(scene.parts, other, 'stable', scene.key),
      rollBackChannel(scene.parts, 'nowhere', scene.key),
    ]) {
      expect((await failureOf(work)).code).toBe('NOT_PUBLISHED');
    }
    const missing = join(scene.root, 'missing');
    await failureOf(promote(missing, 'next', 'stable', scene.key));
    expect(existsSync(missing)).toBe(false);
  });

  test.each([
    ['years ahead, then right again', 4_000_000_000_000],
    ['years behind', 1_000_000_000],
  ])('under a clock that is %s, the sequence grows', async (_, now) => {
    await scene.publish('one');
    const sequences = [channel().sequence];
    jest.spyOn(Date, 'now').mockReturnValue(now);
    try {
      await scene.publish('two');
      sequences.push(channel().sequence);
    } finally {
      jest.restoreAllMocks();
    }
    await rollBackChannel(scene.parts, 'stable', scene.key);
    sequences.push(channel().sequence);
    expect([...new Set(sequences)].sort((a, b) => a - b)).toEqual(sequences);
    await expectSound();
  });
});

describe('list and prune', () => {
  const names = (releases: readonly ListedRelease[]): string[] => releases.map(({ name }) => name);

  test('list: the newest first, with the channels that name each', async () => {
    await scene.publish('one');
    await scene.publish('two', 'next');
    await promote(scene.parts, 'stable', 'old', scene.key);
    expect(listPublishedReleases(scene.parts)).toEqual([
      expect.objectContaining({ name: scene.nameOf('two'), channels: ['next'] }),
      expect.objectContaining({ name: scene.nameOf('one'), channels: ['old', 'stable'] }),
    ]);
  });

  test('prune removes old releases with the parts that no other has, and nothing that is kept', async () => {
    await scene.publish('one');
    await scene.publish('two');
    await scene.publish('three');
    const own = (name: ReleaseName) =>
      new Set(release(name).parts.flatMap(({ sha256, delta }) => [sha256, ...(delta ? [delta.sha256] : [])]));
    const [one, two, three] = [own('one'), own('two'), own('three')];
    const gone = [...one].filter((sha256) => !two.has(sha256) && !three.has(sha256));
    // "stable" names three, and its rollback would go to two.
    const report = await pruneParts(scene.parts, 1);
    expect(report.removed).toEqual([scene.nameOf('one')]);
    expect(names(report.kept)).toEqual([scene.nameOf('three'), scene.nameOf('two')]);
    expect(report.partsRemoved).toBe(gone.length);
    expect(new Set(readdirSync(inParts('parts')))).toEqual(new Set([...two, ...three].map((sha256) => `${sha256}.br`)));
    await expectSound();
    expect(await rollBackChannel(scene.parts, 'stable', scene.key)).toMatchObject({ release: scene.nameOf('two') });
  });

  test('prune keeps what a channel names, however old, and removes what no release names', async () => {
    await scene.publish('one', 'old');
    await scene.publish('two');
    await scene.publish('three', 'next');
    writeFileSync(inParts(`parts/${'0'.repeat(64)}.br`), 'of a publisher that was killed');
    const report = await pruneParts(scene.parts, 1);
    expect(report).toMatchObject({ removed: [], partsRemoved: 1, bytesFreed: 30 });
    expect(report.kept).toHaveLength(3);
    await expectSound();
  });

  test('prune with a release that it can not read removes nothing', async () => {
    await scene.publish('one');
    await scene.publish('two');
    await scene.publish('three');
    writeFileSync(inParts(`releases/${scene.nameOf('one')}.json`), '{}');
    const before = contents();
    expect((await failureOf(pruneParts(scene.parts, 1))).code).toBe('FILE_INVALID');
    expect(contents()).toEqual(before);
  });

  test('a release whose file alone is gone can be published again', async () => {
    await scene.publish('one');
    renameSync(inParts(`releases/${scene.nameOf('one')}.json`), join(scene.root, 'moved'));
    expect(await scene.publish('one')).toMatchObject({ changed: false, partsWritten: 0 });
    await expectSound();
  });

  test('prune and publishers exclude one another; publishers and promotions do not', async () => {
    await scene.publish('one');
    const fd = openSync(inParts('.parts.lock'), 'a');
    try {
      expect(libc()?.tryLock(fd, 'shared')).toBe('taken');
      expect((await failureOf(pruneParts(scene.parts, 1))).message).toMatch(/^FOLDER_LOCKED: .*; try again/);
      await scene.publish('two');
      await promote(scene.parts, 'stable', 'next', scene.key);
      closeSync(openSync(inParts('.parts.lock'), 'a'));
      expect(libc()?.tryLock(fd, 'exclusive')).toBe('taken');
      for (const work of [
        () => scene.publish('three'),
        () => promote(scene.parts, 'stable', 'next', scene.key),
        () => rollBackChannel(scene.parts, 'stable', scene.key),
      ]) {
        expect((await failureOf(work())).message).toMatch(/^FOLDER_LOCKED: prune removes parts/);
      }
    } finally {
      closeSync(fd);
    }
    expect(channel().release).toBe(scene.nameOf('two'));
  });
});
