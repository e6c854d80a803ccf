/**
 * `npm run bench:keys [-- <snapshot>]`: what checking and counting keys costs. Requests per second of the real server
 * without keys (keyless-server.mjs), with the embedded key store and with Redis, in one run: 64 connections asking for
 * places, once all with one key and once with 64 keys in turn. The key's plan has limits, none of which is reached, so
 * every answer carries the rate limit headers too. Server on one core; wrk and Redis share the other, which is never
 * idle (busy-core.mjs). 15 rounds of three seconds each, the servers in turn; medians. The share is that of the
 * server's processor time, without that of Redis: what one core could answer in the same time. Takes about five minutes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { keepBusy } from './busy-core.mjs';
import { makeEndpoints } from './endpoint-urls.mjs';
import { count, medianOf, printTable, runRounds } from './measuring.mjs';
import { startNodeServer, startRedis } from './programs.mjs';
import { requireForLoad } from './requirements.mjs';
import { startServerWithKeys } from './server-process.mjs';
import { runWrk } from './wrk.mjs';

const ROUNDS = 15;
const ROUND_SECONDS = 3;
const WARM_UP_SECONDS = 2;
const KEY_COUNT = 64;
const SERVER_CORE = 0;
const CLIENT_CORE = 1;
const ENDPOINT = 'places/{id}';
const ROOT = resolve(import.meta.dirname, '../..');

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'data/starter.snapshot'));
requireForLoad('bench:keys', snapshot, {
  wrk: 'wrk',
  'redis-server': 'redis-server',
  taskset: 'util-linux',
  chrt: 'util-linux',
});
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
const stops = [keepBusy(CLIENT_CORE)];
try {
  await measure();
} finally {
  for (const stop of stops.reverse()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure() {
  const { targets } = makeEndpoints(snapshot).find(({ name }) => name === ENDPOINT);
  const targetFile = join(folder, 'targets');
  writeFileSync(targetFile, `${targets.join('\n')}\n`);
  const servers = { 'without keys': await startKeyless() };
  const redis = await startRedis(CLIENT_CORE);
  stops.push(redis.stop);
  for (const [name, store] of Object.entries({ embedded: join(folder, 'keys'), Redis: redis.url })) {
    servers[name] = await startServerWithKeys(KEY_COUNT, { snapshot, store, core: SERVER_CORE });
    stops.push(servers[name].server.stop);
  }
  const rows = [];
  for (const keyCount of [1, KEY_COUNT]) {
    const figures = await load(targetFile, servers, keyCount);
    const base = figures['without keys'].cpuMicroseconds;
    for (const [name, { perSecond, p50Ms, p99Ms, cpuMicroseconds }] of Object.entries(figures)) {
      rows.push([
        `${name}, ${keyCount} ${keyCount === 1 ? 'key' : 'keys'}`,
        count(perSecond),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        cpuMicroseconds.toFixed(1),
        `${((100 * base) / cpuMicroseconds).toFixed(0)} %`,
      ]);
    }
  }
  process.stdout.write(`\n${snapshot}: ${ENDPOINT}, 64 connections\n\n`);
  printTable(['key store', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs each', 'of without keys'], rows);
}

async function startKeyless() {
  const script = join(import.meta.dirname, 'keyless-server.mjs');
  const env = { ...process.env, NODE_ENV: 'production' };
  const server = await startNodeServer({ core: SERVER_CORE, script, args: [snapshot], env });
  stops.push(server.stop);
  return { server, keys: Array.from({ length: KEY_COUNT }, (_, index) => `nobody-${index}`) };
}

/** The medians of each server's rounds, behind a longer one that does not count. */
async function load(targetFile, servers, keyCount) {
  const names = Object.keys(servers);
  const run = (name, seconds) => {
    const { server, keys } = servers[name];
    return runWrk({ cores: CLIENT_CORE, server, targetFile, keys: keys.slice(0, keyCount), seconds });
  };
  for (const name of names) await run(name, WARM_UP_SECONDS);
  const rounds = await runRounds(names, ROUNDS, (name, round) => {
    process.stderr.write(`${keyCount} keys, ${name}, round ${round} of ${ROUNDS}\n`);
    return run(name, ROUND_SECONDS);
  });
  const figures = ['perSecond', 'p50Ms', 'p99Ms', 'cpuMicroseconds'];
  return Object.fromEntries(
    names.map((name) => [name, Object.fromEntries(figures.map((figure) => [figure, medianOf(rounds[name], figure)]))]),
  );
}
