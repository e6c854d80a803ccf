/**
 * Four server processes with 512 connections over one store. Of a key that has 1,000 requests left exactly 1,000 are
 * answered, where every fourth is a bulk request that takes five of them or none; and each visitor of a publishable key
 * has exactly its rate, whichever of its addresses and whichever process it asks.
 */
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { type RedisServer, startRedis } from '../../fixtures/redis-server.js';
import { originOf, type ServerProgram, startServerProgram } from '../../fixtures/server-program.js';
import { runKeys } from '../../fixtures/stored-key.js';
import { SHOP } from '../key/origin-cases.js';
import { createTemporaryFolders } from '../temporary-folders.js';

const SERVER_COUNT = 4;
const CONNECTIONS_PER_SERVER = 128;
const QUOTA = 1_000;
const BULK_LOOKUPS = 5;
const VISITOR_REQUESTS = 25;
const PLANS = JSON.stringify({ free: { requestsPerMonth: QUOTA, requestsPerSecond: null, burst: null } });
const LOOKUPS = JSON.stringify({ lookups: Array(BULK_LOOKUPS).fill({ country: 'LI', postcode: '9490' }) });

describe.each(['the embedded store', 'Redis'])('over %s', (store) => {
  const folders = createTemporaryFolders();
  let fixture: FixtureSnapshot;
  let redis: RedisServer | undefined;
  let env: Record<string, string>;
  let servers: ServerProgram[] = [];
  let origins: string[] = [];
  let agents: Agent[] = [];
  beforeAll(async () => {
    fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
    if (store === 'Redis') redis = await startRedis();
    // This is about counting, and many processes share the machine: nobody is to be too slow.
    env = { ...(redis ? { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '60000' } : { KEYS_DIR: folders.make() }), PLANS };
    const environment = { ...env, PORT: '0', SNAPSHOT: fixture.path, TRUST_PROXY: 'loopback' };
    servers = Array.from({ length: SERVER_COUNT }, () => startServerProgram('serve', environment));
    origins = await Promise.all(servers.map(originOf));
    agents = servers.map(() => new Agent({ keepAlive: true, maxSockets: CONNECTIONS_PER_SERVER }));
  });
  afterAll(async () => {
    for (const agent of agents) agent.destroy();
    for (const { process } of servers) process.kill('SIGTERM');
    await Promise.all(servers.map(({ ended }) => ended));
    await redis?.stop();
    fixture.cleanup();
    folders.clear();
  });

  const createKey = (...options: string[]) =>
    runKeys<{ id: string; key: string }>(env, 'create', '--name', 'test', ...options);
  const usedOf = async (id: string) => (await runKeys<{ used: number }>(env, 'usage', id)).used;

  let turn = 0;
  /** The status of one request; the servers are asked in turn. */
  function ask(target: string, headers: Record<string, string>, body?: string, attemptsLeft = 5): Promise<number> {
    const at = turn++ % SERVER_COUNT;
    return new Promise((resolve, reject) => {
      const options = { agent: agents[at] as Agent, method: body === undefined ? 'GET' : 'POST', headers };
      const sent = request(`${origins[at]}${target}`, options, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // A server closes connections that say nothing for seconds, which on a busy machine is when this process stands
        // still; it never saw the request. Had it counted one that it did not answer, the sums would not be right.
        if (attemptsLeft > 0 && error.code === 'ECONNRESET') resolve(ask(target, headers, body, attemptsLeft - 1));
        else reject(error);
      });
      sent.end(body);
    });
  }

  test('as many requests are answered as are left, a bulk request as a whole or not at all', async () => {
    const { id, key } = await createKey();
    const json = { 'x-api-key': key, 'content-type': 'application/json' };
    const count = 4 * SERVER_COUNT * CONNECTIONS_PER_SERVER;
    const statuses = await Promise.all(
      Array.from({ length: count }, (_, at) =>
        // Every fourth, of each server.
        Math.floor(at / SERVER_COUNT) % 4 === 3
          ? ask('/v1/bulk', json, LOOKUPS)
          : ask('/v1/countries/LI', { 'x-api-key': key }),
      ),
    );
    const answered = { singles: 0, bulks: 0 };
    for (const [at, status] of statuses.entries()) {
      expect([200, 429]).toContain(status);
      if (status === 200) answered[Math.floor(at / SERVER_COUNT) % 4 === 3 ? 'bulks' : 'singles']++;
    }
    // There are more single requests than the quota, so these take what is too little for a bulk request.
    expect(answered.singles + BULK_LOOKUPS * answered.bulks).toBe(QUOTA);
    expect(await usedOf(id)).toBe(QUOTA);
    expect(answered.bulks).toBeGreaterThan(0);
  }, 120_000);

  test('each visitor has its rate, and all together the quota of the key', async () => {
    const bound = ['--origin', SHOP, '--only', 'autocomplete', '--visitor-rate', `${VISITOR_REQUESTS}/d`];
    const { id, key } = await createKey(...bound);
    /** How many requests of each of these addresses are answered. */
    const answeredOf = async (addresses: readonly string[]): Promise<Map<string, number>> => {
      const answered = new Map<string, number>();
      await Promise.all(
        addresses.map(async (address) => {
          const headers = { 'x-api-key': key, origin: SHOP, 'x-forwarded-for': address };
          const status = await ask('/v1/autocomplete?q=va', headers);
          expect([200, 429]).toContain(status);
          // A visitor is 64 bits of IPv6.
          const visitor = address.replace(/::\d$/, '::');
          if (status === 200) answered.set(visitor, (answered.get(visitor) ?? 0) + 1);
        }),
      );
      return answered;
    };
    const visitors = Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? `192.0.2.${at}` : `2001:db8:0:${at}::`));
    const addresses = Array.from({ length: 1_500 }, (_, at) => {
      const visitor = visitors[at % 30] as string;
      return visitor.endsWith('::') ? `${visitor}${(at % 7) + 1}` : visitor;
    });
    const answered = await answeredOf(addresses);
    expect(Object.fromEntries(answered)).toEqual(Object.fromEntries(visitors.map((each) => [each, VISITOR_REQUESTS])));
    expect(await usedOf(id)).toBe(30 * VISITOR_REQUESTS);
    // What is left of the quota goes to new visitors, to the last request.
    const others = await answeredOf(Array.from({ length: 1_000 }, (_, at) => `198.51.100.${at % 100}`));
    const rest = [...others.values()].reduce((sum, count) => sum + count, 0);
    expect({ rest, used: await usedOf(id) }).toEqual({ rest: QUOTA - 30 * VISITOR_REQUESTS, used: QUOTA });
  }, 120_000);
});
