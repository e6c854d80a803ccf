/**
 * What no well-behaved client sends. Whatever arrives, the answer is a 4xx in the envelope with a right
 * content-length, or a closed connection; never a 5xx, a stack trace or a second response.
 */

import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../fixtures/any-character.js';
import {
  decide,
  GOOD_KEY,
  getRaw,
  type RawResponse,
  sendRaw,
  sendRawForText,
  startServer,
  type TestServer,
  UUID,
} from './harness.js';

let running: TestServer;
beforeAll(async () => {
  running = await startServer();
});
afterEach(() => expect(running.logged).toEqual([]));
afterAll(() => running.close());

function expectEnvelope(response: RawResponse, status: number, code: string): void {
  expect([response.status, JSON.parse(response.body)]).toEqual([
    status,
    {
      statusCode: status,
      error: { code, message: expect.any(String) },
      metadata: { correlationId: expect.stringMatching(UUID) },
    },
  ]);
  expect(response.head.toLowerCase()).toContain(`\r\ncontent-length: ${Buffer.byteLength(response.body)}`);
  expect(response.head).toMatch(/\r\nconnection: close/i);
  expect(response.head).toMatch(/\r\nx-content-type-options: nosniff/i);
  expect(response.head).toMatch(/\r\ncache-control: no-store/i);
}

const GOOD_REQUEST = `GET /v1/countries HTTP/1.1\r\nhost: a\r\nx-api-key: ${GOOD_KEY}\r\n\r\n`;

/** Of whole answers, one behind the other. */
function statusesOf(received: string): number[] {
  const statuses: number[] = [];
  for (let rest = received; rest !== ''; ) {
    const [head = '', length = ''] = /^HTTP\/1\.1 \d+ .*?\r\ncontent-length: (\d+).*?\r\n\r\n/is.exec(rest) ?? [];
    if (head === '') throw new Error(`no answer: ${rest}`);
    statuses.push(Number(head.slice(9, 12)));
    const body = Buffer.from(rest.slice(head.length)).subarray(0, Number(length));
    expect(JSON.parse(body.toString())).toMatchObject({ statusCode: statuses.at(-1) });
    rest = rest.slice(head.length + body.toString().length);
  }
  return statuses;
}

