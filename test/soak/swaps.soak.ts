/**
 * 200 swaps between two releases of the world under half of the load that the server can take: every answer must be
 * whole, and wholly of the release that its header names. Half of the swaps come as fast as the server follows, the others
 * at the pace at which it promises to. Prints latencies before and during both, and memory. Takes the snapshots of
 * WORLD_BUILDS, or compiles them.
 */

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { flipCurrent } from '../../src/releases/folder/published-folder.js';
import { publishedName } from '../../src/releases/folder/published-name.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { mappedSnapshotCount, memoryOf } from '../fixtures/process-figures.mjs';
import { startServerProgram } from '../fixtures/server-program.js';
import { createStoredKey } from '../fixtures/stored-key.js';
import { waitUntil } from '../fixtures/wait-until.js';
import buildReleases from '../world/build-releases.js';
import { count, printFigures, snapshotFile } from '../world/world.js';
import { expectAnswers, type LoadOptions, type LoadOutcome, quantile, runLoad } from './swap-load.js';

const SWAPS = 200;
/** From flip to flip. */
const PACES_MS = { 'swap after swap': 0, 'a swap every two seconds': 2_000 };
const CONNECTIONS = 16;
const PEAK_MS = 15_000;
const STEADY_MS = 30_000;
const MEMORY_GROWTH = 1.25;

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

/** Names the next snapshot as the current one; gives its file name. */
function flip(turn: number): string {
  const name = names[turn % names.length] as string;
  flipCurrent(folder.path, name);
  return name;
}

test('200 swaps under load: no failed request, no mixed answer, memory that stays', async () => {
  const keysDir = join(folder.path, 'keys');
  const key = await createStoredKey(keysDir);
  const program = startServerProgram('serve', {
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
    const memoryBefore = memoryOf(pid).ownBytes;

    const memoryAfter: number[] = [];
    let turn = 0;
    const swapDuring = async (paceMs: number): Promise<LoadOutcome> => {
      let isOver = false;
      const swapping = (async () => {
        for (let swapped = 0; swapped < SWAPS / 2; swapped++) {
          await Promise.all([untilServed(adminPort, flip(++turn)), wait(paceMs)]);
          if (turn % (SWAPS / 4) === 0) memoryAfter.push(memoryOf(pid).ownBytes);
        }
      })().finally(() => {
        isOver = true;
      });
      const [outcome] = await Promise.all([runLoad({ ...load, requestsPerSecond }, () => isOver), swapping]);
      return outcome;
    };
    const outcomes = { steady } as Record<string, LoadOutcome>;
    for (const [name, paceMs] of Object.entries(PACES_MS)) outcomes[name] = await swapDuring(paceMs);
    await waitUntil('the earlier mappings to go', () => mappedSnapshotCount(pid) === 1);

    printFigures(
      [
        `${turn} swaps at half of ${Math.round(2 * requestsPerSecond)} requests/s`,
        ...Object.entries(outcomes).map(([name, outcome]) => describe(name, outcome)),
        `own memory before ${megabytes(memoryBefore)}, after each quarter ${memoryAfter.map(megabytes).join(', ')}`,
      ].join('\n'),
    );
    const failures = [peak, ...Object.values(outcomes)].flatMap((outcome) => outcome.failures);
    expect(failures.slice(0, 5)).toEqual([]);
    for (const name of Object.keys(PACES_MS)) expect([...(outcomes[name]?.byRelease.keys() ?? [])]).toHaveLength(2);
    // What 50 swaps of a pace need at most at a time, 100 do not need more of.
    const [fast, fastLater, slow, slowLater] = memoryAfter as [number, number, number, number];
    expect(fastLater).toBeLessThan(MEMORY_GROWTH * fast);
    expect(slowLater).toBeLessThan(MEMORY_GROWTH * slow);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  } finally {
    program.process.kill('SIGKILL');
  }
}, 3_600_000);

function describe(name: string, { seconds, latenciesMs, failures }: LoadOutcome): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(latenciesMs, share).toFixed(2));
  return `${name}: ${seconds.toFixed(0)} s, ${count(latenciesMs.length)} requests, ${failures.length} failed, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms`;
}

async function untilServed(adminPort: number, name: string): Promise<void> {
  await waitUntil(`${name} to be served`, async () => {
    const response = await fetch(`http://127.0.0.1:${adminPort}/readyz`, { signal: AbortSignal.timeout(5_000) });
    const { snapshot, refused } = (await response.json()) as {
      snapshot: { release: string; id: string };
      refused: object | null;
    };
    if (refused !== null) throw new Error(JSON.stringify(refused));
    return publishedName(snapshot) === name;
  });
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
