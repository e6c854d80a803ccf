/**
 * The one download against hosts that stall, break off, send too much, too little or something else, and redirect:
 * the file is whole in the end, or the error says why not. A host tells the length of a file, or it is known before.
 */

import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Content, DownloadJob, DownloadOutcome } from '../../../src/releases/fetching/download.js';
import {
  answerWith,
  breakOffAfter,
  type Fault,
  type FileServer,
  ignoreHeaders,
  pourOut,
  type ServedFile,
  sendFile,
  stallAfter,
  startFileServer,
  trickleAfter,
} from '../../fixtures/file-server.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../fixtures/fixture-snapshot.js';
import { pauses } from '../../fixtures/pauses.js';

const { retryableError } = await import('../../../src/base/retry.js');
const { download } = await import('../../../src/releases/fetching/download.js');

const DAY = 'Sat, 28 Mar 2026 01:02:03 GMT';
/** Short enough for tests that wait for it, long enough for a busy machine. */
const STALL_MS = 500;
const BYTES = Buffer.from(Uint32Array.from({ length: 50_000 }, (_, index) => index * 7).buffer);
const FILE: ServedFile = { bytes: BYTES, etag: '"1"', lastModified: DAY };
const TOLD = { maxBytes: 300_000 };
const KNOWN = { length: BYTES.length, maxBytes: BYTES.length };
const MODES = [
  ['whose length the host tells', TOLD],
  ['of known length', KNOWN],
] as const;

let server: FileServer;
let folder: TemporaryFolder;
let path: string;
let fd: number;
/** What the last download was told of the content. */
let content: Content | undefined;

beforeEach(async () => {
  server = await startFileServer();
  server.files.set('file', FILE);
  folder = createTemporaryFolder();
  path = join(folder.path, 'file');
  fd = openSync(path, 'w+');
  content = undefined;
  pauses.length = 0;
});
afterEach(async () => {
  closeSync(fd);
  folder.remove();
  await server.stop();
});

const fileUrl = (): URL => new URL('file', server.url);

/** Downloads into the open file, which must be whole then. */
async function run(options: Partial<DownloadJob> & { readonly maxBytes: number }): Promise<DownloadOutcome> {
  const onContent = (told: Content | undefined): void => {
    content = told;
  };
  const outcome = await download({ ...{ url: fileUrl(), fd, stallMs: 20_000, retries: 2, onContent }, ...options });
  expect(readFileSync(path).equals(server.files.get('file')?.bytes as Buffer)).toBe(true);
  return outcome;
}

const came = (): number => fstatSync(fd).size;
const breakOff = breakOffAfter(50_000, () => came() >= 50_000);
/** A range from the client's start on, under the header that is given for it. */
const rangeOf =
  (rangeFor: (start: number, length: number) => string, headers = {}): Fault =>
  (request, response, { bytes }) => {
    const start = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
    const range = { 'content-range': rangeFor(start, bytes.length), ...headers };
    response.writeHead(206, range).end(bytes.subarray(start));
  };
const ranges = (): unknown[] => server.requests.map(({ headers }) => headers.range);
const redirectTo = (location: string): Fault => answerWith(302, { location });

/** What comes once, with the error if it is the last. */
const FAULTS: readonly [string, Fault, RegExp][] = [
  ['nothing', () => {}, /^nothing came for 0\.5 s$/],
  ['half of it, and then nothing', stallAfter(50_000), /^nothing came for 0\.5 s$/],
  [
    'headers only',
    (request, response, file) => sendFile(request, response, file, () => response.flushHeaders()),
    /^nothing came/,
  ],
  ['byte by byte', trickleAfter(50), /^only \d+ bytes came in \d+ s$/],
  ['a connection that breaks', breakOff, /./],
  [
    'all but the last byte',
    (_, response, { bytes }) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, -1), () => setTimeout(() => response.socket?.destroy(), 30));
    },
    /./,
  ],
  ['a compressed answer', answerWith(200, { 'content-encoding': 'gzip' }, 'xxx'), /^sent it encoded as gzip/],
  ['headers without end', pourOut('HTTP/1.1 200 OK\r\n', 'x-more: and more\r\n'), /header|reset|hang up|EPIPE/i],
  ['bytes that are no HTTP', pourOut('220 mail.test ESMTP\r\n', ''), /./],
  ['no answer', pourOut('', ''), /./],
  ['a part that nobody asked for', answerWith(206, { 'content-range': 'bytes 0-2/3' }, 'xxx'), /status 206$/],
  ['a status without content', answerWith(204), /status 204$/],
  ['"not modified" where no condition was set', answerWith(304), /status 304$/],
  ...[408, 416, 425, 429, 500, 503].map((status): [string, Fault, RegExp] => {
    return [`status ${status}`, answerWith(status), new RegExp(`^the host answers with status ${status}$`)];
  }),
];

