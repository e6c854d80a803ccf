/** More connections than a process may have open files: a server says so, takes no more than it can, and lives on. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { connectionsEach, OTHER_FILES } from '../../src/process/open-files.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { createScene, type Scene } from './server-scene.js';

/** Enough for the modules, which node opens all at once at the start, and fewer than CONNECTIONS. */
const LEFT_FILES = 136;
const OPEN_FILES = OTHER_FILES + LEFT_FILES;
const CONNECTIONS = 400;

let scene: Scene;
let sockets: Socket[] = [];
beforeAll(async () => {
  scene = await createScene();
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await scene?.stopAll();
});
afterAll(() => scene?.cleanup());

/** Opens more connections than there may be, one after the other: the first process hands each of them to a worker. */
async function connectAll(port: number): Promise<void> {
  for (let count = 0; count < CONNECTIONS; count++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
  }
}

test.each([1, 2])(
  'a server of WORKERS %i with few open files says so, and takes new connections later',
  async (workers) => {
    const environment = { WORKERS: String(workers), MAX_CONNECTIONS: '1000' };
    const server = await scene.start(environment, { openFiles: OPEN_FILES });
    const [line] = await server.program.waitFor(/^.*ulimit -n.*$/m);
    const expected = { level: 40, maxConnections: 1_000, openFiles: OPEN_FILES, connections: LEFT_FILES * workers };
    expect(JSON.parse(line)).toMatchObject(expected);
    await connectAll(server.port);
    await server.program.waitFor(/"idleCut":[1-9]/);
    for (const socket of sockets) socket.destroy();
    await waitUntil('answers', async () => {
      const headers = { 'x-api-key': scene.key };
      const signal = AbortSignal.timeout(1_000);
      const url = `http://127.0.0.1:${server.port}/v1/countries`;
      const response = await fetch(url, { headers, signal }).catch(() => undefined);
      return response?.status === 200;
    });
    expect(server.program.stdout()).not.toContain('a worker ended');
    expect(server.program.stdout().match(/ulimit -n/g)).toHaveLength(1);
  },
);

test('where there are files enough, nothing is said', async () => {
  const server = await scene.start({ MAX_CONNECTIONS: '36' }, { openFiles: OPEN_FILES });
  await server.untilReady(({ status }) => status === 'ready');
  expect(server.program.stdout()).not.toContain('ulimit');
});

test('each process takes its part of the connections, and leaves files for other things', () => {
  expect(connectionsEach({ maxConnections: 1_000, workers: 3 }, Number.POSITIVE_INFINITY)).toBe(334);
  expect(connectionsEach({ maxConnections: 1_000, workers: 3 }, 334 + OTHER_FILES)).toBe(334);
  expect(connectionsEach({ maxConnections: 1_000, workers: 3 }, 333 + OTHER_FILES)).toBe(333);
  expect(connectionsEach({ maxConnections: 1_000, workers: 3 }, 10)).toBe(1);
});
