/**
 * Several real server processes, which `npm test` compiles, with many connections on one key of a plan that has a quota
 * and no rate: single and bulk requests in turn, and what became of each.
 */
import { Agent, request } from 'node:http';
import { afterAll, afterEach, beforeAll, test } from '@jest/globals';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { startRedis } from '../../fixtures/redis-server.js';
import { type ServerProgram, startServerProgram } from '../../fixtures/server-program.js';
import { runKeys } from '../../fixtures/stored-key.js';
import { createTemporaryFolders } from '../temporary-folders.js';

export interface TogetherLoad {
  /** Requests that the plan of the key has in a month, a lookup as one. */
  readonly quota: number;
  readonly serverCount: number;
  readonly connectionsPerServer: number;
  readonly requestsPerConnection: number;
  /** Every so many requests one is a bulk request. */
  readonly bulkEvery: number;
  readonly lookupsPerBulk: number;
}

/** How many requests were answered and refused, and what the store has counted. */
export interface TogetherOutcome {
  readonly singles: Outcomes;
  readonly bulks: Outcomes;
  readonly used: number;
}

interface Outcomes {
  readonly answered: number;
  readonly refused: number;
  readonly total: number;
}

/** Stores that the servers may share. */
const STORES = ['the embedded store', 'Redis'] as const;

interface TogetherScene {
  run(openStore: () => Promise<Record<string, string>>, load: TogetherLoad): Promise<TogetherOutcome>;
  /** The variables of a new store of each kind. */
  readonly stores: Readonly<Record<(typeof STORES)[number], () => Promise<Record<string, string>>>>;
  /** Ends what a run has started. */
  stop(): Promise<void>;
  clear(): void;
}

/** A test with each store, whose name follows that of the store: what became of the load passes `check`. */
export function testTogether(
  name: string,
  load: TogetherLoad,
  check: (outcome: TogetherOutcome) => void,
  timeoutMs: number,
): void {
  let scene: TogetherScene;
  beforeAll(async () => {
    scene = await createTogetherScene();
  });
  afterEach(() => scene.stop());
  afterAll(() => scene?.clear());
  test.each(STORES)(`%s ${name}`, async (store) => check(await scene.run(scene.stores[store], load)), timeoutMs);
}

async function createTogetherScene(): Promise<TogetherScene> {
  const folders = createTemporaryFolders();
  const fixture: FixtureSnapshot = await buildFixtureSnapshot({
    LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]],
  });
  let servers: ServerProgram[] = [];
  const cleanups: (() => Promise<unknown>)[] = [];
  return {
    stores: {
      'the embedded store': async () => ({ KEYS_DIR: folders.make() }),
      Redis: async () => {
        const redis = await startRedis();
        cleanups.push(() => redis.stop());
        // This is about counting, and many processes share the machine: nobody is to be too slow.
        return { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '60000' };
      },
    },
    async run(
      openStore,
      { quota, serverCount, connectionsPerServer, requestsPerConnection, bulkEvery, lookupsPerBulk },
    ) {
      const env: Record<string, string> = { ...(await openStore()), PLANS: plansWith(quota) };
      const create = ['create', '--name', 'test', '--plan', 'limited'];
      const { id, key } = await runKeys<{ id: string; key: string }>(env, ...create);
      const environment = { ...env, PORT: '0', SNAPSHOT: fixture.path };
      servers = Array.from({ length: serverCount }, () => startServerProgram('serve', environment));
      const ports = await Promise.all(
        servers.map(async (server) => (JSON.parse((await server.waitFor(/^.*\n/))[0]) as { port: number }).port),
      );
      const lookups = Array.from({ length: lookupsPerBulk }, () => ({ country: 'LI', postcode: '9490' }));
      const body = JSON.stringify({ lookups });
      const asked = ports.flatMap((port) => {
        const agent = new Agent({ keepAlive: true, maxSockets: connectionsPerServer });
        cleanups.push(async () => agent.destroy());
        return Array.from({ length: connectionsPerServer * requestsPerConnection }, async (_, index) => {
          const isBulk = index % bulkEvery === bulkEvery - 1;
          return { isBulk, status: await statusOf({ port, agent, key, ...(isBulk && { body }) }) };
        });
      });
      const all = await Promise.all(asked);
      const outcomesOf = (isWanted: boolean): Outcomes => {
        const statuses = all.flatMap(({ isBulk, status }) => (isBulk === isWanted ? [status] : []));
        const count = (status: number) => statuses.filter((each) => each === status).length;
        return { answered: count(200), refused: count(429), total: statuses.length };
      };
      const { used } = await runKeys<{ used: number }>(env, 'usage', id);
      return { singles: outcomesOf(false), bulks: outcomesOf(true), used };
    },
    async stop() {
      for (const { process } of servers) process.kill('SIGTERM');
      await Promise.all(servers.map(({ ended }) => ended));
      servers = [];
      for (const clean of cleanups.splice(0)) await clean();
    },
    clear() {
      fixture.cleanup();
      folders.clear();
    },
  };
}

function plansWith(quota: number): string {
  return JSON.stringify({
    free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
    limited: { requestsPerMonth: quota, requestsPerSecond: null, burst: null },
  });
}

interface Asked {
  readonly port: number;
  readonly agent: Agent;
  readonly key: string;
  /** Of a bulk request. */
  readonly body?: string;
}

function statusOf(asked: Asked, attemptsLeft = 5): Promise<number> {
  const { port, agent, key, body } = asked;
  return new Promise((resolve, reject) => {
    const target =
      body === undefined
        ? { path: '/v1/countries/LI', headers: { 'x-api-key': key } }
        : { path: '/v1/bulk', method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json' } };
    const sent = request({ host: '127.0.0.1', port, agent, ...target }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // A server closes connections that say nothing for seconds, which on a busy machine is when this process stands
      // still; it never saw the request. Had it counted one that it did not answer, the sums would not be right.
      if (attemptsLeft > 0 && error.code === 'ECONNRESET') resolve(statusOf(asked, attemptsLeft - 1));
      else reject(error);
    });
    sent.end(body);
  });
}
