/**
 * `npm run bench:http [-- [<part>] [<snapshot> [<rows>]]]`: what a request costs the real server, with keys checked and counted,
 * metrics, and every hundredth request logged. Load comes from wrk with 64 connections. What counts is the processor time
 * of a request: other programs change it less than requests per second. `<rows>` is a text that the names of the wanted rows
 * contain, such as `places/{id}` or `reverse`.
 *
 * - `bare`: every endpoint, errors, answers that the client has already (304) and 64 keys in turn, with the embedded key
 *   store and with Redis, beside a bare node:http server that sends the same bytes. Servers on one core, wrk on the other,
 *   which is never idle. The share is the bare server's processor time by ours in the same round; `of it itself` is what
 *   Redis takes beside the server. Fifteen minutes.
 * - `workers`: one process and two workers, wrk and every process free to run on any core. Two minutes.
 * - `peer`: every endpoint beside Express with PostgreSQL and PostGIS (peer-server.mjs). Seven minutes, 2 GB of disk. A row
 *   without figures is of an endpoint that the peer can't answer, such as full postal codes, which its database lacks.
 * - `outages`: two servers with a shared Redis, of which one part goes (outages.mjs). One minute.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  count,
  median,
  medianOf,
  megabytes,
  requireForLoad,
  requireSnapshot,
  runParts,
  startTable,
} from './measuring.mjs';
import { measureOutages } from './outages.mjs';
import {
  captureAnswer,
  createKey,
  headerOf,
  keepBusy,
  loadInTurn,
  startBareServer,
  startRedis,
  startServer,
  startServerWithKeys,
  withPrograms,
  writeCaptured,
} from './programs.mjs';
import { makeEndpoints } from './requests.mjs';

const KEY_COUNT = 64;
const [SERVER_CORE, CLIENT_CORE] = [0, 1];
const CORES = availableParallelism();
const ALL_CORES = `0-${CORES - 1}`;
/** Asked for with tags that the client has, and with many keys. */
const SAMPLE = 'places/{id}';

await runParts({
  bare: compareWithBare,
  workers: measureWorkers,
  peer: compareWithPeer,
  outages: measureOutages,
});

async function compareWithBare([named, wanted = ''], folder) {
  requireForLoad({ 'redis-server': 'redis-server' });
  const snapshot = requireSnapshot(named);
  await withPrograms(async (start) => {
    await start(keepBusy(CLIENT_CORE));
    const redis = await start(startRedis(CLIENT_CORE));
    const ours = {};
    for (const [name, store] of Object.entries({ embedded: join(folder, 'keys'), redis: redis.url })) {
      ours[name] = await start(
        startServerWithKeys(KEY_COUNT, { snapshot, store, core: SERVER_CORE, variables: { PHOTON: 'on' } }),
      );
    }
    const isWanted = ({ name }) => name.includes(wanted);
    const rows = (await listRows(snapshot, ours.embedded.server, isWanted)).filter(isWanted);
    const figures = ['requests/s', 'p99 ms', 'CPU µs', 'of bare', 'from to'];
    const ofRedis = ['Redis: CPU µs', ...figures.slice(3), 'of it itself'];
    const heading = ['', 'targets', 'mean bytes', ...figures, ...ofRedis, 'bare: CPU µs'];
    const table = startTable(heading);
    for (const row of rows) table.row(figuresOf(row, await loadBesideBare(row, ours, redis.pid, folder)));
    table.end();
    const { ownBytes, snapshotBytes } = ours.embedded.server.memory();
    process.stdout.write(
      `after the run: ${megabytes(ownBytes)} MB of private memory, ${megabytes(snapshotBytes)} MB of the file's pages\n\n`,
    );
  });
}

/**
 * The wanted endpoints with the answers to their targets, Photon's reverse, then the two rows that ask for one in another way:
 * the endpoints of these three are always there.
 */
