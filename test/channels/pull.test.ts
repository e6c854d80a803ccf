/** What `pull` does to a folder: from a folder and from a host that serves well. See hostile-hosts.test.ts. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { pruneParts } from '../../build-index/publishing/prune-parts.js';
import { checksumCheck } from '../../build-index/publishing/publish-snapshot.js';
import { rollBack } from '../../build-index/publishing/roll-back.js';
import { promote, rollBackChannel } from '../../build-index/publishing/write-channel.js';
import type { ChannelSource } from '../../src/channels/channel-source.js';
import { createFolderSource } from '../../src/channels/folder-source.js';
import type { PullOptions } from '../../src/channels/pull.js';
import { readPullState } from '../../src/channels/pull-state.js';
import { pruneSnapshots } from '../../src/publishing/prune-snapshots.js';
import { flipCurrent } from '../../src/publishing/put-in-service.js';
import { listSnapshots } from '../../src/snapshots/list-snapshots.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { type ChannelScene, createChannelScene, failureOf, httpSource, type ReleaseName } from './channel-scene.js';
import { type HostileHost, startHostileHost } from './hostile-host.js';

let scene: ChannelScene;
let host: HostileHost;
const inServed = (name: string): string => join(scene.served, name);
const partRequests = (): string[] => host.requests.map(({ path }) => path).filter((path) => path.startsWith('parts/'));
const pullByHttp = () => scene.pull({ source: httpSource(host.url) });

beforeAll(async () => {
  scene = await createChannelScene();
  host = await startHostileHost(scene.parts);
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
  test('into an empty folder: every part once, and the snapshot in service as publish puts it', async () => {
    const { partCount, transferBytes, sequence } = await scene.publish('one');
    const events: object[] = [];
    const report = await scene.pull({ source: httpSource(host.url), onTransfer: (event) => events.push(event) });
    expect(report).toEqual({
      ...{ channel: 'stable', release: scene.nameOf('one'), isInService: true, sequence, changed: true },
      ...{ changedAt: expect.any(String), partsFetched: partCount, partsReused: 0, bytesFetched: transferBytes },
      ...{ changesBytesFetched: 0, partsPatched: 0, deltaFailure: null },
    });
    expect(new Set(partRequests()).size).toBe(partRequests().length);
    expect(partRequests().length).toBe(partCount);
    expect(events[0]).toEqual({ total: transferBytes });
    const fetched = (events.slice(1) as { fetched: number }[]).reduce((sum, event) => sum + event.fetched, 0);
    expect(fetched).toBe(transferBytes);
    expect(scene.inService()).toBe('one');
    const name = `${scene.nameOf('one')}.snapshot`;
    const files = ['.lock', '.pull.lock', name, 'current', 'history.json', 'pull.json'];
    expect(readdirSync(scene.served).sort()).toEqual(files.sort());
  });

  test('of the release that is there: no part, and by HTTP one request that is answered with 304', async () => {
    await scene.publish('one');
    await pullByHttp();
    host.clear();
    expect(await pullByHttp()).toMatchObject({ changed: false, isInService: true, partsFetched: 0 });
    expect(host.requests.map(({ path }) => path)).toEqual(['channels/stable.json']);
    expect(host.requests[0]?.headers['if-none-match']).toMatch(/^"[0-9a-f]{16}"$/);
    // From elsewhere the same etag says nothing.
    expect(await scene.pull()).toMatchObject({ changed: false });
    host.clear();
    expect(await pullByHttp()).toMatchObject({ changed: false });
    expect(host.requests[0]?.headers['if-none-match']).toBeUndefined();
  });

  test('of another release: only the parts that the folder lacks', async () => {
    await scene.publish('one');
    await pullByHttp();
    const { partsWritten, partCount } = await scene.publish('two');
    host.clear();
    const report = await pullByHttp();
    expect(report).toMatchObject({ partsFetched: partsWritten, partsReused: partCount - partsWritten });
    expect(partRequests().length).toBe(partsWritten);
    expect(partsWritten).toBeLessThan(partCount);
    expect(scene.inService()).toBe('two');
  });

  test('with what it changes: the list stands beside the snapshot before that is in service', async () => {
    await scene.publish('one');
    await pullByHttp();
    await scene.publish('two', 'stable', true);
    const list = `${scene.nameOf('two')}.changes.ndjson`;
    const published = readFileSync(join(scene.parts, 'releases', list), 'utf8');
    expect(JSON.parse(published.split('\n')[0] as string)).toMatchObject({ since: 'one', release: 'two' });
    // A part of the list alone is missing: nothing changes.
    const { changes } = JSON.parse(readFileSync(join(scene.parts, `releases/${scene.nameOf('two')}.json`), 'utf8'));
    const part = join(scene.parts, 'parts', `${changes.parts[0].sha256}.br`);
    const bytes = readFileSync(part);
    rmSync(part);
    await expect(scene.pull()).rejects.toMatchObject({ code: 'HOST_FAILED' });
    expect([scene.inService(), existsSync(join(scene.served, list))]).toEqual(['one', false]);
    writeFileSync(part, bytes);
    const { bytesFetched, changesBytesFetched } = await scene.pull();
    expect([bytesFetched, changesBytesFetched]).toEqual([bytes.length, bytes.length]);
    expect(readFileSync(join(scene.served, list), 'utf8')).toBe(published);
    expect(scene.inService()).toBe('two');
  });

  test('parts of any snapshot of the folder are used, also of one that is not in service', async () => {
    await scene.publish('one');
    await scene.pull();
    await scene.publish('two');
    await scene.pull();
    await scene.publish('three');
    // AD as in nothing before, LI as in two, which is in service no more.
    flipCurrent(scene.served, `${scene.nameOf('one')}.snapshot`);
    const lacking = await scene.pull({ source: httpSource(host.url) });
    expect(lacking.partsReused).toBeGreaterThan(0);
    expect(partRequests().length).toBe(lacking.partsFetched);
    expect(scene.inService()).toBe('three');
  });

  test('to and fro between releases that the folder keeps fetches nothing', async () => {
    await scene.publish('one');
    await scene.pull();
    await scene.publish('two');
    await scene.pull();
    host.clear();
    await rollBackChannel(scene.parts, 'stable', scene.key);
    expect(await pullByHttp()).toMatchObject({ changed: true, partsFetched: 0, bytesFetched: 0 });
    expect(scene.inService()).toBe('one');
    await promote(scene.parts, scene.nameOf('two'), 'stable', scene.key);
    expect(await pullByHttp()).toMatchObject({ changed: true, partsFetched: 0 });
    expect(scene.inService()).toBe('two');
    expect(partRequests()).toEqual([]);
  });

  test.each([1, 2, 3])('keeps %d snapshots', async (keep) => {
    for (const release of ['one', 'two', 'three'] as const) {
      await scene.publish(release);
      await scene.pull({ keep });
      expect(scene.inService()).toBe(release);
    }
    const expected = ['three', 'two', 'one'].slice(0, keep);
    expect(listSnapshots(scene.served).map(({ release }) => release)).toEqual(expected);
  });

  test('of a release whose file in the folder is damaged fetches what is damaged', async () => {
    await scene.publish('one');
    await scene.pull();
    await scene.publish('three');
    await scene.pull();
    const path = inServed(`${scene.nameOf('one')}.snapshot`);
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(5_000) ^ 1, 5_000);
    rmSync(path);
    writeFileSync(path, bytes);
    await rollBackChannel(scene.parts, 'stable', scene.key);
    expect(await pullByHttp()).toMatchObject({ partsFetched: 1 });
    expect(scene.inService()).toBe('one');
  });

  test('beside a file that is no snapshot and a link to nowhere', async () => {
    await scene.publish('one');
    await scene.pull();
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
    for (const source of [createFolderSource(scene.parts), httpSource(host.url), httpSource(host.url)]) {
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
    const old = ['stable.json', 'stable.json.minisig'].map((name) => join(scene.parts, 'channels', name));
    const oldTexts = old.map((path) => readFileSync(path));
    await scene.publish('two');
    await scene.pull();
    await scene.publish('three', 'next');
    expect(await scene.pull({ channel: 'next' })).toMatchObject({ changed: true, release: scene.nameOf('three') });
    const newTexts = old.map((path) => readFileSync(path));
    old.forEach((path, index) => {
      writeFileSync(path, oldTexts[index] as Buffer);
    });
    expect((await failureOf(scene.pull())).code).toBe('SEQUENCE_LOWER');
    expect(scene.inService()).toBe('three');
    old.forEach((path, index) => {
      writeFileSync(path, newTexts[index] as Buffer);
    });
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

  test('another channel begins with its own sequence number', async () => {
    await scene.publish('one', 'next');
    scene.sign('channels/next.json', (file) => Object.assign(file, { sequence: 1 }));
    await scene.pull();
    expect(await scene.pull({ channel: 'next' })).toMatchObject({ changed: true, sequence: 1 });
    expect(scene.inService()).toBe('one');
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
    jest.useFakeTimers({ now, doNotFake: [...REAL_TIMERS] });
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

/** All but Date. */
const REAL_TIMERS = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

