/**
 * Channels on real static hosts, nginx and an S3 server: pulls and publishers killed a hundred times each. Snapshots of
 * three countries of the starter dataset, so that a pull takes about a second. SOAK_SEED chooses other moments. Needs
 * nginx, rclone, minisign and, where rclone is older than 1.65, s3rver: `npm ci --prefix test/soak/s3 --ignore-scripts`.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseChannelFile, snapshotPath } from '../../src/releases/channel/channel-file.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { type Landings, note, planKills, startAndKill } from '../fixtures/kills.js';
import { runProgram } from '../fixtures/program.js';
import { createRandom } from '../fixtures/random.mjs';
import { requireStaticHosts, type StaticHost, startNginx, startS3 } from '../fixtures/static-hosts.mjs';

const SEED = Number(process.env.SOAK_SEED ?? 20_240_229);
const KILLS = 100;
const COUNTRIES = { one: 'AT,CH,DE', two: 'AT,BE,CH,DE' } as const;
type Release = keyof typeof COUNTRIES;

let folder: TemporaryFolder;
let nginx: StaticHost;
const inFolder = (...names: string[]): string => join(folder.path, ...names);
const hosted = (): string => inFolder('hosted');
const source = (release: Release): string => inFolder(`${release}.snapshot`);
const names = {} as Record<Release, string>;

function program(...args: string[]): Record<string, unknown> {
  const { exitCode, stdout, stderr } = runProgram([...args, '--json']);
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}
const signing = (to: string): string[] => ['--to', to, '--signing-key', inFolder('key')];
const publishArgs = (release: Release, to: string): string[] => ['publish', source(release), ...signing(to)];
const promote = (release: Release): object => program('promote', names[release], 'stable', ...signing(hosted()));
const pullArgs = (address: string, to: string): string[] => ['pull', address, '--to', to, '--key', inFolder('key.pub')];

beforeAll(async () => {
  requireStaticHosts(['nginx', 'rclone', 'minisign', 's3']);
  folder = createTemporaryFolder();
  program('signing-key', 'create', '--out', inFolder('key'));
  for (const [release, countries] of Object.entries(COUNTRIES)) {
    const out = source(release as Release);
    program('build', 'data/starter', '--countries', countries, '--release-name', release, '--out', out);
    names[release as Release] = program(...publishArgs(release as Release, hosted())).release as string;
  }
  nginx = await startNginx(hosted(), inFolder('nginx'));
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

/** The release that the channel names. */
function named(to: string): string {
  return parseChannelFile(readFileSync(join(to, 'channels/stable.json'), 'utf8'), 'stable').release.name;
}

/** Throws unless minisign verifies the channel, or what is next to it finishes it, and its release is there. */
function expectSound(to: string, isFinished: boolean): void {
  const path = join(to, 'channels/stable.json');
  const { status, stderr } = spawnSync('minisign', ['-V', '-q', '-p', inFolder('key.pub'), '-m', path], {
    encoding: 'utf8',
  });
  const isBegun = existsSync(join(to, 'channels/.stable.begun'));
  if (isFinished && isBegun) throw new Error('the channel was not finished');
  if (status !== 0 && !isBegun) throw new Error(stderr);
  const { release } = parseChannelFile(readFileSync(path, 'utf8'), 'stable');
  const bytes = readFileSync(join(to, snapshotPath(release.name)));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== release.snapshot.compressed.sha256) throw new Error(`${release.name} has other bytes`);
}

function expectCount(landings: Landings, title: string): void {
  process.stdout.write(`${title}, seed ${SEED}: ${JSON.stringify(landings)}\n`);
  expect(Object.values(landings).reduce((sum, count) => sum + count)).toBe(KILLS);
}

test('nginx, and S3 filled by rclone sync', async () => {
  const s3 = await startS3(inFolder('s3'));
  try {
    s3.sync(hosted());
    const hosts = { nginx: nginx.url, [s3.program]: s3.url };
    for (const [name, url] of Object.entries(hosts)) {
      const served = inFolder(`from ${name}`);
      const first = program(...pullArgs(url, served));
      expect(inService(served)).toBe('two');
      expect(program(...pullArgs(url, served))).toMatchObject({ changed: false, bytesFetched: 0 });
      process.stdout.write(`${name}: ${first.bytesFetched} bytes\n`);
    }
    promote('one');
    s3.sync(hosted());
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
      // What was fetched, and what it expands to; the latter of a killed pull stays until the next one.
      expect(partials.length).toBeLessThanOrEqual(2);
      const now = inService(served);
      note(landings, now === next ? 'in service' : partials.length > 0 ? 'fetched' : 'no trace');
    }
    program(...pull);
    expect(inService(served)).toBe(next);
    expect(readdirSync(served).filter((name) => /\.(?:partial|new)$/.test(name))).toEqual([]);
  }
  expectCount(landings, 'pulls');
}, 3_600_000);

test('a hundred killed publishers', async () => {
  const random = createRandom(SEED);
  const [clean, to] = [inFolder('clean'), inFolder('killed-hosted')];
  program(...publishArgs('one', clean));
  cpSync(clean, to, { recursive: true });
  const publish = publishArgs('two', to);
  // The release is written in a folder of its own, the channel in another: changes in both count.
  const plan = { ...(await planKills(publish, join(to, 'releases'), random)), folder: join(to, 'releases') };
  const channels = { ...plan, folder: join(to, 'channels'), changeCount: 6 };
  const landings: Landings = {};
  for (let killed = 0; killed < KILLS; ) {
    rmSync(to, { recursive: true });
    cpSync(clean, to, { recursive: true });
    if (await startAndKill(publish, random() < 0.5 ? plan : channels)) {
      killed++;
      expectSound(to, false);
      const isBegun = existsSync(join(to, 'channels/.stable.begun'));
      const hasRelease = existsSync(join(to, snapshotPath(names.two)));
      note(
        landings,
        isBegun ? 'channel begun' : named(to) === names.two ? 'channel' : hasRelease ? 'release' : 'before',
      );
    }
    program(...publish);
    expectSound(to, true);
    expect(readdirSync(join(to, 'releases')).filter((name) => name.endsWith('.partial'))).toEqual([]);
    expect(named(to)).toBe(names.two);
  }
  program(...pullArgs(to, inFolder('after-kills')));
  expect(inService(inFolder('after-kills'))).toBe('two');
  expectCount(landings, 'publishers');
}, 3_600_000);
