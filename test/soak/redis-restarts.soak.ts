/**
 * Two servers under load while their Redis is killed, stopped and restarted: whatever happens to Redis, good keys are
 * served, bad keys are not, no request of an outage is counted, each other one once, and no quota is exceeded. Redis
 * has each write on disk before it answers, so it loses nothing. SOAK_SEED chooses another course.
 */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiKey } from '../../src/keys/key/api-key.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { type RedisServer, startRedis } from '../fixtures/redis-server.js';
import { originOf, type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { runKeys } from '../fixtures/stored-key.js';
import { waitUntil } from '../fixtures/wait-until.js';

const SEED = Number(process.env.SOAK_SEED ?? 20_240_229);
const SERVERS = [0, 1];
const CONNECTIONS_PER_SERVER = 16;
/** Milliseconds between the requests of a connection. */
const PAUSE_MS = 80;
/** Milliseconds; far beyond anything a server is allowed. */
const ANSWER_LIMIT_MS = 20_000;
const QUOTA = 1_500;
const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  monthly: { requestsPerMonth: QUOTA, requestsPerSecond: null, burst: null },
  unlimited: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
});
const FAULTS = [
  ...Array<'kill'>(10).fill('kill'),
  ...Array<'stop, then kill'>(4).fill('stop, then kill'),
  ...Array<'stop, then go on'>(4).fill('stop, then go on'),
] as const;
/** Before which of the faults. */
const [REVOKE_AT, EXHAUST_AT] = [6, 12];

type Kind = 'good' | 'quota' | 'revoked midway' | 'revoked' | 'expired' | 'unknown' | 'mistyped';

/** What is drawn from: the quota lasts until it is used up on purpose. */
const DRAWN: readonly Kind[] = [
  ...Array<Kind>(30).fill('good'),
  ...Array<Kind>(5).fill('revoked midway'),
  ...(['quota', 'revoked', 'expired', 'unknown', 'mistyped'] as const),
];

/** Milliseconds since 1970 of the one clock that this process and the logs of the servers share. */
interface Interval {
  fromMs: number;
  untilMs: number;
}

interface Exchange {
  readonly server: number;
  readonly kind: Kind;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly status: number;
}

const never = (): Interval => ({ fromMs: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY });
const random = createRandom(SEED);
const agents = SERVERS.map(() => new Agent({ keepAlive: true, maxSockets: CONNECTIONS_PER_SERVER }));
const keys = new Map<Kind, { readonly id?: string; readonly key: string }>();
const exchanges: Exchange[] = [];
const [revoked, exhausted] = [never(), never()];
let fixture: FixtureSnapshot;
let redis: RedisServer;
let env: Record<string, string>;
let programs: ServerProgram[] = [];
let origins: string[];

beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
  redis = await startRedis({ appendOnly: true });
  env = { REDIS_URL: redis.url, PLANS };
  const create = async (kind: Kind, ...more: string[]) =>
    keys.set(kind, await runKeys(env, 'create', '--name', kind, ...more));
  await create('good', '--plan', 'unlimited');
  await create('quota', '--plan', 'monthly');
  await create('revoked midway', '--plan', 'unlimited');
  await create('revoked');
  await create('expired', '--expires', '2024-02-29');
  await runKeys(env, 'revoke', keys.get('revoked')?.id as string);
  keys.set('unknown', { key: createApiKey() });
  keys.set('mistyped', { key: createApiKey().replace(/.$/, (last) => (last === '0' ? '1' : '0')) });
  programs = SERVERS.map(() => startServerProgram('serve', { ...env, PORT: '0', SNAPSHOT: fixture.path }));
  origins = await Promise.all(programs.map(originOf));
});
afterAll(async () => {
  for (const agent of agents) agent.destroy();
  for (const program of programs) program.process.kill('SIGKILL');
  await Promise.all(programs.map(({ ended }) => ended));
  await redis?.stop();
  fixture?.cleanup();
});

