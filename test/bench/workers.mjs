/**
 * `npm run bench:workers [-- <snapshot>]`: requests per second of one process (WORKERS=1) and of two workers, in one
 * run: 64 connections, embedded key store, every process and wrk free to run on any core. wrk takes its share of the
 * cores, so with two of them the ratio stays below 2, the more the cheaper an answer is. What it comes to where the client
 * has a core of its own follows from the processor time of a request: twice that of one process by that of two workers,
 * for all processes together. Five rounds of three seconds, the servers in turn; medians. Takes about two minutes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeEndpoints } from './endpoint-urls.mjs';
import { count, medianOf, printTable, runRounds } from './measuring.mjs';
import { requireForLoad } from './requirements.mjs';
import { createKey, startServer } from './server-process.mjs';
import { runWrk } from './wrk.mjs';

const ROUNDS = 5;
const ROUND_SECONDS = 3;
const WARM_UP_SECONDS = 2;
const ENDPOINTS = ['places/{id}', 'places', 'autocomplete'];
const ALL_CORES = `0-${availableParallelism() - 1}`;
const ROOT = resolve(import.meta.dirname, '../..');

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'data/starter.snapshot'));
requireForLoad('bench:workers', snapshot, { wrk: 'wrk', taskset: 'util-linux' });
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
const servers = [];
try {
  await measure();
} finally {
  for (const server of servers) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure() {
  const store = join(folder, 'keys');
  const key = await createKey(store);
  const one = await startServer({ snapshot, store, key, workers: 1 });
  servers.push(one);
  const two = await startServer({ snapshot, store, key, workers: 2 });
  servers.push(two);
  const rows = [];
  for (const { name, targets } of makeEndpoints(snapshot)) {
    if (!ENDPOINTS.includes(name)) continue;
    process.stderr.write(`${name}\n`);
    const targetFile = join(folder, 'targets');
    writeFileSync(targetFile, `${targets.join('\n')}\n`);
    rows.push(rowOf(name, await load({ one, two }, targetFile, key)));
  }
  process.stdout.write(`\n${snapshot}\n\n`);
  printTable(
    ['endpoint', 'one process', 'p99 ms', 'two workers', 'p99 ms', 'ratio', 'CPU µs', 'CPU µs', 'by CPU'],
    rows,
  );
}

/** The rounds of both servers, behind a short one that does not count. */
async function load(servers, targetFile, key) {
  const names = Object.keys(servers);
  const run = (name, seconds) => runWrk({ cores: ALL_CORES, server: servers[name], targetFile, keys: [key], seconds });
  for (const name of names) await run(name, WARM_UP_SECONDS);
  return runRounds(names, ROUNDS, (name) => run(name, ROUND_SECONDS));
}

function rowOf(name, { one, two }) {
  const [first, second] = [medianOf(one, 'perSecond'), medianOf(two, 'perSecond')];
  const p99 = (rounds) => medianOf(rounds, 'p99Ms').toFixed(1);
  const [firstCpu, secondCpu] = [medianOf(one, 'cpuMicroseconds'), medianOf(two, 'cpuMicroseconds')];
  return [
    name,
    ...[count(first), p99(one), count(second), p99(two), (second / first).toFixed(2)],
    ...[firstCpu.toFixed(1), secondCpu.toFixed(1), ((2 * firstCpu) / secondCpu).toFixed(2)],
  ];
}