async function listRows(snapshot, { get }, isWanted) {
  const rows = [];
  const isUsed = (endpoint) => isWanted(endpoint) || ['reverse', SAMPLE].includes(endpoint.name);
  for (const { name, status, targets } of makeEndpoints(snapshot).filter(isUsed)) {
    const answers = [];
    for (const target of targets) answers.push(await captureAnswer(get, target));
    const answered = answers.filter((answer) => answer.status === status);
    if (answered.length === 0) throw new Error(`no target of ${name} answers ${status}`);
    rows.push({ name, answers: answered, keyCount: 1, areErrors: status >= 400 });
  }
  // The points of `reverse`, without its country.
  const points = rows.find(({ name }) => name === 'reverse');
  const photon = [];
  for (const { target } of points.answers) {
    const query = new URL(target, 'http://a').searchParams;
    photon.push(await captureAnswer(get, `/reverse?lat=${query.get('lat')}&lon=${query.get('lng')}`));
  }
  rows.push({ ...points, name: '/reverse (Photon)', answers: photon });
  const sample = rows.find(({ name }) => name === SAMPLE);
  const unchanged = [];
  for (const { target, ...answer } of sample.answers) {
    const tag = headerOf(answer, 'etag');
    unchanged.push({ ...(await captureAnswer(get, target, { 'if-none-match': tag })), tag });
  }
  rows.push({ ...sample, name: '304', answers: unchanged });
  rows.push({ ...sample, name: `${SAMPLE}, ${KEY_COUNT} keys`, keyCount: KEY_COUNT });
  return rows;
}

async function loadBesideBare({ answers, keyCount, areErrors }, ours, redis, folder) {
  const targetFile = join(folder, 'targets');
  writeFileSync(targetFile, answers.map(({ target, tag = '' }) => `${target}\t${tag}\n`).join(''));
  writeCaptured(join(folder, 'answers'), answers);
  return await withPrograms(async (start) => {
    const bare = await start(startBareServer(SERVER_CORE, join(folder, 'answers')));
    const servers = { ...ours, bare: { server: bare, keys: ours.embedded.keys } };
    const loads = Object.entries(servers).map(([name, { server, keys }]) => {
      const store = name === 'redis' ? redis : undefined;
      return [name, { cores: CLIENT_CORE, server, store, targetFile, keys: keys.slice(0, keyCount), areErrors }];
    });
    return await loadInTurn(Object.fromEntries(loads));
  });
}

function figuresOf({ name, answers }, { embedded, redis, bare }) {
  const shares = (rounds) => {
    const each = rounds.map(({ cpuMicroseconds }, round) => bare[round].cpuMicroseconds / cpuMicroseconds);
    return [median(each).toFixed(2), `${Math.min(...each).toFixed(2)} ${Math.max(...each).toFixed(2)}`];
  };
  const bytes = answers.reduce((sum, { body }) => sum + body.length, 0) / answers.length;
  return [
    ...[name, String(answers.length), count(bytes), ...loadFigures(embedded), ...shares(embedded)],
    ...[loadFigures(redis)[2], ...shares(redis), medianOf(redis, 'storeMicroseconds').toFixed(1), loadFigures(bare)[2]],
  ];
}

/** The medians of requests per second, p99 in milliseconds and processor time of a request in microseconds. */
function loadFigures(rounds) {
  return [
    count(medianOf(rounds, 'perSecond')),
    medianOf(rounds, 'p99Ms').toFixed(1),
    medianOf(rounds, 'cpuMicroseconds').toFixed(1),
  ];
}

/**
 * wrk takes its share of the cores, so with two of them the ratio stays below 2. What it comes to where the client has a
 * core of its own follows from the processor time: twice that of one process by that of two workers.
 */
