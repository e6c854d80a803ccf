/**
 * `npm run bench:peer [-- <snapshot> [<part of a row's name>]]`: requests per second of the real server beside what one
 * would build instead: Express with PostgreSQL and PostGIS (peer/), over the same places, filled from the snapshot. Both
 * have the whole machine while they are measured: as many workers as there are cores, which wrk and the peer's database
 * share. The real server checks and counts keys and keeps metrics; the peer does neither. First both are asked for every
 * target (compare.mjs), then loaded with 64 connections, by a thread of wrk for every two cores, in turn, three rounds of
 * four seconds behind a shorter one; medians. Processor time is that of all processes of a side, the database's among
 * them. For autocomplete there is a second peer, with an index of its own for each number of first letters.
 *
 * The database is the program's own and lives in a temporary folder (peer/postgres.mjs). Where PostgreSQL 15 with PostGIS
 * is missing, and this runs as root on Debian, its packages are installed. Takes about seven minutes and 2 GB of the disk.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeEndpoints } from './endpoint-urls.mjs';
import { count, medianOf, printTable } from './measuring.mjs';
import { TUNED_AUTOCOMPLETE } from './peer/app.mjs';
import { compareAnswers } from './peer/compare.mjs';
import { load } from './peer/load.mjs';
import { problemOfPrograms, startPostgres } from './peer/postgres.mjs';
import { requireForLoad } from './requirements.mjs';
import { createKey, firstLine, startServer } from './server-process.mjs';
import { runWrk } from './wrk.mjs';

const ROUNDS = 3;
const ROUND_SECONDS = 4;
const WARM_UP_SECONDS = 2;
const CORES = availableParallelism();
const WRK_THREADS = Math.ceil(CORES / 2);
const ROOT = resolve(import.meta.dirname, '../..');

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'data/starter.snapshot'));
requireForLoad('bench:peer', snapshot, { wrk: 'wrk', taskset: 'util-linux' });
const problem = problemOfPrograms();
if (problem !== undefined) {
  process.stderr.write(`bench:peer: ${problem}\n`);
  process.exit(2);
}
const interruption = untilInterrupted();
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
/** What ends all that was started, the last first. */
const stops = [async () => rmSync(folder, { recursive: true, force: true })];
try {
  await Promise.race([measure(), interruption]);
} catch (error) {
  process.stderr.write(`bench:peer: ${error.stack}\n`);
  process.exitCode = 1;
} finally {
  for (const stop of stops.reverse()) await stop().catch((error) => process.stderr.write(`${error.stack}\n`));
}
// A run that was interrupted may still wait for something.
process.exit();

async function measure() {
  const endpoints = makeEndpoints(snapshot).filter(({ status }) => status === 200);
  const autocomplete = endpoints.find(({ name }) => name === 'autocomplete');
  const peerTargetOf = (target) => target.replace('/v1/autocomplete', TUNED_AUTOCOMPLETE);
  endpoints.push({ ...autocomplete, name: 'autocomplete, peer tuned', peerTargetOf });
  const wanted = endpoints.filter(({ name }) => name.includes(process.argv[3] ?? ''));
  const postgres = await started(startPostgres());
  process.stderr.write('filling the database\n');
  const startedAt = performance.now();
  const { placeCount, bytes } = await load(postgres, snapshot);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const store = join(folder, 'keys');
  const key = await createKey(store);
  const ours = await started(startServer({ snapshot, store, key, workers: CORES }));
  const peer = { ...(await started(startPeer(postgres))), key };
  const rows = [];
  for (const [index, endpoint] of wanted.entries()) {
    const { targets, same } = await compareAnswers(endpoint, ours, peer);
    const of = `${targets.length} of ${endpoint.targets.length} targets`;
    process.stderr.write(`endpoint ${index + 1} of ${wanted.length}: ${endpoint.name}, ${of}\n`);
    const { peerTargetOf = (target) => target } = endpoint;
    const targetFiles = { ours: join(folder, `targets-${index}`), peer: join(folder, `peer-targets-${index}`) };
    writeFileSync(targetFiles.ours, `${targets.join('\n')}\n`);
    writeFileSync(targetFiles.peer, `${targets.map(peerTargetOf).join('\n')}\n`);
    rows.push(rowOf(endpoint.name, await loadInTurn({ ours, peer }, targetFiles), same));
  }
  process.stdout.write(`\n${snapshot}, ${CORES} cores\n`);
  process.stdout.write(
    `the peer's database: ${count(placeCount)} places, ${count(bytes / 1e6)} MB, filled in ${seconds} s\n\n`,
  );
  printTable(
    ['endpoint', 'requests/s', 'p99 ms', 'CPU µs', 'peer', 'p99 ms', 'CPU µs', 'requests/s', 'CPU', 'the same answers'],
    rows,
  );
}

/** Waits for what starts; it is stopped too where this program is interrupted before it has started. */
function started(starting) {
  stops.push(async () => (await starting.catch(() => undefined))?.stop());
  return starting;
}

async function startPeer({ connection, pid: database }) {
  const program = join(import.meta.dirname, 'peer/server.mjs');
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, [program, connection.host, String(CORES)], { env });
  const ended = once(child, 'exit');
  const { port } = JSON.parse(await firstLine(child));
  return {
    pid: child.pid,
    port,
    helpers: [database],
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** The rounds of both servers, behind a short one that does not count. */
async function loadInTurn(servers, targetFiles) {
  const rounds = { ours: [], peer: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, server] of Object.entries(servers)) {
      const seconds = round === 0 ? WARM_UP_SECONDS : ROUND_SECONDS;
      const load = { server, targetFile: targetFiles[name], keys: [server.key], seconds, threads: WRK_THREADS };
      const figures = await runWrk({ cores: `0-${CORES - 1}`, ...load });
      if (round > 0) rounds[name].push(figures);
    }
  }
  return rounds;
}

/** Both servers' figures, and how many times as good ours are: requests in the same time, and in the same processor time. */
function rowOf(name, { ours, peer }, same) {
  const figures = (rounds) => [
    count(medianOf(rounds, 'perSecond')),
    medianOf(rounds, 'p99Ms').toFixed(1),
    medianOf(rounds, 'cpuMicroseconds').toFixed(0),
  ];
  const perSecond = medianOf(ours, 'perSecond') / medianOf(peer, 'perSecond');
  const cpu = medianOf(peer, 'cpuMicroseconds') / medianOf(ours, 'cpuMicroseconds');
  return [name, ...figures(ours), ...figures(peer), `${perSecond.toFixed(1)}×`, `${cpu.toFixed(1)}×`, same];
}

function untilInterrupted() {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  });
}
