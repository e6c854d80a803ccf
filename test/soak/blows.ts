/**
 * What is done to Redis, in an order and for times that a seed decides. A killed Redis loses what it had not written
 * to its file, which is hardly ever anything; a power cut also takes the end of the file, up to what was written in the
 * last second. A stopped Redis keeps its connections and answers nothing; what it was asked meanwhile it does when it
 * goes on, or never.
 */
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisServer } from '../fixtures/redis-server.js';
import type { Interval } from './evidence.js';

const KINDS = ['kill', 'power cut', 'stop, then kill', 'stop, then go on'] as const;

export type BlowKind = (typeof KINDS)[number];

const COUNTS: Readonly<Record<BlowKind, number>> = {
  kill: 10,
  'power cut': 5,
  'stop, then kill': 5,
  'stop, then go on': 6,
};
const POWER_CUT_LOSS_MS = 1_000;
const SAMPLE_EVERY_MS = 20;
const SAMPLES_KEPT = (2 * POWER_CUT_LOSS_MS) / SAMPLE_EVERY_MS;

/** All blows of a run in the order in which they fall. */
export function planBlows(random: () => number): BlowKind[] {
  const blows = KINDS.flatMap((kind) => Array.from({ length: COUNTS[kind] }, () => kind));
  for (let last = blows.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [blows[last], blows[other]] = [blows[other] as BlowKind, blows[last] as BlowKind];
  }
  return blows;
}

export async function pauseBetween(random: () => number, leastMs: number, mostMs: number): Promise<void> {
  const durationMs = leastMs + random() * (mostMs - leastMs);
  await new Promise((resolve) => setTimeout(resolve, durationMs));
}

/** Deals one blow; Redis runs again when it resolves. Returns the kill, or null where there was none. */
export async function dealBlow(
  kind: BlowKind,
  redis: RedisServer,
  file: AppendOnlyFile,
  random: () => number,
): Promise<Interval | null> {
  const fromMs = Date.now();
  if (kind === 'stop, then go on' || kind === 'stop, then kill') {
    redis.pause();
    const stoppedMs = Date.now();
    await pauseBetween(random, 1_000, 3_000);
    if (kind === 'stop, then go on') {
      redis.resume();
      return null;
    }
    await killAndRestart(redis, random);
    return { fromMs, untilMs: stoppedMs };
  }
  await redis.kill('SIGKILL');
  const untilMs = Date.now();
  if (kind === 'power cut') file.cut(fromMs - POWER_CUT_LOSS_MS, random);
  await killAndRestart(redis, random);
  return { fromMs, untilMs };
}

async function killAndRestart(redis: RedisServer, random: () => number): Promise<void> {
  await redis.kill('SIGKILL');
  await pauseBetween(random, 200, 2_000);
  await redis.restart();
}

/** The file that Redis appends to, and how long it was at each moment of the last seconds. */
export class AppendOnlyFile {
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;
  #samples: { readonly atMs: number; readonly bytes: number }[] = [];

  /** Of a Redis that runs. A file that would grow to 64 MB is out of reach of these runs, so it is never rewritten. */
  constructor(dir: string) {
    const folder = join(dir, 'appendonlydir');
    const name = readdirSync(folder).find((each) => each.endsWith('.incr.aof'));
    if (name === undefined) throw new Error(`no append-only file in ${folder}`);
    this.#path = join(folder, name);
    this.#timer = setInterval(() => this.#sample(), SAMPLE_EVERY_MS);
  }

  /** Cuts off an end of it that was written after `sinceMs`; where exactly is drawn, as a rule within a command. */
  cut(sinceMs: number, random: () => number): void {
    const { size } = statSync(this.#path);
    const kept = this.#samples.find(({ atMs }) => atMs >= sinceMs)?.bytes ?? size;
    truncateSync(this.#path, kept + Math.floor(random() * (size - kept)));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    this.#samples.push({ atMs: Date.now(), bytes: statSync(this.#path).size });
    if (this.#samples.length > SAMPLES_KEPT) this.#samples.shift();
  }
}
