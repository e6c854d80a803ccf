/** More connections than a process may have open files: a server says so, takes no more than it can, and lives on. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { connectionsEach, OTHER_FILES } from '../../src/process/program/connection-limit.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { createScene, type Scene, type Server } from './server-scene.js';

/** Enough for the modules, which node opens all at once at the start, and fewer than CONNECTIONS. */
const LEFT_FILES = 136;
const OPEN_FILES = OTHER_FILES + LEFT_FILES;
const CONNECTIONS = 400;
/** Milliseconds; a process that takes no connections any more never answers. */
const ANSWER_LIMIT_MS = 60_000;

let scene: Scene;
let sockets: Socket[] = [];
beforeAll(async () => {
  scene = await createScene();
});
afterEach(async () => {
  closeAll();
  await scene?.stopAll();
});
afterAll(() => scene?.cleanup());

function closeAll(): void {
  for (const socket of sockets) socket.destroy();
  sockets = [];
}

async function openOne(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function connectAndAsk(port: number): Promise<void> {
  const socket = await openOne(port);
  socket.write(`GET /v1/countries HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${scene.key}\r\n\r\n`);
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const [bytes] = (await once(socket, 'data', { signal })) as [Buffer];
  expect(bytes.toString('latin1', 0, 15)).toBe('HTTP/1.1 200 OK');
}

/** Asks until an answer comes: until then the supervisor hands over what arrived at once, and closes what comes next. */
async function untilAnswered(port: number): Promise<void> {
  for (;;) {
    try {
      return await connectAndAsk(port);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    }
  }
}

/** Opens CONNECTIONS while the process that accepts them stands still; more come at once then than it has files for. */
async function connectToStopped({ program, port }: Server): Promise<void> {
  program.process.kill('SIGSTOP');
  try {
    for (let count = 0; count < CONNECTIONS; count++) await openOne(port);
  } finally {
    program.process.kill('SIGCONT');
  }
}

/** The processes that have logged that they closed idle connections for new ones. */
function cuttingProcesses({ program }: Server): Set<number> {
  const lines = program.stdout().match(/^.*"idleCut":[1-9].*\n/gm) ?? [];
  return new Set(lines.map((line) => (JSON.parse(line) as { pid: number }).pid));
}

test.each([1, 2])('a server of WORKERS %i with few open files says so, and goes on answering', async (workers) => {
  const environment = { WORKERS: String(workers), MAX_CONNECTIONS: '1000' };
  const server = await scene.start(environment, { openFiles: OPEN_FILES });
  const [line] = await server.program.waitFor(/^.*ulimit -n.*$/m);
  const expected = { level: 40, maxConnections: 1_000, openFiles: OPEN_FILES, connections: LEFT_FILES * workers };
  expect(JSON.parse(line)).toMatchObject(expected);
  await connectToStopped(server);
  const isClosed = ({ closed }: Socket): boolean => closed;
  const tooMany = CONNECTIONS - LEFT_FILES * workers;
  await waitUntil('closed connections', () => sockets.filter(isClosed).length >= tooMany);
  closeAll();
  await untilAnswered(server.port);
  // Each connection waits for the answer to the one before: a process has taken that one, so none is lost.
  for (let count = 0; count < CONNECTIONS; count++) await connectAndAsk(server.port);
  await waitUntil('a line of each process', () => cuttingProcesses(server).size === workers);
  expect(server.program.stdout()).not.toContain('a worker ended');
  expect(server.program.stdout().match(/ulimit -n/g)).toHaveLength(1);
});

test('where there are files enough, nothing is said', async () => {
  const server = await scene.start({ MAX_CONNECTIONS: '36' }, { openFiles: OPEN_FILES });
  await server.untilReady(({ status }) => status === 'ready');
  expect(server.program.stdout()).not.toContain('ulimit');
});

test('each process takes its part of the connections', () => {
  expect(connectionsEach({ maxConnections: 100, workers: 3 })).toBe(34);
});
