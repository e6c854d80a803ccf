/**
 * Publishable keys under load, over each store: eight server processes together let each visitor and each key have exactly
 * what they have, and 100,000 hostile requests in each store (pages of other origins, secret keys in URLs, other
 * operations, changed keys, floods of addresses) get nothing that they should not, count nothing, and leave the store bounded.
 */

import { readdirSync, statSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { run } from '../../cli/run.js';
import { VISITORS_KEPT } from '../../src/keys/decision/redis-decision-script.js';
import { createApiKey } from '../../src/keys/key/api-key.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { type RedisServer, startRedis } from '../fixtures/redis-server.js';
import { type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { HOSTILE_ORIGINS, SHOP } from '../keys/key/origin-cases.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';

const SERVER_COUNT = 8;
const SOCKETS_PER_SERVER = 16;
const HOSTILE_COUNT = 100_000;
/** Requests a month of the key whose quota is used up. */
const QUOTA = 2_000;
const VISITOR_REQUESTS = 50;
const TARGET = '/v1/autocomplete?q=va';
const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  limited: { requestsPerMonth: QUOTA, requestsPerSecond: null, burst: null },
  unlimited: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
});

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly redis: RedisServer | undefined;
}

const folders = createTemporaryFolders();
const places: Readonly<Record<string, () => Promise<Place>>> = {
  'the embedded store': async () => ({ env: { KEYS_DIR: folders.make(), PLANS }, redis: undefined }),
  Redis: async () => {
    const redis = await startRedis();
    return { env: { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '60000', PLANS }, redis };
  },
};
let fixture: FixtureSnapshot;
let servers: ServerProgram[] = [];
let ports: number[] = [];
let agents: Agent[] = [];
let place: Place;
beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
});
afterEach(async () => {
  for (const agent of agents) agent.destroy();
  for (const { process } of servers) process.kill('SIGTERM');
  await Promise.all(servers.map(({ ended }) => ended));
  await place.redis?.stop();
});
afterAll(() => {
  fixture.cleanup();
  folders.clear();
});

async function start(name: string): Promise<void> {
  place = await (places[name] as () => Promise<Place>)();
  const env = { ...place.env, PORT: '0', SNAPSHOT: fixture.path, TRUST_PROXY: 'loopback' };
  // The store must be there before eight processes open it.
  await keys('create', '--name', 'first');
  servers = Array.from({ length: SERVER_COUNT }, () => startServerProgram('serve', env));
  ports = await Promise.all(
    servers.map(async (server) => (JSON.parse((await server.waitFor(/^.*\n/))[0]) as { port: number }).port),
  );
  agents = ports.map(() => new Agent({ keepAlive: true, maxSockets: SOCKETS_PER_SERVER }));
}

async function keys(...args: string[]): Promise<{ id: string; key: string; used: number }> {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const io = { env: place.env, clock: Date.now, writeOut: write, writeError: write };
  if ((await run(['keys', ...args, '--json'], io)) !== 0) throw new Error(output);
  return JSON.parse(output);
}

