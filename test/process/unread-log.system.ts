/**
 * A log that nobody reads: a pipe that is full, one whose reader is gone, a full disk and a terminal that stands still.
 * Requests are answered all the same, what is dropped is counted and told of, and each program ends when it is told to.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants as files, openSync, readSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  buildFixtureSnapshot,
  createTemporaryFolder,
  type FixtureSnapshot,
  type TemporaryFolder,
} from '../fixtures/fixture-snapshot.js';
import { compiled } from '../fixtures/program.js';
import { waitUntil } from '../fixtures/wait-until.js';

/** Far longer than the second for which an end waits for the log. */
const END_LIMIT_MS = 20_000;
/** Each is answered by a refusal, and logged with all of this: nearly as long as a URL may be, so that few fill a log. */
const LONG_QUERY = 'x=~'.repeat(2_600);

let fixture: FixtureSnapshot;
let folder: TemporaryFolder;
/** The process group of the program that runs. */
let group: number | undefined;
beforeAll(async () => {
  folder = createTemporaryFolder();
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
});
afterEach(() => {
  try {
    if (group !== undefined) process.kill(-group, 'SIGKILL');
  } catch (error) {
    // It has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
});
afterAll(() => {
  fixture.cleanup();
  folder.remove();
});

interface Started {
  stderr(): string;
  /** Resolves with the exit code, or the signal. Rejects where the process does not end in time. */
  stop(): Promise<unknown>;
}

type Output = 'pipe' | number;

function start(program: string, environment: Record<string, string>, stdout: Output, command = ['env']): Started {
  const [first = '', ...args] = [...command, process.execPath, compiled(), program];
  const started = spawn(first, args, {
    env: {
      PATH: process.env.PATH,
      ...{ SNAPSHOT: fixture.path, KEYS_DIR: join(folder.path, 'keys'), ACCESS_LOG: '1', ACCOUNTS: 'off' },
      ...{ PORT: '0', ADMIN_PORT: '0', SITE_PORT: '0', SITE_ADMIN_PORT: '0' },
      ...environment,
    },
    stdio: ['ignore', stdout, 'pipe'],
    detached: true,
  });
  group = started.pid;
  let stderr = '';
  started.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(started, 'exit');
  return {
    stderr: () => stderr,
    async stop(): Promise<unknown> {
      started.kill('SIGTERM');
      const [code, signal] = await Promise.race([ended, wait(END_LIMIT_MS, ['it did not end'], { ref: false })]);
      return code ?? signal;
    },
  };
}

/** The reading end of a pipe that only what is asked for is read from. */
class Pipe {
  readonly path = join(folder.path, `pipe-${performance.now()}`);
  readonly #fd: number;
  text = '';

  constructor() {
    execFileSync('mkfifo', [this.path]);
    this.#fd = openSync(this.path, files.O_RDONLY | files.O_NONBLOCK);
  }

  /** Reads until a line matches. */
  async readUntil(pattern: RegExp): Promise<string> {
    return await waitUntil(`${pattern}`, () => {
      this.read();
      return pattern.exec(this.text)?.[0];
    });
  }

  read(): void {
    const bytes = Buffer.alloc(65_536);
    try {
      for (let count = -1; count !== 0; ) {
        count = readSync(this.#fd, bytes);
        this.text += bytes.toString('latin1', 0, count);
      }
    } catch (error) {
      // It is empty.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

async function startOnPipe(
  program: string,
  environment: Record<string, string> = {},
): Promise<Started & { pipe: Pipe; port: number; adminPort: number }> {
  const pipe = new Pipe();
  const writer = openSync(pipe.path, 'w');
  const started = start(program, environment, writer);
  closeSync(writer);
  const { port, adminPort } = JSON.parse(await pipe.readUntil(/^.*"msg":"listening".*$/m));
  return { ...started, pipe, port, adminPort };
}

/** Number of requests under way at a time. */
const REQUESTS_AT_ONCE = 10;

/** Makes requests, and returns how many were answered in time. */
async function countAnswers(port: number, count: number): Promise<number> {
  let [asked, answered] = [0, 0];
  const ask = async (): Promise<void> => {
    while (asked++ < count) {
      const url = `http://127.0.0.1:${port}/v1/countries?${LONG_QUERY}`;
      // A connection for each: workers get them in turn.
      const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(5_000) };
      if (!(await fetch(url, options).catch(() => undefined))) return;
      answered++;
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, ask));
  return answered;
}

async function countDropped(adminPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return Number(/^postal_places_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

test.each(['1', '2'])(
  'WORKERS=%s: a full pipe drops lines, which are counted, and told of when it flows again',
  async (workers) => {
    const { port, adminPort, pipe, stop } = await startOnPipe('serve', { WORKERS: workers });
    const requests = 175 * Number(workers);
    expect(await countAnswers(port, requests)).toBe(requests);
    const dropped = await countDropped(adminPort);
    expect(dropped).toBeGreaterThan(0);
    // Each process keeps a megabyte, which is most of what it writes here.
    expect(dropped).toBeLessThan(requests / 2);
    const toldCount = (): number =>
      [...pipe.text.matchAll(/"dropped":(\d+),"msg":"lines of the log were dropped/g)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    await waitUntil('the lines to be told of', () => {
      pipe.read();
      return toldCount() === dropped;
    });
    const lines = pipe.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(requests - dropped);
    // More than the pipe takes: the end does not wait for a reader.
    expect(await countAnswers(port, 25)).toBe(25);
    expect(await stop()).toBe(0);
    pipe.close();
  },
);

test.each(['serve', 'site'])('%s answers and ends where the reader of its log is gone', async (program) => {
  const { port, pipe, stop, stderr } = await startOnPipe(program);
  pipe.close();
  expect(await countAnswers(port, 20)).toBe(20);
  expect(await stop()).toBe(0);
  expect(stderr()).toMatch(/^postal-places: the log can't be written \(EPIPE[^\n]*\n$/);
});

test('a full disk is told of once, and ends nothing', async () => {
  const full = openSync('/dev/full', 'w');
  const { stop, stderr } = start('serve', {}, full);
  closeSync(full);
  await waitUntil('the message', () => stderr() !== '');
  expect(await stop()).toBe(0);
  expect(stderr()).toMatch(/^postal-places: the log can't be written \(ENOSPC[^\n]*\n$/);
});

/** Runs its arguments on a terminal that is never read, and ends with the exit code. */
const ON_TERMINAL = `
import pty, signal, subprocess, sys
terminal, end = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=end)
signal.signal(signal.SIGTERM, lambda *_: child.terminate())
sys.exit(child.wait() & 255)
`;

/** Runs its arguments, and lets all writes to standard output wait, as a process does that shares it. */
const ON_WAITING_OUTPUT = `
import os, signal, subprocess, sys
child = subprocess.Popen(sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: child.terminate())
while True:
    os.set_blocking(1, True)
    try: sys.exit(child.wait(0.01) & 255)
    except subprocess.TimeoutExpired: pass
`;

test.each([
  ['a terminal that stands still', ['python3', '-c', ON_TERMINAL], 0],
  ['a socket that is not read', ['env'], 0],
  // A thread that waits would keep the process for ever.
  ['a socket that another process lets wait', ['python3', '-c', ON_WAITING_OUTPUT], 256 - constants.signals.SIGKILL],
])('%s holds up neither requests nor the end', async (_, command, code) => {
  const port = await findFreePort();
  const { stop } = start('serve', { PORT: String(port) }, 'pipe', command);
  await waitUntil('the server', async () => (await countAnswers(port, 1)) === 1);
  expect(await countAnswers(port, 120)).toBe(120);
  expect(await stop()).toBe(code);
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
