/** The server program as operators meet it: its first line, its variables, its end. */

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKeyFiles } from '../../src/releases/channel/minisign.js';
import { buildFixtureSnapshot, createTemporaryFolder, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { createStoredKey } from '../fixtures/stored-key.js';

const folder = createTemporaryFolder();
const keysDir = join(folder.path, 'keys');
let fixture: FixtureSnapshot;
let key: string;
const running: ServerProgram[] = [];

beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
  key = await createStoredKey(keysDir);
});

afterAll(async () => {
  for (const program of running) program.process.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  fixture.cleanup();
  folder.remove();
});

function start(environment: Record<string, string> = {}): ServerProgram {
  const program = startServerProgram('serve', {
    PORT: '0',
    SNAPSHOT: fixture.path,
    KEYS_DIR: keysDir,
    ...environment,
  });
  running.push(program);
  return program;
}

async function portOf(program: ServerProgram): Promise<number> {
  const [line] = await program.waitFor(/^.*"msg":"listening".*\n/m);
  return (JSON.parse(line) as { port: number }).port;
}

async function statusOf(port: number, apiKey?: string): Promise<number> {
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  const response = await fetch(`http://127.0.0.1:${port}/v1/countries/LI/postcodes/9490`, { headers });
  await response.arrayBuffer();
  return response.status;
}

describe('a server that starts', () => {
  test.each(['info', 'error', 'silent'])('says its port in the first line of the log, at level %s', async (level) => {
    const program = start({ LOG_LEVEL: level });
    const [line] = await program.waitFor(/^.*\n/);
    expect(JSON.parse(line)).toMatchObject({ host: '127.0.0.1', release: 'fixture', mapped: true, msg: 'listening' });
    expect((JSON.parse(line) as { port: number }).port).toBeGreaterThan(0);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  test('accepts requests with a key, also a key created while it runs', async () => {
    const program = start();
    const port = await portOf(program);
    expect(await statusOf(port)).toBe(401);
    expect(await statusOf(port, 'pp_wrong')).toBe(401);
    expect(await statusOf(port, key)).toBe(200);
    expect(await statusOf(port, await createStoredKey(keysDir))).toBe(200);
    expect(program.stdout()).not.toContain(key);
    program.process.kill('SIGINT');
    expect(await program.ended).toBe(0);
  });
});

const PULLED = {
  SNAPSHOT: 'http://127.0.0.1:9/',
  SNAPSHOT_KEY: createKeyFiles().public.split('\n')[1] as string,
  SNAPSHOT_CACHE: '/nowhere',
};

describe('a server that cannot start says why in one line that names the variable', () => {
  // A value that is not allowed is wrong usage; one that can't be used here is a failure.
  test.each([
    ['PORT', { PORT: '70000' }, 2],
    ['PORT', { PORT: 'http' }, 2],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }, 2],
    ['SNAPSHOT', { SNAPSHOT: '/nowhere/places.snapshot' }, 1],
    ['SNAPSHOT', { SNAPSHOT: import.meta.filename }, 1],
    ['SNAPSHOT_KEY', { SNAPSHOT: 'http://127.0.0.1:9/' }, 2],
    ['SNAPSHOT_KEY', { SNAPSHOT_KEY: PULLED.SNAPSHOT_KEY }, 2],
    ['SNAPSHOT_KEY', { ...PULLED, SNAPSHOT_KEY: '/nowhere/key.pub' }, 1],
    ['SNAPSHOT_CACHE', { ...PULLED, SNAPSHOT_CACHE: import.meta.filename }, 1],
    ['SNAPSHOT_EVERY', { ...PULLED, SNAPSHOT_EVERY: '5 minutes' }, 2],
    ['HOST', { HOST: 'no.such.host.invalid' }, 1],
    ['KEYS_DIR', { KEYS_DIR: import.meta.filename }, 1],
  ])('%s: %j', async (variable, environment, code) => {
    const program = start(environment);
    expect(await program.ended).toBe(code);
    expect(program.stdout()).toBe('');
    expect(program.stderr()).toMatch(new RegExp(`^postal-places: .*${variable}.*\n$`));
  });

  test('no snapshot, and names the subcommands that make one', async () => {
    const program = start({ SNAPSHOT: '/nowhere/places.snapshot' });
    await program.ended;
    expect(program.stderr()).toBe(
      'postal-places: SNAPSHOT: /nowhere/places.snapshot is not there (ENOENT); ' +
        'postal-places build makes a snapshot of what postal-places download fetches\n',
    );
  });

  test('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const program = start({ PORT: String(port) });
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(/^postal-places: .*PORT.*EADDRINUSE.*\n$/);
    other.close();
  });
});

/** Asks over one connection again and again until the server says that it closes it; how often it was answered. */
async function askUntilClosed(port: number, onAnswer: () => void): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (let answers = 1; ; answers++) {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { 'x-api-key': key };
        get({ port, host: '127.0.0.1', path: '/v1/countries', agent, headers }, resolve).on('error', reject);
      });
      response.resume();
      await once(response, 'end');
      onAnswer();
      if (response.headers.connection === 'close') return answers;
    }
  } finally {
    agent.destroy();
  }
}

test('SIGTERM loses no request: the last response of each connection says Connection: close', async () => {
  // Long enough for a test that stands still between two requests.
  const program = start({ DRAIN_SECONDS: '300' });
  const port = await portOf(program);
  const clients: Promise<number>[] = [];
  // A connection that the system has taken in and the server has not is lost by any server that stops.
  const answered = Array.from({ length: 20 }, () => new Promise<void>((r) => clients.push(askUntilClosed(port, r))));
  await Promise.race([Promise.all(answered), Promise.all(clients)]);
  program.process.kill('SIGTERM');
  for (const answers of await Promise.all(clients)) expect(answers).toBeGreaterThan(1);
  expect(await program.ended).toBe(0);
});

test('SIGTERM ends the process also where a peer never finishes its request', async () => {
  const program = start();
  const socket = connect(await portOf(program), '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET /v1/countries HTTP/1.1\r\nHost: a\r\n');
  await new Promise((resolve) => setTimeout(resolve, 200));
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  socket.destroy();
});