describe.each(MODES)('a file %s', (_, mode) => {
  test('is fetched whole by one request', async () => {
    const told: unknown[] = [];
    expect(await run({ ...mode, onBytes: (...numbers) => told.push(numbers) })).toBe('fetched');
    expect([told[0], told.at(-1)]).toEqual([
      [0, BYTES.length],
      [BYTES.length, BYTES.length],
    ]);
    expect(ranges()).toEqual([undefined]);
  });

  test.each(FAULTS)('comes after %s', async (_, fault, message) => {
    server.faults.push(fault);
    await expect(run({ ...mode, stallMs: STALL_MS, retries: 0 })).rejects.toMatchObject({
      name: 'DownloadError',
      message: expect.stringMatching(message),
    });
    server.faults.push(fault);
    expect(['fetched', 'resumed']).toContain(await run({ ...mode, stallMs: STALL_MS, retries: 1 }));
  });

  test('goes on where it stopped, in one run and in the next', async () => {
    server.faults.push(
      breakOff,
      breakOffAfter(30_000, () => came() >= 80_000),
    );
    await expect(run({ ...mode, retries: 1 })).rejects.toThrow(/ \(try 2, the last\)$/);
    expect(await run({ ...mode, content })).toBe('resumed');
    expect(ranges()).toEqual([undefined, 'bytes=50000-', 'bytes=80000-']);
    expect(server.requests.at(-1)?.headers['if-range']).toBe('"1"');
  });

  test.each<[string, Fault]>([
    ['ignores ranges', ignoreHeaders],
    ['can not satisfy the range', answerWith(416, { 'content-range': 'bytes */5' })],
    ['sends another range', rangeOf((start, length) => `bytes ${start + 1}-${length - 1}/${length}`)],
    ['sends a range from the start', rangeOf((_, length) => `bytes 0-${length - 1}/${length}`)],
    ['sends a range of another length', rangeOf((start, length) => `bytes ${start}-${length}/${length + 1}`)],
    ['sends a range that is none', rangeOf(() => 'bytes */*')],
    [
      'sends a range of another content',
      rangeOf((at, length) => `bytes ${at}-${length - 1}/${length}`, { etag: '"0"' }),
    ],
    ['sends several ranges', answerWith(206, { 'content-type': 'multipart/byteranges; boundary=x' }, '--x--')],
    ['sends a part and does not say which', answerWith(206, {}, 'xxx')],
  ])('begins anew where a host %s after it broke off', async (_, fault) => {
    server.faults.push(breakOff, fault);
    expect(await run(mode)).toBe('fetched');
  });

  test('is asked for again where its check finds a fault', async () => {
    const faults = [retryableError('not sound'), retryableError('not sound')];
    const check = async (): Promise<void> => {
      const fault = faults.pop();
      if (fault !== undefined) throw fault;
    };
    expect(await run({ ...mode, check })).toBe('fetched');
    expect(ranges()).toEqual([undefined, undefined, undefined]);
  });

  test('ends by a signal', async () => {
    const stop = new AbortController();
    server.faults.push((request, response, file) => {
      sendFile(request, response, file, (_, body) => response.write(body.subarray(0, 10)));
      stop.abort();
    });
    await expect(run({ ...mode, signal: stop.signal })).rejects.toThrow(/abort/);
  });
});

