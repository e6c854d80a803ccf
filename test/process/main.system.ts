/** The server program as operators meet it: its first line, its variables, its end. */

import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKeyFiles } from '../../src/releases/channel/minisign.js';
import { buildFixtureSnapshot, createTemporaryFolder, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { originOf, type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
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
  return Number(new URL(await originOf(program)).port);
}

async function statusOf(port: number, apiKey?: string): Promise<number> {
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  const response = await fetch(`http://127.0.0.1:${port}/v1/countries/LI/postcodes/9490`, { headers });
  await response.arrayBuffer();
  return response.status;
}

describe('a server that starts', () => {
  /** What the first line of the log says. */
  const LISTENING = { host: '127.0.0.1', port: expect.any(Number), release: 'fixture', mapped: true, msg: 'listening' };
  async function firstLineOf(program: ServerProgram): Promise<{ port: number }> {
    const [line] = await program.waitFor(/^.*\n/);
    return JSON.parse(line);
  }

  test.each(['error', 'silent'])('says its port in the first line of the log, at level %s', async (level) => {
    const program = start({ LOG_LEVEL: level });
    const line = await firstLineOf(program);
    expect(line).toMatchObject(LISTENING);
    expect(line.port).toBeGreaterThan(0);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  test('says so at level info too, and accepts requests with a key, also a key created while it runs', async () => {
    const program = start({ LOG_LEVEL: 'info' });
    const line = await firstLineOf(program);
    expect(line).toMatchObject(LISTENING);
    const { port } = line;
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
    ['SNAPSHOT', { SNAPSHOT: import.meta.filename }, 1],
    ['SNAPSHOT: .*postal-places build', { SNAPSHOT: '/nowhere/places.snapshot' }, 1],
    ['SNAPSHOT_KEY', { SNAPSHOT: 'http://127.0.0.1:9/' }, 2],
    ['SNAPSHOT_KEY', { ...PULLED, SNAPSHOT_KEY: '/nowhere/key.pub' }, 1],
    ['SNAPSHOT_CACHE', { ...PULLED, SNAPSHOT_CACHE: import.meta.filename }, 1],
    ['HOST', { HOST: 'no.such.host.invalid' }, 1],
    ['KEYS_DIR', { KEYS_DIR: import.meta.filename }, 1],
  ])('%s: %j', async (variable, environment, code) => {
    const program = start(environment);
    expect(await program.ended).toBe(code);
    expect(program.stdout()).toBe('');
    expect(program.stderr()).toMatch(new RegExp(`^postal-places: .*${variable}.*\n$`));
  });
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