describe('refused before Express', () => {
  test.each<[name: string, text: string, status: number, code: string]>([
    ['not HTTP', 'hello\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    [
      'a raw umlaut in the target',
      'GET /v1/autocomplete?q=m\xc3\xbcnchen HTTP/1.1\r\nhost: a\r\n\r\n',
      400,
      'MALFORMED_REQUEST',
    ],
    [
      'two lengths',
      'GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
      'MALFORMED_REQUEST',
    ],
    ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    ['too long a header', `GET / HTTP/1.1\r\nhost: a\r\nb: ${'c'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['a URL beyond all limits', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ])('%s', async (_name, text, status, code) => {
    expectEnvelope(await sendRaw(running.port, text), status, code);
  });

  test('a tunnel whose client goes away at once harms nobody', async () => {
    for (let turn = 0; turn < 20; turn++) {
      const socket = connect(running.port, '127.0.0.1');
      socket.on('error', () => {});
      await new Promise<void>((resolve) => {
        socket.write('CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n', () => resolve());
      });
      socket.resetAndDestroy();
    }
    expect((await getRaw(running.port, '/v1/countries')).status).toBe(200);
  });

  test.each(['garbage\r\n\r\n', 'CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n'])(
    'what is refused behind requests that wait for their answers does not cost these: %j',
    async (refused) => {
      const slow = await startServer({
        check: (key) => new Promise((resolve) => setTimeout(() => resolve(decide(key)), 50)),
      });
      for (const count of [1, 3]) {
        const received = await sendRawForText(slow.port, GOOD_REQUEST.repeat(count) + refused);
        expect(statusesOf(received)).toEqual([...Array(count).fill(200), refused.startsWith('CONNECT') ? 405 : 400]);
      }
      await slow.close();
    },
  );

  test('garbage behind an answered request gets one refusal', async () => {
    expect(statusesOf(await sendRawForText(running.port, `${GOOD_REQUEST}garbage\r\n\r\n`))).toEqual([200, 400]);
  });
});

describe('what stands behind a request on its connection', () => {
  test('an expectation among pipelined requests is not answered in the middle of another answer', async () => {
    const expecting = GOOD_REQUEST.replace('\r\n\r\n', '\r\nexpect: 100-continue\r\n\r\n');
    const received = await sendRawForText(running.port, GOOD_REQUEST.repeat(3) + expecting + GOOD_REQUEST);
    // node closes behind an answer that came instead of "100 Continue": the body may follow, or not.
    expect(statusesOf(received)).toEqual([200, 200, 200, 200]);
    expect(received).not.toMatch(/100 continue/i);
  });

  test('a request is answered once, whatever its body is', async () => {
    const impatient = await startServer();
    Object.assign(impatient.server, { headersTimeout: 100, requestTimeout: 100 });
    const received = await Promise.all(
      [
        ['a length that nothing fills', 'content-length: 10\r\n\r\nabc'],
        ['a chunk that never ends', 'transfer-encoding: chunked\r\n\r\n5\r\nab'],
        ['a chunk that is none', 'transfer-encoding: chunked\r\n\r\nnonsense\r\n'],
        ['a coding that has no end', 'transfer-encoding: gzip\r\n\r\nabc'],
      ].map(async ([name, rest = '']) => {
        const text = await sendRawForText(impatient.port, GOOD_REQUEST.replace(/\r\n$/, rest));
        // No request behind a coding is answered, which its client is told.
        const isTold = /\r\nconnection: close\r\n/i.test(text) === rest.startsWith('transfer');
        return [name, statusesOf(text), isTold];
      }),
    );
    expect(received).toEqual(received.map(([name]) => [name, [200], true]));
    await impatient.close();
  });

  test('a client that closes its half of the connection gets every answer', async () => {
    const slow = await startServer({
      check: (key) => new Promise((resolve) => setTimeout(() => resolve(decide(key)), 20)),
    });
    for (const port of [running.port, slow.port]) {
      const received = await new Promise<string>((resolve) => {
        let text = '';
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
          socket.end(GOOD_REQUEST.repeat(5)),
        );
        socket.on('data', (chunk) => {
          text += chunk;
        });
        socket.once('close', () => resolve(text));
      });
      expect(statusesOf(received)).toEqual([200, 200, 200, 200, 200]);
    }
    await slow.close();
  });

  test.each([
    ['a request for another protocol', 'GET /v1/countries HTTP/1.1\r\nconnection: upgrade\r\nupgrade: h2c\r\n'],
    [
      'a transfer coding of HTTP/1.0',
      'GET /v1/countries HTTP/1.0\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n',
    ],
  ])('%s is answered and ends its connection', async (_name, head) => {
    const request = `${head}host: a\r\nx-api-key: ${GOOD_KEY}\r\n\r\n`;
    const received = await sendRawForText(running.port, request);
    expect(statusesOf(received)).toEqual([200]);
    expect(received).toMatch(/\r\nconnection: close\r\n/i);
  });
});

describe('refused by the app', () => {
  test('a URL of 8,192 characters is read, a longer one is 414', async () => {
    const start = '/v1/countries?x=';
    const longest = start + 'a'.repeat(8192 - start.length);
    expect((await getRaw(running.port, longest)).status).toBe(200);
    expectEnvelope(await getRaw(running.port, `${longest}a`, ''), 414, 'URI_TOO_LONG');
  });

  test('an unknown expectation is ignored', async () => {
    expect((await getRaw(running.port, '/v1/countries', `x-api-key: ${GOOD_KEY}\r\nexpect: miracles\r\n`)).status).toBe(
      200,
    );
  });

  test('a header behind a thousand others is read', async () => {
    const headers = `${'a:b\r\n'.repeat(2_000)}x-api-key: ${GOOD_KEY}\r\n`;
    expect((await getRaw(running.port, '/v1/countries', headers)).status).toBe(200);
  });

  test('the key header sent twice is invalid', async () => {
    const twice = `x-api-key: ${GOOD_KEY}\r\n`.repeat(2);
    expectEnvelope(await getRaw(running.port, '/v1/countries', twice), 401, 'SERVICE_API_KEY_INVALID');
  });

  test.each(['foo://bar', 'http://[bad/', 'mailto://x', '/\\..\\', '/v1/../etc', '/.%2e/'])(
    'the odd target %s is an unknown route',
    async (target) => {
      expectEnvelope(await getRaw(running.port, target, ''), 404, 'ROUTE_NOT_FOUND');
    },
  );

  test.each(['http://a:99999999/', '/#', '/?'])('the odd target %s is the name of the service', async (target) => {
    const { status, body } = await getRaw(running.port, target, '');
    expect([status, JSON.parse(body)]).toMatchObject([200, { data: { description: '/openapi.json' } }]);
  });

  test.each([
    ['/v1/autocomplete?q=', 10_000],
    ['/v1/countries/', 8_000],
    ['/v1/countries/DE/postcodes/', 8_000],
    ['/v1/countries/DE/resolve?path=/', 8_000],
    ['/v1/reverse?lng=1&lat=', 8_000],
  ])('%s with %i characters', async (start, length) => {
    const { status } = await getRaw(running.port, start + '1'.repeat(length));
    expect(status).toBe(length > 8_192 ? 414 : 400);
  });
});

describe('fuzz', () => {
  const bytes = fc.string({
    unit: fc.integer({ min: 0x21, max: 0xff }).map((byte) => String.fromCharCode(byte)),
    maxLength: 60,
  });
  const noise = fc.oneof(
    bytes,
    fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => encodeURIComponent(text)),
    fc.constantFrom(
      '%00',
      '%',
      '%ED%A0%80',
      '[]',
      '[a]',
      '&',
      '=',
      '+',
      '-',
      '1',
      '1e3',
      '__proto__',
      'constructor',
      '',
    ),
  );
  const name = fc.oneof(
    fc.constantFrom(
      'q',
      'lat',
      'lng',
      'country',
      'limit',
      'level',
      'page',
      'pageSize',
      'path',
      'hasPostcodes',
      'recipients',
      'full',
    ),
    noise,
  );
  const query = fc
    .array(fc.tuple(name, fc.array(noise, { maxLength: 3 })), { maxLength: 5 })
    .map((pairs) => pairs.map(([key, values]) => `${key}=${values.join('')}`).join('&'));
  const path = fc.oneof(
    fc.constantFrom(
      '/v1/countries',
      '/v1/countries/DE/places',
      '/v1/countries/DE/resolve',
      '/v1/autocomplete',
      '/v1/reverse',
    ),
    noise.map((value) => `/v1/countries/${value}`),
    noise.map((value) => `/v1/countries/DE/places/${value}/children`),
    noise.map((value) => `/v1/countries/DE/postcodes/${value}`),
    noise.map((value) => `/v1/countries/DE/postcodes/${value}/check`),
    noise.map((value) => `/v1/postcodes/${value}`),
    noise.map((value) => `/v1/countries/DE/places/${value}/postcodes`),
    bytes,
  );

  test('no target yields a 5xx or leaves the envelope', async () => {
    await fc.assert(
      fc.asyncProperty(path, query, async (start, search) => {
        const { status, body } = await getRaw(running.port, `${start}?${search}`);
        expect([200, 400, 404]).toContain(status);
        expect(JSON.parse(body)).toMatchObject({
          statusCode: status,
          metadata: { correlationId: expect.stringMatching(UUID) },
        });
      }),
      { numRuns: 1500, seed: 20_260_301 },
    );
  });
});
