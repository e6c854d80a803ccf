/** `npm start` as a process: API and site answer, and nothing stays where npm or its child is gone. */

import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { npmEnd } from '../../demo/npm-end.js';
import { buildFixtureSnapshot, createTemporaryFolder, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { descendantsOf, isRunning } from '../fixtures/program.js';
import { type ServerProgram, startServerProgram, startWithNpm } from '../fixtures/server-program.js';
import { waitUntil } from '../fixtures/wait-until.js';

const folder = createTemporaryFolder();
let fixture: FixtureSnapshot;
/** Every process that a test has started, itself or by npm. */
let started: number[] = [];

beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
});
afterEach(async () => {
  for (const pid of started.filter(isRunning)) process.kill(pid, 'SIGKILL');
  await waitUntil('all processes to end', () => !started.some(isRunning));
  started = [];
});
afterAll(() => {
  fixture.cleanup();
  folder.remove();
});

interface Running {
  readonly program: ServerProgram;
  readonly pid: number;
  /** Itself and its descendants. */
  readonly processes: readonly number[];
  /** The first is that of the API, the second that of the site. */
  readonly origins: readonly string[];
}

const environment = (name: string) => ({
  PORT: '0',
  SITE_PORT: '0',
  SNAPSHOT: fixture.path,
  KEYS_DIR: join(folder.path, name),
  DRAIN_SECONDS: '1',
});

async function untilBothAnswer(program: ServerProgram): Promise<Running> {
  const pid = program.process.pid as number;
  started.push(pid);
  const origins: string[] = [];
  for (const pattern of [/Postal Places listens on (http:\S+)/, /The site for people is at (http:\S+)/])
    origins.push((await program.waitFor(pattern))[1] as string);
  const processes = [pid, ...descendantsOf(pid)];
  started.push(...processes);
  for (const origin of origins) expect(await answers(origin)).toBe(true);
  return { program, pid, processes, origins };
}

async function answers(origin: string): Promise<boolean> {
  return await fetch(origin).then(
    async (response) => {
      await response.arrayBuffer();
      return true;
    },
    () => false,
  );
}

/** Waits until no process is left and both ports are closed. */
async function untilGone({ processes, origins }: Running): Promise<void> {
  await waitUntil('every process to end', () => !processes.some(isRunning));
  for (const origin of origins) expect(await answers(origin)).toBe(false);
}

/** npm alone gets the signal, or npm and its children, as by Ctrl-C in a terminal. */
const ENDS = [
  ['SIGTERM', 'npm'],
  ['SIGINT', 'npm'],
  // Handed on to nobody: only the end of npm tells of it.
  ['SIGHUP', 'npm'],
  ['SIGKILL', 'npm'],
  // Handed on besides: it counts once, and both servers drain.
  ['SIGINT', 'all'],
] as const;

// One after the other: five starts at once take minutes beside other tests.
test.each(ENDS)('both servers stop, and no process stays, by %s of %s', async (signal, whom) => {
  const running = await untilBothAnswer(startWithNpm(environment(`npm-${signal}-${whom}`)));
  const { program, pid, processes } = running;
  process.kill(whom === 'npm' ? pid : -pid, signal);
  await untilGone(running);
  const stopped = program.stdout().match(/"msg":"stopped"/g)?.length;
  expect({ processes: processes.length, stopped }).toEqual({ processes: 2, stopped: 2 });
  // npm takes the code of what it ran.
  if (whom === 'all') expect(await program.ended).toBe(0);
});

test('the demo key is good, the site leads to the API, and workers end where the first process is killed', async () => {
  const program = startServerProgram('scripts/start.js', { ...environment('workers'), WORKERS: '2' });
  const running = await untilBothAnswer(program);
  const [, demoKey = '', url = ''] = await program.waitFor(/curl -H 'x-api-key: (\S+)' '(\S+)'/);
  expect((await fetch(url, { headers: { 'x-api-key': demoKey } })).status).toBe(200);
  const [api, site] = running.origins;
  expect(await (await fetch(`${site}/liechtenstein`)).text()).toContain(`${api}/v1/countries/LI`);
  expect(running.processes).toHaveLength(1 + 2);
  process.kill(running.pid, 'SIGKILL');
  await untilGone(running);
});

test('only the end of a package manager counts: a start by hand may outlive its shell', async () => {
  const other = process.ppid + 1;
  for (const script of ['start', 'dev']) await npmEnd(other, { npm_lifecycle_event: script });
  const pending = [npmEnd(other, {}), npmEnd(process.ppid, { npm_lifecycle_event: 'start' })];
  // Those that resolve do so before the one that was asked after them.
  const last = npmEnd(other, { npm_lifecycle_event: 'start' }).then(() => 'pending');
  expect(await Promise.race([...pending, last])).toBe('pending');
});
