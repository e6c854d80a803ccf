/**
 * A million hostile requests beside one good client: pipelined in whatever number, of clients that never read, that drip
 * or only hold connections, with keys that nobody made, with bytes that are no HTTP. The good client asks all the while and
 * must not notice; the server's memory must stay below what docs/operations.md promises, and where it was. A part of the
 * requests meets each key store. Prints what was sent, what came back, the good client's latencies and the memory.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeStarterRelease } from '../../build-index/starter.js';
import { memoryOf } from '../bench/process-figures.mjs';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { runProgramAside } from '../fixtures/program.js';
import { startRedis } from '../fixtures/redis-server.js';
import { startServerProgram } from '../fixtures/server-program.js';
import { createKey } from '../fixtures/stored-key.js';
import { printFigures } from '../world/world.js';
import { quantile } from './swap-load.js';

const SEED = 20_261_122;
/** Fewer than the attackers try to hold. */
const MAX_CONNECTIONS = 300;
const GOOD_CLIENT_PAUSE_MS = 5;
const GOOD_CLIENT_P99_MS = 250;
const SAMPLE_MS = 250;
/** Promised in docs/operations.md for a process under attack. */
const MAX_MEMORY_BYTES = 256e6;
const MEMORY_GROWTH = 1.25;
const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  good: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
});

interface Attack {
  readonly sent: number;
  readonly answered: number;
  readonly connections: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  readonly failureCount: number;
}

let folder: TemporaryFolder;
let snapshot: string;

beforeAll(async () => {
  folder = createTemporaryFolder();
  snapshot = join(folder.path, 'starter.snapshot');
  await writeStarterRelease(join(folder.path, 'starter'));
  const { exitCode, stderr } = await runProgramAside(['build', join(folder.path, 'starter'), '--out', snapshot]);
  if (exitCode !== 0) throw new Error(stderr);
});
afterAll(() => folder.remove());

test(
  '700,000 hostile requests, embedded keys',
  () => attack(700_000, { KEYS_DIR: join(folder.path, 'keys') }),
  1_800_000,
);

test('300,000 hostile requests, keys in Redis', async () => {
  const redis = await startRedis();
  try {
    await attack(300_000, { REDIS_URL: redis.url });
  } finally {
    await redis.stop();
  }
}, 1_800_000);

async function attack(requestCount: number, keyStore: Readonly<Record<string, string>>): Promise<void> {
  const program = startServerProgram('dist/src/main.js', {
    ...{ PORT: '0', ADMIN_PORT: '0', SNAPSHOT: snapshot, PLANS, ...keyStore },
    MAX_CONNECTIONS: String(MAX_CONNECTIONS),
  });
  let clients: ChildProcess | undefined;
  try {
    const [line] = await program.waitFor(/^.*"msg":"listening".*\n/m);
    const { port, adminPort } = JSON.parse(line) as { port: number; adminPort: number };
    const plans = ['good', 'good', 'free', 'free'];
    const [good, ...others] = await Promise.all(plans.map((plan) => createKey({ PLANS, ...keyStore }, plan)));
    const args = [join(import.meta.dirname, 'hostile/clients.mjs'), port, SEED, requestCount, ...others].map(String);
    clients = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(clients, 'close');
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    const startedMs = performance.now();
    const [told, goodClient, memory] = await Promise.all([
      readAll(clients),
      askUntil(port, good as string, () => isOver),
      sampleMemory(program.process.pid as number, () => isOver),
    ]);
    const seconds = (performance.now() - startedMs) / 1000;
    const outcome = JSON.parse(told) as Attack;
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    printFigures(describe(outcome, seconds, goodClient, memory, metrics));
    expect({ failures: outcome.failures, problems: goodClient.problems.slice(0, 5) }).toEqual({
      failures: [],
      problems: [],
    });
    expect(quantile(goodClient.latenciesMs, 0.99)).toBeLessThan(GOOD_CLIENT_P99_MS);
    expect(Math.max(...memory)).toBeLessThan(MAX_MEMORY_BYTES);
    const [second, last] = [quarterOf(memory, 1), quarterOf(memory, 3)];
    expect(median(last)).toBeLessThan(MEMORY_GROWTH * median(second));
    for (const reason of ['idle', 'pipelined', 'unread']) {
      expect(metrics).toMatch(new RegExp(`http_connections_cut_total\\{reason="${reason}"\\} [1-9]`));
    }
    expect(metrics).not.toMatch(/http_requests_total\{[^}]*status="5[^}]*\} [1-9]/);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  } finally {
    clients?.kill('SIGKILL');
    program.process.kill('SIGKILL');
    await program.ended;
  }
}

async function readAll(clients: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of clients.stdout ?? []) text += chunk;
  return text;
}

interface GoodClient {
  /** Ascending. */
  readonly latenciesMs: Float64Array;
  readonly problems: readonly string[];
}

const QUESTIONS = [
  'countries',
  'countries/US/postcodes/90210',
  'autocomplete?q=san',
  'reverse?lat=40.7&lng=-74&country=US',
];

/** Asks one question after the other on a connection that is kept. */
async function askUntil(port: number, key: string, isOver: () => boolean): Promise<GoodClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: number[] = [];
  const problems: string[] = [];
  for (let turn = 0; !isOver(); turn++) {
    const path = `/v1/${QUESTIONS[turn % QUESTIONS.length]}`;
    const askedMs = performance.now();
    const status = await new Promise<number | string>((resolve) => {
      const request = get({ host: '127.0.0.1', port, path, agent, headers: { 'x-api-key': key } }, (response) =>
        response.resume().once('end', () => resolve(response.statusCode ?? 0)),
      );
      request.once('error', (error) => resolve(error.message));
    });
    latencies.push(performance.now() - askedMs);
    if (status !== 200) problems.push(`${path}: ${status}`);
    await wait(GOOD_CLIENT_PAUSE_MS);
  }
  agent.destroy();
  return { latenciesMs: Float64Array.from(latencies).sort(), problems };
}

async function sampleMemory(pid: number, isOver: () => boolean): Promise<number[]> {
  const samples: number[] = [];
  while (!isOver()) {
    samples.push(memoryOf(pid).ownBytes);
    await wait(SAMPLE_MS);
  }
  return samples;
}

function quarterOf(samples: readonly number[], quarter: number): readonly number[] {
  return samples.slice((samples.length * quarter) / 4, (samples.length * (quarter + 1)) / 4);
}

function median(samples: readonly number[]): number {
  return quantile(Float64Array.from(samples).sort(), 0.5);
}

function describe(
  { sent, answered, connections, statuses }: Attack,
  seconds: number,
  { latenciesMs }: GoodClient,
  memory: readonly number[],
  metrics: string,
): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(latenciesMs, share).toFixed(1));
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  const quarters = [0, 1, 2, 3].map((quarter) => megabytes(median(quarterOf(memory, quarter))));
  return [
    `${sent} hostile requests in ${seconds.toFixed(0)} s, ${answered} answered: ${JSON.stringify(statuses)}`,
    `on connections ${JSON.stringify(connections)}`,
    `good client: ${latenciesMs.length} requests, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms`,
    `memory of its own: quarters ${quarters.join(', ')}, most ${megabytes(Math.max(...memory))}`,
    ...(metrics.match(/^postal_places_http_(?:connections|held)\S* .*$/gm) ?? []),
  ].join('\n');
}