describe('a pull', () => {
  test('of a release that the folder has keeps its file from a prune that runs meanwhile', async () => {
    await scene.publish('one');
    await scene.pull();
    await scene.publish('two');
    await scene.pull();
    await rollBackChannel(scene.parts, 'stable', scene.key);
    const check: PullOptions['check'] = async (path) => {
      await pruneSnapshots(scene.served, 1);
      return { id: await checksumCheck(silentProgress)(path) };
    };
    expect(await scene.pull({ check })).toMatchObject({ changed: true, partsFetched: 0 });
    expect(scene.inService()).toBe('one');
  });

  test('says that the disk is full when it fills up meanwhile', async () => {
    await scene.publish('one');
    const onTransfer = (): never => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const error = await failureOf(scene.pull({ onTransfer }));
    expect(error).toMatchObject({ code: 'NO_SPACE', found: expect.stringMatching(/served: .*ENOSPC/) });
    expect(scene.inService()).toBeUndefined();
  });

  test('from a folder refuses a pipe, and ends by a signal', async () => {
    await scene.publish('one');
    const path = join(scene.parts, 'channels', 'stable.json');
    rmSync(path);
    execFileSync('mkfifo', [path]);
    const error = await failureOf(scene.pull());
    expect(error).toMatchObject({ code: 'HOST_FAILED', found: expect.stringContaining('it is no regular file') });
    const stopped = new Error('stopped');
    const source = createFolderSource(scene.parts, AbortSignal.abort(stopped));
    expect(await failureOf(source.readText('channels/stable.json.minisig', 1_000))).toBe(stopped);
  });
});

