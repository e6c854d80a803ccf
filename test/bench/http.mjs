/**
 * `npm run bench:http [-- <snapshot>]`: requests per second of each endpoint of the real server, beside a bare node:http
 * server that sends the same bodies for the same targets from constant buffers (bare-server.mjs). Server on one core,
 * `wrk -t1 -c64` on the other, three rounds of three seconds each, the two servers in turn; medians. Then the time from
 * spawn to first answer, the median of five starts, and memory after the run. Takes about three and a half minutes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeEndpoints } from './endpoint-urls.mjs';
import { count, median, printTable } from './measuring.mjs';
import { createKey, firstLine, startServer } from './server-process.mjs';

const ROUNDS = 3;
const ROUND_SECONDS = 3;
const WARM_UP_SECONDS = 1;
const STARTS = 5;
const SERVER_CORE = 0;
const CLIENT_CORE = 1;
const ROOT = resolve(import.meta.dirname, '../..');

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'var/places.snapshot'));
checkTools();
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function checkTools() {
  if (!existsSync(snapshot)) end(`there is no snapshot ${snapshot}; name one: npm run bench:http -- <snapshot>`);
  if (spawnSync('wrk', ['--version']).error !== undefined) end('wrk is missing: apt-get install --yes wrk');
  if (spawnSync('taskset', ['--version']).error !== undefined)
    end('taskset is missing: apt-get install --yes util-linux');
  if (availableParallelism() < 2) end('two cores are needed, one for the server and one for wrk');
}

function end(message) {
  process.stderr.write(`bench:http: ${message}\n`);
  process.exit(2);
}

async function measure() {
  const store = join(folder, 'keys');
  const key = createKey(store);
  const endpoints = makeEndpoints(snapshot);
  const app = await startServer({ snapshot, store, key, core: SERVER_CORE });
  let bare;
  try {
    await capture(app, endpoints);
    bare = await startBareServer();
    const rows = [];
    for (const [index, endpoint] of endpoints.entries()) {
      process.stderr.write(`endpoint ${index + 1} of ${endpoints.length}: ${endpoint.name}\n`);
      rows.push(rowOf(endpoint, runRounds(endpoint, index, { app: app.port, bare: bare.port }, key)));
    }
    process.stdout.write(`\n${snapshot}\n\n`);
    printTable(
      ['endpoint', 'targets', 'mean bytes', 'requests/s', 'p99 ms', 'bare node:http', 'p99 ms', 'of bare'],
      rows,
    );
    const { ownBytes, mappedFileBytes } = app.memory();
    process.stdout.write(
      `after the run: ${(ownBytes / 1e6).toFixed(1)} MB of private memory, ` +
        `${(mappedFileBytes / 1e6).toFixed(1)} MB of the file's pages\n`,
    );
  } finally {
    await app.stop();
    await bare?.stop();
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
  const { port } = JSON.parse(await firstLine(child));
  return {
    port,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The rounds of each server, in turn, behind a short one that does not count. */
function runRounds(endpoint, index, ports, key) {
  const rounds = { app: [], bare: [] };
  for (const name of Object.keys(ports)) runWrk(endpoint, index, ports[name], key, WARM_UP_SECONDS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of Object.keys(ports)) {
      rounds[name].push(runWrk(endpoint, index, ports[name], key, ROUND_SECONDS));
    }
  }
  return rounds;
}

function runWrk(endpoint, index, port, key, seconds) {
  const script = join(import.meta.dirname, 'rotate.lua');
  const wrk = ['wrk', '-t1', '-c64', `-d${seconds}s`, '-s', script, `http://127.0.0.1:${port}`];
  const args = ['-c', String(CLIENT_CORE), ...wrk, '--', targetFile(index), key];
  const { status, stdout, stderr } = spawnSync('taskset', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`wrk ended with status ${status}\n${stdout}${stderr}`);
  const result = JSON.parse(stdout.trim().split('\n').at(-1));
  if (result.refused > 0 || result.failed > 0) {
    throw new Error(`${endpoint.name}: ${result.refused} requests were refused, ${result.failed} failed`);
  }
  return { perSecond: (result.requests * 1e6) / result.microseconds, p99Ms: result.p99 / 1000 };
}

function rowOf({ name, targets, bytes }, { app, bare }) {
  const perSecond = (rounds) => median(rounds.map((round) => round.perSecond));
  const p99 = (rounds) => median(rounds.map((round) => round.p99Ms)).toFixed(1);
  return [
    name,
    String(targets.length),
    count(bytes / targets.length),
    count(perSecond(app)),
    p99(app),
    count(perSecond(bare)),
    p99(bare),
    `${((100 * perSecond(app)) / perSecond(bare)).toFixed(0)} %`,
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
