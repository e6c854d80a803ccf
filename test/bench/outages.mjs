/**
 * `bench:http -- outages`: what clients notice when a part of a service goes. Two servers with a shared Redis stand behind
 * nginx, which asks the other where one does not answer; eight clients ask for a place by id a hundred times a second.
 * After a second a server is ended, a server is killed, or the Redis that has the keys is killed: the master of a Sentinel
 * group, or of a Cluster with a replica for each master. `until decided` is the time until both servers decide about keys
 * that they have not seen good lately, which they refuse with 503 meanwhile. One minute.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startNginxProxy } from '../fixtures/static-hosts.mjs';
import { count, requireForLoad, requireSnapshot, startTable } from './measuring.mjs';
import { createKey, freePort, request, startProgram, startRedis, startServer, withPrograms } from './programs.mjs';
import { makeEndpoints } from './requests.mjs';

const CLIENTS = 8;
/** Between an answer and the next request of a client. */
const PAUSE_MS = 10;
/** How long clients ask before the fault, and go on after it or after the store decides again: by BENCH_SECONDS. */
const BEFORE_MS = Number(process.env.BENCH_SECONDS ?? 1) * 1_000;
const AFTER_MS = 2 * BEFORE_MS;
const LIMIT_MS = 60_000;
const PROBE_MS = 20;
/** The silence after which Sentinels and nodes take a Redis for gone: the least that operators set, not the default. */
const SILENCE_MS = 2_000;

export async function measureOutages([named], folder) {
  requireForLoad({ 'redis-server': 'redis-server', 'redis-cli': 'redis-tools' });
  const snapshot = requireSnapshot(named);
  const { targets } = makeEndpoints(snapshot).find(({ name }) => name === 'places/{id}');
  const cases = {
    'a server ended (SIGTERM)': [startOneRedis, ({ servers }) => process.kill(servers[0].pid, 'SIGTERM')],
    'a server killed': [startOneRedis, ({ servers }) => process.kill(servers[0].pid, 'SIGKILL')],
    'a master under Sentinels killed': [startSentinels, ({ redis }) => process.kill(redis.master(), 'SIGKILL')],
    'a master of a Cluster killed': [startCluster, ({ redis }) => process.kill(redis.master(), 'SIGKILL')],
  };
  const table = startTable(['', 'requests', 'not 200', 'longest ms', 'until decided ms']);
  for (const [name, [startStore, spoil]] of Object.entries(cases)) {
    const scratch = join(folder, name.replaceAll(/\W+/g, '-'));
    mkdirSync(scratch);
    await withPrograms(async (start) => {
      const redis = await startStore(start, scratch);
      const key = await createKey(redis.url);
      const options = { snapshot, store: redis.url, key };
      const servers = [await start(startServer(options)), await start(startServer(options))];
      const proxy = await start(
        startNginxProxy(
          servers.map(({ port }) => port),
          join(scratch, 'nginx'),
        ),
      );
      const unseen = await createKey(join(scratch, 'keys'));
      const figures = await watch({ servers, redis, proxy, key, unseen, targets }, spoil);
      table.row([name, ...figures]);
    });
  }
  table.end();
}

