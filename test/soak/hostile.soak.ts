/**
 * Hostile requests beside one good client, a million to the API and 300,000 to the site: pipelined in whatever number, of
 * clients that never read, that drip or only hold connections, with keys that nobody made, from one network of IPv6, with
 * bytes that are no HTTP. Then floods of bodies in small chunks, with a key and without, and of the requests that take
 * longest, as often as an address without a key and a free key may ask. The good client asks all the while and must not
 * notice; the server's memory must stay below what docs/operations.md and docs/site.md promise, and where it was. Prints
 * what was sent, what came back, the good client's latencies and the memory. SOAK_SNAPSHOT names another snapshot than the
 * starter dataset's for the site, and for the requests that take longest.
 */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rateCostOfLookups } from '../../src/api/description/rate-costs.js';
import { KEYLESS_RATE } from '../../src/api/http/keyless.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { startRedis } from '../fixtures/redis-server.js';
import { type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { createKey } from '../fixtures/stored-key.js';
import { printFigures } from '../world/world.js';
import {
  askUntil,
  attack,
  floodWithChunks,
  floodWithDear,
  type GoodClient,
  type GoodClientPlan,
  latencyLine,
} from './hostile/attack.js';

/** Fewer than the attackers try to hold. */
const MAX_CONNECTIONS = '300';
/** Promised in docs/operations.md. */
const MAX_API_MEMORY_BYTES = 256e6;
/** Promised in docs/site.md. */
const MAX_SITE_MEMORY_BYTES = 200e6;
const MAX_HEALTH_MS = 100;
/** What one good client in a hundred may wait beside bodies in small chunks. */
const MAX_CHUNKS_P99_MS = 100;
/** The same beside the requests that take longest. */
const MAX_DEAR_P99_MS = 60;
/**
 * The part of a processor that the server may take once the burst of a client is used up: a third for what its rate
 * allows, the rest for the good client and noise.
 */
const MAX_DEAR_CPU_SHARE = 0.45;
/** Least part of the client's answers that are 200: it asks for what it may, but the dearest may be of what is not found. */
const MIN_OK_SHARE = 0.8;
/** Address lines of a bulk request: what they count as is less than a free key's rate of a second. */
const BULK_LINES = 15;
/** How many requests of each endpoint the dearest are looked for among. */
const SEARCHED_REQUESTS = '400';
const WARM_UP_ROUNDS = 60;
/** How many of the dearest are sent, beside those in Photon's protocol. */
const DEAREST = 3;
const CHUNK_BYTES = [1, 8, 64];
const CHUNK_CONNECTIONS = [1, 10, 50, 200];
const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  good: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
});

let folder: TemporaryFolder;
let snapshot: string;

beforeAll(async () => {
  folder = createTemporaryFolder();
  snapshot = await sharedStarterSnapshot();
});
afterAll(() => folder.remove());

test(
  'the API: 700,000 hostile requests, embedded keys',
  () => attackApi(700_000, { KEYS_DIR: join(folder.path, 'keys') }),
  1_800_000,
);

test('the API: 300,000 hostile requests, keys in Redis', async () => {
  const redis = await startRedis();
  try {
    await attackApi(300_000, { REDIS_URL: redis.url });
  } finally {
    await redis.stop();
  }
}, 1_800_000);

test('the site: 300,000 hostile requests', attackSite, 1_800_000);

test('the API: bodies in small chunks', async () => {
  const keyStore = { KEYS_DIR: join(folder.path, 'chunk-keys') };
  const environment = { PORT: '0', ADMIN_PORT: '0', SNAPSHOT: snapshot, PLANS, MAX_CONNECTIONS, ...keyStore };
  await withProgram('serve', environment, async (at) => {
    const [good = '', free = ''] = await Promise.all(
      ['good', 'free'].map((plan) => createKey({ PLANS, ...keyStore }, plan)),
    );
    const bulk = `POST /v1/bulk HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`;
    const heads = {
      'a free key': `${bulk}x-api-key: ${free}\r\n`,
      'a plan without limits': `${bulk}x-api-key: ${good}\r\n`,
      'no key': bulk,
      'another method': 'PUT /v1/countries HTTP/1.1\r\nhost: a\r\n',
    };
    const paths = ['/v1/countries/LI', '/v1/autocomplete?q=san'];
    const goodClient = { port: at.port, paths, headers: { 'x-api-key': good }, pauseMs: 5 };
    await flood(at, heads, goodClient, MAX_API_MEMORY_BYTES);
  });
}, 1_800_000);