describe('any file', () => {
  test('waits longer each time, and asks again at most as often as it may', async () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0);
    server.faults.push(...Array.from({ length: 9 }, () => answerWith(503)));
    await expect(run({ ...TOLD, retries: 4 })).rejects.toThrow('the host answers with status 503 (try 5, the last)');
    random.mockRestore();
    expect(pauses).toEqual([500, 1000, 2000, 4000]);
    expect(server.requests).toHaveLength(5);
  });

  test('waits for as long as the host asks, within reason', async () => {
    server.faults.push(answerWith(429, { 'retry-after': '7' }), answerWith(503, { 'retry-after': '86400' }));
    await run(TOLD);
    expect(pauses).toEqual([7000, 120_000]);
  });

  test.each([404, 410, 403, 401])('is not asked for again after status %i', async (status) => {
    server.faults.push(answerWith(status, {}, 'x'.repeat(100_000)));
    await expect(run(TOLD)).rejects.toThrow(`the host answers with status ${status}`);
    expect(server.requests).toHaveLength(1);
  });

  test('follows redirects', async () => {
    server.faults.push(redirectTo('/elsewhere/file'), redirectTo(fileUrl().href));
    expect(await run(TOLD)).toBe('fetched');
  });

  test.each<[string, Fault[]]>([
    ['in a circle', Array.from({ length: 9 }, () => redirectTo('file'))],
    ['to a file', [redirectTo('file:///etc/passwd')]],
    ['to another protocol', [redirectTo('ftp://127.0.0.1/x')]],
    ['to a name and password', [redirectTo('http://user:secret@127.0.0.1/')]],
    ['to no address', [redirectTo('http://[')]],
    ['to nowhere', [answerWith(301)]],
  ])('follows none %s', async (_, faults) => {
    server.faults.push(...faults);
    await expect(run(TOLD)).rejects.toThrow(/^redirects /);
    expect(server.requests.length).toBeLessThanOrEqual(6);
  });

  test('says that nobody listens', async () => {
    const url = new URL('http://127.0.0.1:1/');
    await expect(run({ ...TOLD, url })).rejects.toThrow(/^connect ECONNREFUSED .*\(try 3, the last\)$/);
  });
});

describe('a file whose length the host tells', () => {
  test.each<[string, Partial<ServedFile>, DownloadOutcome]>([
    ['a strong ETag', { etag: '"2"' }, 'resumed'],
    ['a date', { lastModified: DAY }, 'resumed'],
    ['a weak ETag', { etag: 'W/"1"' }, 'fetched'],
    ['a date that is not past', { lastModified: 'Wed, 01 Jan 2200 00:00:00 GMT' }, 'fetched'],
    ['nothing', {}, 'fetched'],
  ])('with %s to tell the content by, after it broke off', async (_, validators, outcome) => {
    server.files.set('file', { bytes: BYTES, ...validators });
    server.faults.push(breakOff);
    expect(await run(TOLD)).toBe(outcome);
  });

  test('begins anew where it has changed since it broke off', async () => {
    server.faults.push(breakOff);
    await expect(run({ ...TOLD, retries: 0 })).rejects.toThrow();
    server.files.set('file', { bytes: Buffer.from(BYTES).reverse(), etag: '"2"' });
    expect(await run({ ...TOLD, content })).toBe('fetched');
  });

  test.each<[string, Fault]>([
    ['announced', answerWith(200, { 'content-length': 1e12 })],
    ['not announced', pourOut('HTTP/1.1 200 OK\r\n\r\n', 'and so on ')],
  ])('is given up at once where it is longer than it may be, %s', async (_, fault) => {
    server.faults.push(fault);
    await expect(run(TOLD)).rejects.toThrow(/^is longer than 300000 bytes$/);
    expect([came(), content, server.requests.length]).toEqual([0, undefined, 1]);
  });
});

describe('a file of known length', () => {
  test('that is there already is not asked for', async () => {
    writeFileSync(path, BYTES);
    expect(await run(KNOWN)).toBe('resumed');
    expect(server.requests).toEqual([]);
  });

  test.each<[string, Fault, RegExp]>([
    ['shorter', answerWith(200, {}, BYTES.subarray(0, -1)), /^ended after 199999 of 200000 bytes$/],
    ['empty', answerWith(200), /^ended after 0 of 200000 bytes$/],
    ['longer', answerWith(200, {}, Buffer.alloc(BYTES.length + 1)), /^sent more than 200000 bytes$/],
    ['endless', pourOut('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(1_000)), /^sent more than 200000 bytes$/],
  ])('comes after one that is %s', async (_, fault, message) => {
    server.faults.push(fault);
    await expect(run({ ...KNOWN, retries: 0 })).rejects.toThrow(message);
    expect(came()).toBeLessThanOrEqual(BYTES.length);
    server.faults.push(fault);
    await run(KNOWN);
  });
});
