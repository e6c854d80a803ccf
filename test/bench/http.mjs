/**
 * `npm run bench:http [-- <snapshot> [<part of a row's name>]]`: what a request costs the real server, with keys checked
 * and counted, metrics, and every hundredth request logged, beside a bare node:http server that sends the same bytes with
 * the same headers from constants (bare-server.mjs). For each endpoint, for errors, for answers that the client has
 * already (304), and with 64 keys in turn: once with the embedded key store and once with Redis. Servers on one core,
 * `wrk -t1 -c64` on the other, which is never idle (busy-core.mjs), five rounds of three seconds each, the servers in
 * turn. The share is that of processor time, the bare server's for a request by ours in the same round: median, least and
 * most. Then memory after the run. Takes about fifteen minutes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { keepBusy } from './busy-core.mjs';
import { captureAnswer, headerOf, writeCaptured } from './captured.mjs';
import { makeEndpoints } from './endpoint-urls.mjs';
import { count, median, medianOf, printTable, runRounds } from './measuring.mjs';
import { startBareServer, startRedis } from './programs.mjs';
import { requireForLoad } from './requirements.mjs';
import { startServerWithKeys } from './server-process.mjs';
import { runWrk } from './wrk.mjs';

const ROUNDS = 5;
const ROUND_SECONDS = 3;
const WARM_UP_SECONDS = 2;
const KEY_COUNT = 64;
const SERVER_CORE = 0;
const CLIENT_CORE = 1;
/** Asked for with tags that the client has, and with many keys. */
const SAMPLE = 'places/{id}';
const ROOT = resolve(import.meta.dirname, '../..');

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'data/starter.snapshot'));
const wanted = process.argv[3] ?? '';
requireForLoad('bench:http', snapshot, {
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
  const redis = await startRedis(CLIENT_CORE);
  stops.push(redis.stop);
  const ours = {};
  for (const [name, store] of Object.entries({ embedded: join(folder, 'keys'), redis: redis.url })) {
    ours[name] = await startServerWithKeys(KEY_COUNT, { snapshot, store, core: SERVER_CORE });
    stops.push(ours[name].server.stop);
  }
  const rows = await listRows(ours.embedded.server);
  const table = [];
  for (const [index, row] of rows.entries()) {
    process.stderr.write(`row ${index + 1} of ${rows.length}: ${row.name}\n`);
    table.push(figuresOf(row, await load(row, ours)));
  }
  process.stdout.write(`\n${snapshot}\n\n`);
  const figures = ['requests/s', 'p99 ms', 'CPU µs', 'of bare', 'from to'];
  printTable(['', 'targets', 'mean bytes', ...figures, 'Redis: CPU µs', ...figures.slice(3), 'bare: CPU µs'], table);
  const { ownBytes, snapshotBytes } = ours.embedded.server.memory();
  process.stdout.write(
    `after the run: ${(ownBytes / 1e6).toFixed(1)} MB of private memory, ` +
      `${(snapshotBytes / 1e6).toFixed(1)} MB of the file's pages\n`,
  );
}

/** The endpoints with the answers to their targets, then the two rows that ask for one of them in another way. */
async function listRows({ get }) {
  const rows = [];
  for (const { name, status, targets } of makeEndpoints(snapshot)) {
    if (!name.includes(wanted) && name !== SAMPLE) continue;
    const answers = [];
    for (const target of targets) answers.push(await captureAnswer(get, target));
    const answered = answers.filter((answer) => answer.status === status);
    if (answered.length === 0) throw new Error(`no target of ${name} answers ${status}`);
    rows.push({ name, answers: answered, keyCount: 1, areErrors: status >= 400 });
  }
  const sample = rows.find(({ name }) => name === SAMPLE);
  const unchanged = [];
  for (const { target, ...answer } of sample.answers) {
    const tag = headerOf(answer, 'etag');
    unchanged.push({ ...(await captureAnswer(get, target, { 'if-none-match': tag })), tag });
  }
  rows.push({ ...sample, name: '304', answers: unchanged });
  rows.push({ ...sample, name: `${SAMPLE}, ${KEY_COUNT} keys`, keyCount: KEY_COUNT });
  return rows.filter(({ name }) => name.includes(wanted));
}

/** The rounds of each server, behind a short one that does not count. */
async function load({ answers, keyCount, areErrors }, ours) {
  const targetFile = join(folder, 'targets');
  writeFileSync(targetFile, answers.map(({ target, tag = '' }) => `${target}\t${tag}\n`).join(''));
  writeCaptured(join(folder, 'answers'), answers);
  const bare = await startBareServer(SERVER_CORE, join(folder, 'answers'));
  try {
    const servers = { ...ours, bare: { server: bare, keys: ours.embedded.keys } };
    const run = (name, seconds) => {
      const { server, keys } = servers[name];
      return runWrk({
        cores: CLIENT_CORE,
        server,
        targetFile,
        keys: keys.slice(0, keyCount),
        seconds,
        areErrors,
      });
    };
    const names = Object.keys(servers);
    for (const name of names) await run(name, WARM_UP_SECONDS);
    return await runRounds(names, ROUNDS, (name) => run(name, ROUND_SECONDS));
  } finally {
    await bare.stop();
  }
}

function figuresOf({ name, answers }, { embedded, redis, bare }) {
  const cpu = (rounds) => medianOf(rounds, 'cpuMicroseconds').toFixed(1);
  const shares = (rounds) => {
    const each = rounds.map(({ cpuMicroseconds }, round) => bare[round].cpuMicroseconds / cpuMicroseconds);
    return [median(each).toFixed(2), `${Math.min(...each).toFixed(2)} ${Math.max(...each).toFixed(2)}`];
  };
  return [
    name,
    String(answers.length),
    count(answers.reduce((sum, { body }) => sum + body.length, 0) / answers.length),
    count(medianOf(embedded, 'perSecond')),
    medianOf(embedded, 'p99Ms').toFixed(1),
    cpu(embedded),
    ...shares(embedded),
    cpu(redis),
    ...shares(redis),
    cpu(bare),
  ];
}
