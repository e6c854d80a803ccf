/**
 * Two servers under load while their Redis is killed, stopped and restarted: whatever happens to Redis, good keys are
 * served, bad keys are not, nothing is counted twice, and what is lost is at most what Redis confirmed in the last
 * second before a kill. In the midst of it one key is revoked and the quota of another is used up. It takes about two
 * minutes; SOAK_SEED chooses another course of it.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiKey, isWellFormedApiKey } from '../../src/keys/api-key.js';
import { waitUntil } from '../fixtures/redis-server.js';
import { createRandom } from '../world/world.js';
import { AppendOnlyFile, dealBlow, pauseBetween, planBlows } from './blows.js';
import { type Books, closeBooks } from './books.js';
import type { Evidence, Interval, KeyKind } from './evidence.js';
import { Load, type LoadKey } from './load.js';
import { printBooks } from './print-books.js';
import { errorsOf, outagesOf, QUOTA, type Scene, type SoakServer, setScene } from './scene.js';

const SEED = Number(process.env.SOAK_SEED ?? 20_240_229);
const GOOD_KEYS = 4;
const REDIS_TIMEOUT_MS = 250;
/** Before which of the blows. */
const [REVOKE_AT, EXHAUST_AT] = [8, 14];
/** Asks for the key of the quota at the same time, of each server. */
const EXHAUSTING_LOOPS = 4;
const [INFORMED, UNINFORMED] = [0, 1];

interface SoakKey extends LoadKey {
  readonly kind: KeyKind;
  /** Null for a key that no store has. */
  readonly id: string | null;
}

let scene: Scene;
let load: Load | undefined;
let file: AppendOnlyFile | undefined;

beforeAll(async () => {
  scene = await setScene();
});

afterAll(async () => {
  load?.close();
  file?.close();
  await scene?.close();
});

async function createKey(kind: KeyKind, weight: number, name: string = kind, ...more: string[]): Promise<SoakKey> {
  const args = ['create', '--name', name, ...more];
  const { id, key } = await scene.runKeyProgram<{ id: string; key: string }>(...args);
  return { name, kind, id, clearKey: key, weight };
}

async function createKeys(): Promise<SoakKey[]> {
  const keys: SoakKey[] = [];
  for (let number = 1; number <= GOOD_KEYS; number++) {
    keys.push(await createKey('good', 15, `good ${number}`, '--plan', 'unlimited'));
  }
  keys.push(await createKey('quota', 3, 'quota', '--plan', 'monthly'));
  keys.push(await createKey('revoked midway', 8, 'revoked midway', '--plan', 'unlimited'));
  const revoked = await createKey('revoked', 4);
  await scene.runKeyProgram('revoke', revoked.id as string);
  keys.push(revoked, await createKey('expired', 4, 'expired', '--expires', '2024-02-29T12:00Z'));
  const [good] = keys as [SoakKey];
  const mistyped = good.clearKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  expect(isWellFormedApiKey(mistyped)).toBe(false);
  keys.push({ name: 'unknown', kind: 'unknown', id: null, clearKey: createApiKey(), weight: 4 });
  keys.push({ name: 'mistyped', kind: 'mistyped', id: null, clearKey: mistyped, weight: 4 });
  return keys;
}

/** One server hears of it at once; the other is not asked for the key again before the next blow. */
async function revokeMidway(running: Load, { name, id }: SoakKey): Promise<Interval> {
  await scene.waitUntilReady();
  await running.hold(UNINFORMED, name);
  const fromMs = Date.now();
  await scene.runKeyProgram('revoke', id as string);
  const untilMs = Date.now();
  await running.ask(INFORMED, name);
  return { fromMs, untilMs };
}

/** Uses the quota up while Redis can be asked, with all debts told, so that it is exact. */
async function exhaustQuota(running: Load, servers: readonly SoakServer[], { name }: SoakKey): Promise<Interval> {
  await scene.waitUntilReady();
  for (const server of servers.keys()) await running.ask(server, name);
  const fromMs = Date.now();
  const askUntilRefused = async (server: number) => {
    while ((await running.ask(server, name)).status === 200);
  };
  await Promise.all(
    [...servers.keys()].flatMap((server) => Array.from({ length: EXHAUSTING_LOOPS }, () => askUntilRefused(server))),
  );
  return { fromMs, untilMs: Date.now() };
}

