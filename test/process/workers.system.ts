/** Several workers behind one port: what becomes of one that dies, and of all when the server stops. */
import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { childrenOf, isRunning } from '../fixtures/program.js';
import { startRedis } from '../fixtures/redis-server.js';
import { createKey } from '../fixtures/stored-key.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { startClients } from './clients.js';
import { createScene, publishDamaged, type ReadyReport, type Scene, type Server } from './server-scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
beforeEach(() => scene.flip(scene.one));
afterAll(() => scene?.cleanup());

/** The processes that a server has started. */
const workersOf = ({ program }: Server): number[] => childrenOf(program.process.pid as number);

/** Waits until a server has as many workers as it should, and none of these. */
async function untilReplaced(server: Server, gone: readonly number[]): Promise<void> {
  await waitUntil('the workers to go', async () => !workersOf(server).some((pid) => gone.includes(pid)));
  await server.untilReady(({ status, workers }) => status === 'ready' && workers.serving === workers.expected);
}

/** Waits until a worker is known to be slow to open the snapshot. */
async function untilSlow({ program }: Server, pid: number): Promise<void> {
  await program.waitFor(new RegExp(`"workerPid":${pid},"msg":"a worker is slow to open the snapshot`));
}

const serves = (release: string) => (report: ReadyReport) =>
  report.status === 'ready' && report.snapshot?.release === release;

/** Waits until both workers of a server serve the first release, and answer. */
async function untilWhole(server: Server): Promise<void> {
  await server.untilReady(
    (report) => serves('one')(report) && report.workers.serving === 2 && report.workers.answering === 2,
  );
}

/** Far longer than a test: what ends, ends since all is answered. */
const LONG_DRAIN = { DRAIN_SECONDS: '300' };

/** Ends a server by SIGTERM while clients ask. */
async function expectCleanEnd(server: Server): Promise<void> {
  const clients = startClients(server.port, scene.key, 8);
  await waitUntil('answers', async () => (clients.tally.byRelease.get('one') ?? 0) >= 100);
  const workers = workersOf(server);
  server.program.process.kill('SIGTERM');
  const code = await server.program.ended;
  const { failed, mixed, turnedAway } = await clients.stop();
  expect([code, failed, mixed, workers.filter(isRunning)]).toEqual([0, [], [], []]);
  // Everybody was told, and came back to a closed door.
  expect(turnedAway.length).toBeGreaterThanOrEqual(8);
}

