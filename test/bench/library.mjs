/**
 * `npm run bench:library [-- [<part>] [<snapshot>]]`: what the snapshot gives programs, and many rows at once. Rates are for
 * each second of processor time, which other programs on the machine change less than the time on the clock.
 *
 * - `library`: the library beside what one would use instead, on the rows of the same snapshot: a `Map` by country and
 *   code, and `kdt` (the k-d tree of local-reverse-geocoder, with its distance). Each runs in a process of its own:
 *   processor time until the first answer, private memory, and lookups of random codes and of positions near data. `kdt`
 *   is no dependency of the project: it is measured where BENCH_PEERS names a folder that has it (`npm install --prefix
 *   FOLDER kdt@0.1`).
 * - `enrich`: beside csv-parse and csv-stringify that copy the same table. Two tables of a million rows with the snapshot's
 *   codes: of customers, whose codes repeat, and with another code in nearly every row. Then the most private memory with
 *   a million and with ten million rows (BENCH_ROWS says how many a million is). Three minutes.
 * - `bulk`: what a postal code costs in a bulk request, beside the request for it alone: in process, from bytes to bytes,
 *   and over HTTP, with the server on one core and wrk on another, which is never idle. Two minutes.
 * - `join`: a hundred million rows in DuckDB (join.mjs).
 */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bindBulkOperation } from '../../dist/src/api/description/bulk-operation.js';
import { parseBodyJson, splitBody } from '../../dist/src/api/http/bulk-body.js';
import { addEntry } from '../../dist/src/api/http/bulk-handler.js';
import { service } from '../../dist/src/core/answers/service.js';
import { BufferSink } from '../../dist/src/core/snapshot/byte-string.js';
import { indexedPostcode } from '../../dist/src/core/snapshot/postcode-index.js';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { measureJoin } from './join.mjs';
import {
  count,
  cpuMs,
  median,
  medianOf,
  megabytes,
  printTable,
  requireForLoad,
  requireSnapshot,
  roundCount,
  runParts,
  runRounds,
} from './measuring.mjs';
import { keepBusy, loadInTurn, startServerWithKeys, withPrograms } from './programs.mjs';
import { createDraw, createFullCodeDraws, makeEndpoints, parsePlace } from './requests.mjs';

/** Different inputs of each kind of lookup. */
const INPUTS = Number(process.env.BENCH_INPUTS ?? 20_000);
const SEED = 20260330;
/** Megabytes of heap: the tree of the world does not fit into the default of a small machine. */
const HEAP_MB = 4_096;
/** Rows of a table that is enriched, and of a long one. */
const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000);
const MANY_ROWS = 10 * ROWS;
/** How much more often codes are used that are used often: see mixedRows. */
const TABLES = { 'codes repeat': 4, 'codes differ': 1 };
const HEADER = 'id,name,street,postcode,country\n';
/** The countries that most rows are of, and their share. */
const COMMON = ['US', 'DE', 'FR', 'GB', 'IT', 'ES', 'JP', 'IN', 'BR', 'PL', 'NL', 'AT', 'CH'];
const COMMON_SHARE = 0.8;
/** The share of codes that do not exist, and of those in another spelling. */
const UNKNOWN_SHARE = 0.03;
const RESPELLED_SHARE = 0.07;
/** Rows of a piece. */
const PIECE_ROWS = 10_000;

await runParts({ library: compareLibrary, enrich: measureEnrich, bulk: measureBulk, join: measureJoin });

async function compareLibrary([named], folder) {
  const snapshot = requireSnapshot(named);
  const peers = process.env.BENCH_PEERS ?? '';
  const opened = openSnapshot(snapshot);
  const rows = join(folder, 'rows.tsv');
  process.stderr.write(`writing ${count(writeRows(opened, rows))} rows …\n`);
  const inputs = join(folder, 'inputs.json');
  writeFileSync(inputs, JSON.stringify(drawInputs(opened)));
  const names = ['library', 'library, as text', 'Map', ...(existsSync(join(peers, 'node_modules/kdt')) ? ['kdt'] : [])];
  const run = (name) => {
    const program = join(import.meta.dirname, 'library-program.mjs');
    const args = [`--max-old-space-size=${HEAP_MB}`, '--expose-gc', program, name, snapshot, rows, inputs, peers];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  };
  printLookups(await runRounds(names, 3, run, { hasWarmUp: false }));
}