/** Forgives nothing: a connection that breaks ends the soak. */
async function ask(server: number, kind: Kind): Promise<number> {
  const options = {
    agent: agents[server] as Agent,
    headers: { 'x-api-key': keys.get(kind)?.key },
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  };
  const sentMs = Date.now();
  const [response] = (await once(get(`${origins[server]}/v1/countries/LI`, options), 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  const status = response.statusCode ?? 0;
  exchanges.push({ server, kind, sentMs, receivedMs: Date.now(), status });
  return status;
}

/** Asks until a server answers with this status. */
async function askUntil(status: number, server: number, kind: Kind): Promise<void> {
  while ((await ask(server, kind)) !== status);
}

interface LogLine {
  readonly time: number;
  readonly level: number;
  /** Of the line that says that Redis does not answer. */
  readonly graceSeconds?: number;
  /** Of the line that says that it answers again. */
  readonly outageMs?: number;
  /** Of a line about one request that was answered 5xx. */
  readonly correlationId?: string;
}

function logOf(program: ServerProgram): LogLine[] {
  const text = program.stdout();
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
  return lines.map((line) => JSON.parse(line) as LogLine);
}

/** When a server could not ask Redis. */
function outagesOf(program: ServerProgram): Interval[] {
  const outages: Interval[] = [];
  for (const { time, graceSeconds, outageMs } of logOf(program)) {
    if (graceSeconds !== undefined) outages.push({ ...never(), fromMs: time });
    const last = outages.at(-1);
    if (outageMs !== undefined && last !== undefined) last.untilMs = time;
  }
  return outages;
}

async function untilReady(): Promise<void> {
  const isReady = (program: ServerProgram) => outagesOf(program).every(({ untilMs }) => untilMs < Date.now());
  await waitUntil('both servers to ask Redis', () => programs.every(isReady));
}

async function during(interval: Interval, act: () => Promise<unknown>): Promise<void> {
  await untilReady();
  interval.fromMs = Date.now();
  await act();
  interval.untilMs = Date.now();
}

const pause = (leastMs: number, mostMs: number) => wait(leastMs + random() * (mostMs - leastMs));

async function spoil(fault: (typeof FAULTS)[number]): Promise<void> {
  await pause(500, 2_000);
  if (fault !== 'kill') {
    redis.pause();
    await pause(500, 2_000);
  }
  if (fault === 'stop, then go on') return redis.resume();
  await redis.kill();
  await pause(200, 1_500);
  await redis.restart();
}

async function spoilAll(): Promise<void> {
  const order = FAULTS.map((fault) => ({ fault, at: random() })).sort((one, other) => one.at - other.at);
  for (const [index, { fault }] of order.entries()) {
    if (index === REVOKE_AT) {
      await during(revoked, async () => {
        await runKeys(env, 'revoke', keys.get('revoked midway')?.id as string);
        await Promise.all(SERVERS.map((server) => askUntil(401, server, 'revoked midway')));
      });
    }
    if (index === EXHAUST_AT) {
      await during(exhausted, () => Promise.all(SERVERS.map((server) => askUntil(429, server, 'quota'))));
    }
    await spoil(fault);
  }
}

/** The statuses that a request may get: one on the edge of an outage may be decided by Redis or from memory. */
function rightStatuses({ kind, sentMs, receivedMs }: Exchange, mayBeOut: boolean, isOut: boolean): readonly number[] {
  const refused = isOut ? [503] : mayBeOut ? [401, 503] : [401];
  const changing = (before: number, { fromMs, untilMs }: Interval, after: readonly number[]) =>
    receivedMs < fromMs ? [before] : sentMs > untilMs ? after : [before, ...after];
  if (kind === 'good') return [200];
  if (kind === 'quota') return changing(200, exhausted, [429]);
  if (kind === 'revoked midway') return changing(200, revoked, refused);
  return kind === 'mistyped' ? [401] : refused;
}

test('whatever happens to Redis, every answer is right, and so is every count', async () => {
  for (const server of SERVERS) for (const kind of keys.keys()) await ask(server, kind);
  let isOver = false;
  const load = SERVERS.flatMap((server) =>
    Array.from({ length: CONNECTIONS_PER_SERVER }, async () => {
      while (!isOver) {
        await ask(server, DRAWN[Math.floor(random() * DRAWN.length)] as Kind);
        await pause(0, 2 * PAUSE_MS);
      }
    }),
  );
  await Promise.race([spoilAll(), Promise.all(load)]);
  await untilReady();
  isOver = true;
  await Promise.all(load);
  await untilReady();

  const outages = programs.map(outagesOf);
  expect(outages.flat().length).toBeGreaterThan(FAULTS.length);
  const wrong: Exchange[] = [];
  const served = new Map<Kind, { all: number; maybeOut: number; out: number }>();
  for (const exchange of exchanges) {
    const { server, kind, sentMs, receivedMs, status } = exchange;
    const own = outages[server] ?? [];
    const mayBeOut = own.some(({ fromMs, untilMs }) => receivedMs >= fromMs && sentMs <= untilMs);
    const isOut = own.some(({ fromMs, untilMs }) => sentMs > fromMs && receivedMs < untilMs);
    if (!rightStatuses(exchange, mayBeOut, isOut).includes(status)) wrong.push(exchange);
    const counts = served.get(kind) ?? { all: 0, maybeOut: 0, out: 0 };
    served.set(kind, counts);
    if (status !== 200) continue;
    counts.all++;
    if (mayBeOut) counts.maybeOut++;
    if (isOut) counts.out++;
  }
  process.stdout.write(`${exchanges.length} requests, ${JSON.stringify(Object.fromEntries(served))}\n`);
  expect(wrong.slice(0, 20)).toEqual([]);
  for (const [kind, { id }] of keys) {
    if (id === undefined) continue;
    const { used } = await runKeys<{ used: number }>(env, 'usage', id);
    const { all, maybeOut, out } = served.get(kind) ?? { all: 0, maybeOut: 0, out: 0 };
    expect([kind, used >= all - maybeOut, used <= all - out, used]).toEqual([kind, true, true, used]);
    if (kind === 'quota') expect(used).toBe(QUOTA);
  }
  for (const program of programs) program.process.kill('SIGTERM');
  expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([0, 0]);
  expect(programs.map(({ stderr }) => stderr())).toEqual(['', '']);
  const errors = programs
    .flatMap(logOf)
    .filter(({ level, correlationId }) => level >= 50 && correlationId === undefined);
  expect(errors).toEqual([]);
});
