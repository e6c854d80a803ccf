/**
 * `npm run bench:answers [-- <snapshot> [<second snapshot>]]`: what each lookup costs inside the process, for each question
 * of the contract and the parts of it that matter (answers/lookups.mjs): nanoseconds, at the median and at 99 % by the
 * clock and as the mean of the processor time, and bytes allocated, over thousands of different inputs drawn from the
 * snapshot's own data; then how long it takes to open the file and to start a server. Of a second snapshot the same,
 * measured in turn with the first, and the ratio: a snapshot of more places should answer within MOST times as long. Takes
 * some minutes, and room for both files in the system's cache.
 *
 * A larger snapshot is made by `node test/bench/synthetic-release.mjs <release> <folder> 5000000` and `postal-places build`.
 * What FlexSearch takes for the same names: `npm run bench:answers -- --flexsearch [<snapshot> [<country>]]`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { listLookups } from './answers/lookups.mjs';
import { timeOpening } from './answers/opening.mjs';
import { TIMED, timeLookup, touchPages, WARM_UP } from './answers/timing.mjs';
import { count, printTable } from './measuring.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
/** Aimed at for the median time of a lookup, and for opening. */
const MOST = 1.3;
const SEMI_SPACE_MB = 64;

const isBesideFlexSearch = process.argv[2] === '--flexsearch';
const [first = join(ROOT, 'data/starter.snapshot'), second] = process.argv.slice(isBesideFlexSearch ? 3 : 2);
for (const file of isBesideFlexSearch || second === undefined ? [first] : [first, second]) {
  if (existsSync(file)) continue;
  process.stderr.write(`bench:answers: there is no ${file}; name one: npm run bench:answers -- <snapshot>\n`);
  process.exit(2);
}
if (isBesideFlexSearch) {
  const { compareWithFlexSearch } = await import('./answers/beside-flexsearch.mjs');
  compareWithFlexSearch(resolve(first), second);
} else {
  await measure([first, ...(second === undefined ? [] : [second])].map((file) => resolve(file)));
}

async function measure(files) {
  const snapshots = files.map((file) => openSnapshot(file));
  printSizes(snapshots);
  snapshots.forEach(touchPages);
  note('drawing the inputs');
  const lookups = snapshots.map((snapshot) => listLookups(snapshot, WARM_UP + TIMED));
  note('timing lookups');
  const figures = lookups[0].map(({ useCase, name }, at) => {
    const runs = snapshots.map((snapshot, index) => ({ snapshot, inputs: lookups[index][at].inputs }));
    // A small snapshot has no code of many places.
    const times = runs.some(({ inputs }) => inputs.length === 0) ? undefined : timeLookup(useCase, runs);
    return { name: `${useCase}, ${name}`, asked: Math.min(TIMED, runs[0].inputs.length), times };
  });
  note('counting bytes');
  printLookups(figures, files.map(countBytes));
  note('opening');
  printOpening(await timeOpening(files));
}

function note(text) {
  process.stderr.write(`${text} …\n`);
}

function countBytes(file) {
  const flags = ['--expose-gc', `--min-semi-space-size=${SEMI_SPACE_MB}`, `--max-semi-space-size=${SEMI_SPACE_MB}`];
  const program = join(import.meta.dirname, 'answers/allocation-program.mjs');
  return JSON.parse(execFileSync(process.execPath, [...flags, program, file], { maxBuffer: 1 << 26 }));
}

function printSizes(snapshots) {
  const sumOf = (snapshot, value) =>
    snapshot.countries.reduce((sum, { structures }) => sum + (structures === undefined ? 0 : value(structures)), 0);
  const figures = {
    megabytes: (snapshot) => snapshot.byteLength / 1e6,
    places: (snapshot) => sumOf(snapshot, ({ tree }) => tree.placeCount),
    leaves: (snapshot) => sumOf(snapshot, ({ postcodes }) => postcodes.places.length),
    codes: (snapshot) => sumOf(snapshot, ({ postcodes }) => postcodes.codeCount),
    points: (snapshot) => sumOf(snapshot, ({ points }) => points.places.length),
    'names of the world': (snapshot) => snapshot.worldNames.nameCount,
  };
  printTable(
    ['snapshot', ...headed(snapshots.length, '')],
    Object.entries(figures).map(([name, of]) => [name, ...compared(snapshots.map(of), count)]),
  );
}

/** `bytes`: for each file those of each lookup. */
function printLookups(figures, bytes) {
  const runCount = bytes.length;
  const rows = figures.flatMap(({ name, asked, times }, at) => {
    if (times === undefined) return [];
    const columns = ['p50', 'mean', 'p99'].map((figure) => times.map((one) => one[figure]));
    const allocated = bytes.map((all) => all[at]);
    return [[name, count(asked), ...[...columns, allocated].flatMap((values) => compared(values, count))]];
  });
  const headings = ['p50 ns', 'CPU mean', 'p99', 'bytes'].flatMap((figure) => headed(runCount, figure));
  printTable(['lookup', 'inputs', ...headings], rows);
  if (runCount === 1) return;
  const slower = figures.flatMap(({ name, times }) => {
    const ratio = times === undefined ? 0 : times[1].p50 / times[0].p50;
    return ratio > MOST ? [`${name}: ${ratio.toFixed(2)}`] : [];
  });
  const list = slower.length === 0 ? 'none' : slower.join('; ');
  process.stdout.write(`more than ${MOST} times as long at the median: ${list}\n\n`);
}

function printOpening(openings) {
  const rows = { 'openSnapshot, ms': 'ms', 'of it processor time': 'cpuMs', 'first answer of a server, ms': 'startMs' };
  printTable(
    ['opening', ...headed(openings.length, '')],
    Object.entries(rows).map(([name, figure]) => [
      name,
      ...compared(
        openings.map((one) => one[figure]),
        (ms) => ms.toFixed(1),
      ),
    ]),
  );
}

/** The headings of what `compared` gives. */
function headed(runCount, figure) {
  return runCount === 1 ? [figure] : [figure, 'second', 'ratio'];
}

/** A figure of one snapshot; of two, both and by how much the second is more. */
function compared(values, text) {
  const ratio = values.length === 1 ? [] : [(values[1] / values[0]).toFixed(2)];
  return [...values.map(text), ...ratio];
}