/** Codes, and positions some kilometres from data. */
function drawInputs(opened) {
  const random = createRandom(SEED);
  const draw = createDraw(opened, random);
  const near = (degrees) => Math.round((degrees + (random() - 0.5) * 0.1) * 1e4) / 1e4;
  const inputs = { codes: [], points: [] };
  for (let drawn = 0; drawn < INPUTS; drawn++) {
    const { country, structures, place } = draw();
    inputs.codes.push([
      country,
      indexedPostcode(structures.postcodes, Math.floor(random() * structures.postcodes.codeCount)),
    ]);
    inputs.points.push([
      Math.max(-90, Math.min(90, near(place.latitude))),
      Math.max(-180, Math.min(180, near(place.longitude))),
    ]);
  }
  for (const [name, drawCode] of Object.entries(createFullCodeDraws(opened, random))) {
    inputs[name] = Array.from({ length: INPUTS }, drawCode);
  }
  return inputs;
}

function printLookups(results) {
  const columns = {
    'first answer, CPU ms': 'openMs',
    'private memory, MB': 'ownMb',
    "file's pages, MB": 'snapshotMb',
    'codes a CPU second': 'codes',
    positions: 'points',
    'full codes': 'full codes',
    'their first parts': 'their first parts',
  };
  const rows = Object.entries(results).map(([name, rounds]) => [
    name,
    ...Object.values(columns).map((figure) => (rounds[0][figure] == null ? '-' : count(medianOf(rounds, figure)))),
  ]);
  printTable(['', ...Object.keys(columns)], rows);
}

/** Country, code, name, latitude, longitude of each place with a code. Returns how many there are. */
function writeRows(snapshot, path) {
  const file = openSync(path, 'w');
  let rowCount = 0;
  for (const { entry, structures } of snapshot.countries) {
    if (structures === undefined) continue;
    const lines = Array.from(structures.postcodes.places, (number) => {
      const { postalCode, name, latitude, longitude } = parsePlace(structures, number);
      return `${[entry.code, postalCode, name, latitude, longitude].join('\t')}\n`;
    });
    writeSync(file, lines.join(''));
    rowCount += lines.length;
  }
  closeSync(file);
  return rowCount;
}

async function measureEnrich([named], folder) {
  const snapshot = requireSnapshot(named);
  const run = (kind, table, rows) => runEnrich({ snapshot, out: join(folder, 'result.csv') }, kind, table, rows);
  const runs = Object.entries(TABLES).flatMap(([name, spread]) => {
    const table = join(folder, `${spread}.csv`);
    writeFileSync(table, [...mixedRows(snapshot, ROWS, spread)].join(''));
    return ['copy', 'enrich'].map((kind) => [`${kind}, ${name}`, () => run(kind, table)]);
  });
  const programs = Object.fromEntries(runs);
  const rounds = await runRounds(Object.keys(programs), 3, (name) => programs[name](), { hasWarmUp: false });
  const rows = Object.keys(programs).map((name) => {
    const seconds = medianOf(rounds[name], 'cpuSeconds');
    const copying = medianOf(rounds[name.replace('enrich', 'copy')], 'cpuSeconds');
    return [
      name,
      count(ROWS / seconds),
      (copying / seconds).toFixed(2),
      count(ROWS / medianOf(rounds[name], 'seconds')),
    ];
  });
  printTable(['run', 'rows a CPU second', 'times copying', 'rows a second'], rows);
  const memory = [];
  for (const rowCount of [ROWS, MANY_ROWS]) {
    const { privateBytes } = await run('enrich', '-', mixedRows(snapshot, rowCount, TABLES['codes differ']));
    memory.push([`${count(rowCount)} rows, codes differ`, megabytes(privateBytes)]);
  }
  printTable(['enrich from standard input', 'most private MB'], memory);
}

/** The figures of one run; `rows` are pieces for its standard input. */
async function runEnrich({ snapshot, out }, kind, table, rows) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'enrich-program.mjs'), kind, snapshot, table], {
    env: { ...process.env, RESULT: out },
    stdio: [rows === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
  });
  const printed = child.stdout.setEncoding('utf8').toArray();
  const exit = new Promise((done) => child.once('exit', done));
  if (rows !== undefined) await pipeline(Readable.from(rows), child.stdin);
  if ((await exit) !== 0) throw new Error(`${kind} ${table} failed`);
  return JSON.parse((await printed).join(''));
}

/**
 * Pieces of a table. A `spread` of 1 draws codes evenly, so that a row seldom has the code of a row shortly before it. The
 * larger it is, the more rows have one of few codes, as customers live in some places more than in others.
 */
