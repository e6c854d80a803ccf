/**
 * Publishable keys under load, over each store: eight server processes together let each visitor and each key have exactly
 * what they have. What hostile pages get is in test/api/publishable-keys.test.ts.
 */

import { Agent, request } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { type RedisServer, startRedis } from '../fixtures/redis-server.js';
import { originOf, type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { runKeys } from '../fixtures/stored-key.js';
import { SHOP } from '../keys/key/origin-cases.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';

const SERVER_COUNT = 8;
const SOCKETS_PER_SERVER = 16;
/** Requests a month of the key. */
const QUOTA = 2_000;
const VISITOR_REQUESTS = 50;
const PLANS = JSON.stringify({ free: { requestsPerMonth: QUOTA, requestsPerSecond: null, burst: null } });

const folders = createTemporaryFolders();
let fixture: FixtureSnapshot;
let redis: RedisServer | undefined;
let servers: ServerProgram[] = [];
let origins: string[] = [];
let agents: Agent[] = [];
beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
});
afterEach(async () => {
  for (const agent of agents) agent.destroy();
  for (const { process } of servers) process.kill('SIGTERM');
  await Promise.all(servers.map(({ ended }) => ended));
  await redis?.stop();
});
afterAll(() => {
  fixture.cleanup();
  folders.clear();
});

/** The variables of a new store. */
async function openStore(name: string): Promise<Record<string, string>> {
  if (name !== 'Redis') return { KEYS_DIR: folders.make(), PLANS };
  redis = await startRedis();
  return { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '60000', PLANS };
}

let turn = 0;
/** Sends to the servers in turn; a connection that was idle for too long may be closed, which no server has counted. */
function ask(headers: Readonly<Record<string, string>>, attemptsLeft = 5): Promise<number> {
  const at = turn++ % SERVER_COUNT;
  return new Promise((resolve, reject) => {
    const options = { agent: agents[at] as Agent, headers };
    const sent = request(`${origins[at]}/v1/autocomplete?q=va`, options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (attemptsLeft > 0 && error.code === 'ECONNRESET') resolve(ask(headers, attemptsLeft - 1));
      else reject(error);
    });
    sent.end();
  });
}

/** Calls `each` for every number below `count`, a bounded number at a time. */
async function inParallel(count: number, each: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await each(index);
  };
  await Promise.all(Array.from({ length: SERVER_COUNT * SOCKETS_PER_SERVER }, work));
}

test.each(['the embedded store', 'Redis'])(
  'eight processes over %s are exact, for each visitor and for the key',
  async (name) => {
    const env = await openStore(name);
    const bound = ['--origin', SHOP, '--only', 'autocomplete', '--visitor-rate', `${VISITOR_REQUESTS}/d`];
    const { id, key } = await runKeys<{ id: string; key: string }>(env, 'create', '--name', 'shop', ...bound);
    const environment = { ...env, PORT: '0', SNAPSHOT: fixture.path, TRUST_PROXY: 'loopback' };
    servers = Array.from({ length: SERVER_COUNT }, () => startServerProgram('serve', environment));
    origins = await Promise.all(servers.map(originOf));
    agents = servers.map(() => new Agent({ keepAlive: true, maxSockets: SOCKETS_PER_SERVER }));
    const usedOf = async () => (await runKeys<{ used: number }>(env, 'usage', id)).used;
    const answered = new Map<string, number>();
    const askAs = async (visitor: string): Promise<void> => {
      const status = await ask({ 'x-api-key': key, origin: SHOP, 'x-forwarded-for': visitor });
      if (status === 200) answered.set(visitor, (answered.get(visitor) ?? 0) + 1);
      else expect(status).toBe(429);
    };
    // 30 visitors of 100 requests each, half of them from many addresses of one IPv6 network.
    const networks = Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? `192.0.2.${at}` : `2001:db8:0:${at}::`));
    await inParallel(3_000, (index) => {
      const network = networks[index % 30] as string;
      return askAs(network.endsWith('::') ? `${network}${(index % 7) + 1}` : network);
    });
    const byNetwork = new Map<string, number>();
    for (const [visitor, count] of answered) {
      const network = visitor.replace(/::\d$/, '::');
      byNetwork.set(network, (byNetwork.get(network) ?? 0) + count);
    }
    expect(Object.fromEntries(byNetwork)).toEqual(Object.fromEntries(networks.map((each) => [each, VISITOR_REQUESTS])));
    expect(await usedOf()).toBe(30 * VISITOR_REQUESTS);
    // What is left of the quota goes to new visitors, to the last request.
    answered.clear();
    await inParallel(2_000, (index) => askAs(`198.51.100.${index % 100}`));
    const rest = [...answered.values()].reduce((sum, count) => sum + count, 0);
    expect({ rest, used: await usedOf() }).toEqual({ rest: QUOTA - 30 * VISITOR_REQUESTS, used: QUOTA });
  },
);