async function measureWorkers([named, wanted = ''], folder) {
  requireForLoad({});
  const snapshot = requireSnapshot(named);
  await withPrograms(async (start) => {
    const store = join(folder, 'keys');
    const key = await createKey(store);
    const one = await start(startServer({ snapshot, store, key, workers: 1 }));
    const two = await start(startServer({ snapshot, store, key, workers: 2 }));
    const figures = ['p99 ms', 'CPU µs'];
    const table = startTable(['endpoint', 'one process', ...figures, 'two workers', ...figures, 'ratio', 'by CPU']);
    for (const { name, targets } of makeEndpoints(snapshot)) {
      if (![SAMPLE, 'places', 'autocomplete'].includes(name) || !name.includes(wanted)) continue;
      const targetFile = join(folder, 'targets');
      writeFileSync(targetFile, `${targets.join('\n')}\n`);
      const load = { cores: ALL_CORES, targetFile, keys: [key] };
      const rounds = await loadInTurn({ one: { ...load, server: one }, two: { ...load, server: two } });
      const ratio = (figure) => medianOf(rounds.two, figure) / medianOf(rounds.one, figure);
      table.row([
        ...[name, ...loadFigures(rounds.one), ...loadFigures(rounds.two)],
        ...[ratio('perSecond').toFixed(2), (2 / ratio('cpuMicroseconds')).toFixed(2)],
      ]);
    }
    table.end();
  });
}

/**
 * Both sides have the whole machine: as many workers as there are cores, which wrk and the peer's database share. Our
 * server checks and counts keys and keeps metrics; the peer does neither. Processor time is that of all processes of a
 * side, the database's among them.
 */
async function compareWithPeer([named, wanted = ''], folder) {
  requireForLoad({});
  const { compareAnswers, fillDatabase, startPeer, startPostgres, TUNED_AUTOCOMPLETE } = await import('./peer.mjs');
  const snapshot = requireSnapshot(named);
  const endpoints = makeEndpoints(snapshot).filter(({ status }) => status === 200);
  const autocomplete = endpoints.find(({ name }) => name === 'autocomplete');
  const peerTargetOf = (target) => target.replace('/v1/autocomplete', TUNED_AUTOCOMPLETE);
  endpoints.push({ ...autocomplete, name: 'autocomplete, peer tuned', peerTargetOf });
  const measured = endpoints.filter(({ name }) => name.includes(wanted));
  await withPrograms(async (start) => {
    const postgres = await start(startPostgres());
    process.stderr.write('filling the database\n');
    const startedAt = performance.now();
    const { placeCount, bytes } = await fillDatabase(postgres, snapshot);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    const store = join(folder, 'keys');
    const key = await createKey(store);
    const ours = await start(startServer({ snapshot, store, key, workers: CORES }));
    const peer = { ...(await start(startPeer(postgres, CORES))), key };
    process.stdout.write(
      `the database: ${count(placeCount)} places, ${megabytes(bytes)} MB, filled in ${seconds} s\n\n`,
    );
    const figures = ['p99 ms', 'CPU µs'];
    const ratios = ['requests/s', 'by CPU', 'the same answers'];
    const table = startTable(['endpoint', 'targets', 'requests/s', ...figures, 'peer', ...figures, ...ratios]);
    for (const endpoint of measured) {
      const { targets, same } = await compareAnswers(endpoint, ours, peer);
      const names = [endpoint.name, `${targets.length} of ${endpoint.targets.length}`];
      if (targets.length === 0) {
        table.row(names);
        continue;
      }
      const { peerTargetOf = (target) => target } = endpoint;
      const load = (server, lines) => {
        const targetFile = join(folder, server === peer ? 'peer-targets' : 'targets');
        writeFileSync(targetFile, `${lines.join('\n')}\n`);
        return { cores: ALL_CORES, server, targetFile, keys: [key], threads: Math.ceil(CORES / 2) };
      };
      const loads = { ours: load(ours, targets), peer: load(peer, targets.map(peerTargetOf)) };
      const rounds = await loadInTurn(loads, 3, 4);
      const perSecond = medianOf(rounds.ours, 'perSecond') / medianOf(rounds.peer, 'perSecond');
      const cpu = medianOf(rounds.peer, 'cpuMicroseconds') / medianOf(rounds.ours, 'cpuMicroseconds');
      const gains = [perSecond, cpu].map((ratio) => `${ratio.toFixed(1)}×`);
      table.row([...names, ...loadFigures(rounds.ours), ...loadFigures(rounds.peer), ...gains, same]);
    }
    table.end();
  });
}
