/**
 * Every fault of a host: the release in service stays, with its file; the error has one line and a code; the work is
 * bounded; and when the host is well again, the next pull succeeds.
 */

import { cpSync, readdirSync, readFileSync, readlinkSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Network } from '../../src/base/requests.js';
import { type ChannelErrorCode, type CompressedFile, snapshotPath } from '../../src/releases/channel.js';
import { createFolderSource } from '../../src/releases/channel-source.js';
import { createKeyFiles, parseSigningKey, signText } from '../../src/releases/minisign.js';
import { pullOnce } from '../../src/releases/pull.js';
import {
  answerWith,
  breakOffAfter,
  type Fault,
  ignoreHeaders,
  pourOut,
  sendFile,
  stallAfter,
  trickleAfter,
} from '../fixtures/file-server.js';
import { type ChannelScene, createChannelScene, failureOf, type HttpOptions, httpSource } from './channel-scene.js';
import { type HostileHost, startHostileHost } from './hostile-host.js';

let scene: ChannelScene;
let host: HostileHost;
/** The snapshot of the release that the channel names and that the folder lacks. */
let file: CompressedFile;

const CHANNEL = /^channels\/stable\.json$/;
const SIGNATURE = /^channels\/stable\.json\.minisig$/;
const RELEASE = /^releases\//;
const inHosted = (path: string): string => join(scene.hosted, path);
const filePath = (): string => snapshotPath(scene.nameOf('three'));
const pullByHttp = (options: HttpOptions = {}) => scene.pull({ source: httpSource(host.url, options) });

