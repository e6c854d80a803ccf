/**
 * 200 swaps between two releases of the world under half of the load that the server can take: every answer must be
 * whole, and wholly of the release that its header names. Prints latencies before and during, and memory. Takes the
 * snapshots of WORLD_BUILDS, or compiles them.
 */
import { copyFileSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { publishedName } from '../../src/releases/snapshot-folder.js';
import { openSnapshot } from '../../src/store/snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { startServerProgram } from '../fixtures/server-program.js';
import { createStoredKey } from '../fixtures/stored-key.js';
import buildReleases from '../world/build-releases.js';
import { count, printFigures, snapshotFile } from '../world/world.js';
import { expectAnswers, type LoadOptions, type LoadOutcome, quantile, runLoad } from './swap-load.js';

const SWAPS = 200;
const CONNECTIONS = 16;
const PEAK_MS = 15_000;
const STEADY_MS = 30_000;
const MAX_MAPPINGS = 3;

let folder: TemporaryFolder;
const names: string[] = [];

beforeAll(() => {
  if (process.env.WORLD_BUILDS === undefined) buildReleases();
  folder = createTemporaryFolder();
  for (const release of ['2024-04', '2026-03'] as const) {
    const name = publishedName(openSnapshot(snapshotFile(release))) ?? '';
    copyFileSync(snapshotFile(release), join(folder.path, name));
    names.push(name);
  }
  flip(0);
}, 1_800_000);
afterAll(() => folder?.remove());

function flip(turn: number): string {
  const name = names[turn % names.length] as string;
  symlinkSync(name, join(folder.path, '.next'));
  renameSync(join(folder.path, '.next'), join(folder.path, 'current'));
  return name;
}

test('200 swaps under load: no failed request, no mixed answer, memory that stays', async () => {
  const keysDir = join(folder.path, 'keys');
  const key = await createStoredKey(keysDir);
  const program = startServerProgram('dist/src/main.js', {
    ...{ PORT: '0', ADMIN_PORT: '0', SNAPSHOT: folder.path, KEYS_DIR: keysDir },
    PLANS: '{"free":{"requestsPerMonth":null,"requestsPerSecond":null,"burst":null}}',
  });
  try {
    const [line] = await program.waitFor(/^.*"msg":"listening".*\n/m);
    const { port, adminPort } = JSON.parse(line) as { port: number; adminPort: number };
    const pid = program.process.pid as number;
    const load: LoadOptions = {
      ...{ port, key, connections: CONNECTIONS },
      expected: expectAnswers(names.map((name) => join(folder.path, name))),
    };
    const during = (milliseconds: number): (() => boolean) => {
      const endMs = performance.now() + milliseconds;
      return () => performance.now() > endMs;
    };
    const peak = await runLoad(load, during(PEAK_MS));
    const requestsPerSecond = peak.latenciesMs.length / peak.seconds / 2;
    const steady = await runLoad({ ...load, requestsPerSecond }, during(STEADY_MS));
    const memoryBefore = memoryOf(pid);

    let swapped = 0;
    const swapping = (async () => {
      for (; swapped < SWAPS; swapped++) await untilServed(adminPort, flip(swapped + 1));
    })();
    const swaps = await runLoad({ ...load, requestsPerSecond }, () => swapped >= SWAPS);
    await swapping;
    const memoryAfter = memoryOf(pid);

    const failures = [peak, steady, swaps].flatMap((outcome) => outcome.failures);
    expect(failures.slice(0, 5)).toEqual([]);
    expect([...swaps.byRelease.keys()]).toHaveLength(2);
    expect(mappingsOf(pid)).toBeLessThanOrEqual(MAX_MAPPINGS);
    expect(memoryAfter).toBeLessThan(2 * memoryBefore);
    printFigures(
      [
        `${SWAPS} swaps in ${swaps.seconds.toFixed(0)} s, at half of ${Math.round(2 * requestsPerSecond)} requests/s`,
        describe('steady', steady),
        describe('during swaps', swaps),
        `own memory before ${megabytes(memoryBefore)}, after ${megabytes(memoryAfter)}; snapshots mapped: ${mappingsOf(pid)}`,
      ].join('\n'),
    );
  } finally {
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  }
}, 3_600_000);

function describe(name: string, { latenciesMs, failures }: LoadOutcome): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(latenciesMs, share).toFixed(2));
  return `${name}: ${count(latenciesMs.length)} requests, ${failures.length} failed, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms`;
}

async function untilServed(adminPort: number, name: string): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
    const { snapshot, refused } = (await response.json()) as {
      snapshot: { release: string; id: string };
      refused: object | null;
    };
    if (refused !== null) throw new Error(JSON.stringify(refused));
    if (publishedName(snapshot) === name) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Private memory in bytes, but for pages of snapshots. */
function memoryOf(pid: number): number {
  let bytes = 0;
  let isSnapshot = false;
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    if (/^[\da-f]+-[\da-f]+ /.test(line)) isSnapshot = line.includes('.snapshot');
    const [, kilobytes] = /^Private_(?:Clean|Dirty): +(\d+) kB$/.exec(line) ?? [];
    if (!isSnapshot && kilobytes !== undefined) bytes += Number(kilobytes) * 1024;
  }
  return bytes;
}

function mappingsOf(pid: number): number {
  return readFileSync(`/proc/${pid}/maps`, 'utf8').match(/\.snapshot/g)?.length ?? 0;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
