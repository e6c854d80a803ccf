/**
 * `npm run bench:site [-- [<part>] [<snapshot>]]`: pages per second of the site, beside a bare node:http server that sends the same
 * answers for the same targets from constant buffers (bare-server.mjs). Places are picked at random over the whole snapshot:
 * a few, which the site has kept from the requests before (`kept`), and so many that most have to be made (`made`). Server on one core,
 * `wrk -t1 -c64` on the other, which is never idle, five rounds of three seconds each, the two servers in
 * turn; medians. Takes about two minutes.
 */

import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { renderedPathOf } from '../../dist/src/core/snapshot/rendered-places.js';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { memoryOf } from '../fixtures/process-figures.mjs';
import { createRandom } from '../fixtures/random.mjs';
import {
  count,
  medianOf,
  megabytes,
  PROGRAM,
  printTable,
  requireForLoad,
  requireSnapshot,
  runParts,
} from './measuring.mjs';
import {
  captureAnswer,
  keepBusy,
  loadInTurn,
  request,
  startBareServer,
  startNodeServer,
  withPrograms,
  writeCaptured,
} from './programs.mjs';

const [SERVER_CORE, CLIENT_CORE] = [0, 1];

await runParts({
  kept: (args, folder) => measure('few pages, kept', 200, args, folder),
  made: (args, folder) => measure('many pages, made', 10_000, args, folder),
});

async function measure(name, pageCount, [named], folder) {
  requireForLoad({});
  const snapshot = requireSnapshot(named);
  const variables = { SNAPSHOT: snapshot, SITE_PORT: '0', TRUST_PROXY: 'loopback', LOG_LEVEL: 'error' };
  const env = { ...process.env, NODE_ENV: 'production', ...variables };
  await withPrograms(async (start) => {
    await start(keepBusy(CLIENT_CORE));
    const site = await start(startNodeServer({ core: SERVER_CORE, script: PROGRAM, args: ['site'], env }));
    const bytes = await capture(site, pickPlaces(snapshot, pageCount), folder);
    const bare = await start(startBareServer(SERVER_CORE, join(folder, 'bodies')));
    // No key is looked at.
    const load = { cores: CLIENT_CORE, targetFile: join(folder, 'targets'), keys: ['none'] };
    const rounds = await loadInTurn({ site: { ...load, server: site }, bare: { ...load, server: bare } });
    const figures = (side) => [
      count(medianOf(rounds[side], 'perSecond')),
      medianOf(rounds[side], 'p99Ms').toFixed(1),
      medianOf(rounds[side], 'cpuMicroseconds').toFixed(1),
    ];
    const share = (100 * medianOf(rounds.bare, 'cpuMicroseconds')) / medianOf(rounds.site, 'cpuMicroseconds');
    const columns = ['p99 ms', 'CPU µs'];
    printTable(
      ['', 'pages', 'mean bytes', 'pages/s', ...columns, 'bare node:http', ...columns, 'of bare'],
      [
        [
          name,
          count(pageCount),
          count(bytes / pageCount),
          ...figures('site'),
          ...figures('bare'),
          `${share.toFixed(0)} %`,
        ],
      ],
    );
    process.stdout.write(`after the run: ${megabytes(memoryOf(site.pid).ownBytes)} MB of private memory\n\n`);
  });
}

/** Paths of pages, of all places alike. */
function pickPlaces(snapshot, pageCount) {
  const random = createRandom(pageCount);
  const covered = openSnapshot(snapshot).countries.filter(({ structures }) => structures !== undefined);
  const placeCount = covered.reduce((sum, { structures }) => sum + structures.tree.placeCount, 0);
  return Array.from({ length: pageCount }, () => {
    let place = Math.floor(random() * placeCount);
    for (const { entry, structures } of covered) {
      if (place < structures.tree.placeCount) {
        return `/${entry.slug}${renderedPathOf(structures.renderedPlaces, place)}`;
      }
      place -= structures.tree.placeCount;
    }
    throw new Error('there is no such place');
  });
}

/** Asks for every page once, writes targets and answers down, and gives the bytes of all. */
async function capture({ port }, targets, folder) {
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