async function readCounts(keys: readonly SoakKey[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, id } of keys) {
    if (id === null) continue;
    const { used, months } = await scene.runKeyProgram<{ used: number; months: { used: number }[] }>('usage', id);
    counts.set(
      name,
      months.reduce((sum, month) => sum + month.used, used),
    );
  }
  return counts;
}

/** The counts once both servers have told what they owed: an answer to a request comes after all debts. */
async function settleCounts(running: Load, servers: readonly SoakServer[], keys: readonly SoakKey[]) {
  await scene.waitUntilReady();
  await running.stop();
  const [good] = keys as [SoakKey];
  for (const server of servers.keys()) await running.ask(server, good.name);
  await scene.waitUntilReady();
  let counts = await readCounts(keys);
  await waitUntil('the counts to stand still', async () => {
    const before = counts;
    counts = await readCounts(keys);
    return [...counts].every(([name, used]) => before.get(name) === used);
  });
  return counts;
}

test('twenty kills and more: good keys are served, bad ones are not, and the counts are right', async () => {
  const startedMs = Date.now();
  const random = createRandom(SEED);
  const { redis } = scene;
  const keys = await createKeys();
  const keyOf = (kind: KeyKind) => keys.find((key) => key.kind === kind) as SoakKey;
  const servers = await scene.startServers();
  const ports = servers.map(({ port }) => port);
  const running = new Load({ ports, keys, connectionsPerServer: 16, requestsPerSecond: 400, seed: SEED });
  load = running;
  file = new AppendOnlyFile(redis.dir);
  for (const server of servers.keys()) for (const { name } of keys) await running.ask(server, name);
  running.start();

  const kills: Interval[] = [];
  const [never] = [{ fromMs: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY }];
  let [revocation, exhaustion] = [never, never];
  const blows = planBlows(random);
  for (const [index, kind] of blows.entries()) {
    if (index === REVOKE_AT) revocation = await revokeMidway(running, keyOf('revoked midway'));
    if (index === EXHAUST_AT) exhaustion = await exhaustQuota(running, servers, keyOf('quota'));
    await pauseBetween(random, 1_000, 3_000);
    const blow = dealBlow(kind, redis, file, random);
    if (index === REVOKE_AT) running.resume(UNINFORMED, keyOf('revoked midway').name);
    const kill = await blow;
    if (kill !== null) kills.push(kill);
  }

  const counted = await settleCounts(running, servers, keys);
  const exitCodes = await scene.stopServers();
  const evidence: Evidence = {
    kinds: new Map(keys.map(({ name, kind }) => [name, kind])),
    exchanges: running.exchanges,
    outages: servers.map(outagesOf),
    kills,
    redisTimeoutMs: REDIS_TIMEOUT_MS,
    counted,
    quota: QUOTA,
    exhaustion,
    revocation,
  };
  const books: Books = closeBooks(evidence);
  printBooks(books, evidence, [
    ['seed', String(SEED)],
    ['took', `${((Date.now() - startedMs) / 1_000).toFixed(0)} s`],
    ['kills', `${kills.length}, ${blows.filter((kind) => kind === 'power cut').length} of them power cuts`],
    ['stops', String(blows.filter((kind) => kind.startsWith('stop')).length)],
  ]);
  expect(kills.length).toBeGreaterThanOrEqual(20);
  expect(Object.entries(books.faults).filter(([, found]) => found > 0)).toEqual([]);
  expect(servers.flatMap(errorsOf)).toEqual([]);
  expect({ exitCodes, stderr: servers.map(({ program }) => program.stderr()) }).toEqual({
    exitCodes: [0, 0],
    stderr: ['', ''],
  });
  expect(await readCounts(keys)).toEqual(counted);
});
