/**
 * `postal-places start` without SNAPSHOT, in a copy of the package with three countries: some are served at once, all of
 * them soon after by the same processes, and at once by the next start. What goes wrong on the way leaves what is served.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { manifestOf } from '../fixtures/damage.js';
import { descendantsOf, isRunning, runNode } from '../fixtures/program.js';
import type { ServerProgram } from '../fixtures/server-program.js';
import { createSmallPackage, SMALL_COUNTRIES, SMALL_STARTER, type SmallPackage } from '../fixtures/small-package.js';
import { waitUntil } from '../fixtures/wait-until.js';

const IN_SERVICE = /All 3 countries are in service/;

let small: SmallPackage;
let program: ServerProgram | undefined;
const inPackage = (...names: string[]): string => join(small.root, ...names);
const environment = () => ({
  ...{ PORT: '0', SITE_PORT: '0', DRAIN_SECONDS: '1' },
  ...{ XDG_CACHE_HOME: inPackage('cache'), TMPDIR: inPackage('tmp') },
});

beforeAll(() => {
  small = createSmallPackage({ hasStarter: true });
});
beforeEach(() => void mkdirSync(inPackage('tmp')));
afterEach(async () => {
  await stop();
  for (const name of ['var', 'cache', 'tmp']) rmSync(inPackage(name), { recursive: true, force: true });
});
afterAll(() => small?.remove());

/** The files in the cache, and what is in the folder for temporary ones. */
function left(): readonly string[] {
  const [version = ''] = readdirSync(inPackage('cache/postal-places'));
  return [...readdirSync(inPackage('cache/postal-places', version)), ...readdirSync(inPackage('tmp'))];
}

const worldFile = (): string => {
  const [version = ''] = readdirSync(inPackage('cache/postal-places'));
  return inPackage('cache/postal-places', version, 'world.snapshot');
};

async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const pid = program?.process.pid;
  if (pid === undefined) return;
  const processes = [pid, ...descendantsOf(pid)];
  program?.process.kill(signal);
  await waitUntil('every process to end', () => !processes.some(isRunning));
  program = undefined;
}

/** Starts, and finds the addresses and the key. */
async function start(given = {}): Promise<{ readonly api: string; readonly site: string; readonly key: string }> {
  program = small.start(['start'], { ...environment(), ...given });
  const find = async (pattern: RegExp) => (await (program as ServerProgram).waitFor(pattern))[1] as string;
  return {
    api: await find(/Postal Places listens on (\S+)/),
    site: await find(/The site for people is at (\S+)/),
    key: await find(/Demo key: (\S+)/),
  };
}

/** Leaves the cache as a start does that has compiled the world: the first call makes one. */
async function provideWorld(): Promise<void> {
  if (existsSync(inPackage('kept'))) {
    cpSync(inPackage('kept'), inPackage('cache'), { recursive: true });
    return;
  }
  await start();
  await program?.waitFor(IN_SERVICE);
  await stop();
  cpSync(inPackage('cache'), inPackage('kept'), { recursive: true });
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Which of the countries have their code. */
async function served({ api, key }: { readonly api: string; readonly key: string }): Promise<string[]> {
  const found = SMALL_COUNTRIES.map(async ([country, code]) => {
    const headers = { 'x-api-key': key };
    const { status } = await fetch(`${api}/v1/countries/${country}/postcodes/${code}`, { headers });
    return status === 200 ? [country as string] : [];
  });
  return (await Promise.all(found)).flat();
}

const ALL = SMALL_COUNTRIES.map(([country]) => country);

test('a command tells how a country is compiled that only the world has', () => {
  const cases = [
    [['nearby', 'SM', '47890'], '--countries SM'],
    [['suggest', 'qqqq, San Marino'], '--country SM'],
    [['match', 'qqqq, San Marino'], '--country SM'],
    [['lookup', '47890', 'San Marino'], 'lookup SM'],
  ] as const;
  for (const [args, how] of cases) {
    const { exitCode, stderr } = runNode([small.program, ...args], environment());
    expect([exitCode, stderr]).toEqual([4, `postal-places: San Marino is not in this snapshot; ${how} compiles it.\n`]);
  }
});

test('some countries are served at once, then all by the same processes, and all at once by the next start and by a command', async () => {
  const running = await start();
  expect(await served(running)).toContain(SMALL_STARTER);
  await program?.waitFor(IN_SERVICE);
  expect(await served(running)).toEqual(ALL);
  for (const name of ['san-marino', 'vatican']) expect((await fetch(`${running.site}/${name}`)).status).toBe(200);
  expect(program?.stdout()).not.toMatch(/listening.*listening.*listening/s);
  const found = runNode([small.program, 'nearby', 'SM', '47890'], environment());
  expect(found).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('SM') });
  await stop();
  const again = await start();
  expect(await served(again)).toEqual(ALL);
  await program?.waitFor(IN_SERVICE);
  expect(program?.stdout()).not.toMatch(/All countries follow/);
  await stop();
  expect(left()).toEqual(['world.snapshot']);
});

test.each(['SIGKILL', 'SIGINT'] as const)(
  'a start that %s ends while it compiles leaves nothing to mind',
  async (signal) => {
    await start();
    await program?.waitFor(/All countries follow/);
    await waitUntil('the compiler to write', () => {
      return existsSync(inPackage('cache')) && readdirSync(inPackage('cache'), { recursive: true }).length > 2;
    });
    await stop(signal);
    await start();
    await program?.waitFor(IN_SERVICE);
    expect(program?.stderr()).toBe('');
    await stop();
    // Of a killed start a link stays that leads nowhere.
    expect(left().filter((name) => !name.startsWith('postal-places-'))).toEqual(['world.snapshot']);
    if (signal === 'SIGINT') expect(left()).toEqual(['world.snapshot']);
  },
);

