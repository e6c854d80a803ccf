/**
 * Hosts that fail, and what they have that is not as signed: the release in service stays, with its file; the error has
 * one line and a code; the work is bounded; and when the host is well again, the next pull succeeds. Each fault of the
 * network is in fetching/download.test.ts.
 */

import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ChannelErrorCode } from '../../src/releases/channel/channel-error.js';
import { createKeyFiles, parseMinisignSigningKey, signWithMinisign } from '../../src/releases/channel/minisign.js';
import type { CompressedFile } from '../../src/releases/files/compressed-file.js';
import { answerWith, type Fault, pourOut, sendFile } from '../fixtures/file-server.js';
import { pauses } from '../fixtures/pauses.js';
import type { ChannelScene } from './channel-scene.js';
import { type HostileHost, startHostileHost } from './hostile-host.js';

const { createChannelScene, failureOf, sourceAt } = await import('./channel-scene.js');

let scene: ChannelScene;
let host: HostileHost;
/** The snapshot of the release that the channel names and that the folder lacks. */
let file: CompressedFile;

const CHANNEL = /^channels\/stable\.json$/;
const SIGNATURE = /^channels\/stable\.json\.minisig$/;
const RELEASE = /^releases\//;
const inHosted = (path: string): string => join(scene.hosted, path);
const pullByHttp = () => scene.pull({ source: sourceAt(host.url) });

beforeAll(async () => {
  scene = await createChannelScene();
  await scene.serve('one');
  await scene.publish('three');
  scene.save();
  file = scene.channel().release.snapshot;
  host = await startHostileHost(scene.hosted);
});
beforeEach(() => {
  scene.restore();
  host.clear();
  pauses.length = 0;
});
afterAll(async () => {
  await host?.stop();
  scene?.remove();
});

/** What is in service, with the identity of its file. */
function served(): object {
  const path = join(scene.served, 'current');
  return { current: readlinkSync(path), inode: statSync(path).ino, changed: statSync(path).ctimeMs };
}

/** Pulls, which must fail with the code, a line like `found`, and no more requests than `most`. */
async function expectFailure(code: ChannelErrorCode, found: RegExp, most = 30): Promise<void> {
  const before = served();
  const error = await failureOf(pullByHttp());
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

async function expectSuccess(): Promise<void> {
  await pullByHttp();
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
});

test('what a host answers is refused and asked for again as in every download: the channel, and the file of a release', async () => {
  for (const paths of [CHANNEL, RELEASE]) {
    scene.restore();
    host.clear();
    host.fault(paths, answerWith(404, {}, 'x'.repeat(100_000)));
    await expectFailure('HOST_FAILED', /: the host answers with status 404; look at the host$/, 8);
    expect(pauses).toEqual([]);
    host.clear();
    host.fault(paths, answerWith(503, { 'retry-after': '7' }), 1);
    await expectSuccess();
    expect(pauses.splice(0)).toEqual([7_000]);
  }
});

test('a text without an end is read no further than it may be', async () => {
  host.fault(CHANNEL, pourOut('HTTP/1.1 200 OK\r\n\r\n', ' '.repeat(1_000)));
  await expectFailure('HOST_FAILED', /is longer than 65536 bytes; look at the host$/, 6);
  await expectRecovery();
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
  const other = parseMinisignSigningKey(createKeyFiles().secret);
  test.each<[string, () => void, RegExp]>([
    ['of another key', () => scene.sign('channels/stable.json', undefined, other), /it is of key [0-9A-F]{16}, not of/],
    ['of the text before a change', () => appendTo('channels/stable.json'), /of another text/],
  ])('%s', async (_, arrange, found) => {
    arrange();
    await expectFailure('SIGNATURE_INVALID', found);
    expect(pauses).toEqual([500, 500, 500]);
  });

  const appendTo = (path: string): void => writeFileSync(inHosted(path), `${readFileSync(inHosted(path), 'utf8')} `);

  test('that are older or newer than their file for a moment', async () => {
    const old = Buffer.from(signWithMinisign('{}', scene.key, 'of another text'));
    host.fault(SIGNATURE, (request, response) => sendFile(request, response, { bytes: old }), 1);
    await expectSuccess();
  });
});
