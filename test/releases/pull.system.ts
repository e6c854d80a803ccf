/** What `pull` does to a folder: from a folder and from a host that serves well. See hostile-hosts.system.ts. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  fstatSync,
  ftruncateSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { rollBack } from '../../build-index/publishing/roll-back-snapshot.js';
import { checksumCheck } from '../../build-index/publishing/snapshot-check.js';
import { changesPath, snapshotPath } from '../../src/releases/channel/channel-file.js';
import type { ChannelSource } from '../../src/releases/fetching/channel-host.js';
import { type PullOptions, pullOnce } from '../../src/releases/fetching/pull.js';
import { readPullState } from '../../src/releases/fetching/pull-state.js';
import { pruneSnapshots } from '../../src/releases/folder/prune-snapshots.js';
import { listPublishedSnapshots } from '../../src/releases/folder/published-folder.js';
import { fakeTimers } from '../fixtures/fake-timers.js';
import { answerWith, type Fault, stallAfter } from '../fixtures/file-server.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { type ChannelScene, createChannelScene, failureOf, sourceAt } from './channel-scene.js';
import { type HostileHost, startHostileHost } from './hostile-host.js';

let scene: ChannelScene;
let host: HostileHost;
const inServed = (name: string): string => join(scene.served, name);
const fileRequests = (): string[] =>
  host.requests.map(({ path }) => path).filter((path) => path.startsWith('releases/'));
const pullByHttp = () => scene.pull({ source: sourceAt(host.url) });

beforeAll(async () => {
  scene = await createChannelScene();
  host = await startHostileHost(scene.hosted);
});
beforeEach(() => {
  scene.restore();
  host.clear();
});
afterAll(async () => {
  await host?.stop();
  scene?.remove();
});

describe('pull', () => {
  test('into an empty folder: one file, and the snapshot in service as publish puts it', async () => {
    const { transferBytes, sequence } = await scene.publish('one');
    const counted: number[][] = [];
    const report = await scene.pull({ source: sourceAt(host.url), onBytes: (...numbers) => counted.push(numbers) });
    expect(report).toEqual({
      ...{ channel: 'stable', release: scene.nameOf('one'), isInService: true, sequence, changed: true },
      ...{ changedAt: expect.any(String), bytesFetched: transferBytes, changesBytesFetched: 0 },
    });
    expect(fileRequests()).toEqual([snapshotPath(scene.nameOf('one'))]);
    expect([counted[0], counted.at(-1)]).toEqual([
      [0, transferBytes],
      [transferBytes, transferBytes],
    ]);
    expect(scene.inService()).toBe('one');
    const name = `${scene.nameOf('one')}.snapshot`;
    const files = ['.lock', '.pull.lock', name, 'current', 'history.json', 'pull.json'];
    expect(readdirSync(scene.served).sort()).toEqual(files.sort());
  });

  test('of the release that is there: no file, and by HTTP one request that is answered with 304', async () => {
    await scene.publish('one');
    await pullByHttp();
    host.clear();
    expect(await pullByHttp()).toMatchObject({ changed: false, isInService: true, bytesFetched: 0 });
    expect(host.requests.map(({ path }) => path)).toEqual(['channels/stable.json']);
    expect(host.requests[0]?.headers['if-none-match']).toMatch(/^"[0-9a-f]{16}"$/);
    // From elsewhere the same etag says nothing.
    expect(await scene.pull()).toMatchObject({ changed: false });
    host.clear();
    expect(await pullByHttp()).toMatchObject({ changed: false });
    expect(host.requests[0]?.headers['if-none-match']).toBeUndefined();
  });

  test('with what it changes: the list stands beside the snapshot before that is in service', async () => {
    await scene.publish('one');
    await pullByHttp();
    await scene.publish('two', 'stable', true);
    expect(scene.release('two').changes?.since).toBe(scene.nameOf('one'));
    const list = inServed(`${scene.nameOf('two')}.changes.ndjson`);
    // The list alone is missing: nothing changes, and the snapshot is not fetched again.
    const path = join(scene.hosted, changesPath(scene.nameOf('two')));
    const bytes = readFileSync(path);
    rmSync(path);
    expect((await failureOf(pullByHttp())).code).toBe('HOST_FAILED');
    expect([scene.inService(), existsSync(list), scene.partials().length]).toEqual(['one', false, 2]);
    writeFileSync(path, bytes);
    expect(await scene.pull()).toMatchObject({ bytesFetched: bytes.length, changesBytesFetched: bytes.length });
    expect(JSON.parse(readFileSync(list, 'utf8').split('\n')[0] as string)).toMatchObject({
      since: 'one',
      release: 'two',
    });
    expect([scene.inService(), scene.partials()]).toEqual(['two', []]);
  });

  test('to and fro between releases that the folder keeps fetches nothing', async () => {
    await scene.serve('one', 'two');
    host.clear();
    await scene.rollBack();
    expect(await pullByHttp()).toMatchObject({ changed: true, bytesFetched: 0 });
    expect(scene.inService()).toBe('one');
    await scene.promote(scene.nameOf('two'));
    expect(await pullByHttp()).toMatchObject({ changed: true, bytesFetched: 0 });
    expect(scene.inService()).toBe('two');
    expect(fileRequests()).toEqual([]);
  });

  test.each([1, 2, 3])('keeps %d snapshots', async (keep) => {
    for (const release of ['one', 'two', 'three'] as const) {
      await scene.publish(release);
      await scene.pull({ keep });
      expect(scene.inService()).toBe(release);
    }
    const expected = ['three', 'two', 'one'].slice(0, keep);
    expect(listPublishedSnapshots(scene.served).map(({ release }) => release)).toEqual(expected);
  });

  test('of a release whose file in the folder is damaged fetches it again', async () => {
    await scene.serve('one', 'three');
    const path = inServed(`${scene.nameOf('one')}.snapshot`);
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(5_000) ^ 1, 5_000);
    rmSync(path);
    writeFileSync(path, bytes);
    await scene.rollBack();
    expect(await pullByHttp()).toMatchObject({ changed: true });
    expect(fileRequests()).toHaveLength(1);
    expect(scene.inService()).toBe('one');
  });

  test('beside a file that is no snapshot and a link to nowhere', async () => {
    await scene.serve('one');
    writeFileSync(inServed('junk-0123456789abcdef.snapshot'), 'junk');
    symlinkSync('nowhere', inServed('gone-0123456789abcdef.snapshot'));
    await scene.publish('two');
    await scene.pull({ keep: 5 });
    expect(scene.inService()).toBe('two');
  });
});

describe('what the folder says', () => {
  beforeEach(async () => {
    await scene.publish('one');
    await scene.publish('two');
  });

  test('a snapshot that the operator put in service stays until the channel changes', async () => {
    await scene.publish('one', 'other');
    await scene.pull({ channel: 'other' });
    await scene.pull();
    await rollBack(scene.served, checksumCheck(silentProgress));
    expect(scene.inService()).toBe('one');
    for (const source of [sourceAt(scene.hosted), sourceAt(host.url), sourceAt(host.url)]) {
      const report = await scene.pull({ source });
      expect(report).toMatchObject({ changed: false, isInService: false, release: scene.nameOf('two') });
      expect(scene.inService()).toBe('one');
    }
    await scene.publish('three');
    expect(await scene.pull()).toMatchObject({ changed: true, isInService: true });
    expect(scene.inService()).toBe('three');
  });

  test.each<[string, () => void]>([
    ['current is gone', () => rmSync(inServed('current'))],
    ['the file in service is gone', () => rmSync(inServed(`${scene.nameOf('two')}.snapshot`))],
    ['the state is gone', () => rmSync(inServed('pull.json'))],
    ['the state is damaged', () => writeFileSync(inServed('pull.json'), '{"sequence":')],
    ['the state is null', () => writeFileSync(inServed('pull.json'), 'null')],
    [
      'the state is of another shape',
      () => writeFileSync(inServed('pull.json'), '{"channel":"stable","sequence":"1"}'),
    ],
    ['the history is gone', () => rmSync(inServed('history.json'))],
  ])('where %s, pull puts it right', async (_, harm) => {
    await pullByHttp();
    harm();
    await pullByHttp();
    expect(scene.inService()).toBe('two');
    expect(readPullState(scene.served, 'stable')).toMatchObject({ release: scene.nameOf('two') });
  });

  test('a lower sequence number is refused also after another channel was followed meanwhile', async () => {
    await scene.publish('one');
    const paths = ['stable.json', 'stable.json.minisig'].map((name) => join(scene.hosted, 'channels', name));
    const read = (): string[] => paths.map((path) => readFileSync(path, 'utf8'));
    const write = (texts: string[]): void => texts.forEach((text, at) => void writeFileSync(paths[at] as string, text));
    const before = read();
    await scene.serve('two');
    await scene.publish('three', 'next');
    expect(await scene.pull({ channel: 'next' })).toMatchObject({ changed: true, release: scene.nameOf('three') });
    const after = read();
    write(before);
    expect((await failureOf(scene.pull())).code).toBe('SEQUENCE_LOWER');
    expect(scene.inService()).toBe('three');
    write(after);
    expect(await scene.pull()).toMatchObject({ changed: true, release: scene.nameOf('two') });
    expect(scene.inService()).toBe('two');
  });

  test('a lower sequence number is refused also where current is gone', async () => {
    await scene.pull();
    rmSync(inServed('current'));
    scene.sign('channels/stable.json', (file) => Object.assign(file, { sequence: 1 }));
    expect((await failureOf(scene.pull())).code).toBe('SEQUENCE_LOWER');
    expect(existsSync(inServed('current'))).toBe(false);
  });

  test('two pulls at once: one is told so, and the other succeeds', async () => {
    const outcomes = await Promise.allSettled([scene.pull(), scene.pull()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(outcomes[1]).toMatchObject({
      reason: { code: 'PULL_RUNNING', message: expect.stringMatching(/let it end$/) },
    });
    expect(scene.inService()).toBe('two');
    await scene.pull();
  });

  test.each([0, 4_000_000_000_000])('the clock says %d: all the same', async (now) => {
    fakeTimers('Date');
    jest.setSystemTime(now);
    try {
      expect(await pullByHttp()).toMatchObject({ changed: true });
      expect(await pullByHttp()).toMatchObject({ changed: false });
    } finally {
      jest.useRealTimers();
    }
    expect(scene.inService()).toBe('two');
    await scene.publish('three');
    await pullByHttp();
    expect(scene.inService()).toBe('three');
  });
});

describe('a pull', () => {
  test('of a release that the folder has keeps its file from a prune that runs meanwhile', async () => {
    await scene.serve('one', 'two');
    await scene.rollBack();
    const check: PullOptions['check'] = async (path) => {
      await pruneSnapshots(scene.served, 1);
      return { id: await checksumCheck(silentProgress)(path) };
    };
    expect(await scene.pull({ check })).toMatchObject({ changed: true, bytesFetched: 0 });
    expect(scene.inService()).toBe('one');
  });

  test('from a folder refuses a pipe, and ends by a signal', async () => {
    await scene.publish('one');
    const path = join(scene.hosted, 'channels', 'stable.json');
    rmSync(path);
    execFileSync('mkfifo', [path]);
    const error = await failureOf(scene.pull());
    expect(error).toMatchObject({ code: 'HOST_FAILED', found: expect.stringContaining('it is no regular file') });
    const stopped = new Error('stopped');
    const source = sourceAt(scene.hosted, AbortSignal.abort(stopped));
    expect(await failureOf(source.readText('channels/stable.json.minisig', 1_000))).toBe(stopped);
  });
});

describe('a pull that stops half-way', () => {
  beforeEach(async () => {
    await scene.serve('one');
    await scene.publish('three');
  });

  /** Brings `count` more bytes. */
  function failingAfter(count: number): ChannelSource {
    const source = sourceAt(scene.hosted);
    return {
      ...source,
      async download(path, length, fd, onBytes) {
        const before = fstatSync(fd).size;
        await source.download(path, length, fd, onBytes);
        ftruncateSync(fd, Math.min(before + count, length));
        throw new Error('no more');
      },
    };
  }

  test.each<[string, (path: string) => void]>([
    ['with other bytes', (path) => writeFileSync(path, readFileSync(path).fill(1))],
    ['cut short', (path) => writeFileSync(path, readFileSync(path).subarray(0, 500))],
    ['grown', (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(900_000, 1)]))],
    ['emptied', (path) => writeFileSync(path, '')],
  ])('and whose partial file is %s afterwards never serves it', async (_, harm) => {
    await failureOf(scene.pull({ source: failingAfter(2_000) }));
    harm(inServed(scene.partials()[0] as string));
    await scene.pull();
    expect([scene.inService(), scene.partials()]).toEqual(['three', []]);
  });

  test.each(['three', 'one'] as const)(
    'follows no link that somebody left for the partial file of %s',
    async (release) => {
      const victim = inServed('precious');
      writeFileSync(victim, 'precious');
      const link = inServed(`.${scene.nameOf(release)}.snapshot.0123456789ab.partial`);
      symlinkSync(victim, link);
      await scene.pull();
      expect(scene.inService()).toBe('three');
      expect(readFileSync(victim, 'utf8')).toBe('precious');
      expect(scene.partials()).toEqual([]);
    },
  );

  test('leaves one partial file, whichever releases were begun', async () => {
    await failureOf(scene.pull({ source: failingAfter(1_000) }));
    await scene.publish('two');
    await failureOf(scene.pull({ source: failingAfter(1_000) }));
    expect(scene.partials()).toEqual([expect.stringContaining(scene.nameOf('two'))]);
    const { bytes } = scene.release('two').snapshot.compressed;
    expect(await pullByHttp()).toMatchObject({ bytesFetched: bytes - 1_000 });
    expect([scene.inService(), scene.partials()]).toEqual(['two', []]);
  });

  test('and whose release was compressed otherwise since does not go on with the bytes before', async () => {
    await failureOf(scene.pull({ source: failingAfter(1_000) }));
    const path = join(scene.hosted, snapshotPath(scene.nameOf('three')));
    const bytes = brotliCompressSync(readFileSync(scene.source('three')), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    });
    writeFileSync(path, bytes);
    const compressed = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    const { release, sequence } = scene.channel();
    scene.sign('channels/stable.json', (file) => {
      Object.assign(file, { sequence: sequence + 1 });
      Object.assign(file, { release: { ...release, snapshot: { ...release.snapshot, compressed } } });
    });
    expect(await scene.pull()).toMatchObject({ bytesFetched: bytes.length });
    expect([scene.inService(), scene.partials()]).toEqual(['three', []]);
  });
});