describe('workers that end, also while another snapshot comes', () => {
  let server: Server;
  beforeAll(async () => {
    server = await scene.start({ WORKERS: '2', ...LONG_DRAIN });
  });
  beforeEach(() => untilWhole(server));
  afterAll(() => scene.stopAll());

  test('the server is not ready while no worker replies', async () => {
    const workers = workersOf(server);
    for (const pid of workers) process.kill(pid, 'SIGSTOP');
    expect(await server.untilReady(({ status }) => status === 'unready')).toMatchObject({ workers: { answering: 0 } });
    expect((await server.admin('/readyz')).status).toBe(503);
    // The log may come a little later than the answer.
    const untilTold = (line: string): Promise<unknown> =>
      waitUntil(`both workers: ${line}`, () =>
        workers.every((pid) => server.program.stdout().includes(`"workerPid":${pid},"msg":"${line}"`)),
      );
    await untilTold('a worker does not answer');
    for (const pid of workers) process.kill(pid, 'SIGCONT');
    await server.untilReady(({ status }) => status === 'ready');
    await untilTold('a worker answers again');
  });

  test('a worker that is killed is replaced, and the others answer meanwhile', async () => {
    const before = workersOf(server);
    expect(before).toHaveLength(2);
    process.kill(before[0] as number, 'SIGKILL');
    await waitUntil('the worker to go', async () => !workersOf(server).includes(before[0] as number));
    const clients = startClients(server.port, scene.key, 4);
    await untilReplaced(server, before.slice(0, 1));
    const { failed, turnedAway, byRelease } = await clients.stop();
    expect([failed, turnedAway]).toEqual([[], []]);
    expect(byRelease.get('one')).toBeGreaterThan(0);
    const after = workersOf(server);
    expect(after).toHaveLength(2);
    expect(after).toContain(before[1]);
    expect(after).not.toContain(before[0]);
    expect((await server.admin('/metrics')).text).toContain('postal_places_worker_restarts_total 1\n');
    await server.program.waitFor(/a worker ended and is replaced/);
  });

  test('a worker that gets SIGTERM drains and is replaced, and no kept connection loses a request', async () => {
    const clients = startClients(server.port, scene.key, 8);
    await waitUntil('answers', async () => (clients.tally.byRelease.get('one') ?? 0) >= 100);
    const [stopped] = workersOf(server);
    process.kill(stopped as number, 'SIGTERM');
    await untilReplaced(server, [stopped as number]);
    const { failed, turnedAway } = await clients.stop();
    expect([failed, turnedAway]).toEqual([[], []]);
  });

  test('a release that comes when every worker has just ended is served by those that replace them', async () => {
    for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL');
    scene.flip(scene.two);
    server.program.process.kill('SIGHUP');
    expect((await server.untilReady(serves('two'))).refused).toBeNull();
    expect(server.program.stdout()).not.toContain('the snapshot was refused');
  });

  test.each([0, 1])(
    'worker %i hangs and ends while it opens another snapshot: it is replaced, and all serve it',
    async (index) => {
      const stuck = workersOf(server)[index] as number;
      process.kill(stuck, 'SIGSTOP');
      scene.flip(scene.two);
      await untilSlow(server, stuck);
      // As long as one worker may answer from the earlier release.
      expect(await server.untilReady(() => true)).toMatchObject({ snapshot: { release: 'one' } });
      process.kill(stuck, 'SIGKILL');
      expect((await server.untilReady(serves('two'))).refused).toBeNull();
      expect((await server.admin('/metrics')).text).toContain(
        'postal_places_snapshot_swaps_total{outcome="refused"} 0\n',
      );
      const clients = startClients(server.port, scene.key, 4);
      await waitUntil('answers', async () => (clients.tally.byRelease.get('two') ?? 0) >= 20);
      expect([...(await clients.stop()).byRelease.keys()]).toEqual(['two']);
    },
  );

  test('a file over which two workers end, one after the other, is refused, and all serve what they served', async () => {
    const workers = workersOf(server);
    for (const pid of workers) process.kill(pid, 'SIGSTOP');
    scene.flip(scene.two);
    for (const pid of workers) {
      await untilSlow(server, pid);
      process.kill(pid, 'SIGKILL');
    }
    const report = await server.untilReady(({ refused, workers }) => refused !== null && workers.answering === 2);
    expect(report).toMatchObject({ status: 'degraded', snapshot: { release: 'one' } });
    expect(report.refused?.reason).toMatch(/ended/);
    server.program.process.kill('SIGHUP');
    await server.untilReady(serves('two'));
  });

  test('SIGTERM of their server loses no request of kept connections, and leaves no process', async () => {
    await expectCleanEnd(server);
  });
});

