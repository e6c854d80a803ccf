/** SNAPSHOT is an address: the server and the site pull by themselves, and serve what they have whatever the host does. */

import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ChannelState } from '../../src/releases/fetching/channel-follower.js';
import { stallAfter } from '../fixtures/file-server.js';
import { childrenOf, isRunning } from '../fixtures/program.js';
import { type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { type ChannelScene, createChannelScene, sourceAt } from '../releases/channel-scene.js';
import { type HostileHost, startHostileHost } from '../releases/hostile-host.js';

let scene: ChannelScene;
let host: HostileHost;
let running: ServerProgram[] = [];
let cacheCount = 0;
/** With a cache that no test before has filled. */
let settings: ReturnType<typeof settingsOf>;
/** A cache of release one. */
let filled: string;

const inRoot = (name: string): string => join(scene.root, name);
const settingsOf = (cache: string) => ({
  ...{ SNAPSHOT: host.url.slice(0, -1), SNAPSHOT_KEY: inRoot('key.pub'), SNAPSHOT_CACHE: inRoot(cache) },
});
const stall = (): void => host.fault(/\.br$/, stallAfter(1));
/** The paths of compressed files that were asked for since the last look. */
const takeFiles = (): string[] => host.requests.splice(0).flatMap(({ path }) => (path.endsWith('.br') ? [path] : []));

beforeAll(async () => {
  scene = await createChannelScene();
  writeFileSync(inRoot('key.pub'), scene.keyFiles.public);
  await scene.publish('one');
  host = await startHostileHost(scene.hosted);
  filled = inRoot('filled');
  await scene.pull({ source: sourceAt(host.url), folder: filled });
});
beforeEach(async () => {
  host.clear();
  await scene.publish('one');
  settings = settingsOf(`cache-${++cacheCount}`);
});
afterEach(async () => {
  for (const program of running) program.process.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
});
afterAll(async () => {
  await host?.stop();
  scene?.remove();
});

const fillCache = (): void => cpSync(filled, settings.SNAPSHOT_CACHE, { recursive: true, verbatimSymlinks: true });

function start(environment: Record<string, string> = {}, name = 'serve'): ServerProgram {
  const ports = { PORT: '0', ADMIN_PORT: '0', SITE_PORT: '0', SITE_ADMIN_PORT: '0', ACCOUNTS: 'off' };
  const program = startServerProgram(name, { ...ports, KEYS_DIR: inRoot('keys'), ...settings, ...environment });
  running.push(program);
  return program;
}

async function stop(program: ServerProgram): Promise<void> {
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
}

interface Report {
  readonly status: string;
  readonly snapshot: { readonly release: string };
  readonly channel: ChannelState;
}

async function adminText(program: ServerProgram, path: string): Promise<string> {
  const [line] = await program.waitFor(/^.*"msg":"listening".*\n/m);
  const { adminPort } = JSON.parse(line) as { adminPort: number };
  const response = await fetch(`http://127.0.0.1:${adminPort}${path}`);
  expect(response.status).toBe(200);
  return await response.text();
}

const untilReady = (program: ServerProgram, isSo: (report: Report) => boolean): Promise<Report> =>
  waitUntil('readiness', async () => {
    const report = JSON.parse(await adminText(program, '/readyz')) as Report;
    return isSo(report) && report;
  });

const serves = (release: string) => (report: Report) => report.snapshot.release === release;

/** Waits until a pull, after a signal where one is given, asks a host that stalls for a release. Returns its process. */
async function untilStalled(program: ServerProgram, signal?: NodeJS.Signals): Promise<number> {
  takeFiles();
  if (signal !== undefined) program.process.kill(signal);
  await waitUntil('a release', () => takeFiles().length > 0);
  const pulls = childrenOf(program.process.pid as number);
  expect(pulls).toHaveLength(1);
  return pulls[0] as number;
}

test('the first start pulls and then serves, and SIGHUP pulls what came since', async () => {
  const program = start({ WORKERS: '2' });
  const { status, channel } = await untilReady(program, serves('one'));
  const address = `${settings.SNAPSHOT}/`;
  expect(status).toBe('ready');
  expect(channel).toEqual({
    ...{ address, channel: 'stable', release: expect.stringMatching(/^one-/), failure: null },
    ...{ changedAt: expect.any(String), checkedAt: expect.any(String), succeededAt: channel.checkedAt },
  });
  const [told] = await program.waitFor(/^.*no snapshot is there yet.*$/m);
  expect(JSON.parse(told)).toMatchObject({ address, channel: 'stable', folder: settings.SNAPSHOT_CACHE });
  await scene.publish('two');
  program.process.kill('SIGHUP');
  // The pull ends when its release is served already.
  const later = await untilReady(
    program,
    (report) => serves('two')(report) && /^two-/.test(String(report.channel.release)),
  );
  const metrics = await adminText(program, '/metrics');
  const succeeded = Date.parse(later.channel.succeededAt as string) / 1_000;
  expect(metrics).toContain(`channel_succeeded_timestamp_seconds{channel="stable"} ${succeeded}\n`);
  expect(metrics).toContain('channel_pulls_total{channel="stable",outcome="changed"} 2\n');
  expect(metrics).not.toContain('channel_failing{');
  await stop(program);
});

test('with a cache, the start serves while the host is down, and follows it by itself when it is back', async () => {
  fillCache();
  await scene.publish('two');
  host.fault(/./, (_, response) => void response.destroy());
  const program = start({ SNAPSHOT_EVERY: '1s' });
  const { channel } = await untilReady(program, serves('one'));
  // What the process before it found is known.
  expect(channel).toMatchObject({ release: expect.stringMatching(/^one-/), succeededAt: null });
  host.clear();
  expect((await untilReady(program, serves('two'))).channel.failure).toBeNull();
});

test('a first start that can not pull is one line that gives the reason', async () => {
  const program = start({ SNAPSHOT_CHANNEL: 'next' });
  expect(await program.ended).toBe(1);
  expect(program.stderr()).toMatch(/^postal-places: SNAPSHOT: HOST_FAILED: \S+next\.json: .* status 404; .*\n$/);
  expect(program.stdout()).not.toContain('"msg":"listening"');
});

test('server and site share a cache: one of them pulls, and both serve', async () => {
  takeFiles();
  const programs = [start(), start({}, 'site')];
  for (const program of programs) {
    expect((await untilReady(program, serves('one'))).channel).toMatchObject({ failure: null });
    await stop(program);
    expect(program.stdout()).not.toContain('could not be pulled');
  }
  expect(takeFiles()).toHaveLength(1);
});

describe('a pull from a host that stalls', () => {
  test('does not hold up the stop of a first start, and its partial file stays', async () => {
    stall();
    const program = start();
    const pull = await untilStalled(program);
    program.process.kill('SIGTERM');
    expect([await program.ended, program.stderr(), isRunning(pull)]).toEqual([0, '', false]);
    expect(readdirSync(settings.SNAPSHOT_CACHE)).toContainEqual(expect.stringMatching(/\.partial$/));
  });

  test('is logged where it is killed, does not hold up a stop, and ends with a server that is killed', async () => {
    fillCache();
    await scene.publish('two');
    stall();
    const program = start();
    await program.waitFor(/"msg":"listening"/);
    process.kill(await untilStalled(program, 'SIGHUP'), 'SIGKILL');
    const { channel } = await untilReady(program, (report) => report.channel.failure !== null);
    expect(channel.failure).toMatchObject({ code: 'OTHER', reason: 'the pull ended with SIGKILL' });
    const second = await untilStalled(program, 'SIGHUP');
    await stop(program);
    expect(isRunning(second)).toBe(false);
    expect(program.stdout().match(/could not be pulled/g)).toHaveLength(1);
    const other = start();
    await other.waitFor(/"msg":"listening"/);
    const third = await untilStalled(other, 'SIGHUP');
    other.process.kill('SIGKILL');
    await waitUntil('its end', () => !isRunning(third));
  });
});

test('a cached snapshot that is damaged is fetched again before the start, and one that is removed on SIGHUP', async () => {
  fillCache();
  const [name] = readdirSync(settings.SNAPSHOT_CACHE).filter((file) => file.endsWith('.snapshot'));
  const path = join(settings.SNAPSHOT_CACHE, name as string);
  const whole = readFileSync(path);
  writeFileSync(`${path}.bad`, 'no snapshot');
  renameSync(`${path}.bad`, path);
  const program = start();
  expect((await untilReady(program, serves('one'))).status).toBe('ready');
  expect(readFileSync(path).equals(whole)).toBe(true);
  rmSync(path);
  program.process.kill('SIGHUP');
  await waitUntil('the file', () => existsSync(path));
  expect((await untilReady(program, ({ status }) => status === 'ready')).snapshot.release).toBe('one');
  expect(readFileSync(path).equals(whole)).toBe(true);
});