function* mixedRows(snapshotFile, rowCount, spread) {
  const { countries, countryByCode } = openSnapshot(snapshotFile);
  const all = countries.filter(({ structures }) => structures !== undefined);
  const common = COMMON.flatMap((code) => countryByCode.get(code) ?? []).filter(({ structures }) => structures);
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  const pick = (list) => list[Math.floor(random() * list.length)];
  const codeOf = ({ structures: { postcodes } }) => {
    const kind = random();
    if (kind < UNKNOWN_SHARE) return `XX${Math.floor(random() * 50)}`;
    const code = indexedPostcode(postcodes, Math.floor(random() ** spread * postcodes.codeCount));
    return kind < UNKNOWN_SHARE + RESPELLED_SHARE ? code.toLowerCase().replace(/[\s-]/g, '') : code;
  };
  let piece = HEADER;
  for (let row = 0; row < rowCount; row++) {
    const country = pick(common.length > 0 && random() < COMMON_SHARE ? common : all);
    piece += `${row},Company ${row % 977},Main Street ${row % 211},${codeOf(country)},${country.entry.code}\n`;
    if (row % PIECE_ROWS === 0) {
      yield piece;
      piece = '';
    }
  }
  yield piece;
}

async function measureBulk([named], folder) {
  requireForLoad({});
  const snapshot = requireSnapshot(named);
  const { targets } = makeEndpoints(snapshot).find(({ name }) => name === 'postcodes/{code}');
  const lookups = targets.map((target) => {
    const [, country, postcode] = /\/countries\/(..)\/postcodes\/(.*)$/.exec(target);
    return { country, postcode: decodeURIComponent(postcode) };
  });
  const bodyOf = (size) =>
    JSON.stringify({ lookups: Array.from({ length: size }, (_, index) => lookups[index % lookups.length]) });
  measureInProcess(openSnapshot(snapshot), Buffer.from(bodyOf(1_000)));
  const sizes = {
    'single requests': { size: 1, lines: targets },
    ...Object.fromEntries(
      [10, 100, 1_000].map((size) => [`bulk of ${count(size)}`, { size, lines: [`/v1/bulk\t\t\t${bodyOf(size)}`] }]),
    ),
    'bulk of 1,000, ndjson': { size: 1_000, lines: [`/v1/bulk?format=ndjson\t\t\t${bodyOf(1_000)}`] },
  };
  await withPrograms(async (start) => {
    await start(keepBusy(1));
    const { server, keys } = await start(startServerWithKeys(1, { snapshot, store: join(folder, 'keys'), core: 0 }));
    const loads = Object.entries(sizes).map(([name, { size, lines }], index) => {
      const targetFile = join(folder, `targets-${index}`);
      writeFileSync(targetFile, `${lines.join('\n')}\n`);
      // With 64 connections, which the server serves in turn, few bulk requests of 1,000 would end in a round.
      return [name, { cores: 1, server, targetFile, keys, connections: size === 1 ? 64 : 4 }];
    });
    const rounds = await loadInTurn(Object.fromEntries(loads));
    const single = rounds['single requests'];
    const rows = Object.entries(sizes).map(([name, { size }]) => {
      const gains = rounds[name].map(
        ({ cpuMicroseconds }, at) => (single[at].cpuMicroseconds * size) / cpuMicroseconds,
      );
      const cpuEach = medianOf(rounds[name], 'cpuMicroseconds') / size;
      return [name, count(medianOf(rounds[name], 'perSecond') * size), cpuEach.toFixed(1), median(gains).toFixed(1)];
    });
    printTable(['over HTTP', 'lookups/s', 'CPU µs each', 'times single'], rows);
  });
}

/** One core: this process does nothing else. The first round compiles. */
function measureInProcess(opened, body) {
  const [bodyCount, pieceBytes] = [100, 65_536];
  const lookUp = bindBulkOperation(service);
  const piece = new BufferSink(pieceBytes);
  const raise = (error) => {
    throw error;
  };
  const perSecond = [];
  for (let round = 0; round <= roundCount(5); round++) {
    const startedMs = cpuMs();
    for (let index = 0; index < bodyCount; index++) {
      const { texts, shared } = splitBody(body);
      for (const lookup of texts.map(parseBodyJson)) {
        addEntry(piece, () => lookUp(opened, lookup, shared), raise);
        if (piece.length >= pieceBytes) piece.truncate(0);
      }
    }
    if (round > 0) perSecond.push((bodyCount * 1_000 * 1_000) / (cpuMs() - startedMs));
  }
  process.stdout.write(`in process: ${count(median(perSecond))} lookups a second of processor time\n\n`);
}