test('the API: the requests that take longest', async () => {
  const served = process.env.SOAK_SNAPSHOT ?? snapshot;
  const requests = findDearest(served);
  printFigures(
    requests.map(({ url, rateCost, ms }) => `${ms.toFixed(2)} ms, counts as ${rateCost}: ${url}`).join('\n'),
  );
  const keyStore = { KEYS_DIR: join(folder.path, 'dear-keys') };
  const environment = { PORT: '0', ADMIN_PORT: '0', SNAPSHOT: served, PLANS, MAX_CONNECTIONS, ...keyStore };
  const more = { PHOTON: 'on', KEYLESS: '198.51.100.0/24', TRUST_PROXY: 'loopback' };
  await withProgram('serve', { ...environment, ...more }, async ({ port, pid }) => {
    const [good = '', free = ''] = await Promise.all(
      ['good', 'free'].map((plan) => createKey({ PLANS, ...keyStore }, plan)),
    );
    const goodHeaders = { 'x-api-key': good, 'x-forwarded-for': '203.0.113.5' };
    const paths = ['/v1/countries/LI', '/v1/autocomplete?q=san'];
    const at = { port, pid, requests, goodClient: { port, paths, headers: goodHeaders, pauseMs: 5 } };
    // A server that has just started compiles all this while it answers.
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      for (const { url, body } of requests) {
        const post = body && { method: 'POST', body, headers: { ...goodHeaders, 'content-type': 'application/json' } };
        await (await fetch(`http://127.0.0.1:${port}${url}`, post || { headers: goodHeaders })).text();
      }
    }
    const keyless = { headers: { 'x-forwarded-for': '198.51.100.7' }, rate: KEYLESS_RATE };
    const ofFreeKey = { headers: { 'x-api-key': free }, rate: { requestsPerSecond: 50, burst: 100 } };
    const floods = [
      await floodWithDear({ ...at, ...keyless, name: 'an address without a key' }),
      await floodWithDear({ ...at, ...ofFreeKey, name: 'a free key' }),
    ];
    const bad = floods
      .flat()
      .filter(
        ({ p99Ms, problems, mostMemoryBytes, okShare }) =>
          p99Ms > MAX_DEAR_P99_MS ||
          problems.length > 0 ||
          mostMemoryBytes > MAX_API_MEMORY_BYTES ||
          okShare < MIN_OK_SHARE,
      );
    expect(bad).toEqual([]);
    expect(floods.filter(([, afterBurst]) => afterBurst.cpuShare > MAX_DEAR_CPU_SHARE)).toEqual([]);
  });
}, 1_800_000);

interface DearRequest {
  readonly operation: string;
  readonly url: string;
  readonly ms: number;
  readonly rateCost: number;
  /** Of a POST. */
  readonly body?: string;
}

/** Those of Photon's protocol and the dearest others, each for what it counts as, and a bulk of the dearest address line. */
function findDearest(file: string): DearRequest[] {
  const args = [join(import.meta.dirname, 'dearest-requests.mjs'), file, '1', SEARCHED_REQUESTS];
  const found: DearRequest[] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  const isPhoton = ({ operation }: DearRequest): boolean => operation.startsWith('photon');
  const others = found.filter((request) => !isPhoton(request));
  const byCost = others.toSorted((a, b) => b.ms / b.rateCost - a.ms / a.rateCost);
  return [...found.filter(isPhoton), ...byCost.slice(0, DEAREST), bulkOf(found)];
}

function bulkOf(found: readonly DearRequest[]): DearRequest {
  const { url = '', ms = 0 } = found.find(({ operation }) => operation === 'autocomplete') ?? {};
  const text = new URL(url, 'http://a').searchParams.get('q') ?? '';
  const lookups = Array.from({ length: BULK_LINES }, () => ({ q: `${text.slice(0, 90)} 10115` }));
  const body = JSON.stringify({ lookups });
  return { operation: 'bulk', url: '/v1/bulk', ms: ms * BULK_LINES, rateCost: rateCostOfLookups(lookups), body };
}

test('the site: bodies in small chunks', async () => {
  const environment = { SITE_PORT: '0', SITE_ADMIN_PORT: '0', SNAPSHOT: snapshot, ACCOUNTS: 'off', MAX_CONNECTIONS };
  await withProgram('site', { ...environment, TRUST_PROXY: 'loopback' }, async (at) => {
    const heads = {
      'a page': 'GET /liechtenstein HTTP/1.1\r\nhost: a\r\n',
      'a form': 'POST /account/sign-in HTTP/1.1\r\nhost: a\r\n',
    };
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    const goodClient = { port: at.port, paths: ['/', '/united-states', '/robots.txt'], headers, pauseMs: 25 };
    await flood(at, heads, goodClient, MAX_SITE_MEMORY_BYTES);
  });
}, 1_800_000);

/** A flood for each head, size of chunks and number of connections, all of which run before anything is expected. */
async function flood(
  { port, pid }: Listening,
  heads: Readonly<Record<string, string>>,
  goodClient: GoodClientPlan,
  maxMemoryBytes: number,
): Promise<void> {
  const outcomes = [];
  for (const [name, start] of Object.entries(heads)) {
    const head = `${start}transfer-encoding: chunked\r\n\r\n`;
    for (const chunkBytes of CHUNK_BYTES) {
      for (const connectionCount of CHUNK_CONNECTIONS) {
        outcomes.push(await floodWithChunks({ name, port, pid, head, chunkBytes, connectionCount, goodClient }));
      }
    }
  }
  const bad = outcomes.filter(
    ({ p99Ms, problems, mostMemoryBytes }) =>
      p99Ms > MAX_CHUNKS_P99_MS || problems.length > 0 || mostMemoryBytes > maxMemoryBytes,
  );
  expect(bad).toEqual([]);
}