async function watch({ servers, redis, proxy, key, unseen, targets }, spoil) {
  const statuses = new Map();
  let longestMs = 0;
  let isOver = false;
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const { port } = new URL(proxy.url);
  const client = async (first) => {
    for (let at = first; !isOver; at++) {
      const startedAt = performance.now();
      const asked = { agent, port, path: targets[at % targets.length], headers: { 'x-api-key': key } };
      const status = await request(asked).then(
        (answer) => answer.status,
        (error) => error.code,
      );
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await wait(PAUSE_MS);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  await wait(BEFORE_MS);
  longestMs = 0;
  const spoiledAt = performance.now();
  spoil({ servers, redis });
  const decidedMs = redis.master === undefined ? undefined : await untilDecided(servers, unseen, spoiledAt);
  await wait(AFTER_MS);
  isOver = true;
  await Promise.all(clients);
  agent.destroy();
  const { 200: good = 0, ...others } = Object.fromEntries(statuses);
  const told = Object.entries(others).map(([status, times]) => `${times} × ${status}`);
  const all = [...statuses.values()].reduce((sum, times) => sum + times, 0);
  if (good === 0) throw new Error('no request was answered');
  return [count(all), told.join(', ') || '0', count(longestMs), decidedMs === undefined ? '' : count(decidedMs)];
}

/** A well-formed key that is nobody's gets 503 as long as nobody knows that, then 401. */
async function untilDecided(servers, unseen, sinceMs) {
  const isDecided = async ({ port }) => {
    const { status } = await request({
      port,
      path: '/v1/countries/AD',
      headers: { 'x-api-key': unseen },
      agent: false,
    });
    return status === 401;
  };
  // The servers notice that Redis is gone when they ask it.
  await wait(PROBE_MS);
  while (!(await Promise.all(servers.map(isDecided))).every(Boolean)) {
    if (performance.now() - sinceMs > LIMIT_MS) throw new Error('the key store did not come back');
    await wait(PROBE_MS);
  }
  return performance.now() - sinceMs;
}

const startOneRedis = async (start) => ({ url: (await start(startRedis())).url });

/** A replica that has not read its master yet can't take its place: it begins at once, not after five seconds. */
const SYNC_AT_ONCE = ['--repl-diskless-sync-delay', '0'];
const HAS_SYNCED = /role:master|master_link_status:up/;

/** A master, its replica, and three Sentinels, two of which must agree. */
async function startSentinels(start, folder) {
  const master = await start(startRedis(undefined, '--dir', folder, ...SYNC_AT_ONCE));
  const replica = await start(startRedis(undefined, '--dir', folder, '--replicaof', '127.0.0.1', master.port));
  const ports = [];
  for (let number = 0; number < 3; number++) {
    const port = String(await freePort());
    const file = join(folder, `sentinel-${number}.conf`);
    const orders = [
      ...[`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, `sentinel monitor mymaster 127.0.0.1 ${master.port} 2`],
      ...[`sentinel down-after-milliseconds mymaster ${SILENCE_MS}`, 'sentinel failover-timeout mymaster 6000'],
    ];
    writeFileSync(file, `${orders.join('\n')}\n`);
    await start(startProgram({ command: ['redis-server', file, '--sentinel'], line: /Sentinel ID is/ }));
    ports.push(port);
  }
  await untilToldBy(ports, ['INFO', 'sentinel'], /slaves=1,sentinels=3/);
  await untilToldBy([replica.port], ['INFO', 'replication'], HAS_SYNCED);
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  return { url: `redis-sentinel://${hosts}/mymaster`, master: () => master.pid };
}

/** Three masters, each with a replica; the keys are all on one of them. */
async function startCluster(start, folder) {
  const nodes = [];
  for (let number = 0; number < 6; number++) {
    const dir = join(folder, String(number));
    mkdirSync(dir);
    const bus = ['--cluster-port', String(await freePort()), '--cluster-node-timeout', String(SILENCE_MS)];
    nodes.push(await start(startRedis(undefined, '--dir', dir, '--cluster-enabled', 'yes', ...SYNC_AT_ONCE, ...bus)));
  }
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  ask(['--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes']);
  const ports = nodes.map(({ port }) => port);
  await untilToldBy(ports, ['CLUSTER', 'INFO'], /cluster_state:ok[\s\S]*cluster_known_nodes:6/);
  await untilToldBy(ports, ['INFO', 'replication'], HAS_SYNCED);
  const hasKeys = ({ port }) =>
    ask(['-p', port, 'ROLE']).startsWith('master') && Number(ask(['-p', port, 'DBSIZE'])) > 0;
  return { url: `redis-cluster://${hosts.join()}`, master: () => nodes.find(hasKeys).pid };
}

function ask(args) {
  const { status, stdout, stderr } = spawnSync('redis-cli', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`redis-cli ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout.trim();
}

async function untilToldBy(ports, command, pattern) {
  for (const port of ports) {
    for (const startedAt = performance.now(); !pattern.test(ask(['-p', port, ...command])); await wait(PROBE_MS)) {
      if (performance.now() - startedAt > LIMIT_MS) throw new Error(`Redis never told ${pattern}`);
    }
  }
}