test('starter countries that are damaged are compiled again', async () => {
  const file = inPackage('data/starter.snapshot');
  const sound = readFileSync(file);
  // The first page of what every answer needs.
  const offset = manifestOf(sound).sections.find(({ name }) => name === 'place-answers')?.offset ?? 0;
  writeFileSync(file, Buffer.from(sound).fill(0, offset, offset + 4_096));
  try {
    await start();
    await program?.waitFor(IN_SERVICE);
    expect(program?.stderr()).toMatch(/^postal-places: .*starter\.snapshot was damaged, and is compiled again\n$/);
  } finally {
    writeFileSync(file, sound);
  }
});

test.each<[string, (bytes: Buffer) => void]>([
  ['of which a server does not start', (bytes) => bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 10_000)],
  [
    'that only its checksums show',
    (bytes) => {
      const [first] = manifestOf(bytes).sections;
      bytes.writeUInt8(1, (first?.offset ?? 0) + (first?.length ?? 0));
    },
  ],
])('a world with damage %s is compiled again', async (_, damage) => {
  await provideWorld();
  const bytes = readFileSync(worldFile());
  const damaged = Buffer.from(bytes);
  damage(damaged);
  writeFileSync(worldFile(), damaged);
  const running = await start();
  expect(await served(running)).toContain(SMALL_STARTER);
  await program?.waitFor(IN_SERVICE);
  expect(program?.stderr()).toMatch(/^postal-places: .*world\.snapshot was damaged, and is compiled again\n$/);
  expect(readFileSync(worldFile()).equals(bytes)).toBe(true);
  await waitUntil('all countries', async () => (await served(running)).length === ALL.length);
});

test('two starts at once both have the world', async () => {
  const both = [0, 1].map(() => small.start(['start'], environment()));
  try {
    for (const one of both) await one.waitFor(IN_SERVICE);
    expect(both.map((one) => one.stderr())).toEqual(['', '']);
  } finally {
    for (const one of both) one.process.kill('SIGTERM');
    await Promise.all(both.map(({ ended }) => ended));
  }
  expect(left()).toEqual(['world.snapshot']);
});

test('a release that can not be compiled leaves what is served, and the next start goes on', async () => {
  const zip = inPackage('data/starter/SM.zip');
  const sound = readFileSync(zip);
  writeFileSync(zip, 'no zip');
  const running = await start();
  await waitUntil('a message', () => program?.stderr() !== '');
  writeFileSync(zip, sound);
  expect(program?.stderr()).toMatch(/^postal-places: the world is not in service, .*SM\.zip.*\n$/);
  expect(await served(running)).toEqual([SMALL_STARTER]);
  await stop();
  await start();
  await program?.waitFor(IN_SERVICE);
});

test('where nothing can be kept the world is compiled all the same, and where nothing can be written some are served', async () => {
  // Root may write into folders without rights.
  writeFileSync(inPackage('file'), '');
  const unkept = await start({ XDG_CACHE_HOME: inPackage('file') });
  await program?.waitFor(IN_SERVICE);
  expect(await served(unkept)).toEqual(ALL);
  expect(program?.stderr()).toMatch(/^postal-places: what was compiled can't be kept .*XDG_CACHE_HOME.*\n$/);
  await stop();
  expect(readdirSync(inPackage('tmp'))).toEqual([]);
  const unwritten = await start({ XDG_CACHE_HOME: '/proc/none', TMPDIR: '/proc/none' });
  expect(await served(unwritten)).toEqual([SMALL_STARTER]);
  expect(program?.stderr()).toMatch(/^postal-places: only what is compiled already can be served here: .*ENOENT.*\n$/);
});

test('on a terminal there are lines for people, and the log is in a file', async () => {
  const script = 'import pty, sys; pty.spawn(sys.argv[1:])';
  const env = { PATH: process.env.PATH, TERM: 'xterm', ...environment(), SITE_PORT: String(await findFreePort()) };
  const terminal = spawn('python3', ['-c', script, process.execPath, small.program, 'start'], {
    cwd: small.root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  terminal.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  try {
    await waitUntil('the world', () => IN_SERVICE.test(text));
  } finally {
    const processes = descendantsOf(terminal.pid as number);
    for (const pid of processes) process.kill(pid, 'SIGTERM');
    await waitUntil('every process to end', () => !processes.some(isRunning));
  }
  expect(text).toMatch(/Postal Places listens on.*Demo key: pp_.*curl -H/s);
  expect(text).toMatch(/The log is in .*All countries follow, this once\r?\nAll 3 countries are in service/s);
  expect(text).not.toMatch(/INFO|WARN|"level"/);
  const log = readFileSync(inPackage('var/postal-places.log'), 'utf8').trimEnd().split('\n');
  const messages = log.map((line) => JSON.parse(line) as { level: number; msg: string });
  expect(messages.filter(({ msg }) => msg === 'listening')).toHaveLength(2);
  // Port and address differ from those of the release: nobody is warned of that at home.
  expect(messages.filter(({ level }) => level > 30)).toEqual([]);
});
