/**
 * An attack on a server: hostile clients (clients.mjs) beside one good client, whose latencies are measured, and samples of
 * the server's memory. The server must not notice much of it, and the good client nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { printFigures } from '../../world/world.js';
import { quantile } from '../swap-load.js';

const SEED = 20_261_122;
/** What a good client waits for at most, but for one request in a hundred. */
const GOOD_CLIENT_P99_MS = 250;
/** Milliseconds between two samples of memory. */
const SAMPLE_MS = 500;
/** How much more memory the last quarter of an attack may take than the second, */
const MEMORY_GROWTH = 1.25;
/** or than the third: V8 may enlarge its young generation once, by up to 48 MiB, and a leak goes on. */
const LATE_MEMORY_GROWTH = 1.05;

export interface Attacked {
  readonly port: number;
  readonly pid: number;
  readonly requestCount: number;
  /** Which requests are sent, and what they are made of. */
  readonly target: 'api' | 'site';
  readonly sources: object;
  /** One request after the other, again and again. */
  readonly goodClient: GoodClientPlan;
  /** What is promised for a process under attack. */
  readonly maxMemoryBytes: number;
}

interface GoodClientPlan {
  readonly port: number;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly pauseMs: number;
}

export interface GoodClient {
  /** Ascending. */
  readonly latenciesMs: Float64Array;
  readonly problems: readonly string[];
}

interface Outcome {
  readonly sent: number;
  readonly answered: number;
  readonly connections: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
}

/** Attacks, expects what holds for every server, and prints figures. `beside` runs as long as the attack. */
export async function attack(
  { port, pid, requestCount, target, sources, goodClient: plan, maxMemoryBytes }: Attacked,
  beside: (isOver: () => boolean) => Promise<void> = async () => {},
): Promise<void> {
  const args = [join(import.meta.dirname, 'clients.mjs'), port, SEED, requestCount, target, JSON.stringify(sources)];
  const clients = spawn(process.execPath, args.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let hasEnded = false;
    void once(clients, 'close').then(() => {
      hasEnded = true;
    });
    const isOver = (): boolean => hasEnded;
    const startedMs = performance.now();
    const [told, goodClient, memory] = await Promise.all([
      readAll(clients),
      askUntil(plan, isOver),
      sampleMemory(pid, isOver),
      beside(isOver),
    ]);
    const seconds = (performance.now() - startedMs) / 1000;
    const outcome = JSON.parse(told) as Outcome;
    printFigures(describe(outcome, seconds, goodClient, memory).join('\n'));
    expect({ failures: outcome.failures, problems: goodClient.problems.slice(0, 5) }).toEqual({
      failures: [],
      problems: [],
    });
    expect(quantile(goodClient.latenciesMs, 0.99)).toBeLessThan(GOOD_CLIENT_P99_MS);
    expect(Math.max(...memory)).toBeLessThan(maxMemoryBytes);
    const [second = 0, third = 0, last] = [1, 2, 3].map((quarter) => median(quarterOf(memory, quarter)));
    expect(last).toBeLessThan(Math.max(MEMORY_GROWTH * second, LATE_MEMORY_GROWTH * third));
  } finally {
    clients.kill('SIGKILL');
  }
}

async function readAll(clients: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of clients.stdout ?? []) text += chunk;
  return text;
}

/** Asks one question after the other on a connection that is kept. */
export async function askUntil(
  { port, paths, headers, pauseMs }: GoodClientPlan,
  isOver: () => boolean,
): Promise<GoodClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: number[] = [];
  const problems: string[] = [];
  for (let turn = 0; !isOver(); turn++) {
    const path = paths[turn % paths.length] as string;
    const askedMs = performance.now();
    const status = await new Promise<number | string>((resolve) => {
      const request = get({ host: '127.0.0.1', port, path, agent, headers }, (response) =>
        response.resume().once('end', () => resolve(response.statusCode ?? 0)),
      );
      request.once('error', (error) => resolve(error.message));
    });
    latencies.push(performance.now() - askedMs);
    if (status !== 200) problems.push(`${path}: ${status}`);
    await wait(pauseMs);
  }
  agent.destroy();
  return { latenciesMs: Float64Array.from(latencies).sort(), problems };
}

async function sampleMemory(pid: number, isOver: () => boolean): Promise<number[]> {
  const sampler = spawn(
    process.execPath,
    [join(import.meta.dirname, 'memory-samples.mjs'), pid, SAMPLE_MS].map(String),
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const samples: number[] = [];
  for await (const line of createInterface(sampler.stdout)) {
    samples.push(Number(line));
    if (isOver()) sampler.kill();
  }
  return samples;
}

function quarterOf(samples: readonly number[], quarter: number): readonly number[] {
  return samples.slice((samples.length * quarter) / 4, (samples.length * (quarter + 1)) / 4);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

function median(samples: readonly number[]): number {
  return quantile(Float64Array.from(samples).sort(), 0.5);
}

export function latencyLine(name: string, { latenciesMs }: GoodClient): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(latenciesMs, share).toFixed(1));
  return `${name}: ${latenciesMs.length} requests, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms`;
}

function describe(
  { sent, answered, connections, statuses }: Outcome,
  seconds: number,
  goodClient: GoodClient,
  memory: readonly number[],
): string[] {
  const quarters = [0, 1, 2, 3].map((quarter) => megabytes(median(quarterOf(memory, quarter))));
  return [
    `${sent} hostile requests in ${seconds.toFixed(0)} s, ${answered} answered: ${JSON.stringify(statuses)}`,
    `on connections ${JSON.stringify(connections)}`,
    latencyLine('good client', goodClient),
    `memory of its own: quarters ${quarters.join(', ')}, most ${megabytes(Math.max(...memory))}`,
  ];
}
