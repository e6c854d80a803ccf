/**
 * Channels on real static hosts, nginx and an S3 server: pulls and publishers killed a hundred times each, and
 * eight servers that follow a channel under load while it is promoted and rolled back. Snapshots of three countries of
 * the starter dataset, so that a pull takes about a second. SOAK_SEED chooses other moments. Needs nginx, rclone,
 * minisign and, where rclone is older than 1.65, s3rver: `npm ci --prefix test/bench/s3 --ignore-scripts`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseReleaseFile } from '../../src/channels/release-file.js';
import { requireStaticHosts, type StaticHost, startNginx, startS3 } from '../bench/static-hosts.mjs';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { type Landings, note, planKills, startAndKill } from '../fixtures/kills.js';
import { runProgram } from '../fixtures/program.js';
import { createRandom } from '../fixtures/random.mjs';
import { waitUntil } from '../fixtures/wait-until.js';
import { type Machine, startMachine } from './fleet.js';
import { type ExpectedAnswers, expectAnswers, type LoadOutcome, runLoad } from './swap-load.js';

const SEED = Number(process.env.SOAK_SEED ?? 20_240_229);
const KILLS = 100;
const MACHINES = 8;
const CHANGES = 10;
/** Milliseconds from one change of the channel to the next. */
const PACE_MS = 8_000;
const REQUESTS_PER_SECOND = 10;
const COUNTRIES = { one: 'AT,CH,DE', two: 'AT,BE,CH,DE' } as const;
type Release = keyof typeof COUNTRIES;

let folder: TemporaryFolder;
let nginx: StaticHost;
const inFolder = (...names: string[]): string => join(folder.path, ...names);
const parts = (): string => inFolder('parts');
const source = (release: Release): string => inFolder(`${release}.snapshot`);
const names = {} as Record<Release, string>;

function program(...args: string[]): Record<string, unknown> {
  const { exitCode, stdout, stderr } = runProgram([...args, '--json']);
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}
const signing = (to: string): string[] => ['--to', to, '--signing-key', inFolder('key')];
const publishArgs = (release: Release, to: string): string[] => ['publish', source(release), '--parts', ...signing(to)];
const promote = (release: Release): object => program('promote', names[release], 'stable', ...signing(parts()));
const pullArgs = (address: string, to: string): string[] => ['pull', address, '--to', to, '--key', inFolder('key.pub')];

beforeAll(async () => {
  requireStaticHosts(['nginx', 'rclone', 'minisign', 's3']);
  folder = createTemporaryFolder();
  program('signing-key', 'create', '--out', inFolder('key'));
  for (const [release, countries] of Object.entries(COUNTRIES)) {
    const out = source(release as Release);
    program('build', 'data/starter', '--countries', countries, '--release-name', release, '--out', out);
    names[release as Release] = program(...publishArgs(release as Release, parts())).release as string;
  }
  nginx = await startNginx(parts(), inFolder('nginx'));
}, 600_000);
afterAll(async () => {
  await nginx?.stop();
  folder?.remove();
});

/** The release in service; throws unless its file is that release's snapshot. */
function inService(served: string): Release {
  const link = readlinkSync(join(served, 'current'));
  const release = (Object.keys(names) as Release[]).find((one) => link === `${names[one]}.snapshot`);
  const isWhole = release !== undefined && readFileSync(join(served, link)).equals(readFileSync(source(release)));
  if (!isWhole) throw new Error(`${link} is not whole`);
  return release;
}

/** Throws unless minisign verifies every file, or what is next to a channel finishes it, and every part is there. */
function expectSound(to: string, isFinished: boolean): void {
  for (const kind of ['releases', 'channels']) {
    for (const name of readdirSync(join(to, kind)).filter((file) => file.endsWith('.json'))) {
      const args = ['-V', '-q', '-p', inFolder('key.pub'), '-m', join(to, kind, name)];
      const { status, stderr } = spawnSync('minisign', args, { encoding: 'utf8' });
      const isBegun = existsSync(join(to, kind, `.${name.slice(0, -'.json'.length)}.begun`));
      if (isFinished && isBegun) throw new Error(`${name} was not finished`);
      if (status !== 0 && !isBegun) throw new Error(`${name}: ${stderr}`);
    }
  }
  const { release } = JSON.parse(readFileSync(join(to, 'channels/stable.json'), 'utf8')) as { release: string };
  const file = parseReleaseFile(readFileSync(join(to, `releases/${release}.json`), 'utf8'), release);
  for (const { sha256, compressedBytes } of file.parts) {
    const { size } = statSync(join(to, 'parts', `${sha256}.br`));
    if (size !== compressedBytes) throw new Error(`${sha256}.br has ${size} bytes`);
  }
}

function expectCount(landings: Landings, title: string): void {
  process.stdout.write(`${title}, seed ${SEED}: ${JSON.stringify(landings)}\n`);
  expect(Object.values(landings).reduce((sum, count) => sum + count)).toBe(KILLS);
}

