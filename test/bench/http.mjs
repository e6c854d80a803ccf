/**
 * `npm run bench:http [-- <snapshot>]`: requests per second of each endpoint of the real server, beside a bare node:http
 * server that sends the same bodies for the same targets from constant buffers (bare-server.mjs). Server on one core,
 * `wrk -t1 -c64` on the other, which is never idle (busy-core.mjs), five rounds of three seconds each, the two servers in
 * turn; medians. The share is that of processor time: what one core could answer in the same time. Then the time from
 * spawn to first answer, the median of five starts, and memory after the run. Takes about five minutes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { keepBusy } from './busy-core.mjs';
import { makeEndpoints } from './endpoint-urls.mjs';
import { count, median, medianOf, printTable, runRounds } from './measuring.mjs';
import { requireForLoad } from './requirements.mjs';
import { createKey, firstLine, startServer } from './server-process.mjs';
import { runWrk } from './wrk.mjs';

const ROUNDS = 5;
const ROUND_SECONDS = 3;
const WARM_UP_SECONDS = 1;
const STARTS = 5;
const SERVER_CORE = 0;
const CLIENT_CORE = 1;
const ROOT = resolve(import.meta.dirname, '../..');

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'var/places.snapshot'));
requireForLoad('bench:http', snapshot, { wrk: 'wrk', taskset: 'util-linux', chrt: 'util-linux' });
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure() {
  const store = join(folder, 'keys');
  const key = createKey(store);
  const endpoints = makeEndpoints(snapshot);
  const stopBusy = keepBusy(CLIENT_CORE);
  const app = await startServer({ snapshot, store, key, core: SERVER_CORE });
  let bare;
  try {
    await capture(app, endpoints);
    bare = await startBareServer();
    const rows = [];
    for (const [index, endpoint] of endpoints.entries()) {
      process.stderr.write(`endpoint ${index + 1} of ${endpoints.length}: ${endpoint.name}\n`);
      rows.push(rowOf(endpoint, load(index, { app, bare }, key)));
    }
    process.stdout.write(`\n${snapshot}\n\n`);
    printTable(
      [
        'endpoint',
        'targets',
        'mean bytes',
        'requests/s',
        'p99 ms',
        'CPU µs',
        'bare node:http',
        'p99 ms',
        'CPU µs',
        'of bare',
      ],
      rows,
    );
    const { ownBytes, snapshotBytes } = app.memory();
    process.stdout.write(
      `after the run: ${(ownBytes / 1e6).toFixed(1)} MB of private memory, ` +
        `${(snapshotBytes / 1e6).toFixed(1)} MB of the file's pages\n`,
    );
  } finally {
    await app.stop();
    await bare?.stop();
    await stopBusy();
  }
  process.stdout.write(`from spawn to first answer: ${await measureStarts(store, key)}\n`);
}

/** Asks for every target once, keeps those that answer 200, and writes the bodies down for the bare server. */
async function capture(app, endpoints) {
  const lines = [];
  for (const [index, endpoint] of endpoints.entries()) {
    const answered = [];
    endpoint.bytes = 0;
    for (const target of endpoint.targets) {
      const { status, body } = await app.get(target);
      if (status !== 200) continue;
      answered.push(target);
      endpoint.bytes += body.length;
      lines.push(JSON.stringify({ target, body: body.toString('base64') }));
    }
    if (answered.length === 0) throw new Error(`no target of ${endpoint.name} answers 200`);
    endpoint.targets = answered;
    writeFileSync(targetFile(index), `${answered.join('\n')}\n`);
  }
  writeFileSync(join(folder, 'bodies'), lines.join('\n'));
}

function targetFile(index) {
  return join(folder, `targets-${index}`);
}

async function startBareServer() {
  const program = join(import.meta.dirname, 'bare-server.mjs');
  const args = ['-c', String(SERVER_CORE), process.execPath, program, join(folder, 'bodies')];
  const child = spawn('taskset', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const { port } = JSON.parse(await firstLine(child));
  return {
    pid: child.pid,
    port,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The rounds of each server, behind a short one that does not count. */
function load(index, servers, key) {
  const names = Object.keys(servers);
  const run = (name, seconds) =>
    runWrk({ cores: CLIENT_CORE, server: servers[name], targetFile: targetFile(index), keys: [key], seconds });
  for (const name of names) run(name, WARM_UP_SECONDS);
  return runRounds(names, ROUNDS, (name) => run(name, ROUND_SECONDS));
}

function rowOf({ name, targets, bytes }, { app, bare }) {
  const figures = (rounds) => [
    count(medianOf(rounds, 'perSecond')),
    medianOf(rounds, 'p99Ms').toFixed(1),
    medianOf(rounds, 'cpuMicroseconds').toFixed(1),
  ];
  return [
    name,
    String(targets.length),
    count(bytes / targets.length),
    ...figures(app),
    ...figures(bare),
    `${((100 * medianOf(bare, 'cpuMicroseconds')) / medianOf(app, 'cpuMicroseconds')).toFixed(0)} %`,
  ];
}

async function measureStarts(store, key) {
  const milliseconds = [];
  for (let start = 0; start < STARTS; start++) {
    const server = await startServer({ snapshot, store, key });
    milliseconds.push(server.startSeconds * 1000);
    await server.stop();
  }
  return `${median(milliseconds).toFixed(0)} ms (${milliseconds.map((value) => value.toFixed(0)).join(' ')})`;
}
