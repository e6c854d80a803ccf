/**
 * `postal-places start` without SNAPSHOT, in a copy of the package with three countries: some are served at once, all of
 * them soon after by the same processes, and at once by the next start. What goes wrong on the way leaves what is served.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { readCurrent } from '../../src/releases/find-snapshot.js';
import { descendantsOf, isRunning, runNode } from '../fixtures/program.js';
import type { ServerProgram } from '../fixtures/server-program.js';
import { createSmallPackage, SMALL_COUNTRIES, SMALL_STARTER, type SmallPackage } from '../fixtures/small-package.js';
import { waitUntil } from '../fixtures/wait-until.js';

const PORTS = { PORT: '0', SITE_PORT: '0', DRAIN_SECONDS: '1' };
const IN_SERVICE = /All 3 countries are in service/;

let small: SmallPackage;
let program: ServerProgram | undefined;
const inPackage = (...names: string[]): string => join(small.root, ...names);

beforeAll(() => {
  small = createSmallPackage({ hasStarter: true });
});
afterEach(async () => {
  await stop();
  rmSync(inPackage('var'), { recursive: true, force: true });
});
afterAll(() => small?.remove());

async function stop(): Promise<void> {
  const pid = program?.process.pid;
  if (pid === undefined) return;
  const processes = [pid, ...descendantsOf(pid)];
  program?.process.kill('SIGTERM');
  await waitUntil('every process to end', () => !processes.some(isRunning));
  program = undefined;
}

/** Starts, and finds the addresses and the key. */
async function start(): Promise<{ readonly api: string; readonly site: string; readonly key: string }> {
  program = small.start(['start'], PORTS);
  const find = async (pattern: RegExp) => (await (program as ServerProgram).waitFor(pattern))[1] as string;
  return {
    api: await find(/Postal Places listens on (\S+)/),
    site: await find(/The site for people is at (\S+)/),
    key: await find(/Demo key: (\S+)/),
  };
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

test('some countries are served at once, then all by the same processes, and all at once by the next start', async () => {
  const running = await start();
  expect(await served(running)).toContain(SMALL_STARTER);
  await program?.waitFor(IN_SERVICE);
  expect(await served(running)).toEqual(ALL);
  for (const name of ['san-marino', 'vatican']) expect((await fetch(`${running.site}/${name}`)).status).toBe(200);
  expect(program?.stdout()).not.toMatch(/listening.*listening.*listening/s);
  await stop();
  const again = await start();
  expect(await served(again)).toEqual(ALL);
  await program?.waitFor(IN_SERVICE);
  // What the first start served is gone with its last reader.
  const places = inPackage('var/places');
  const snapshots = (): string[] => readdirSync(places).filter((name) => name.endsWith('.snapshot'));
  await waitUntil('the pruning', () => snapshots().length === 1);
  expect(snapshots()).toEqual([readCurrent(places)]);
  expect(program?.stderr()).toBe('');
  // A start that was killed before it published: whole, the file is published; damaged since, it is compiled again.
  const name = readCurrent(places) as string;
  const bytes = readFileSync(join(places, name));
  for (const lastByte of bytes.at(-1) === 0 ? [0, 1] : [bytes.at(-1) as number, 0]) {
    await stop();
    rmSync(places, { recursive: true });
    mkdirSync(places);
    writeFileSync(join(places, name), Buffer.concat([bytes.subarray(0, -1), Buffer.from([lastByte])]));
    writeFileSync(join(places, '.world.0123456789ab.partial'), '');
    await start();
    await program?.waitFor(IN_SERVICE);
    expect(readFileSync(join(places, name)).equals(bytes)).toBe(true);
    expect(readdirSync(places).filter((left) => left.endsWith('.partial'))).toEqual([]);
  }
});

test('a command tells how a country is compiled that only the world has', () => {
  const cases = [
    [['nearby', 'SM', '47890'], '--countries SM'],
    [['suggest', 'qqqq, San Marino'], '--country SM'],
    [['lookup', '47890', 'San Marino'], 'lookup SM'],
  ] as const;
  for (const [args, how] of cases) {
    const { exitCode, stderr } = runNode([small.program, ...args], { XDG_CACHE_HOME: inPackage('cache') });
    expect([exitCode, stderr]).toEqual([4, `postal-places: San Marino is not in this snapshot; ${how} compiles it.\n`]);
  }
});

test('starter countries that are damaged are compiled again', async () => {
  const file = inPackage('data/starter.snapshot');
  const sound = readFileSync(file);
  writeFileSync(file, Buffer.from(sound).fill(0xff, 100_000, 100_100));
  try {
    program = small.start(['start'], { ...PORTS, XDG_CACHE_HOME: inPackage('cache') });
    await program.waitFor(IN_SERVICE);
    expect(program.stderr()).toBe('');
  } finally {
    writeFileSync(file, sound);
  }
});

test('a world that is damaged is compiled again', async () => {
  await start();
  await program?.waitFor(IN_SERVICE);
  const places = inPackage('var/places');
  const file = join(places, readCurrent(places) as string);
  const bytes = readFileSync(file);
  await stop();
  // With any other snapshot the programs would serve that.
  for (const name of readdirSync(places).filter((name) => name.endsWith('.snapshot'))) rmSync(join(places, name));
  const middle = bytes.length >> 1;
  writeFileSync(file, Buffer.from(bytes).fill(0xff, middle, middle + 10_000));
  const running = await start();
  expect(await served(running)).toContain(SMALL_STARTER);
  await program?.waitFor(IN_SERVICE);
  expect(await served(running)).toEqual(ALL);
  expect(program?.stderr()).toMatch(/^postal-places: .*damaged.*\n$/);
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test('two starts in one folder both have the world', async () => {
  const both = [0, 1].map(() => small.start(['start'], PORTS));
  try {
    for (const one of both) await one.waitFor(IN_SERVICE);
    expect(both.map((one) => one.stderr())).toEqual(['', '']);
  } finally {
    for (const one of both) one.process.kill('SIGTERM');
    await Promise.all(both.map(({ ended }) => ended));
  }
  expect(readdirSync(inPackage('var/places')).filter((name) => name.includes('partial'))).toEqual([]);
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

test('where nothing can be written the starter countries are served', async () => {
  // Root may write into folders without rights.
  await start();
  await stop();
  rmSync(inPackage('var/places'), { recursive: true });
  writeFileSync(inPackage('var/places'), '');
  const running = await start();
  expect(await served(running)).toEqual([SMALL_STARTER]);
  expect(program?.stderr()).toMatch(/^postal-places: the world can't be compiled here, .*EEXIST.*\n$/);
});

test('on a terminal there are lines for people, and the log is in a file', async () => {
  const script = 'import pty, sys; pty.spawn(sys.argv[1:])';
  const env = { PATH: process.env.PATH, TERM: 'xterm', ...PORTS, SITE_PORT: String(await findFreePort()) };
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
  expect(text).toMatch(/building \d\/3/);
  expect(text).not.toMatch(/INFO|WARN|"level"/);
  const log = readFileSync(inPackage('var/postal-places.log'), 'utf8').trimEnd().split('\n');
  const messages = log.map((line) => JSON.parse(line) as { level: number; msg: string });
  expect(messages.filter(({ msg }) => msg === 'listening')).toHaveLength(2);
  // Port and address differ from those of the release: nobody is warned of that at home.
  expect(messages.filter(({ level }) => level > 30)).toEqual([]);
});
