/** `npm start` that is ended while something of it is under way: the starter is compiled, or the site hangs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startSiteProcess } from '../../quick-start/site-process.js';
import { packageRoot } from '../../src/platform/package-root.js';
import { buildFixtureSnapshot, createTemporaryFolder, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { childrenOf, isRunning } from '../fixtures/processes.js';
import { createRecordingLogger } from '../fixtures/recording-logger.js';
import { waitUntil } from '../fixtures/wait-until.js';

/** Milliseconds that a site has to stop: no more than a test waits, as this site never stops. */
const STOP_LIMIT_MS = 200;

const folder = createTemporaryFolder();
let fixture: FixtureSnapshot;
beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
});
afterAll(() => {
  fixture.cleanup();
  folder.remove();
});

test('a site that hangs when it should stop is killed', async () => {
  const before = childrenOf(process.pid);
  const environment = { PATH: process.env.PATH, SITE_PORT: '0', SNAPSHOT: fixture.path, ACCOUNTS: 'off' };
  const logger = createRecordingLogger();
  const site = await startSiteProcess({ ...environment, LOG_LEVEL: 'silent' }, STOP_LIMIT_MS, logger);
  const [pid = 0, ...others] = childrenOf(process.pid).filter((child) => !before.includes(child));
  expect(others).toEqual([]);
  process.kill(pid, 'SIGSTOP');
  await site.close();
  expect(isRunning(pid)).toBe(false);
  // It was stopped, so no other one takes its place.
  expect(logger.lines).toEqual([]);
});

test('Ctrl-C while the starter dataset is compiled ends all of it, and leaves no part of a snapshot', async () => {
  const file = join(folder.path, 'starter.snapshot');
  // As runProgram does, the process heeds the signal itself.
  const script =
    "process.on('SIGINT', () => {});" +
    'const [program, path] = process.argv.slice(1);' +
    "await (await import(program)).compileStarterSnapshot(path, 'http://127.0.0.1:1');";
  const program = join(packageRoot(), 'dist/quick-start/starter-snapshot.js');
  const args = ['--input-type=module', '--eval', script, program, file];
  const start = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  const pid = start.pid as number;
  let stderr = '';
  start.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(start, 'close');
  try {
    await waitUntil('a part of the snapshot', () => readdirSync(folder.path).length > 0, { everyMs: 5 });
    const processes = [pid, ...childrenOf(pid)];
    expect(processes).toHaveLength(2);
    // A terminal signals the whole group.
    process.kill(-pid, 'SIGINT');
    expect(await closed).toEqual([1, null]);
    expect({ stderr, left: readdirSync(folder.path), running: processes.filter(isRunning) }).toEqual({
      stderr: '',
      left: [],
      running: [],
    });
  } finally {
    if (isRunning(pid)) process.kill(-pid, 'SIGKILL');
  }
});