describe('a server of its own', () => {
  afterEach(() => scene.stopAll());

  test('SIGTERM loses no request of kept connections, and leaves no process', async () => {
    await expectCleanEnd(await scene.start({ WORKERS: '1', ...LONG_DRAIN }));
  });

  test('a new worker serves the file that is served, though a refused one has taken its name', async () => {
    const file = join(scene.folder, 'places.snapshot');
    copyFileSync(join(scene.folder, scene.one), file);
    const server = await scene.start({ WORKERS: '2', SNAPSHOT: file });
    const bad = publishDamaged(scene, readFileSync(join(scene.folder, scene.two)));
    renameSync(join(scene.folder, bad), file);
    await server.untilReady(({ refused }) => refused !== null);
    const killed = workersOf(server);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await waitUntil('the workers to go', async () => !workersOf(server).some((pid) => killed.includes(pid)));
    await server.untilReady(({ workers }) => workers.serving === 2 && workers.answering === 2);
    const clients = startClients(server.port, scene.key, 4);
    await waitUntil('answers', async () => (clients.tally.byRelease.get('one') ?? 0) >= 50);
    const { failed, mixed, byRelease } = await clients.stop();
    expect([failed, mixed, [...byRelease.keys()]]).toEqual([[], [], ['one']]);
  });

  test('a server without an address for operators outlives all of its workers', async () => {
    const server = await scene.start({ WORKERS: '2', ADMIN_PORT: undefined });
    for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL');
    await waitUntil(
      'new workers',
      async () => (server.program.stdout().match(/a worker was replaced/g) ?? []).length === 2,
    );
    const clients = startClients(server.port, scene.key, 2);
    await waitUntil('answers', async () => (clients.tally.byRelease.get('one') ?? 0) >= 10);
    expect((await clients.stop()).failed).toEqual([]);
  });

  test('workers whose server is killed answer their pending requests and stop by themselves', async () => {
    const server = await scene.start({ WORKERS: '2', DRAIN_SECONDS: '60' });
    const workers = workersOf(server);
    expect(workers).toHaveLength(2);
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET /v1/countries/LI HTTP/1.1\r\nhost: a\r\nx-api-key: ${scene.key}\r\n`);
    // The worker has the connection when it has read what is there of the request.
    await waitUntil('the connection', async () =>
      (await server.admin('/metrics')).text.includes('http_connections 1\n'),
    );
    // Its output is closed only when the workers have ended as well.
    const ended = once(server.program.process, 'exit');
    server.program.process.kill('SIGKILL');
    await ended;
    socket.write('\r\n');
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    await server.program.ended;
    await waitUntil('the workers to end', () => !workers.some(isRunning));
  });

  test('a failed start prints one line, in the supervisor and in a worker', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const taken = String((other.address() as AddressInfo).port);
    for (const count of ['1', '2']) {
      await expect(scene.start({ WORKERS: count, PORT: taken })).rejects.toThrow(
        / HOST 127\.0\.0\.1, PORT \d+: .*EADDRINUSE/,
      );
    }
    await expect(scene.start({ WORKERS: '2', ADMIN_PORT: taken })).rejects.toThrow(
      /ADMIN_HOST 127\.0\.0\.1, ADMIN_PORT \d+: .*EADDR/,
    );
    other.close();
  });
});

test('without Redis the workers together allow no more requests at once than the plan of a key', async () => {
  const redis = await startRedis();
  const env = {
    REDIS_URL: redis.url,
    REDIS_TIMEOUT_MS: '10000',
    PLANS: '{"free":{"requestsPerMonth":null,"requestsPerSecond":0.0001,"burst":40}}',
  };
  try {
    const key = await createKey(env);
    const server = await scene.start({ ...env, WORKERS: '2' });
    // Each on a connection of its own: the workers get these in turn.
    const ask = async (count: number): Promise<number> => {
      const options = { port: server.port, path: '/v1/countries', headers: { 'x-api-key': key }, agent: false };
      const asked = Array.from({ length: count }, async () => {
        const [response]: IncomingMessage[] = await once(get(options), 'response');
        return response?.resume().statusCode;
      });
      return (await Promise.all(asked)).filter((status) => status === 200).length;
    };
    expect(await ask(10)).toBe(10);
    await redis.kill();
    await server.untilReady(({ status }) => status === 'degraded');
    // A worker knows of the first ten what Redis had counted when it was asked last.
    const allowed = await ask(80);
    expect(allowed).toBeGreaterThanOrEqual(30);
    expect(allowed).toBeLessThanOrEqual(40);
  } finally {
    await scene.stopAll();
    await redis.stop();
  }
});
