/**
 * The course of a soak: keys in constant use on both servers, one fault to Redis after the other, and in the midst of it
 * one key revoked and the quota of another used up. It ends when both servers can ask Redis again. What happened is returned as evidence, unjudged.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createRandom } from '../fixtures/random.mjs';
import { waitUntil } from '../fixtures/wait-until.js';
import { AppendOnlyFile } from './append-only-file.js';
import type { Evidence, Interval, Kill } from './evidence.js';
import { type DealtKill, type FaultCounts, injectFault, pauseBetween, planFaults } from './faults.js';
import { Load } from './load.js';
import { outagesOf, QUOTA, runKeyProgram, type Scene } from './scene.js';
import { countTaken, createKeys, readCounts, type SoakKey } from './soak-keys.js';

export interface CourseOptions {
  readonly scene: Scene;
  readonly seed: number;
  readonly faults: FaultCounts;
  readonly mayLoseUnwritten: boolean;
  /** Before which of the faults, counted from 0. */
  readonly revokeAt: number;
  readonly exhaustAt: number;
}

export interface Course {
  readonly evidence: Evidence;
  readonly faultCount: number;
  readonly durationMs: number;
}

const CONNECTIONS_PER_SERVER = 16;
const REQUESTS_PER_SECOND = 400;
/** How many ask at the same time for the key of the quota, of each server. */
const EXHAUSTING_LOOPS = 4;
/** The server that hears of the revocation at once, and the one that is not asked before the next fault. */
const [INFORMED, UNINFORMED] = [0, 1];
const NEVER: Interval = { fromMs: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };

export async function runCourse({ scene, seed, ...options }: CourseOptions): Promise<Course> {
  const startedMs = performance.now();
  const random = createRandom(seed);
  const { redis, servers } = scene;
  const keys = await createKeys(redis);
  const ports = servers.map(({ port }) => port);
  const pace = { connectionsPerServer: CONNECTIONS_PER_SERVER, requestsPerSecond: REQUESTS_PER_SECOND };
  const load = new Load({ ports, keys, seed, ...pace });
  const file = new AppendOnlyFile(redis.dir);
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  stalls.enable();
  try {
    for (const server of servers.keys()) for (const { name } of keys) await load.ask(server, name);
    load.start();
    const dealt: (DealtKill | null)[] = [];
    let [revocation, exhaustion] = [NEVER, NEVER];
    const revokedMidway = keyOf(keys, 'revoked midway');
    for (const [index, kind] of planFaults(options.faults, random).entries()) {
      if (index === options.revokeAt) revocation = await revokeMidway(scene, load, revokedMidway);
      if (index === options.exhaustAt) exhaustion = await exhaustQuota(scene, load, keyOf(keys, 'quota').name);
      await pauseBetween(random, 1_000, 3_000);
      const fault = injectFault(kind, { redis, file }, random);
      if (index === options.revokeAt) load.resume(UNINFORMED, revokedMidway.name);
      dealt.push(await fault);
    }
    await scene.waitUntilReady();
    await load.stop();
    await scene.waitUntilReady();
    const counted = await readCounts(redis, keys);
    const kills: Kill[] = [];
    for (const kill of dealt) {
      if (kill === null) continue;
      const { fromMs, untilMs, cut } = kill;
      kills.push({ fromMs, untilMs, takenCount: cut === null ? null : await countTaken(cut, keys) });
    }
    return {
      evidence: {
        kinds: new Map(keys.map(({ name, kind }) => [name, kind])),
        exchanges: load.exchanges,
        outages: servers.map(outagesOf),
        kills,
        mayLoseUnwritten: options.mayLoseUnwritten,
        counted,
        quota: QUOTA,
        exhaustion,
        revocation,
        longestStallMs: stalls.max / 1e6,
      },
      faultCount: dealt.length,
      durationMs: performance.now() - startedMs,
    };
  } finally {
    load.close();
    file.close();
    stalls.disable();
  }
}

function keyOf(keys: readonly SoakKey[], kind: SoakKey['kind']): SoakKey {
  return keys.find((key) => key.kind === kind) as SoakKey;
}

/** From now on the uninformed server is not sent the key, until it is resumed. */
async function revokeMidway({ redis, waitUntilReady }: Scene, load: Load, { name, id }: SoakKey): Promise<Interval> {
  await waitUntilReady();
  await load.hold(UNINFORMED, name);
  const fromMs = Date.now();
  await runKeyProgram(redis, 'revoke', id as string);
  const untilMs = Date.now();
  // A revocation that Redis itself forgets is another story; a kill comes a second after this at the earliest.
  await waitUntil('the revocation to be in the file', async () =>
    (await redis.command('INFO', 'persistence')).includes('aof_buffer_length:0\r'),
  );
  await load.ask(INFORMED, name);
  return { fromMs, untilMs };
}

/** Uses the quota up while Redis can be asked. */
async function exhaustQuota({ servers, waitUntilReady }: Scene, load: Load, key: string): Promise<Interval> {
  await waitUntilReady();
  for (const server of servers.keys()) await load.ask(server, key);
  const fromMs = Date.now();
  const askUntilRefused = async (server: number) => {
    while ((await load.ask(server, key)).status === 200);
  };
  await Promise.all(
    servers.flatMap((_, server) => Array.from({ length: EXHAUSTING_LOOPS }, () => askUntilRefused(server))),
  );
  return { fromMs, untilMs: Date.now() };
}
