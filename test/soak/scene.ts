/**
 * The stage of a soak: one real Redis that syncs its append-only file every second, two real servers on it, compiled by
 * `npm run test:soak`, and the key program. What the servers log is read for what happened to them.
 */
import { main as runKeys } from '../../src/keys/cli.js';
import { buildFixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { type RedisServer, startRedis, waitUntil } from '../fixtures/redis-server.js';
import { type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import type { Outage } from './evidence.js';

export const QUOTA = 1_500;
const SERVER_COUNT = 2;
const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  monthly: { requestsPerMonth: QUOTA, requestsPerSecond: null, burst: null },
  unlimited: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
});

export interface SoakServer {
  readonly port: number;
  readonly program: ServerProgram;
  isReady(): Promise<boolean>;
}

export interface Scene {
  readonly redis: RedisServer;
  /** Runs the key program and parses its answer. Throws where it fails. */
  runKeyProgram<Answer>(...args: string[]): Promise<Answer>;
  startServers(): Promise<readonly SoakServer[]>;
  /** Waits until every server can ask Redis. */
  waitUntilReady(): Promise<void>;
  /** Ends the servers as an operator would, and resolves with their exit codes. */
  stopServers(): Promise<readonly (number | null)[]>;
  /** Ends and removes whatever is left. */
  close(): Promise<void>;
}

export async function setScene(): Promise<Scene> {
  const fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
  // The later of two arguments holds.
  const redis = await startRedis({ appendOnly: true, args: ['--appendfsync', 'everysec'] });
  const env = { REDIS_URL: redis.url, PLANS };
  let servers: readonly SoakServer[] = [];
  return {
    redis,
    runKeyProgram: (...args) => runKeyProgram(args, env),
    async startServers() {
      const environment = { ...env, PORT: '0', ADMIN_PORT: '0', SNAPSHOT: fixture.path };
      servers = await Promise.all(Array.from({ length: SERVER_COUNT }, () => startServer(environment)));
      return servers;
    },
    async waitUntilReady() {
      for (const server of servers) await waitUntil('every server to be ready', server.isReady);
    },
    async stopServers() {
      for (const { program } of servers) program.process.kill('SIGTERM');
      return await Promise.all(servers.map(({ program }) => program.ended));
    },
    async close() {
      for (const { program } of servers) program.process.kill('SIGKILL');
      await Promise.all(servers.map(({ program }) => program.ended));
      await redis.stop();
      fixture.cleanup();
    },
  };
}

async function startServer(environment: Record<string, string>): Promise<SoakServer> {
  const program = startServerProgram('dist/src/main.js', environment);
  const { port, adminPort } = JSON.parse((await program.waitFor(/^.*\n/))[0]) as { port: number; adminPort: number };
  return {
    port,
    program,
    async isReady() {
      const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`, { headers: { connection: 'close' } });
      return ((await answer.json()) as { status: string }).status === 'ready';
    },
  };
}

async function runKeyProgram<Answer>(args: string[], env: Record<string, string>): Promise<Answer> {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const status = await runKeys([...args, '--json'], { env, clock: Date.now, writeOut: write, writeError: write });
  if (status !== 0) throw new Error(`the key program ended with ${status}: ${output}`);
  return JSON.parse(output) as Answer;
}

interface LogLine {
  readonly time: number;
  readonly level: number;
  /** Of the line that says that Redis does not answer. */
  readonly graceSeconds?: number;
  /** Of the line that says that it answers again. */
  readonly outageMs?: number;
  readonly requestsToCount?: number;
  /** Of a line about one request that was answered 5xx. */
  readonly correlationId?: string;
}

function parseLog({ program }: SoakServer): LogLine[] {
  const text = program.stdout();
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
  return lines.map((line) => JSON.parse(line) as LogLine);
}

/** When a server could not ask Redis. */
export function outagesOf(server: SoakServer): Outage[] {
  const outages: Outage[] = [];
  let fromMs: number | null = null;
  for (const { time, graceSeconds, outageMs, requestsToCount = 0 } of parseLog(server)) {
    if (graceSeconds !== undefined) fromMs = time;
    if (outageMs === undefined || fromMs === null) continue;
    outages.push({ fromMs, untilMs: time, owedCount: requestsToCount });
    fromMs = null;
  }
  if (fromMs !== null) outages.push({ fromMs, untilMs: Number.POSITIVE_INFINITY, owedCount: 0 });
  return outages;
}

/** What a server logged as an error, except that a request could not be decided. */
export function errorsOf(server: SoakServer): LogLine[] {
  return parseLog(server).filter(({ level, correlationId }) => level >= 50 && correlationId === undefined);
}
