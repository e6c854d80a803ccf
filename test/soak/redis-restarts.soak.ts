/**
 * Two servers under load while their Redis is killed, stopped and restarted: whatever happens to Redis, good keys are
 * served, bad keys are not, nothing is counted twice, and no quota is exceeded. Redis writes before it answers, so that a
 * kill takes nothing. What becomes of single requests is in test/keys/decision/redis-outage.system.ts. Takes two minutes,
 * longer on a busy machine; SOAK_SEED chooses another course of it.
 */

import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { run } from '../../cli/run.js';
import { createApiKey } from '../../src/keys/key/api-key.js';
import { buildFixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { type RedisServer, startRedis } from '../fixtures/redis-server.js';
import { startServerProgram } from '../fixtures/server-program.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { printFigures } from '../world/world.js';

const SEED = Number(process.env.SOAK_SEED ?? 20_240_229);
const QUOTA = 1_500;
const PLANS = JSON.stringify({
  free: { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 },
  monthly: { requestsPerMonth: QUOTA, requestsPerSecond: null, burst: null },
  unlimited: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
});
/** Each asks with every key, on a connection for each. */
const SERVER_COUNT = 2;
const FAULTS = ['kill', 'kill', 'kill', 'stop, then kill', 'stop, then kill', 'stop, then go on', 'stop, then go on'];
const ROUNDS = 3;
/** Milliseconds from an answer to the next request with the same key. */
const PAUSE_MS = 20;
const ANSWER_LIMIT_MS = 20_000;

/** What servers that have seen the key may say of it, whatever Redis does. */
const ALLOWED = {
  good: [200],
  quota: [200, 429],
  revoked: [401, 503],
  expired: [401, 503],
  unknown: [401, 503],
} as const;
type Kind = keyof typeof ALLOWED;

test('a Redis that is killed, stopped and restarted', async () => {
  const random = createRandom(SEED);
  const fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
  const redis = await startRedis({ appendOnly: true, args: ['--appendfsync', 'no'] });
  const env = { REDIS_URL: redis.url, PLANS };
  const keys = async (...args: string[]): Promise<{ id: string; key: string; used: number }> => {
    let output = '';
    const write = (text: string): void => {
      output += text;
    };
    const io = { env, clock: Date.now, writeOut: write, writeError: write };
    if ((await run(['keys', ...args, '--json'], io)) !== 0) throw new Error(output);
    return JSON.parse(output);
  };
  const create = (plan: string, ...more: string[]) => keys('create', '--name', 'soak', '--plan', plan, ...more);
  const environment = { ...env, PORT: '0', ADMIN_PORT: '0', SNAPSHOT: fixture.path };
  const programs = Array.from({ length: SERVER_COUNT }, () => startServerProgram('serve', environment));
  try {
    const [good, quota, revoked] = await Promise.all(['unlimited', 'monthly', 'unlimited'].map((plan) => create(plan)));
    const expired = await create('unlimited', '--expires', '2024-02-29T12:00Z');
    if (!good || !quota || !revoked) throw new Error('a key is missing');
    await keys('revoke', revoked.id);
    const clear: Record<Kind, string> = {
      ...{ good: good.key, quota: quota.key, revoked: revoked.key, expired: expired.key, unknown: createApiKey() },
    };
    const listening = await Promise.all(programs.map((program) => program.waitFor(/^.*"msg":"listening".*\n/m)));
    const servers = listening.map(([line]) => JSON.parse(line) as { port: number; adminPort: number });
    const untilReady = async (): Promise<void> => {
      for (const { adminPort } of servers)
        await waitUntil('every server to be ready', async () => {
          const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`, { headers: { connection: 'close' } });
          return ((await answer.json()) as { status: string }).status === 'ready';
        });
    };
    await untilReady();

    const answers = new Map<string, number>();
    let isOver = false;
    const asking = servers.flatMap(({ port }) =>
      Object.entries(clear).map(async ([kind, key]) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        while (!isOver) {
          const told = `${kind} ${await ask(port, agent, key)}`;
          answers.set(told, (answers.get(told) ?? 0) + 1);
          await wait(PAUSE_MS);
        }
        agent.destroy();
      }),
    );
    // Every server has seen every key before anything happens.
    await wait(2_000);
    for (let round = 0; round < ROUNDS; round++) {
      for (const fault of FAULTS.toSorted(() => random() - 0.5)) {
        await injectFault(fault, redis, random);
        await untilReady();
        await wait(1_000 + 1_000 * random());
      }
    }
    isOver = true;
    await Promise.all(asking);
    const [ofGood, ofQuota] = [await keys('usage', good.id), await keys('usage', quota.id)];
    printFigures(
      `seed ${SEED}: ${JSON.stringify(Object.fromEntries(answers))}; ${ofGood.used} and ${ofQuota.used} counted`,
    );

    const isAllowed = (told: string): boolean => {
      const [kind, status] = told.split(' ');
      return (ALLOWED[kind as Kind] as readonly number[]).includes(Number(status));
    };
    expect([...answers.keys()].filter((told) => !isAllowed(told))).toEqual([]);
    expect(ofGood.used).toBeLessThanOrEqual(answers.get('good 200') ?? 0);
    expect(ofGood.used).toBeGreaterThan((answers.get('good 200') ?? 0) / 4);
    // The quota is used up on the way, and neither kills nor outages give more of it.
    expect([ofQuota.used, answers.has('quota 429')]).toEqual([QUOTA, true]);
    for (const program of programs) program.process.kill('SIGTERM');
    expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual(programs.map(() => 0));
  } finally {
    for (const program of programs) program.process.kill('SIGKILL');
    await Promise.all(programs.map(({ ended }) => ended));
    await redis.stop();
    fixture.cleanup();
  }
}, 1_800_000);

/** The status, or the error where no answer comes. */
function ask(port: number, agent: Agent, key: string): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { 'x-api-key': key };
    const sent = get({ host: '127.0.0.1', port, path: '/v1/countries/LI', agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', (error) => resolve(error.message));
    sent.setTimeout(ANSWER_LIMIT_MS, () => sent.destroy(new Error('no answer')));
  });
}

/** Redis runs again when the promise resolves. */
async function injectFault(fault: string, redis: RedisServer, random: () => number): Promise<void> {
  if (fault !== 'kill') {
    redis.pause();
    await wait(1_000 + 2_000 * random());
  }
  if (fault === 'stop, then go on') redis.resume();
  else {
    await redis.kill('SIGKILL');
    await wait(200 + 1_800 * random());
    await redis.restart();
  }
}