describe('the time limit of a pull', () => {
  beforeEach(async () => {
    await scene.serve('one');
    await scene.publish('three');
  });

  const pullWithin = (limitMs: number) =>
    pullOnce(
      {
        ...{ address: host.url, key: scene.key, channel: 'stable', folder: scene.served, keep: 2, limitMs },
        check: async () => ({ id: '' }),
      },
      new AbortController().signal,
    );

  test.each<[string, RegExp, Fault, RegExp]>([
    ['a channel', /^channels\/stable\.json$/, stallAfter(3), /longer than 0\.3 s; the next one/],
    ['the file of a release', /^releases\//, stallAfter(3), /longer than 0\.3 s; the next one/],
    ['its next try', /json$/, answerWith(503, { 'retry-after': '100' }), / 0\.3 s; .* 503; /],
    ['a signature', /minisig$/, answerWith(200, {}, 'junk'), / SIGNATURE_INVALID: channels/],
  ])('ends a pull that waits for %s', async (_, paths, fault, message) => {
    host.fault(paths, fault);
    const before = readlinkSync(inServed('current'));
    const error = await failureOf(pullWithin(300));
    expect(error).toMatchObject({ code: 'TIME_LIMIT', message: expect.stringMatching(message) });
    expect(readlinkSync(inServed('current'))).toBe(before);
    host.clear();
    await pullByHttp();
    expect(scene.inService()).toBe('three');
  });

  test('ends one in the middle of what a few bytes expand to', async () => {
    const zeros = Buffer.alloc(64 << 20);
    const compressed = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    const digestOf = (bytes: Buffer) => ({
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const { release } = scene.channel();
    writeFileSync(join(scene.hosted, snapshotPath(release.name)), compressed);
    const snapshot = { ...digestOf(zeros), compressed: digestOf(compressed) };
    scene.sign('channels/stable.json', (file) => Object.assign(file, { release: { ...release, snapshot } }));
    const stop = new AbortController();
    const onBytes = (bytes: number): void => {
      if (bytes === compressed.length) stop.abort(new Error('out of time'));
    };
    const check = jest.fn(async () => ({ id: '' }));
    expect((await failureOf(scene.pull({ signal: stop.signal, onBytes, check }))).message).toBe('out of time');
    expect(check).not.toHaveBeenCalled();
    expect(scene.inService()).toBe('one');
  });
});