test('nginx, and S3 filled by rclone sync', async () => {
  const s3 = await startS3(inFolder('s3'));
  try {
    s3.sync(parts());
    const hosts = { nginx: nginx.url, [s3.program]: s3.url };
    for (const [name, url] of Object.entries(hosts)) {
      const served = inFolder(`from ${name}`);
      const first = program(...pullArgs(url, served));
      expect(inService(served)).toBe('two');
      expect(program(...pullArgs(url, served))).toMatchObject({ changed: false, partsFetched: 0 });
      process.stdout.write(`${name}: ${first.partsFetched} parts of ${first.bytesFetched} bytes\n`);
    }
    promote('one');
    s3.sync(parts());
    for (const [name, url] of Object.entries(hosts)) {
      expect(program(...pullArgs(url, inFolder(`from ${name}`)))).toMatchObject({ changed: true });
      expect(inService(inFolder(`from ${name}`))).toBe('one');
    }
  } finally {
    await s3.stop();
  }
}, 300_000);

test('a hundred killed pulls', async () => {
  const random = createRandom(SEED);
  const served = inFolder('killed');
  const pull = pullArgs(nginx.url, served);
  promote('one');
  program(...pull);
  promote('two');
  const plan = await planKills(pull, served, random);
  const landings: Landings = {};
  for (let killed = 0; killed < KILLS; ) {
    const before = inService(served);
    const next = before === 'one' ? 'two' : 'one';
    promote(next);
    // Otherwise it has only to be put in service.
    if (random() < 0.8) rmSync(join(served, `${names[next]}.snapshot`), { force: true });
    if (await startAndKill(pull, plan)) {
      killed++;
      const partials = readdirSync(served).filter((name) => name.endsWith('.partial'));
      expect(partials.length).toBeLessThanOrEqual(1);
      const now = inService(served);
      note(landings, now === next ? 'in service' : partials.length === 1 ? 'parts fetched' : 'no trace');
    }
    program(...pull);
    expect(inService(served)).toBe(next);
    expect(readdirSync(served).filter((name) => /\.(?:partial|new)$/.test(name))).toEqual([]);
  }
  expectCount(landings, 'pulls');
}, 3_600_000);

test('a hundred killed publishers', async () => {
  const random = createRandom(SEED);
  const [clean, to] = [inFolder('clean'), inFolder('killed-parts')];
  program(...publishArgs('one', clean));
  cpSync(clean, to, { recursive: true });
  const publish = publishArgs('two', to);
  // The parts are written in a folder of their own, the channel in another: changes in all count.
  const plan = { ...(await planKills(publish, join(to, 'parts'), random)), folder: join(to, 'parts') };
  const channels = { ...plan, folder: join(to, 'channels'), changeCount: 6 };
  const landings: Landings = {};
  for (let killed = 0; killed < KILLS; ) {
    rmSync(to, { recursive: true });
    cpSync(clean, to, { recursive: true });
    if (await startAndKill(publish, random() < 0.5 ? plan : channels)) {
      killed++;
      expectSound(to, false);
      const { release } = JSON.parse(readFileSync(join(to, 'channels/stable.json'), 'utf8')) as { release: string };
      const isBegun = existsSync(join(to, 'channels/.stable.begun'));
      const hasRelease = existsSync(join(to, `releases/${names.two}.json`));
      note(landings, isBegun ? 'channel begun' : release === names.two ? 'channel' : hasRelease ? 'release' : 'parts');
    }
    program(...publish);
    expectSound(to, true);
    expect(readdirSync(join(to, 'parts')).filter((name) => name.endsWith('.partial'))).toEqual([]);
    expect(JSON.parse(readFileSync(join(to, 'channels/stable.json'), 'utf8'))).toMatchObject({ release: names.two });
  }
  program(...pullArgs(to, inFolder('after-kills')));
  expect(inService(inFolder('after-kills'))).toBe('two');
  expectCount(landings, 'publishers');
}, 3_600_000);

test('eight servers follow a channel that is promoted and rolled back: no failed request', async () => {
  promote('one');
  const expected: ExpectedAnswers = expectAnswers([source('one'), source('two')]);
  const options = { address: nginx.url, publicKey: inFolder('key.pub') };
  const machines: Machine[] = [];
  try {
    for (let number = 0; number < MACHINES; number++) {
      machines.push(await startMachine({ ...options, folder: inFolder(`machine-${number}`) }));
    }
    let isOver = false;
    const load = machines.map(({ port, key }) =>
      runLoad({ port, key, expected, connections: 2, requestsPerSecond: REQUESTS_PER_SECOND }, () => isOver),
    );
    let release: Release = 'one';
    try {
      for (let change = 0; change < CHANGES; change++) {
        await wait(PACE_MS);
        if (release === 'one') promote('two');
        else program('rollback', ...signing(parts()));
        release = release === 'one' ? 'two' : 'one';
      }
      for (const machine of machines) await waitUntil(release, async () => (await machine.release()) === release);
    } finally {
      isOver = true;
    }
    const outcomes: LoadOutcome[] = await Promise.all(load);
    const failures = outcomes.flatMap((outcome) => outcome.failures);
    const requests = outcomes.reduce((sum, { latenciesMs }) => sum + latenciesMs.length, 0);
    process.stdout.write(`${MACHINES} servers, ${CHANGES} changes: ${requests} requests, ${failures.length} failed\n`);
    expect(failures.slice(0, 5)).toEqual([]);
    for (const { byRelease } of outcomes) expect([...byRelease.keys()].sort()).toEqual(['one', 'two']);
    for (const machine of machines) expect(machine.log()).not.toMatch(/"level":[56]0/);
  } finally {
    await Promise.all(machines.map((machine) => machine.stop()));
  }
}, 1_800_000);
