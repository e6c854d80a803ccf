/**
 * `npm run bench:bulk [-- <snapshot>]`: what a lookup of a postal code costs in a bulk request, beside the request for it
 * alone. In process, bodies of 1,000 lookups from bytes to bytes, as the handler takes and sends them. Then over HTTP, the
 * real server with the embedded key store on one core, metrics and log as always, `wrk -t1` on the
 * other, which is never idle (busy-core.mjs): single requests on 64 connections, and bulk requests of 10, 100 and 1,000
 * lookups on four, five rounds of three seconds each, in turn; medians. What counts is processor time. Last, how long single requests on one
 * connection take while 0, 1 and 8 others send bulk requests of 1,000 lookups without a pause. Takes about two minutes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bindLookups } from '../../dist/src/api/description/bulk.js';
import { addEntry, parseJson, splitBody } from '../../dist/src/api/http/bulk.js';
import { BufferSink } from '../../dist/src/core/snapshot/byte-string.js';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { service } from '../../dist/src/core/use-cases/service.js';
import { keepBusy } from './busy-core.mjs';
import { makeEndpoints } from './endpoint-urls.mjs';
import { count, median, medianOf, printTable, runRounds } from './measuring.mjs';
import { requireForLoad } from './requirements.mjs';
import { startServerWithKeys } from './server-process.mjs';
import { runWrk } from './wrk.mjs';

const ROUNDS = 5;
const ROUND_SECONDS = 3;
const WARM_UP_SECONDS = 2;
const IN_PROCESS_BODIES = 100;
const PIECE_BYTES = 65_536;
const BULK_SIZES = [10, 100, 1_000];
const BESIDE_SECONDS = 6;
const SERVER_CORE = 0;
const CLIENT_CORE = 1;
const ENDPOINT = 'postcodes/{code}';
const BULK = '/v1/bulk';
/** Connections that send bulk requests: with 64, which the server serves in turn, few requests of 1,000 end in a round. */
const BULK_CONNECTIONS = 4;
const ROOT = resolve(import.meta.dirname, '../..');

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'data/starter.snapshot'));
requireForLoad('bench:bulk', snapshot, { wrk: 'wrk', taskset: 'util-linux', chrt: 'util-linux' });
const { targets } = makeEndpoints(snapshot).find(({ name }) => name === ENDPOINT);
const lookups = targets.map((target) => {
  const [, country, postcode] = /\/countries\/(..)\/postcodes\/(.*)$/.exec(target);
  return { country, postcode: decodeURIComponent(postcode) };
});
const bodyOf = (size) =>
  JSON.stringify({ lookups: Array.from({ length: size }, (_, index) => lookups[index % lookups.length]) });

process.stdout.write(`${snapshot}: ${lookups.length} postal codes\n\n`);
measureInProcess();
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
const stops = [keepBusy(CLIENT_CORE)];
try {
  const { server, keys } = await startServerWithKeys(1, { snapshot, store: join(folder, 'keys'), core: SERVER_CORE });
  stops.push(server.stop);
  await measureOverHttp(server, keys);
  await measureBeside(server, keys);
} finally {
  for (const stop of stops.reverse()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

/** One core: this process does nothing else. */
function measureInProcess() {
  const opened = openSnapshot(snapshot);
  const lookUp = bindLookups(service);
  const body = Buffer.from(bodyOf(1_000));
  const piece = new BufferSink(PIECE_BYTES);
  let bytes = 0;
  const answer = () => {
    const { texts, shared } = splitBody(body);
    for (const lookup of texts.map(parseJson)) {
      addEntry(piece, () => lookUp(opened, lookup, shared), fail);
      if (piece.length < PIECE_BYTES) continue;
      bytes += piece.length;
      piece.truncate(0);
    }
  };
  const perSecond = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    bytes = 0;
    for (let index = 0; index < IN_PROCESS_BODIES; index++) answer();
    const { user, system } = process.cpuUsage(before);
    // The first round compiles.
    if (round > 0) perSecond.push((IN_PROCESS_BODIES * 1_000 * 1e6) / (user + system));
  }
  const meanBytes = bytes / (IN_PROCESS_BODIES * 1_000);
  process.stdout.write(
    `in process: ${count(median(perSecond))} lookups a second of processor time ` +
      `(${count(Math.min(...perSecond))} to ${count(Math.max(...perSecond))}), ${count(meanBytes)} bytes each\n\n`,
  );
}

function fail(error) {
  throw error;
}

async function measureOverHttp(server, keys) {
  const loads = { 'single requests': { size: 1, lines: targets } };
  for (const size of BULK_SIZES) {
    loads[`bulk of ${count(size)}`] = { size, lines: [`${BULK}\t\t\t${bodyOf(size)}`] };
  }
  loads['bulk of 1,000, ndjson'] = { size: 1_000, lines: [`${BULK}?format=ndjson\t\t\t${bodyOf(1_000)}`] };
  const run = (name, seconds) => {
    const targetFile = join(folder, 'targets');
    writeFileSync(targetFile, `${loads[name].lines.join('\n')}\n`);
    const connections = loads[name].size === 1 ? 64 : BULK_CONNECTIONS;
    return runWrk({ cores: CLIENT_CORE, server, targetFile, keys, seconds, connections });
  };
  const names = Object.keys(loads);
  for (const name of names) await run(name, WARM_UP_SECONDS);
  const rounds = await runRounds(names, ROUNDS, (name, round) => {
    process.stderr.write(`${name}, round ${round} of ${ROUNDS}\n`);
    return run(name, ROUND_SECONDS);
  });
  const single = rounds[names[0]];
  const rows = names.map((name) => {
    const { size } = loads[name];
    const cpuEach = medianOf(rounds[name], 'cpuMicroseconds') / size;
    const gain = median(
      rounds[name].map(({ cpuMicroseconds }, at) => (single[at].cpuMicroseconds * size) / cpuMicroseconds),
    );
    return [name, count(medianOf(rounds[name], 'perSecond') * size), cpuEach.toFixed(1), gain.toFixed(1)];
  });
  printTable(['over HTTP', 'lookups/s', 'CPU µs each', 'times single'], rows);
}

/** Asks for one code after the other while other connections send bulk requests. */
async function measureBeside(server, keys) {
  const targetFile = join(folder, 'bulk');
  writeFileSync(targetFile, `${BULK}\t\t\t${bodyOf(1_000)}\n`);
  const rows = [];
  for (const connections of [0, 1, 8]) {
    let isOver = false;
    const load =
      connections === 0
        ? new Promise((resolve) => setTimeout(resolve, BESIDE_SECONDS * 1_000))
        : runWrk({ cores: CLIENT_CORE, server, targetFile, keys, seconds: BESIDE_SECONDS, connections });
    const done = load.finally(() => {
      isOver = true;
    });
    const latencies = [];
    while (!isOver) {
      const startMs = performance.now();
      await server.get(targets[latencies.length % targets.length]);
      latencies.push(performance.now() - startMs);
    }
    await done;
    latencies.sort((one, other) => one - other);
    const at = (share) => latencies[Math.floor((latencies.length - 1) * share)].toFixed(2);
    rows.push([
      `beside ${connections} connections with bulk requests`,
      count(latencies.length),
      at(0.5),
      at(0.9),
      at(0.99),
    ]);
  }
  printTable(['single requests', 'requests', 'p50 ms', 'p90 ms', 'p99 ms'], rows);
}
