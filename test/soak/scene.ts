/**
 * The stage of a soak: one real Redis with an append-only file, two real servers on it, compiled by
 * `npm run test:soak`, and `postal-places keys`. What the servers log is read for what happened to them.
 */
import { run } from '../../cli/run.js';
import { buildFixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { type RedisServer, startRedis } from '../fixtures/redis-server.js';
import { type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { waitUntil } from '../fixtures/wait-until.js';
import type { Interval } from './evidence.js';

export const QUOTA = 1_500;
const SERVER_COUNT = 2;
const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  monthly: { requestsPerMonth: QUOTA, requestsPerSecond: null, burst: null },
  unlimited: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
});

/** The setting of Redis: when it syncs its file. With `no` it still writes before it answers. */
export type AppendFsync = 'everysec' | 'no';

export interface SoakServer {
  readonly port: number;
  readonly program: ServerProgram;
  isReady(): Promise<boolean>;
}

export interface Scene {
  readonly redis: RedisServer;
  readonly servers: readonly SoakServer[];
  /** Waits until every server can ask Redis. */
  waitUntilReady(): Promise<void>;
  /** Ends the servers as an operator would, and resolves with their exit codes. */
  stopServers(): Promise<readonly (number | NodeJS.Signals)[]>;
  /** Ends and removes whatever is left. */
  close(): Promise<void>;
}

export async function setScene(appendfsync: AppendFsync): Promise<Scene> {
  const fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
  // Of two such arguments the later one holds.
  const redis = await startRedis({ appendOnly: true, args: ['--appendfsync', appendfsync] });
  const environment = { REDIS_URL: redis.url, PLANS, PORT: '0', ADMIN_PORT: '0', SNAPSHOT: fixture.path };
  const programs = Array.from({ length: SERVER_COUNT }, () => startServerProgram('serve', environment));
  const close = async () => {
    for (const program of programs) program.process.kill('SIGKILL');
    await Promise.all(programs.map(({ ended }) => ended));
    await redis.stop();
    fixture.cleanup();
  };
  try {
    const servers = await Promise.all(programs.map(watchServer));
    return {
      redis,
      servers,
      async waitUntilReady() {
        for (const server of servers) await waitUntil('every server to be ready', server.isReady);
      },
      async stopServers() {
        for (const program of programs) program.process.kill('SIGTERM');
        return await Promise.all(programs.map(({ ended }) => ended));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function watchServer(program: ServerProgram): Promise<SoakServer> {
  const { port, adminPort } = JSON.parse((await program.waitFor(/^.*"msg":"listening".*\n/m))[0]) as {
    port: number;
    adminPort: number;
  };
  return {
    port,
    program,
    async isReady() {
      const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`, { headers: { connection: 'close' } });
      return ((await answer.json()) as { status: string }).status === 'ready';
    },
  };
}

/** Runs `postal-places keys` on a Redis and parses its answer. Throws where it fails. */
export async function runKeyProgram<Answer>(redis: RedisServer, ...args: string[]): Promise<Answer> {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const env = { REDIS_URL: redis.url, PLANS };
  const status = await run(['keys', ...args, '--json'], { env, clock: Date.now, writeOut: write, writeError: write });
  if (status !== 0) throw new Error(`keys ended with ${status}: ${output}`);
  return JSON.parse(output) as Answer;
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

function parseLog({ program }: SoakServer): LogLine[] {
  const text = program.stdout();
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
  return lines.map((line) => JSON.parse(line) as LogLine);
}

/** When a server could not ask Redis. */
export function outagesOf(server: SoakServer): Interval[] {
  const outages: Interval[] = [];
  let fromMs: number | null = null;
  for (const { time, graceSeconds, outageMs } of parseLog(server)) {
    if (graceSeconds !== undefined) fromMs = time;
    if (outageMs === undefined || fromMs === null) continue;
    outages.push({ fromMs, untilMs: time });
    fromMs = null;
  }
  if (fromMs !== null) outages.push({ fromMs, untilMs: Number.POSITIVE_INFINITY });
  return outages;
}

/** What a server logged as an error, except that a request could not be decided. */
export function errorsOf(server: SoakServer): LogLine[] {
  return parseLog(server).filter(({ level, correlationId }) => level >= 50 && correlationId === undefined);
}