beforeAll(async () => {
  scene = await createChannelScene();
  await scene.publish('one');
  await scene.pull();
  await scene.publish('three');
  scene.save();
  file = scene.channel().release.snapshot;
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

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const padded = (bytes: Buffer, length: number): Buffer => Buffer.concat([bytes, Buffer.alloc(length)], length);

/** What is in service, with the identity of its file. */
function served(): object {
  const path = join(scene.served, 'current');
  return { current: readlinkSync(path), inode: statSync(path).ino, changed: statSync(path).ctimeMs };
}

/** Pulls, which must fail with the code, a line like `found`, and no more requests than `most`. */
async function expectFailure(
  code: ChannelErrorCode,
  found: RegExp,
  { most = 30, ...options }: HttpOptions & { readonly most?: number } = {},
): Promise<void> {
  const before = served();
  const error = await failureOf(pullByHttp(options));
  expect(error.message).toMatch(new RegExp(`^${code}: [^\n]+; [^\n]+$`));
  expect(error.message).toMatch(found);
  expect(error.code).toBe(code);
  expect(host.requests.length).toBeLessThanOrEqual(most);
  expect(served()).toEqual(before);
  expect(scene.inService()).toBe('one');
  expect(scene.partials().length).toBeLessThanOrEqual(1);
  const bytes = scene.partials().map((name) => statSync(join(scene.served, name)).size);
  expect(bytes.every((length) => length <= file.compressed.bytes)).toBe(true);
  expect(readdirSync(scene.served).filter((name) => name.endsWith('.new'))).toEqual([]);
}

async function expectSuccess(options: HttpOptions = {}): Promise<void> {
  await pullByHttp(options);
  expect(scene.inService()).toBe('three');
  expect(scene.partials()).toEqual([]);
}

/** Once the host is well again. */
async function expectRecovery(): Promise<void> {
  host.clear();
  await expectSuccess();
}

describe('the file of a release', () => {
  const flipped: Fault = (request, response, { bytes }) => {
    const wrong = Buffer.from(bytes);
    wrong[bytes.length >> 1] = (wrong[bytes.length >> 1] as number) ^ 1;
    sendFile(request, response, { bytes: wrong });
  };

  test('with a wrong byte: what was fetched is removed', async () => {
    host.fault(RELEASE, flipped);
    await expectFailure(
      'FILE_DAMAGED',
      /releases\/three-\S+\.snapshot\.br of http\S+ has other bytes than were signed; copy/,
    );
    expect(scene.partials()).toEqual([]);
    await expectRecovery();
  });

  test('with a wrong byte once, as of a proxy, is fetched again', async () => {
    host.fault(RELEASE, flipped, 1);
    await expectSuccess();
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['text instead of it', (bytes) => Buffer.alloc(bytes.length, '<h1>Welcome</h1>')],
    [
      'another file of Brotli, padded',
      (bytes) => padded(readFileSync(inHosted(snapshotPath(scene.nameOf('one')))), bytes.length),
    ],
    ['a bomb', (bytes) => padded(brotliCompressSync(Buffer.alloc(30_000_000), FAST), bytes.length)],
  ])('with %s', async (_, change) => {
    host.fault(RELEASE, (request, response, { bytes }) => sendFile(request, response, { bytes: change(bytes) }));
    await expectFailure('FILE_DAMAGED', /has other bytes than were signed/);
    expect(scene.partials()).toEqual([]);
    await expectRecovery();
  });

  test('cut on the host', async () => {
    truncateSync(inHosted(filePath()), file.compressed.bytes - 1);
    await expectFailure('HOST_FAILED', /\(try 3, the last\)/);
    scene.restore();
    await expectRecovery();
  });

  test('emptied on the host', async () => {
    truncateSync(inHosted(filePath()), 0);
    await expectFailure('HOST_FAILED', /ended after 0 of \d+ bytes/);
  });

  test('that is longer than the release says', async () => {
    writeFileSync(inHosted(filePath()), Buffer.alloc(file.compressed.bytes + 1));
    await expectFailure('HOST_FAILED', /sent more than \d+ bytes/);
  });

  test('without an end', async () => {
    host.fault(RELEASE, pourOut('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(1_000)));
    await expectFailure('HOST_FAILED', /sent more than \d+ bytes \(try 3, the last\)/);
    await expectRecovery();
  });

  test('that breaks off goes on where it stopped', async () => {
    const path = new RegExp(`^${filePath()}$`);
    host.fault(path, breakOffAfter(100, hasCome(30)), 1);
    host.fault(path, breakOffAfter(50, hasCome(30)), 1);
    await expectSuccess();
    const ranges = host.requests.filter(({ path }) => path === filePath()).map(({ headers }) => headers.range);
    expect(ranges).toEqual([undefined, 'bytes=100-', 'bytes=150-']);
  });

  test('that breaks off at its last byte is asked for again', async () => {
    const path = new RegExp(`^${filePath()}$`);
    // All that was promised but one byte more.
    const tooLong: Fault = (_, response, { bytes }) => {
      response.writeHead(200, { 'content-length': bytes.length + 1 });
      response.write(bytes, () => setTimeout(() => response.socket?.destroy(), 30));
    };
    host.fault(path, tooLong, 1);
    await expectSuccess();
  });

  test.each<[string, Fault]>([
    ['that ignores ranges', ignoreHeaders],
    ['with another range', rangeOf((start, length) => `bytes ${start + 1}-${length - 1}/${length}`)],
    ['with a range from the start', rangeOf((_, length) => `bytes 0-${length - 1}/${length}`)],
    ['with a range of another length', rangeOf((start, length) => `bytes ${start}-${length}/${length + 1}`)],
    ['with a range that is none', rangeOf(() => 'bytes */*')],
    ['with several ranges', answerWith(206, { 'content-type': 'multipart/byteranges; boundary=x' }, '--x--')],
    ['that has no such range', answerWith(416)],
  ])('of a host %s, after it broke off', async (_, fault) => {
    const path = new RegExp(`^${filePath()}$`);
    host.fault(path, breakOffAfter(100, hasCome(30)), 1);
    host.fault(path, fault, 1);
    await expectSuccess({ retries: 3 });
  });

  test('of a host that always sends another range', async () => {
    host.fault(RELEASE, breakOffAfter(10, hasCome(30)), 1);
    host.fault(
      RELEASE,
      rangeOf((start, length) => `bytes ${start + 1}-${length - 1}/${length}`),
    );
    await expectFailure('HOST_FAILED', /sent another range \(try 3, the last\)/);
    await expectRecovery();
  });

  /** Whether this long has passed since the call, in milliseconds: the client has what was sent. */
  function hasCome(milliseconds: number): () => boolean {
    let startedAt = 0;
    return () => {
      startedAt ||= performance.now();
      return performance.now() > startedAt + milliseconds;
    };
  }

  function rangeOf(rangeFor: (start: number, length: number) => string): Fault {
    return (request, response, { bytes }) => {
      const start = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
      response.writeHead(206, { 'content-range': rangeFor(start, bytes.length) }).end(bytes.subarray(start));
    };
  }
});

describe.each([
  ['a channel', CHANNEL],
  ['a signature', SIGNATURE],
  ['the file of a release', RELEASE],
])('the answer to a request for %s', (_, paths) => {
  test('404', async () => {
    host.fault(paths, answerWith(404, {}, 'x'.repeat(100_000)));
    await expectFailure('HOST_FAILED', /: the host answers with status 404; look at the host$/, { most: 8 });
    await expectRecovery();
  });

  test('500, until it is well', async () => {
    host.fault(paths, answerWith(500), 2);
    const pauses: number[] = [];
    await expectSuccess({ onPause: (pause) => pauses.push(pause) });
    expect(pauses.length).toBeGreaterThan(0);
  });

  test('500 for ever', async () => {
    host.fault(paths, answerWith(500));
    await expectFailure('HOST_FAILED', /status 500 \(try 3, the last\)/);
  });

  test('503 with a time to wait, which is waited for, but not for hours', async () => {
    host.fault(paths, answerWith(503, { 'retry-after': '7' }), 1);
    host.fault(paths, answerWith(503, { 'retry-after': '999999' }), 1);
    const pauses: number[] = [];
    await expectSuccess({ onPause: (pause) => pauses.push(pause) });
    expect(pauses.sort((a, b) => a - b)).toEqual([7_000, 120_000]);
  });

  test('a redirect to itself', async () => {
    host.fault(paths, (request, response) => response.writeHead(302, { location: request.url }).end());
    await expectFailure('HOST_FAILED', /redirects more than 5 times/, { most: 35 });
    await expectRecovery();
  });

  test.each(['ftp://127.0.0.1/x', 'file:///etc/passwd', 'http://user:password@127.0.0.1/', '//'])(
    'a redirect to "%s"',
    async (location) => {
      host.fault(paths, answerWith(301, { location }));
      await expectFailure('HOST_FAILED', /which is not followed/, { most: 10 });
    },
  );

  test('a redirect that is followed', async () => {
    host.fault(paths, (request, response) => response.writeHead(307, { location: `${request.url}` }).end(), 2);
    await expectSuccess();
  });

  test('nothing', async () => {
    host.fault(paths, () => {});
    await expectFailure('HOST_FAILED', /nothing came for 0\.1 s/, { stallMs: 100, retries: 1 });
    await expectRecovery();
  });

  test('half of it, and then nothing', async () => {
    host.fault(paths, stallAfter(20));
    await expectFailure('HOST_FAILED', /nothing came for 0\.1 s/, { stallMs: 100, retries: 1 });
    await expectRecovery();
  });

  test('byte by byte', async () => {
    host.fault(paths, trickleAfter(20));
    await expectFailure('HOST_FAILED', /only \d+ bytes came in|nothing came/, { stallMs: 250, retries: 0 });
  });

  test('no HTTP', async () => {
    host.fault(paths, pourOut('SSH-2.0-OpenSSH_9.2\r\n', ''));
    await expectFailure('HOST_FAILED', /Parse Error|socket hang up/, { retries: 1 });
  });

  test('headers without an end', async () => {
    host.fault(paths, pourOut('HTTP/1.1 200 OK\r\n', 'x-more: and more\r\n'));
    await expectFailure('HOST_FAILED', /Header|Parse Error|ECONNRESET|hang up|EPIPE/i, { retries: 0 });
  });

  test('not modified, which was not asked', async () => {
    host.fault(paths === CHANNEL ? SIGNATURE : paths, answerWith(304));
    await expectFailure('HOST_FAILED', /status 304/);
  });
});

test('a text without an end is read no further than it may be', async () => {
  for (const paths of [CHANNEL, SIGNATURE]) {
    host.clear();
    host.fault(paths, pourOut('HTTP/1.1 200 OK\r\n\r\n', ' '.repeat(1_000)));
    await expectFailure('HOST_FAILED', /is longer than 65536 bytes; look at the host$/, { most: 6 });
  }
  await expectRecovery();
});

test('a redirect of a public host to a private address', async () => {
  const isPublicHost: Network = {
    isPrivate: (address) => !address.startsWith('127.1.'),
    lookup: (_, options, callback) =>
      options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
  };
  const facade = await startHostileHost(scene.hosted, '127.1.0.1');
  const port = new URL(host.url).port;
  try {
    for (const target of [`http://127.0.0.1:${port}/places/`, `http://inside.test:${port}/places/`]) {
      facade.clear();
      facade.fault(RELEASE, (request, response) =>
        response.writeHead(302, { location: target + request.url?.slice('/places/'.length) }).end(),
      );
      const before = served();
      const source = httpSource(facade.url, { network: isPublicHost });
      expect((await failureOf(scene.pull({ source }))).message).toMatch(
        /^HOST_FAILED: .* redirects to .* at the private address 127\.0\.0\.1, which is not followed from a public host/,
      );
      expect(served()).toEqual(before);
      expect(host.requests).toEqual([]);
    }
  } finally {
    await facade.stop();
  }
});

describe('what is signed', () => {
  const sign = (change: object): void => scene.sign('channels/stable.json', (text) => void Object.assign(text, change));
  const signRelease = (change: object): void => sign({ release: { ...scene.channel().release, ...change } });
  const signSnapshot = (change: object): void => signRelease({ snapshot: { ...file, ...change } });

  test.each<[string, () => void, ChannelErrorCode, RegExp]>([
    ['a lower sequence number', () => sign({ sequence: 1 }), 'SEQUENCE_LOWER', /1 for three-.* after \d+ for one-/],
    [
      'the number of the release in service, with another release',
      () => sign({ sequence: stateOf().sequence }),
      'SEQUENCE_LOWER',
      /an old state is shown again/,
    ],
    ['another channel', () => sign({ channel: 'next' }), 'FILE_INVALID', /it is of another channel/],
    ['a sequence number that is none', () => sign({ sequence: 'new' }), 'FILE_INVALID', /sequence/],
    ['a release that is not there', () => signRelease({ name: 'x-0123456789abcdef' }), 'HOST_FAILED', /status 404/],
    ['a later format version', () => signRelease({ formatVersion: 99 }), 'FORMAT_VERSION', /99.*install a newer/],
    ['an earlier format version', () => signRelease({ formatVersion: 1 }), 'FORMAT_VERSION', /publish a new build$/],
    ['another digest of the snapshot', () => signSnapshot({ sha256: 'ab'.repeat(32) }), 'FILE_DAMAGED', /other bytes/],
    [
      'another digest of the compressed file',
      () => signSnapshot({ compressed: { ...file.compressed, sha256: 'ab'.repeat(32) } }),
      'FILE_DAMAGED',
      /other bytes/,
    ],
    ['a shorter snapshot', () => signSnapshot({ bytes: file.bytes - 1 }), 'FILE_DAMAGED', /other bytes/],
    ['a longer snapshot', () => signSnapshot({ bytes: file.bytes + 1 }), 'FILE_DAMAGED', /other bytes/],
  ])('%s', async (_, arrange, code, found) => {
    arrange();
    await expectFailure(code, found);
    // What is signed wrongly is of no use to the next pull.
    if (code === 'FILE_DAMAGED') expect(scene.partials()).toEqual([]);
    scene.restore();
    await expectRecovery();
  });

  const stateOf = (): { sequence: number } =>
    JSON.parse(readFileSync(join(scene.served, 'pull.json'), 'utf8')).channels.stable;
});

describe('signatures', () => {
  test('all that are wrong', async () => {
    const other = parseSigningKey(createKeyFiles().secret);
    const earlier = signText('{}', scene.key, 'of another text');
    const wrong: readonly [() => void, RegExp][] = [
      [() => scene.sign('channels/stable.json', undefined, other), /it is of key [0-9A-F]{16}, not of/],
      [() => writeFileSync(inHosted('channels/stable.json.minisig'), 'junk'), /no signature/],
      [() => writeFileSync(inHosted('channels/stable.json.minisig'), ''), /no signature/],
      [() => writeFileSync(inHosted('channels/stable.json.minisig'), earlier), /of another text/],
      [() => appendTo('channels/stable.json'), /of another text/],
    ];
    // Each has folders of its own, because they all wait for a signature that never comes.
    const pulls = wrong.map(async ([arrange, found], index) => {
      scene.restore();
      arrange();
      const [hosted, folder] = ['hosted', 'served'].map((name) => join(scene.root, `wrong-${index}`, name)) as [
        string,
        string,
      ];
      cpSync(scene.hosted, hosted, { recursive: true });
      cpSync(scene.served, folder, { recursive: true, verbatimSymlinks: true });
      const error = await failureOf(scene.pull({ source: createFolderSource(hosted), folder }));
      expect(error).toMatchObject({ code: 'SIGNATURE_INVALID', message: expect.stringMatching(found) });
      expect(error.message).toMatch(/^SIGNATURE_INVALID: channels\/\S+\.json: [^\n]+; [^\n]+$/);
      expect(readlinkSync(join(folder, 'current'))).toBe(`${scene.nameOf('one')}.snapshot`);
      expect(readdirSync(folder)).toEqual(readdirSync(scene.served));
    });
    await Promise.all(pulls);
  });

  const appendTo = (path: string): void => writeFileSync(inHosted(path), `${readFileSync(inHosted(path), 'utf8')} `);

  test('that are older or newer than their file for a moment', async () => {
    const old = Buffer.from(signText('{}', scene.key, 'of another text'));
    host.fault(SIGNATURE, (request, response) => sendFile(request, response, { bytes: old }), 1);
    await expectSuccess();
  });
});

describe('the time limit of a pull', () => {
  const pullWithin = (limitMs: number, address = host.url) =>
    pullOnce(
      {
        ...{ address, key: scene.key, channel: 'stable', folder: scene.served, keep: 2, limitMs },
        check: async () => ({ id: '' }),
      },
      new AbortController().signal,
    );

  test.each([
    ['a channel', CHANNEL],
    ['the file of a release', RELEASE],
  ])('ends a pull that waits for %s', async (_, paths) => {
    host.fault(paths, stallAfter(3));
    const before = served();
    const error = await failureOf(pullWithin(300));
    expect(error).toMatchObject({
      code: 'TIME_LIMIT',
      message: expect.stringMatching(/longer than 0\.3 s; the next one/),
    });
    expect(served()).toEqual(before);
    await expectRecovery();
  });

  test('ends one that waits before it tries again', async () => {
    host.fault(CHANNEL, answerWith(503, { 'retry-after': '100' }));
    expect((await failureOf(pullWithin(300))).message).toBe(
      'TIME_LIMIT: the pull took longer than 0.3 s; the last failure was: the host answers with status 503; the next one goes on where it stopped',
    );
  });

  test('ends one that waits for a signature', async () => {
    host.fault(SIGNATURE, answerWith(200, {}, 'junk'));
    expect((await failureOf(pullWithin(300))).message).toMatch(
      /^TIME_LIMIT: .*; the last failure was: SIGNATURE_INVALID: channels\/stable\.json: .*; the next one goes on/,
    );
  });

  test('ends one whose host is down, and says that it is', async () => {
    // The discard port, where nothing listens.
    expect((await failureOf(pullWithin(300, 'http://127.0.0.1:9/'))).message).toMatch(
      /^TIME_LIMIT: .*; the last failure was: connect ECONNREFUSED 127\.0\.0\.1:9; /,
    );
  });
});
