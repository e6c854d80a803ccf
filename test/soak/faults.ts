/**
 * What is done to Redis, in an order and for times that a seed decides. A killed Redis loses what it had not written
 * to its file: under `appendfsync everysec` now and then a few requests, because it puts off writing while it syncs. A
 * power cut also takes the end of the file, up to what was written in the last second. A stopped Redis keeps its
 * connections and answers nothing; what it was asked meanwhile it does when it goes on, or never.
 */
import type { RedisServer } from '../fixtures/redis-server.js';
import type { AppendOnlyFile, PowerCut } from './append-only-file.js';
import type { Interval } from './evidence.js';

export type FaultKind = 'kill' | 'power cut' | 'stop, then kill' | 'stop, then go on';

/** How many of each. */
export type FaultCounts = Readonly<Partial<Record<FaultKind, number>>>;

/** See Kill in evidence.ts; `cut` is null where Redis had its file back whole. */
export interface DealtKill extends Interval {
  readonly cut: PowerCut | null;
}

export interface Victim {
  readonly redis: RedisServer;
  readonly file: AppendOnlyFile;
}

const POWER_CUT_TAKES_MS = 1_000;

/** All faults of a run, in random order. */
export function planFaults(counts: FaultCounts, random: () => number): FaultKind[] {
  const faults = Object.entries(counts).flatMap(([kind, count]) => Array<FaultKind>(count).fill(kind as FaultKind));
  for (let last = faults.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [faults[last], faults[other]] = [faults[other] as FaultKind, faults[last] as FaultKind];
  }
  return faults;
}

/** Injects one fault; Redis runs again when the promise resolves. Returns null if Redis was not killed. */
export async function injectFault(kind: FaultKind, victim: Victim, random: () => number): Promise<DealtKill | null> {
  const { redis, file } = victim;
  const fromMs = Date.now();
  let untilMs: number;
  let cut: PowerCut | null = null;
  if (kind === 'stop, then go on' || kind === 'stop, then kill') {
    redis.pause();
    untilMs = Date.now();
    await pauseBetween(random, 1_000, 3_000);
    if (kind === 'stop, then go on') {
      redis.resume();
      return null;
    }
    await redis.kill('SIGKILL');
  } else {
    await redis.kill('SIGKILL');
    untilMs = Date.now();
    if (kind === 'power cut') cut = file.cut(fromMs - POWER_CUT_TAKES_MS, random);
  }
  await pauseBetween(random, 200, 2_000);
  await redis.restart();
  return { fromMs, untilMs, cut };
}

/** How long Redis runs, stands still or is gone is part of the course, not something to wait for. */
export async function pauseBetween(random: () => number, leastMs: number, mostMs: number): Promise<void> {
  const durationMs = leastMs + random() * (mostMs - leastMs);
  await new Promise((resolve) => setTimeout(resolve, durationMs));
}
