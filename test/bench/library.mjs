/**
 * `npm run bench:library [-- <snapshot>]`: the library beside what one would use instead in a program, on the rows of the
 * same snapshot: a `Map` by country and code, `kdt` (the k-d tree of local-reverse-geocoder, with its distance), and
 * `zipcodes`, which has its own rows of the United States and Canada. Each runs in a process of its own: the processor time
 * until the first answer, private memory after the lookups, and lookups for each second of processor time, of random codes
 * and of positions near data; medians of three rounds. The snapshot's own pages are the system's cache and told beside. The tree takes half a minute to build.
 *
 * `kdt` and `zipcodes` are no dependencies of the project, since nothing states a licence of zipcodes' codes, and
 * local-reverse-geocoder itself downloads when it is installed. BENCH_PEERS names a folder where both are installed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { codeText } from '../../dist/src/core/snapshot/postcode-index.js';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { createDraw } from './drawing.mjs';
import { writeRows } from './library/rows.mjs';
import { count, medianOf, printTable, runRounds } from './measuring.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const ROUNDS = 3;
/** Different inputs of each kind of lookup. */
const INPUTS = 20_000;
const SEED = 20260330;
/** Megabytes of heap: the tree of the world does not fit into the default of a small machine. */
const HEAP_MB = 4_096;

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'var/places.snapshot'));
const peers = process.env.BENCH_PEERS;
if (!existsSync(snapshot)) end(`there is no ${snapshot}; name one: npm run bench:library -- <snapshot>`);
const missing = ['kdt', 'zipcodes'].filter((name) => !existsSync(join(peers ?? '', 'node_modules', name)));
if (peers === undefined || missing.length > 0) {
  end(`BENCH_PEERS must name a folder with its peers: npm install --prefix FOLDER kdt@0.1 zipcodes@8`);
}

const folder = mkdtempSync(join(tmpdir(), 'postal-places-bench-'));
try {
  const opened = openSnapshot(snapshot);
  const rows = join(folder, 'rows.tsv');
  process.stderr.write(`writing ${count(writeRows(opened, rows))} rows …\n`);
  const inputs = join(folder, 'inputs.json');
  writeFileSync(inputs, JSON.stringify(drawInputs(opened)));
  const names = ['library', 'library, as text', 'Map', 'kdt', 'zipcodes'];
  const results = await runRounds(names, ROUNDS, (name, round) => {
    process.stderr.write(`round ${round}: ${name}\n`);
    const program = join(import.meta.dirname, 'library/peer-program.mjs');
    const args = [`--max-old-space-size=${HEAP_MB}`, '--expose-gc', program, name, snapshot, rows, inputs, peers];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  });
  print(results);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Codes of the world and of the United States, and positions some kilometres from data. */
function drawInputs(opened) {
  const random = createRandom(SEED);
  const draw = createDraw(opened, random);
  const near = (degrees) => Math.round((degrees + (random() - 0.5) * 0.1) * 1e4) / 1e4;
  const inputs = { codes: [], zips: [], points: [] };
  for (let drawn = 0; drawn < INPUTS; drawn++) {
    const { country, structures, place } = draw();
    inputs.codes.push([country, codeText(structures.postcodes, Math.floor(random() * structures.postcodes.codeCount))]);
    inputs.points.push([
      Math.max(-90, Math.min(90, near(place.latitude))),
      Math.max(-180, Math.min(180, near(place.longitude))),
    ]);
  }
  for (let tries = 0; tries < INPUTS * 100 && inputs.zips.length < INPUTS; tries++) {
    const { country, place } = draw();
    if (country === 'US') inputs.zips.push(place.postalCode);
  }
  return inputs;
}

function print(results) {
  const columns = {
    'first answer, CPU ms': 'openMs',
    'private memory, MB': 'ownMb',
    "file's pages, MB": 'snapshotMb',
    'codes a CPU second': 'codes',
    'US codes': 'zips',
    positions: 'points',
  };
  const rows = Object.entries(results).map(([name, rounds]) => [
    name,
    ...Object.values(columns).map((figure) => (rounds[0][figure] === null ? '-' : count(medianOf(rounds, figure)))),
  ]);
  printTable(['', ...Object.keys(columns)], rows);
}

function end(message) {
  process.stderr.write(`bench:library: ${message}\n`);
  process.exit(2);
}
