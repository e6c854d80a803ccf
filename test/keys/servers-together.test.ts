/**
 * Eight server processes with 512 connections on one key that has 1,000 requests left: whatever the store, exactly 1,000
 * are answered and every other one is told that the quota is used up. Runs the real servers, which `npm test` compiles.
 */

import { Agent, get } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { main as runKeys } from '../../src/key-program/main.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { startRedis } from '../fixtures/redis-server.js';
import { type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { createTemporaryFolders } from './temporary-folders.js';

const SERVER_COUNT = 8;
const CONNECTIONS_PER_SERVER = 64;
const QUOTA = 1_000;
const REQUESTS_PER_CONNECTION = 4;
const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  thousand: { requestsPerMonth: QUOTA, requestsPerSecond: null, burst: null },
});

const folders = createTemporaryFolders();
let fixture: FixtureSnapshot;
let servers: ServerProgram[] = [];
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
});
afterEach(async () => {
  for (const { process } of servers) process.kill('SIGTERM');
  await Promise.all(servers.map(({ ended }) => ended));
  servers = [];
  for (const clean of cleanups.splice(0)) await clean();
});
afterAll(() => {
  fixture.cleanup();
  folders.clear();
});

async function runKeyProgram(
  args: string[],
  env: Record<string, string>,
): Promise<{ id: string; key: string; used: number }> {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const status = await runKeys([...args, '--json'], { env, clock: Date.now, writeOut: write, writeError: write });
  if (status !== 0) throw new Error(output);
  return JSON.parse(output);
}

function statusOf(port: number, agent: Agent, key: string, attemptsLeft = 5): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/v1/countries/LI', agent, headers: { 'x-api-key': key } };
    const request = get(options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      // A server closes connections that say nothing for seconds, which on a busy machine is when this process stands
      // still; it never saw the request. Had it counted one that it did not answer, the sums would not be right.
      if (attemptsLeft > 0 && error.code === 'ECONNRESET') resolve(statusOf(port, agent, key, attemptsLeft - 1));
      else reject(error);
    });
  });
}

test.each([
  ['the embedded store', async () => ({ KEYS_DIR: folders.make() })],
  [
    'Redis',
    async () => {
      const redis = await startRedis();
      cleanups.push(() => redis.stop());
      // This is about counting, and 17 processes share the machine: nobody is to be too slow.
      return { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '60000' };
    },
  ],
])(
  '%s lets exactly as many through as are left',
  async (_, openStore) => {
    const env: Record<string, string> = { ...(await openStore()), PLANS };
    const { id, key } = await runKeyProgram(['create', '--plan', 'thousand'], env);
    const environment = { ...env, PORT: '0', SNAPSHOT: fixture.path };
    servers = Array.from({ length: SERVER_COUNT }, () => startServerProgram('dist/src/main.js', environment));
    const ports = await Promise.all(
      servers.map(async (server) => (JSON.parse((await server.waitFor(/^.*\n/))[0]) as { port: number }).port),
    );
    const statuses = await Promise.all(
      ports.flatMap((port) => {
        const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_PER_SERVER });
        cleanups.push(async () => agent.destroy());
        const requestCount = CONNECTIONS_PER_SERVER * REQUESTS_PER_CONNECTION;
        return Array.from({ length: requestCount }, () => statusOf(port, agent, key));
      }),
    );
    const count = (status: number) => statuses.filter((each) => each === status).length;
    const total = SERVER_COUNT * CONNECTIONS_PER_SERVER * REQUESTS_PER_CONNECTION;
    expect({ answered: count(200), overQuota: count(429), total: statuses.length }).toEqual({
      answered: QUOTA,
      overQuota: total - QUOTA,
      total,
    });
    expect((await runKeyProgram(['usage', id], env)).used).toBe(QUOTA);
  },
  120_000,
);
