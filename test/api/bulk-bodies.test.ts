/**
 * Bodies of bulk requests that are refused, of every kind, and what becomes of their connections: a body is read only for
 * a good key, within its limits of bytes and time, and what is left of a refused one is discarded up to a limit.
 */

import { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { BULK_BODY_TIMEOUT_MS, MAX_BULK_BYTES } from '../../src/api/description/bulk-operation.js';
import { DISCARDING_TIMEOUT_MS } from '../../src/server/chunked-body.js';
import { fakeTimers } from '../fixtures/fake-timers.js';
import { waitUntil } from '../fixtures/wait-until.js';
import {
  bulkHead,
  decide,
  GOOD_KEY,
  postLookups,
  postRaw,
  type RawResponse,
  type SentBulk,
  sendRaw,
  startServer,
  type TestServer,
  utf8,
} from './harness.js';

const LOOKUP = '{"country":"LI","postcode":"9490"}';
const LITTLE_BESIDE =
  'the body must be an object with lookups, a list of 1 to 1,000 lookups, ' +
  'and at most 8,192 characters beside them, spaces too';
const BODY = `{"lookups":[${LOOKUP}]}`;

let costs: number[] = [];
let running: TestServer;
beforeAll(async () => {
  const gate = {
    check(key: string | undefined, cost = 1) {
      costs.push(cost);
      return decide(key, cost);
    },
  };
  running = await startServer(gate);
});
afterAll(() => running?.close());

function codeOf({ body }: RawResponse): string | undefined {
  return JSON.parse(body).error?.code;
}

describe('is refused', () => {
  const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const filled = (bytes: number): string => `${BODY}${' '.repeat(bytes - BODY.length)}`;

  test.each<[name: string, body: string, message: string]>([
    ['an empty one', '', 'the body must be JSON'],
    ['no JSON', 'lookups', 'the body must be JSON'],
    ['a broken end', BODY.slice(0, -1), 'the body must be JSON'],
    ['a list without end', `{"lookups":[${LOOKUP}`, 'the body must be JSON'],
    ['a text without end', `{"lookups":["`, 'the body must be JSON'],
    ['a text behind the end', `${BODY}x`, 'the body must be JSON'],
    ['two values', `${BODY}${BODY}`, 'the body must be JSON'],
    ['a broken lookup', `{"lookups":[${LOOKUP},{"country":]}`, 'the body must be JSON'],
    ['an unquoted key', '{"lookups":[{country:"LI"}]}', 'the body must be JSON'],
    ['a comma too many', `{"lookups":[${LOOKUP},]}`, 'the body must be JSON'],
    ['two commas', `{"lookups":[${LOOKUP},,${LOOKUP}]}`, 'the body must be JSON'],
    ['brackets that do not match', `{"lookups":[{"a":1]]}`, 'the body must be JSON'],
    ['a list that ends as an object', `{"lookups":[${LOOKUP}}}`, 'the body must be JSON'],
    ['NaN', '{"lookups":[{"lat":NaN,"lng":1}]}', 'the body must be JSON'],
    ['a comment', `{"lookups":[${LOOKUP}/* one */]}`, 'the body must be JSON'],
    ['no UTF-8', '{"lookups":[{"q":"M\xfcnchen"}]}', 'the body must be UTF-8'],
    ['an overlong form', '{"lookups":[{"q":"\xc0\xaf"}]}', 'the body must be UTF-8'],
    ['half of a surrogate pair in UTF-8', '{"lookups":[{"q":"\xed\xa0\x80"}]}', 'the body must be UTF-8'],
    ['UTF-16', Buffer.from(BODY, 'utf16le').toString('latin1'), 'the body must be JSON'],
    ['a byte order mark', `\xef\xbb\xbf${BODY}`, 'the body must be JSON without a byte order mark before it'],
    ['a byte order mark alone', '\xef\xbb\xbf', 'the body must be JSON without a byte order mark before it'],
    ['a list', `[${LOOKUP}]`, 'the body must be an object'],
    ['two lists of lookups', `{"lookups":[${LOOKUP}],"lookups":[${LOOKUP}]}`, 'lookups must be given once'],
    ['null', 'null', 'the body must be an object'],
    ['no lookups', '{}', 'lookups is required (a list of 1 to 1,000 lookups)'],
    ['lookups that are no list', '{"lookups":{"0":1}}', 'lookups must be a list of 1 to 1,000 lookups'],
    ['lookups that are a text', '{"lookups":"[]"}', 'lookups must be a list of 1 to 1,000 lookups'],
    ['lookups that are null', '{"lookups":null}', 'lookups must be a list of 1 to 1,000 lookups'],
    ['lookups further in', `{"a":${BODY}}`, 'lookups is required (a list of 1 to 1,000 lookups)'],
    ['__proto__ with lookups', `{"__proto__":${BODY}}`, 'lookups is required (a list of 1 to 1,000 lookups)'],
    ['an empty list', '{"lookups":[ ]}', 'lookups must be a list of 1 to 1,000 lookups; got none'],
    [
      '1,001 lookups',
      `{"lookups":[${`${LOOKUP},`.repeat(1_000)}${LOOKUP}]}`,
      'lookups must be a list of 1 to 1,000 lookups; got more',
    ],
    ['a long lookup', `{"lookups":[1,"${'x'.repeat(8_192)}"]}`, 'lookup 2 is longer than 8,192 characters'],
    ['a deep lookup', `{"lookups":[${lists(5_000)}]}`, 'lookup 1 is longer than 8,192 characters'],
    ['a deep list', lists(131_000), LITTLE_BESIDE],
    ['a deep object', objects(40_000), LITTLE_BESIDE],
    ['a long rest', filled(9_000), LITTLE_BESIDE],
    ['mostly spaces, up to the last byte', filled(MAX_BULK_BYTES), LITTLE_BESIDE],
    ['spaces before the list', `{${' '.repeat(8_192)}"lookups":[${LOOKUP}]}`, LITTLE_BESIDE],
  ])('%s', async (_, body, message) => {
    costs = [];
    const response = await postRaw(running.port, body);
    const { error } = JSON.parse(response.body);
    const param = message.startsWith('the body') ? 'body' : 'lookups';
    const details = [{ param, message, expected: expect.any(String) }];
    expect([response.status, error]).toEqual([400, { code: 'VALIDATION_FAILED', message, details }]);
    expect(error.details[0].expected).toMatch(/^(?:an object|at most|a list|JSON|UTF-8)/);
    expect(costs).toEqual([0, 1]);
  });

  test.each<[name: string, sent: SentBulk, body: string, status: number, code: string]>([
    ['no type', { headers: 'x: y\r\n', type: '' }, BODY, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a form', { type: 'application/x-www-form-urlencoded' }, 'lookups=1', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['plain text, which needs no preflight', { type: 'text/plain' }, BODY, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['another charset', { type: 'application/json; charset=latin1' }, BODY, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['two types', { type: 'application/json, text/plain' }, BODY, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'gzip',
      { headers: 'content-encoding: gzip\r\n' },
      gzipSync(BODY).toString('latin1'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a byte too many', {}, 'x'.repeat(MAX_BULK_BYTES + 1), 413, 'PAYLOAD_TOO_LARGE'],
  ])('%s', async (_, sent, body, status, code) => {
    costs = [];
    const response = await postRaw(running.port, body, sent);
    expect([response.status, codeOf(response)]).toEqual([status, code]);
    expect(costs).toEqual([0, 1]);
  });

  test.each([
    ['two lengths', 'content-length: 40\r\ncontent-length: 41\r\n'],
    ['the same length twice', 'content-length: 40\r\ncontent-length: 40\r\n'],
    ['a length and chunks', 'content-length: 40\r\ntransfer-encoding: chunked\r\n'],
    ['a length that is none', 'content-length: 0x28\r\n'],
    ['a negative length', 'content-length: -1\r\n'],
  ])('%s', async (_, headers) => {
    costs = [];
    const { status, body } = await postRaw(running.port, BODY, { headers });
    expect([status, JSON.parse(body).error.code]).toEqual([400, 'MALFORMED_REQUEST']);
    expect(costs).toEqual([]);
  });

  describe('chunks that are none', () => {
    const head = bulkHead(0, { headers: 'transfer-encoding: chunked\r\n' });

    test.each([
      ['at once', '', 'zz\r\nhello\r\n0\r\n\r\n'],
      ['at once, and no more', '', 'zz\r\n'],
      ['behind a chunk', '1\r\n{\r\n', 'zz\r\n'],
      ['when the key was checked', '1\r\n{\r\n', undefined],
    ])('are 400, close the connection and cost nothing: %s', async (_, before, after) => {
      costs = [];
      const { socket, received, isClosed } = await open(running.port);
      socket.write(`${head}\r\n${before}${after ?? ''}`);
      if (after === undefined) {
        await waitUntil('the key to be checked', async () => costs.length > 0);
        socket.write('zz\r\n');
      }
      await waitUntil('the connection to be closed', async () => isClosed());
      expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
      expect(received()).toMatch(/\r\nconnection: close\r\n/i);
      expect(received()).toContain('"MALFORMED_REQUEST"');
      expect(costs).not.toContain(1);
      expect(running.connections.heldBytes()).toBe(0);
    });

    test('are 400 behind the answers before', async () => {
      const { socket, received, isClosed } = await open(running.port);
      socket.write(`${bulkHead(BODY.length)}\r\n${BODY}${head}\r\nzz\r\n`);
      await waitUntil('the connection to be closed', async () => isClosed());
      expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    });

    test('are no second answer to a request that has one', async () => {
      const { socket, received, isClosed } = await open(running.port);
      socket.write(`${bulkHead(0, { key: 'nobody', headers: 'transfer-encoding: chunked\r\n' })}\r\n1\r\n{\r\n`);
      await waitUntil('the answer', async () => received().includes('SERVICE_API_KEY_INVALID'));
      socket.write('zz\r\n');
      await waitUntil('the connection to be closed', async () => isClosed());
      expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401']);
    });
  });
});

describe('is taken', () => {
  test.each<[name: string, sent: SentBulk, body: string]>([
    ['with a charset', { type: 'application/json; charset=utf-8' }, BODY],
    ['with a charset in quotes and capitals', { type: 'Application/JSON ;charset="UTF-8"' }, BODY],
    ['as it is', { headers: 'content-encoding: identity\r\n' }, BODY],
    ['with white space', {}, `\n{ "lookups"\t:\r\n[ ${LOOKUP} ] }\n`],
    ['in chunks', { headers: 'transfer-encoding: chunked\r\n' }, chunked([BODY.slice(0, 9), BODY.slice(9)])],
    ['with __proto__ in a lookup', {}, `{"lookups":[{"__proto__":{"q":"x"},"country":"LI","postcode":"1"}]}`],
    ['with brackets and escapes in texts', {}, `{"a":"]}\\"[","lookups":[{"country":"LI","postcode":"\\"]},{\\\\"}]}`],
    ['with a byte order mark in a text', {}, `{"lookups":[{"country":"LI","postcode":"\xef\xbb\xbf1"}]}`],
    ['with thousands of spaces', {}, `{"lookups":[${LOOKUP}]}${' '.repeat(8_000)}`],
    ['with another key before', {}, `{"x":{"lookups":[1,2]},"y":["lookups"],"lookups":[${LOOKUP}]}`],
  ])('%s', async (_, sent, body) => {
    const response = await postRaw(running.port, body, sent);
    expect([response.status, codeOf(response)]).toEqual([200, undefined]);
    expect(JSON.parse(response.body).data).toHaveLength(1);
  });

  test('up to the last byte', async () => {
    const lookups = Array.from({ length: 1_000 }, () => ({ country: 'LI', postcode: '9490', x: 'é'.repeat(109) }));
    const text = utf8(JSON.stringify({ lookups }));
    const room = MAX_BULK_BYTES - text.length;
    expect(room).toBeGreaterThan(0);
    expect(room).toBeLessThan(8_000);
    const { status } = await postRaw(running.port, text + ' '.repeat(room), { key: 'unlimited-key' });
    expect(status).toBe(200);
  });

  test('__proto__ gives no lookup a value', async () => {
    const { body } = await postRaw(running.port, `{"__proto__":{"country":"LI"},"lookups":[{"postcode":"1"}]}`);
    expect(JSON.parse(body).data[0].error.message).toMatch(/^country is required/);
    expect(({} as { country?: string }).country).toBeUndefined();
  });
});

function chunked(parts: readonly string[]): string {
  return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
}

/** A connection and what has come on it. */
async function open(port: number): Promise<{ socket: Socket; received: () => string; isClosed: () => boolean }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let isClosed = false;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('close', () => {
    isClosed = true;
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return { socket, received: () => text, isClosed: () => isClosed };
}

describe('a body that does not come in time', () => {
  beforeEach(() => fakeTimers('setTimeout', 'clearTimeout'));
  afterEach(() => void jest.useRealTimers());

  test.each(['', ' '])(
    'is 408, counts once, and closes the connection, also where %j comes again and again',
    async (drop) => {
      costs = [];
      const { socket, received, isClosed } = await open(running.port);
      socket.write(`${bulkHead(100_000)}\r\n{"lookups":`);
      const drops = setInterval(() => socket.write(drop), 20);
      let waitedMs = 0;
      await waitUntil('the connection to be closed', () => {
        jest.advanceTimersByTime(1_000);
        waitedMs += 1_000;
        return isClosed();
      });
      clearInterval(drops);
      expect(waitedMs).toBeGreaterThanOrEqual(BULK_BODY_TIMEOUT_MS);
      expect(received()).toMatch(/^HTTP\/1\.1 408 .*\r\nconnection: close\r\n.*REQUEST_TIMEOUT/is);
      expect(costs).toEqual([0, 1]);
    },
  );

  test('of a client that goes in the middle of its body is forgotten', async () => {
    costs = [];
    const { socket } = await open(running.port);
    socket.write(`${bulkHead(1_000)}\r\n{"lookups":[`);
    await waitUntil('the key to be checked', async () => costs.length > 0);
    socket.resetAndDestroy();
    await waitUntil('the connection to be gone', async () => running.connections.openCount() === 0);
    jest.advanceTimersByTime(2 * BULK_BODY_TIMEOUT_MS);
    expect((await postLookups(running.port, JSON.parse(BODY))).status).toBe(200);
    expect([costs, running.connections.heldBytes()]).toEqual([[0, 0, 1], 0]);
  });
});

describe('a body that is not wanted', () => {
  test('is not read for a bad key, is discarded, and the connection goes on', async () => {
    costs = [];
    const { socket, received, isClosed } = await open(running.port);
    const get = `GET /v1/countries HTTP/1.1\r\nhost: a\r\nx-api-key: ${GOOD_KEY}\r\n\r\n`;
    socket.write(`${bulkHead(600_000, { key: 'nobody' })}\r\n`);
    await waitUntil('the answer', async () => received().includes('SERVICE_API_KEY_INVALID'));
    expect(running.connections.heldBytes()).toBeLessThan(10_000);
    socket.write(' '.repeat(600_000) + get);
    await waitUntil('the next answer', async () => received().includes('HTTP/1.1 200'));
    expect(isClosed()).toBe(false);
    expect(costs).toEqual([0, 1]);
    socket.destroy();
  });

  test.each([
    ['of a bad key', 'nobody', '401'],
    ['that is too long', GOOD_KEY, '413'],
  ])('%s is cut off after a megabyte', async (_, key, status) => {
    const { socket, received, isClosed } = await open(running.port);
    socket.write(`${bulkHead(0, { key, headers: 'transfer-encoding: chunked\r\n' })}\r\n`);
    const piece = `10000\r\n${' '.repeat(65_536)}\r\n`;
    for (let count = 0; count < 64 && !isClosed(); count++) {
      await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await waitUntil('the connection to be cut', async () => isClosed());
    expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test('with a length above the limit is 413 before any of it has come', async () => {
    const { socket, received } = await open(running.port);
    socket.write(`${bulkHead(MAX_BULK_BYTES + 1)}\r\n`);
    await waitUntil('the answer', async () => received().includes('PAYLOAD_TOO_LARGE'));
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });
});

describe('a client that expects 100 Continue', () => {
  const headers = 'expect: 100-continue\r\n';

  test('gets it once its key was found good, then its answer', async () => {
    const { socket, received } = await open(running.port);
    socket.write(`${bulkHead(BODY.length, { headers })}\r\n`);
    await waitUntil('100 Continue', async () => received().startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    socket.write(BODY);
    await waitUntil('the answer', async () => received().includes('HTTP/1.1 200 OK'));
    socket.destroy();
  });

  test.each([
    ['with a bad key', { key: 'nobody', headers }, 10, '401'],
    ['with another type', { type: 'text/plain', headers }, 10, '415'],
    ['with too long a body', { headers }, MAX_BULK_BYTES + 1, '413'],
  ])('does not get it %s', async (_, sent, bytes, status) => {
    const { head } = await sendRaw(running.port, `${bulkHead(bytes, sent)}\r\n`);
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/\r\nconnection: close/i);
  });
});

describe('a body in chunks', () => {
  const long = JSON.stringify({ lookups: Array(50).fill(JSON.parse(LOOKUP)) });
  const parts = (bytes: number): string[] => long.match(new RegExp(`.{1,${bytes}}`, 'g')) ?? [];
  const sent: SentBulk = { key: 'unlimited-key', headers: 'transfer-encoding: chunked\r\n' };

  test.each([1, 16])('of %i bytes is 413, and its connection is closed with no reset', async (bytes) => {
    costs = [];
    const { socket, received, isClosed } = await open(running.port);
    let fault: Error | undefined;
    socket.on('error', (error) => {
      fault = error;
    });
    socket.write(`${bulkHead(0, sent)}\r\n${chunked(parts(bytes))}`);
    await waitUntil('the connection to be closed', async () => isClosed());
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    expect(received()).toMatch(/\r\nconnection: close\r\n/i);
    expect(received()).toContain('PAYLOAD_TOO_LARGE');
    expect([fault, costs]).toEqual([undefined, [0]]);
    await waitUntil('nothing to be held', async () => running.connections.heldBytes() === 0);
  });

  test('is parsed no further once it is refused, and its connection gets a timer', async () => {
    let isRefused = false;
    let decideNow = (): void => {};
    const gate = {
      async check(key: string | undefined, cost = 1) {
        if (cost === 1) {
          isRefused = true;
          await new Promise<void>((resolve) => {
            decideNow = resolve;
          });
        }
        return decide(key, cost);
      },
    };
    const patient = await startServer(gate);
    let served: Socket | undefined;
    patient.server.once('connection', (socket: Socket) => {
      served = socket;
    });
    const pushed = jest.spyOn(IncomingMessage.prototype, 'push');
    const { socket, received } = await open(patient.port);
    const sixtyFour = 'x'.repeat(64);
    const [before, after] = [Array<string>(MAX_BULK_BYTES / 64 + 1).fill(sixtyFour), Array<string>(50_000).fill('x')];
    socket.write(`${bulkHead(0, { ...sent, key: GOOD_KEY })}\r\n${chunked(before).slice(0, -5)}`);
    await waitUntil('the body to be refused', async () => isRefused);
    const count = pushed.mock.calls.length;
    socket.write(chunked(after));
    // Turns in which the server could parse all.
    for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
    const countAfter = pushed.mock.calls.length;
    pushed.mockRestore();
    expect(countAfter - count).toBe(0);
    decideNow();
    await waitUntil('the answer', async () => received().includes('PAYLOAD_TOO_LARGE'));
    expect(served?.timeout).toBe(DISCARDING_TIMEOUT_MS);
    socket.destroy();
    await patient.close();
  });

  test('of 64 bytes is taken', async () => {
    expect((await postRaw(running.port, chunked(parts(64)), sent)).status).toBe(200);
  });

  test.each([
    ['chunks that come', { headers: sent.headers ?? '' }, (part: string) => chunked([part]).slice(0, -5), '0\r\n\r\n'],
    ['bytes of a known length that come', {}, (part: string) => part, ''],
  ])('%s one by one are slow, and taken', async (_, headers, toText, end) => {
    const text = `${BODY}${' '.repeat(60)}`;
    const { socket, received } = await open(running.port);
    socket.setNoDelay(true).write(`${bulkHead(text.length, headers)}\r\n`);
    for (const part of text) {
      socket.write(toText(part));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    socket.write(end);
    await waitUntil('the answer', async () => received().includes('HTTP/1.1 '));
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test('is followed by requests on its connection, in chunks and without', async () => {
    const get = `GET /v1/countries HTTP/1.1\r\nhost: a\r\nx-api-key: unlimited-key\r\n\r\n`;
    const post = `${bulkHead(0, sent)}\r\n${chunked(parts(200))}`;
    const { socket, received } = await open(running.port);
    socket.write(post + get + post + post + get);
    await waitUntil('five answers', async () => received().match(/HTTP\/1\.1 200/g)?.length === 5);
    socket.destroy();
  });

  test.each([
    ['a bad key', 'nobody', 401],
    ['a good key and another type', GOOD_KEY, 415],
  ])('of %s is not parsed', async (_, key, status) => {
    const pushed = jest.spyOn(IncomingMessage.prototype, 'push');
    const response = await postRaw(running.port, chunked(Array(50_000).fill('x')), {
      ...sent,
      key,
      type: 'text/plain',
    });
    const count = pushed.mock.calls.length;
    pushed.mockRestore();
    expect(response.status).toBe(status);
    expect(count).toBe(0);
  });
});

describe('the connection', () => {
  test('holds what has come of a body until the answer, and no more', async () => {
    const { socket, received } = await open(running.port);
    const before = running.connections.heldBytes();
    const text = `{"lookups":[${LOOKUP}${' '.repeat(7_000)}],${' '.repeat(1_000)}`;
    socket.write(`${bulkHead(text.length + 10)}\r\n${text}`);
    await waitUntil('the body to be held', async () => running.connections.heldBytes() - before >= text.length);
    socket.write('"x":"1234"}'.slice(0, 10));
    await waitUntil('the answer', async () => received().includes('HTTP/1.1 400'));
    await waitUntil('nothing to be held', async () => running.connections.heldBytes() === before);
    socket.destroy();
  });
});