function createPublishable(plan: string, rate: string) {
  const bound = ['--origin', `${SHOP},https://*.shop.example`, '--only', 'autocomplete,check', '--visitor-rate', rate];
  return keys('create', '--name', 'shop', '--plan', plan, ...bound);
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let turn = 0;
/** Sends to the servers in turn; a connection that was idle for too long may be closed, which no server has counted. */
function ask(target: string, headers: Readonly<Record<string, string>>, attemptsLeft = 5): Promise<Answer> {
  const at = turn++ % SERVER_COUNT;
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: ports[at], agent: agents[at] as Agent, path: target, headers };
    const sent = request(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (attemptsLeft > 0 && error.code === 'ECONNRESET') resolve(ask(target, headers, attemptsLeft - 1));
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

test.each(Object.keys(places))('eight processes over %s are exact, for each visitor and for the key', async (name) => {
  await start(name);
  const { id, key } = await createPublishable('limited', `${VISITOR_REQUESTS}/d`);
  const answered = new Map<string, number>();
  const askAs = async (visitor: string): Promise<void> => {
    const { status } = await ask(TARGET, { 'x-api-key': key, origin: SHOP, 'x-forwarded-for': visitor });
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
  expect((await keys('usage', id)).used).toBe(30 * VISITOR_REQUESTS);
  // What is left of the quota goes to new visitors, to the last request.
  answered.clear();
  await inParallel(2_000, (index) => askAs(`198.51.100.${index % 100}`));
  const rest = [...answered.values()].reduce((sum, count) => sum + count, 0);
  expect({ rest, used: (await keys('usage', id)).used }).toEqual({ rest: QUOTA - 30 * VISITOR_REQUESTS, used: QUOTA });
});

test.each(Object.keys(places))('100,000 hostile requests get nothing of %s', async (name) => {
  await start(name);
  const shop = await createPublishable('unlimited', '10/d');
  const secret = await keys('create', '--name', 'server', '--plan', 'unlimited');
  const origins = HOSTILE_ORIGINS.filter((origin) => origin !== '');
  const counts = new Map<string, number>();
  let allowedCount = 0;
  await inParallel(HOSTILE_COUNT, async (index) => {
    const origin = origins[index % origins.length] as string;
    const visitor = `2001:db8:${(index >>> 16).toString(16)}:${(index & 0xffff).toString(16)}::1`;
    const attacks: readonly (readonly [
      name: string,
      target: string,
      headers: Record<string, string>,
      statuses: number[],
    ])[] = [
      ['another origin', TARGET, { 'x-api-key': shop.key, origin }, [403]],
      ['no origin', `${TARGET}&key=${shop.key}`, {}, [403]],
      ['another operation', '/v1/countries', { 'x-api-key': shop.key, origin: SHOP }, [403]],
      ['a leaked key', `${TARGET}&key=${secret.key}`, { origin: SHOP }, [401]],
      ['a made-up key', TARGET, { 'x-api-key': createApiKey(true), origin: SHOP }, [401, 503]],
      ['a secret key as a publishable one', TARGET, { 'x-api-key': `pp_pub_${secret.key.slice(3)}` }, [401]],
      ['one visitor', TARGET, { 'x-api-key': shop.key, origin: SHOP, 'x-forwarded-for': '192.0.2.1' }, [200, 429]],
      ['many addresses', TARGET, { 'x-api-key': shop.key, origin: SHOP, 'x-forwarded-for': visitor }, [200]],
      ['many addresses', TARGET, { 'x-api-key': shop.key, origin: SHOP, 'x-forwarded-for': visitor }, [200]],
      ['many addresses', TARGET, { 'x-api-key': shop.key, origin: SHOP, 'x-forwarded-for': visitor }, [200]],
    ];
    const [attack, target, headers, statuses] = attacks[index % attacks.length] as (typeof attacks)[number];
    const { status, headers: received, body } = await ask(target, headers);
    if (!statuses.includes(status)) throw new Error(`${attack} got ${status}: ${body}`);
    if (status === 200) allowedCount++;
    // The bodies of errors and the headers of pages that may not read them.
    if (body.includes(shop.key) || body.includes(secret.key)) throw new Error(`${attack} was told a key`);
    const readable = received['access-control-allow-origin'];
    if (['another origin', 'no origin'].includes(attack) && readable !== undefined)
      throw new Error(`${attack} can read`);
    if (status === 200 && readable !== SHOP) throw new Error(`${attack}: ${readable} can read`);
    counts.set(`${attack} ${status}`, (counts.get(`${attack} ${status}`) ?? 0) + 1);
  });
  process.stdout.write(`${name}: ${JSON.stringify(Object.fromEntries(counts))}\n`);
  // The visitor of ten a day had ten: a flood of others, who asked once each, did not push it out.
  expect(counts.get('one visitor 200')).toBe(10);
  expect(counts.get('many addresses 200')).toBe((HOSTILE_COUNT * 3) / 10);
  expect((await keys('usage', shop.id)).used).toBe(allowedCount);
  expect((await keys('usage', secret.id)).used).toBe(0);
  if (place.redis === undefined) {
    const folder = place.env.KEYS_DIR as string;
    const bytes = readdirSync(folder).map((file) => [file, statSync(join(folder, file)).size] as const);
    expect(new Map(bytes).get('visitors.bin')).toBe(2 * 1024 * 1024);
  } else {
    const visitors = (await place.redis.command('KEYS', 'postal-places:{records}:visitors:*'))
      .split(/\s+/)
      .filter(Boolean);
    expect(visitors).toHaveLength(1);
    expect(Number(await place.redis.command('ZCARD', visitors[0] as string))).toBe(VISITORS_KEPT);
    const bytes = Number(await place.redis.command('MEMORY', 'USAGE', visitors[0] as string, 'SAMPLES', '0'));
    process.stdout.write(`${VISITORS_KEPT} visitors take ${bytes} bytes\n`);
    expect(bytes).toBeLessThan(150 * VISITORS_KEPT);
    expect(Number(await place.redis.command('TTL', visitors[0] as string))).toBeLessThanOrEqual(86_401);
  }
  for (const server of servers) {
    expect(server.stdout() + server.stderr()).not.toContain(shop.key.slice(0, 20));
    expect(server.stdout() + server.stderr()).not.toContain(secret.key.slice(0, 12));
  }
});
