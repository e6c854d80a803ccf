/**
 * Hostile requests beside one good client, 700,000 to the API and 300,000 to the site: pipelined in whatever number, of
 * clients that never read, that drip or only hold connections, with keys that nobody made, from one network of IPv6, with
 * bytes that are no HTTP. The good client asks all the while and must not notice; the server's memory must stay below what
 * docs/operations.md and docs/site.md promise, and where it was. Prints what was sent, what came back, the good client's
 * latencies and the memory. SOAK_SNAPSHOT names another snapshot than the starter dataset's for the site.
 */

import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { createKey } from '../fixtures/stored-key.js';
import { printFigures } from '../world/world.js';
import { askUntil, attack, type GoodClient, latencyLine } from './hostile/attack.js';

/** Fewer than the attackers try to hold. */
const MAX_CONNECTIONS = '300';
/** Promised in docs/operations.md and docs/site.md. */
const MAX_MEMORY_BYTES = 256e6;
const MAX_HEALTH_MS = 100;
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

test('the API: 700,000 hostile requests', attackApi, 1_800_000);

test('the site: 300,000 hostile requests', attackSite, 1_800_000);

async function attackApi(): Promise<void> {
  const keyStore = { KEYS_DIR: join(folder.path, 'keys') };
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
      ...{ port, pid, requestCount: 700_000, target: 'api', sources: { unlimitedKey, freeKeys } },
      goodClient: { port, paths, headers: { 'x-api-key': good }, pauseMs: 5 },
      maxMemoryBytes: MAX_MEMORY_BYTES,
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
        maxMemoryBytes: MAX_MEMORY_BYTES,
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
