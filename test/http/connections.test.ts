/** How many connections there may be, and what becomes of peers that do not read. */
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { type ConnectionLimits, type Connections, watchConnections } from '../../src/http/connections.js';
import { waitUntil } from '../fixtures/wait-until.js';

/** More than the buffers of two sockets hold. */
const LARGE = Buffer.alloc(32 << 20, 'x');

let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function start(limits: ConnectionLimits): Promise<Connections> {
  server = createServer((request, response) => response.end(request.url === '/large' ? LARGE : 'small'));
  const connections = watchConnections(server, limits);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return connections;
}

function open(): Promise<Socket> {
  const { port } = server.address() as { port: number };
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
    sockets.push(socket);
  });
}

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

function ask(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
  return new Promise((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
}

test('connections beyond the limit are closed, and there is room again when one goes', async () => {
  const connections = await start({ maxConnections: 2 });
  const [one, two] = [await open(), await open()];
  for (const socket of [one, two]) expect(await ask(socket, '/')).toMatch(/small$/);
  const third = await open();
  third.resume();
  await closed(third);
  expect([connections.openCount(), connections.refusedCount()]).toEqual([2, 1]);
  expect(await ask(one, '/')).toMatch(/small$/);
  one.destroy();
  await waitUntil('the idle connection to close', () => connections.openCount() === 1);
  expect(await ask(await open(), '/')).toMatch(/small$/);
});

test('who does not read the answer is cut off; who waits with the next question is not', async () => {
  const connections = await start({ maxConnections: 10, readingTimeoutMs: 100 });
  const idle = await open();
  expect(await ask(idle, '/')).toMatch(/small$/);
  const lazy = await open();
  lazy.pause();
  lazy.write('GET /large HTTP/1.1\r\nhost: a\r\n\r\n');
  await waitUntil('both connections', () => connections.openCount() === 2);
  await waitUntil('one connection to close', () => connections.openCount() === 1);
  expect(await ask(idle, '/')).toMatch(/small$/);
});