describe('a pull that stops half-way', () => {
  beforeEach(async () => {
    await scene.publish('one');
    await scene.pull();
    await scene.publish('three');
  });

  /** Fails at the parts after the first `count`. */
  function failingAfter(count: number): ChannelSource {
    const source = createFolderSource(scene.parts);
    let parts = 0;
    return {
      ...source,
      readInPieces(path, length) {
        if (++parts > count) throw new Error('no more');
        return source.readInPieces(path, length);
      },
    };
  }

  test('goes on where it stopped: the parts that are there are not fetched again', async () => {
    const whole = (await scene.pull({ folder: join(scene.root, 'aside') })).partsFetched;
    rmSync(join(scene.root, 'aside'), { recursive: true });
    const lacking = whole - (await reusable());
    for (let left = lacking; left > 1; left--) {
      expect((await failureOf(scene.pull({ source: failingAfter(1) }))).message).toBe('no more');
      expect(scene.inService()).toBe('one');
      expect(scene.partials()).toHaveLength(1);
    }
    expect(await pullByHttp()).toMatchObject({ changed: true, partsFetched: 1, partsReused: whole - 1 });
    expect(partRequests()).toHaveLength(1);
    expect(scene.inService()).toBe('three');
    expect(scene.partials()).toEqual([]);
  });

  /** The number of parts that the folder has in release one. */
  async function reusable(): Promise<number> {
    const folder = join(scene.root, 'aside');
    cpSync(scene.served, folder, { recursive: true, verbatimSymlinks: true });
    const { partsReused } = await scene.pull({ folder });
    rmSync(folder, { recursive: true });
    return partsReused;
  }

  test.each<[string, (path: string) => void]>([
    ['with other bytes', (path) => writeFileSync(path, readFileSync(path).fill(1))],
    ['cut short', (path) => writeFileSync(path, readFileSync(path).subarray(0, 5_000))],
    ['grown', (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(9_000, 1)]))],
    ['emptied', (path) => writeFileSync(path, '')],
    ['with bytes where there is padding', (path) => writeFileSync(path, withPadding(readFileSync(path)))],
  ])('and whose partial file is %s afterwards never serves it', async (_, harm) => {
    await failureOf(scene.pull({ source: failingAfter(2) }));
    harm(inServed(scene.partials()[0] as string));
    // What lies outside of the parts is found at the end, and the file is made anew by the next pull.
    await scene.pull().catch((error) => expect(error).toMatchObject({ code: 'FILE_DAMAGED' }));
    await scene.pull();
    expect(scene.inService()).toBe('three');
    expect(scene.partials()).toEqual([]);
  });

  /** The last byte before the first section, which begins on a page. */
  function withPadding(bytes: Buffer): Buffer {
    bytes[4_095] = 1;
    return bytes;
  }

  test('leaves one partial file, whichever releases were begun', async () => {
    await failureOf(scene.pull({ source: failingAfter(1) }));
    await rollBackChannel(scene.parts, 'stable', scene.key);
    await scene.publish('two');
    await failureOf(scene.pull({ source: failingAfter(1) }));
    expect(scene.partials()).toHaveLength(1);
    expect(scene.partials()[0]).toContain(scene.nameOf('two'));
    await scene.pull();
    expect(scene.inService()).toBe('two');
    expect(scene.partials()).toEqual([]);
  });

  test('is refused while the release is pruned from the host, and goes on with the next', async () => {
    await promote(scene.parts, scene.nameOf('one'), 'old', scene.key);
    const source = createFolderSource(scene.parts);
    const pruning: ChannelSource = {
      ...source,
      readInPieces() {
        throw new Error('asked for a part');
      },
    };
    expect((await failureOf(scene.pull({ source: pruning }))).message).toBe('asked for a part');
    await pruneParts(scene.parts, 1);
    await scene.pull();
    expect(scene.inService()).toBe('three' satisfies ReleaseName);
  });

  test('by a signal ends at once', async () => {
    const controller = new AbortController();
    const source = createFolderSource(scene.parts);
    const aborting: ChannelSource = {
      ...source,
      readInPieces(path, length) {
        controller.abort(new Error('stopped'));
        return source.readInPieces(path, length);
      },
    };
    expect((await failureOf(scene.pull({ source: aborting, signal: controller.signal }))).message).toMatch(
      /stopped|abort/,
    );
    expect(scene.inService()).toBe('one');
  });
});