async function attackApi(requestCount: number, keyStore: Readonly<Record<string, string>>): Promise<void> {
  const environment = { PORT: '0', ADMIN_PORT: '0', SNAPSHOT: snapshot, PLANS, MAX_CONNECTIONS, ...keyStore };
  // Nobody here is in these networks, whatever headers say.
  const more = { PHOTON: 'on', KEYLESS: '10.0.0.0/8,::ffff:203.0.113.0/120,fd00::/8' };
  await withProgram('serve', { ...environment, ...more }, async ({ port, adminPort, pid }) => {
    const plans = ['good', 'good', 'free', 'free'];
    const [good = '', unlimitedKey, ...freeKeys] = await Promise.all(
      plans.map((plan) => createKey({ PLANS, ...keyStore }, plan)),
    );
    const paths = ['', '/US/postcodes/90210'].map((path) => `/v1/countries${path}`);
    paths.push('/reverse?lat=40.7&lon=-74', '/v1/autocomplete?q=san', '/v1/reverse?lat=40.7&lng=-74&country=US');
    await attack({
      ...{ port, pid, requestCount, target: 'api', sources: { unlimitedKey, freeKeys } },
      goodClient: { port, paths, headers: { 'x-api-key': good }, pauseMs: 5 },
      maxMemoryBytes: MAX_API_MEMORY_BYTES,
    });
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    printFigures((metrics.match(/^postal_places_http_(?:connections|held)\S* .*$/gm) ?? []).join('\n'));
    for (const reason of ['idle', 'pipelined', 'unread']) {
      expect(metrics).toMatch(new RegExp(`http_connections_cut_total\\{reason="${reason}"\\} [1-9]`));
    }
    expect(metrics).not.toMatch(/key_decisions_total\{[^}]*outcome="keyless/);
    expect(metrics).toMatch(/key_decisions_total\{[^}]*outcome="missing"\} [1-9]/);
    expect(metrics).not.toMatch(/http_requests_total\{[^}]*status="5[^}]*\} [1-9]/);
  });
}

/** The good client and the attackers come through a proxy that is trusted, each with an address of its own. */
async function attackSite(): Promise<void> {
  const served = process.env.SOAK_SNAPSHOT ?? snapshot;
  const environment = { SITE_PORT: '0', SITE_ADMIN_PORT: '0', SNAPSHOT: served, ACCOUNTS: 'off', MAX_CONNECTIONS };
  await withProgram('site', { ...environment, TRUST_PROXY: 'loopback' }, async (at, program) => {
    const { port, adminPort, pid } = at;
    let health: GoodClient | undefined;
    // The attackers are in this process: what it is late itself is not the site's delay.
    const ownDelay = monitorEventLoopDelay({ resolution: 5 });
    ownDelay.enable();
    const paths = ['/', '/united-states', '/search?q=york', '/liechtenstein', '/docs/reference', '/robots.txt'];
    await attack(
      {
        ...{ port, pid, requestCount: 300_000, target: 'site', sources: { snapshot: served } },
        goodClient: { port, paths, headers: { 'x-forwarded-for': '198.51.100.7' }, pauseMs: 25 },
        maxMemoryBytes: MAX_SITE_MEMORY_BYTES,
      },
      async (isOver) => {
        health = await askUntil({ port: adminPort, paths: ['/healthz'], headers: {}, pauseMs: 50 }, isOver);
      },
    );
    ownDelay.disable();
    const ownMs = ownDelay.max / 1e6;
    printFigures(
      `${latencyLine('/healthz', health as GoodClient)}; this process was late by ${ownMs.toFixed(0)} ms at most`,
    );
    expect(health?.problems).toEqual([]);
    expect((health?.latenciesMs.at(-1) ?? 0) - ownMs).toBeLessThan(MAX_HEALTH_MS);
    expect(program.stdout()).not.toMatch(/"level":50/);
  });
}

interface Listening {
  readonly port: number;
  readonly adminPort: number;
  readonly pid: number;
}

/** Starts a program, runs `use`, and expects the program to end on SIGTERM as it should. */
async function withProgram(
  subcommand: string,
  environment: Readonly<Record<string, string>>,
  use: (at: Listening, program: ServerProgram) => Promise<void>,
): Promise<void> {
  const program = startServerProgram(subcommand, environment);
  try {
    const [line] = await program.waitFor(/^.*"msg":"listening".*\n/m);
    await use(JSON.parse(line) as Listening, program);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  } finally {
    program.process.kill('SIGKILL');
    await program.ended;
  }
}
