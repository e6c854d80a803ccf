/**
 * The guards of the public servers: each attack is made on the API's server and on the site's, beside a visitor who must
 * not notice. What the guards do inside a connection is in server-connections.test.ts.
 */

import { IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { MAX_DISCARDED_BYTES } from '../../src/server/chunked-body.js';
import type { ConnectionLimits, Connections } from '../../src/server/server-connections.js';
import { createSiteServer } from '../../src/site/site-server.js';
import { GOOD_KEY, sendRaw, startServer } from '../api/harness.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { createSite } from '../site/site-scene.js';

interface Target {
  readonly server: Server;
  readonly port: number;
  readonly connections: Connections;
  /** What must stay empty: errors in the log. */
  readonly logged: readonly object[];
  close(): Promise<void>;
}

interface Options {
  readonly connectionLimits?: ConnectionLimits;
}

let snapshot: Snapshot;
beforeAll(async () => {
  snapshot = await openFixture(HAND_MADE_ROWS);
});

async function startApi(options: Options): Promise<Target> {
  return await startServer(undefined, options);
}

async function startSite(options: Options): Promise<Target> {
  const site = createSite(snapshot);
  const { server, connections } = createSiteServer(site.app, options);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    port: (server.address() as { port: number }).port,
    connections,
    logged: site.logger.lines,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

describe.each([
  ['the API', startApi, '/v1/countries', 'application/json; charset=utf-8'],
  ['the site', startSite, '/andorra', 'text/plain; charset=utf-8'],
] as const)('%s', (_name, start, path, refusalType) => {
  let running: Target | undefined;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await running?.close();
    expect(running?.logged).toEqual([]);
    running = undefined;
  });

  const headOf = (method: string): string => `${method} ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${GOOD_KEY}\r\n`;

  async function begin(options: Options = {}): Promise<Target> {
    running = await start(options);
    return running;
  }

  /** A client that bears whatever the server does to it. */
  function open({ port }: Target): Promise<Socket> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.on('error', () => {});
      sockets.push(socket);
    });
  }

  async function visit({ port }: Target): Promise<number> {
    return (await sendRaw(port, `${headOf('GET')}connection: close\r\n\r\n`)).status;
  }

  const closed = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      if (socket.destroyed) resolve();
      else socket.resume().once('close', () => resolve());
    });

  test('idle connections give way to a visitor', async () => {
    const target = await begin({ connectionLimits: { maxConnections: 20 } });
    for (let count = 0; count < 40; count++) await open(target);
    expect(await visit(target)).toBe(200);
    expect(target.connections.openCount()).toBeLessThanOrEqual(20);
    expect(target.connections.refusedCount()).toBe(0);
  });

  test('headers that do not come in time are 408, and so is a body', async () => {
    const target = await begin();
    // The server looks at slow requests every five seconds.
    Object.assign(target.server, { headersTimeout: 100, requestTimeout: 100 });
    const slow = await open(target);
    slow.write(`${headOf('GET')}content-length: 10\r\n\r\nabc`);
    const { status, head } = await sendRaw(target.port, 'GET / HTTP/1.1\r\nhost: a\r\n');
    expect([status, head]).toEqual([408, expect.stringContaining(`\r\ncontent-type: ${refusalType}`)]);
    await closed(slow);
  });

  test.each([
    ['a length', 'content-length: 1000000000\r\n'],
    ['chunks', 'transfer-encoding: chunked\r\n'],
    ['chunks of one byte', 'transfer-encoding: chunked\r\n'],
    ['chunks of one byte with long extensions', 'transfer-encoding: chunked\r\n'],
  ])('a body of a gigabyte, by %s, is refused and not read to its end', async (kind, header) => {
    const target = await begin();
    const hostile = await open(target);
    let received = '';
    hostile.on('data', (text) => {
      received += text;
    });
    const parts: Readonly<Record<string, string>> = {
      'a length': 'x'.repeat(1 << 20),
      chunks: `100000\r\n${'x'.repeat(1 << 20)}\r\n`,
      'chunks of one byte': '1\r\nx\r\n'.repeat((1 << 20) / 6),
      'chunks of one byte with long extensions': `1;${'e'.repeat(8_000)}\r\nx\r\n`.repeat(132),
    };
    const bytes = Buffer.from(parts[kind] as string);
    hostile.write(`${headOf('POST')}${header}\r\n`);
    let sentParts = 0;
    while (!hostile.destroyed && sentParts < 100) {
      // A part counts once the kernel has it all, for which the server must go on reading.
      await new Promise<void>((resolve) => void hostile.write(bytes, () => resolve()));
      sentParts++;
    }
    await closed(hostile);
    // Beside what is discarded, only what fits into the kernel's buffers was taken.
    expect(sentParts).toBeLessThan(32);
    expect(sentParts << 20).toBeGreaterThanOrEqual(MAX_DISCARDED_BYTES);
    expect(received).toMatch(/^HTTP\/1\.1 405 /);
    expect(await visit(target)).toBe(200);
  });

  test('a refused body in 100,000 chunks is not parsed, and its sender gets the whole answer', async () => {
    const target = await begin();
    const pushed = jest.spyOn(IncomingMessage.prototype, 'push');
    const { status, head } = await sendRaw(
      target.port,
      `${headOf('PUT')}transfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(100_000)}0\r\n\r\n`,
    );
    const count = pushed.mock.calls.length;
    pushed.mockRestore();
    expect([status, head]).toEqual([405, expect.stringMatching(/\r\nconnection: close/i)]);
    expect(count).toBe(0);
    expect(await visit(target)).toBe(200);
  });

  test('a body in chunks of a request with Upgrade is refused', async () => {
    const target = await begin();
    const head = `${headOf('GET')}connection: upgrade\r\nupgrade: h2c\r\ntransfer-encoding: chunked\r\n\r\n`;
    expect((await sendRaw(target.port, `${head}0\r\n\r\n`)).status).toBe(400);
  });

  test.each<[name: string, request: string, status: number]>([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a raw umlaut', 'GET /m\xfc HTTP/1.1\r\nhost: a\r\n\r\n', 400],
    ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n', 405],
    ['too long a header', `GET / HTTP/1.1\r\nhost: a\r\nb: ${'c'.repeat(20_000)}\r\n\r\n`, 431],
    ['too long a URL', `GET /${'a'.repeat(8_192)} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`, 414],
    ['no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['two hosts', 'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n', 400],
    ['two hosts in HTTP/1.0', 'GET / HTTP/1.0\r\nhost: a\r\nHOST: a\r\n\r\n', 400],
    ['a target without a path', 'GET mailto://x HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 404],
  ])('%s is refused in the form of this server', async (_kind, request, status) => {
    const target = await begin();
    const response = await sendRaw(target.port, request);
    expect(response.status).toBe(status);
    expect(response.head).toMatch(/\r\nx-content-type-options: nosniff/i);
    expect(response.head).toMatch(/\r\ncache-control: no-store/i);
    expect(response.head.toLowerCase()).toContain(`\r\ncontent-length: ${Buffer.byteLength(response.body)}`);
  });

  test('a drain lets requests end, and closes connections that are idle', async () => {
    const target = await begin();
    const idle = await open(target);
    expect(await visit(target)).toBe(200);
    await target.connections.drain(5);
    await closed(idle);
    expect(target.connections.openCount()).toBe(0);
  });
});
