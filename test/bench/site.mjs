/**
 * `npm run bench:site [-- <snapshot>]`: pages per second of the site, beside a bare node:http server that sends the same
 * answers for the same targets from constant buffers (bare-server.mjs). Places are picked at random over the whole snapshot:
 * a few, which the site has kept from the requests before, and so many that most have to be made. Server on one core,
 * `wrk -t1 -c64` on the other, which is never idle (busy-core.mjs), five rounds of three seconds each, the two servers in
 * turn; medians. Takes about two minutes.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathOf } from '../../dist/src/core/snapshot/rendered-places.js';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { keepBusy } from './busy-core.mjs';
import { captureAnswer, writeCaptured } from './captured.mjs';
import { count, medianOf, printTable, runRounds } from './measuring.mjs';
import { memoryOf } from './process-figures.mjs';
import { startBareServer, startNodeServer } from './programs.mjs';
import { requireForLoad } from './requirements.mjs';
import { request } from './server-process.mjs';
import { runWrk } from './wrk.mjs';

const KINDS = [
  { name: 'few pages, kept', pageCount: 200 },
  { name: 'many pages, made', pageCount: 10_000 },
];
const ROUNDS = 5;
const ROUND_SECONDS = 3;
const WARM_UP_SECONDS = 2;
const [SERVER_CORE, CLIENT_CORE] = [0, 1];
const ROOT = resolve(import.meta.dirname, '../..');

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'data/starter.snapshot'));
requireForLoad('bench:site', snapshot, { wrk: 'wrk', taskset: 'util-linux', chrt: 'util-linux' });
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure() {
  const stopBusy = keepBusy(CLIENT_CORE);
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    SNAPSHOT: snapshot,
    SITE_PORT: '0',
    TRUST_PROXY: 'loopback',
    LOG_LEVEL: 'error',
  };
  const site = await startNodeServer({
    core: SERVER_CORE,
    script: join(ROOT, 'dist/cli/main.js'),
    args: ['site'],
    env,
  });
  try {
    const rows = [];
    for (const { name, pageCount } of KINDS) {
      process.stderr.write(`${name}\n`);
      const bytes = await capture(site, pickPlaces(pageCount));
      const bare = await startBareServer(SERVER_CORE, join(folder, 'bodies'));
      try {
        rows.push(rowOf(name, pageCount, bytes, await load({ site, bare })));
      } finally {
        await bare.stop();
      }
    }
    process.stdout.write(`\n${snapshot}\n\n`);
    const figures = ['pages/s', 'p99 ms', 'CPU µs'];
    printTable(['', 'pages', 'mean bytes', ...figures, 'bare node:http', 'p99 ms', 'CPU µs', 'of bare'], rows);
    const { ownBytes, snapshotBytes } = memoryOf(site.pid);
    process.stdout.write(
      `after the run: ${(ownBytes / 1e6).toFixed(1)} MB of private memory, ` +
        `${(snapshotBytes / 1e6).toFixed(1)} MB of the file's pages\n`,
    );
  } finally {
    await site.stop();
    await stopBusy();
  }
}

/** Paths of pages, of all places alike. */
function pickPlaces(pageCount) {
  const random = createRandom(pageCount);
  const covered = openSnapshot(snapshot).countries.filter(({ structures }) => structures !== undefined);
  const placeCount = covered.reduce((sum, { structures }) => sum + structures.tree.placeCount, 0);
  return Array.from({ length: pageCount }, () => {
    let place = Math.floor(random() * placeCount);
    for (const { entry, structures } of covered) {
      if (place < structures.tree.placeCount) {
        return `/${entry.slug}${pathOf(structures.renderedPlaces, place)}`;
      }
      place -= structures.tree.placeCount;
    }
    throw new Error('there is no such place');
  });
}

/** Asks for every page once, writes targets and answers down, and gives the bytes of all. */
async function capture({ port }, targets) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers = [];
  for (const [index, target] of targets.entries()) {
    const from = { 'x-forwarded-for': addressOf(index) };
    const get = (path, headers) => request({ agent, port, path, headers: { ...headers, ...from } });
    const answer = await captureAnswer(get, target);
    if (answer.status !== 200) throw new Error(`${target} was answered with ${answer.status}`);
    answers.push(answer);
  }
  agent.destroy();
  writeCaptured(join(folder, 'bodies'), answers);
  const lines = targets.map((target, index) => `${target}\t\t${addressOf(index)}\n`);
  writeFileSync(join(folder, 'targets'), lines.join(''));
  return answers.reduce((bytes, { body }) => bytes + body.length, 0);
}

/** Each page has a visitor of its own, or the limit of a network address would be measured. */
function addressOf(index) {
  return `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
}

/** The rounds of each server, behind a short one that does not count. No key is looked at. */
async function load(servers) {
  const names = Object.keys(servers);
  const targetFile = join(folder, 'targets');
  const run = (name, seconds) =>
    runWrk({ cores: CLIENT_CORE, server: servers[name], targetFile, keys: ['none'], seconds });
  for (const name of names) await run(name, WARM_UP_SECONDS);
  return runRounds(names, ROUNDS, (name) => run(name, ROUND_SECONDS));
}

function rowOf(name, pageCount, bytes, { site, bare }) {
  const figures = (rounds) => [
    count(medianOf(rounds, 'perSecond')),
    medianOf(rounds, 'p99Ms').toFixed(1),
    medianOf(rounds, 'cpuMicroseconds').toFixed(1),
  ];
  const share = (100 * medianOf(bare, 'cpuMicroseconds')) / medianOf(site, 'cpuMicroseconds');
  return [
    name,
    count(pageCount),
    count(bytes / pageCount),
    ...figures(site),
    ...figures(bare),
    `${share.toFixed(0)} %`,
  ];
}
