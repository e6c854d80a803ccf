/**
 * `npm run bench:channels -- <earlier snapshot> <later snapshot> [<snapshot with few changes> …]`: what a machine
 * transfers that pulls a release from nginx: the first, the later one after the earlier, the same again, and each of the
 * others after the later one. Prints the bytes as a share of the snapshot's length, by kind of part, with seconds and
 * the greatest resident memory of `pull` and `publish --parts`. test/bench/changed-release.mjs writes releases with few
 * changes. Needs nginx.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { printTable } from './measuring.mjs';
import { requireStaticHosts, startNginx } from './static-hosts.mjs';

const PROGRAM = join(import.meta.dirname, '../../dist/cli/main.js');
const KINDS = [
  'countries',
  'world-name-index',
  'world-postcodes',
  'country-answers',
  'country-grid',
  'manifest',
  'changes',
];

const snapshots = process.argv.slice(2).map((path) => resolve(path));
const missing = snapshots.filter((path) => !existsSync(path));
if (snapshots.length < 2 || missing.length > 0) {
  process.stderr.write(`bench:channels: name two snapshots or more${missing.map((path) => `; there is no ${path}`)}\n`);
  process.exit(2);
}
requireStaticHosts(['nginx']);
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
const inFolder = (name) => join(folder, name);

try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure() {
  run(['signing-key', 'create', '--out', inFolder('key')]);
  const [earlier, later, ...changed] = snapshots;
  const published = [];
  const publish = (snapshot, note = '') => {
    const report = run(['publish', snapshot, '--to', inFolder('parts'), '--parts', '--signing-key', inFolder('key')]);
    published.push([basename(snapshot) + note, report]);
  };
  const pulled = [];
  publish(earlier);
  const host = await startNginx(inFolder('parts'), inFolder('nginx'));
  try {
    const pull = (name, to, before) => {
      const args = ['pull', host.url, '--to', inFolder(to), '--key', inFolder('key.pub'), '--keep', '2'];
      const report = run(args);
      pulled.push([name, { ...report, ...kindsOf(report, before) }]);
      return report.release;
    };
    const first = pull(`${basename(earlier)}, first`, 'served');
    publish(later);
    publish(later, ', again');
    const second = pull(`${basename(later)} after ${basename(earlier)}`, 'served', first);
    pull('the same again', 'served', second);
    pull(`${basename(later)}, first`, 'fresh');
    for (const snapshot of changed) {
      // Deltas are of the release that the channel names.
      run(['promote', second, 'stable', '--to', inFolder('parts'), '--signing-key', inFolder('key')]);
      publish(snapshot);
      // From the same state each time.
      spawnSync('cp', ['-a', inFolder('fresh'), inFolder('next')]);
      pull(`${basename(snapshot)} after ${basename(later)}`, 'next', second);
      rmSync(inFolder('next'), { recursive: true });
    }
  } finally {
    await host.stop();
  }
  process.stdout.write('\npublish --parts\n\n');
  printTable(
    ['', 'snapshot MB', 'parts', 'parts MB', 'share', 'written', 'written MB', 'deltas', 'MB', 'seconds', 'peak MB'],
    published.map(([name, { bytes, partCount, transferBytes, partsWritten, bytesWritten, ...report }]) => [
      name,
      ...[megabytes(bytes), String(partCount), megabytes(transferBytes), percent(transferBytes, bytes)],
      ...[String(partsWritten), megabytes(bytesWritten), String(report.deltasWritten)],
      ...[megabytes(report.deltaBytesWritten), report.seconds.toFixed(1), megabytes(report.peakBytes)],
    ]),
  );
  process.stdout.write('pull\n\n');
  printTable(
    ['', 'fetched', 'as deltas', 'reused', 'MB', 'share', ...KINDS, 'seconds', 'peak MB'],
    pulled.map(
      ([name, { partsFetched, partsPatched, partsReused, bytesFetched, bytes, kinds, seconds, peakBytes }]) => [
        name,
        ...[partsFetched, partsPatched, partsReused].map(String),
        ...[megabytes(bytesFetched), percent(bytesFetched, bytes)],
        ...KINDS.map((kind) => percent(kinds.get(kind) ?? 0, bytes)),
        ...[seconds.toFixed(1), megabytes(peakBytes)],
      ],
    ),
  );
}

/** The fetched bytes by kind of part, from the files of both releases. Throws where that is not what was fetched. */
function kindsOf({ release, bytesFetched, partsFetched, partsPatched, changed }, before) {
  const { parts, bytes, changes } = releaseOf(release);
  const had = new Set(before === undefined ? [] : releaseOf(before).parts.map(({ sha256 }) => sha256));
  const kinds = new Map();
  let [fetchedBytes, fetched, patched] = [0, 0, 0];
  for (const part of changed ? parts : []) {
    if (had.has(part.sha256)) continue;
    const kind = /^[A-Z]{2}$/.test(part.name) ? 'countries' : part.name;
    // Every delta is of the release that the machine has.
    const isPatched = before !== undefined && part.delta !== undefined;
    const { compressedBytes } = isPatched ? part.delta : part;
    kinds.set(kind, (kinds.get(kind) ?? 0) + compressedBytes);
    fetchedBytes += compressedBytes;
    fetched++;
    if (isPatched) patched++;
  }
  // A list is of the last publication, whatever the folder had.
  const bytesOfChanges = changed ? (changes?.parts ?? []).reduce((sum, part) => sum + part.compressedBytes, 0) : 0;
  kinds.set('changes', bytesOfChanges);
  fetchedBytes += bytesOfChanges;
  const [found, expected] = [
    [partsFetched, partsPatched, bytesFetched],
    [fetched, patched, fetchedBytes],
  ].map(([all, deltas, sum]) => `${all} parts (${deltas} as deltas) of ${sum} bytes`);
  if (found !== expected) throw new Error(`${release}: ${found}, expected ${expected}`);
  return { kinds, bytes };
}

function releaseOf(name) {
  return JSON.parse(readFileSync(join(folder, 'parts/releases', `${name}.json`), 'utf8'));
}

/** Runs the program to its end: its report, seconds, and greatest resident memory. */
function run(args) {
  process.stderr.write(`${args.join(' ')}\n`);
  const peak = inFolder('peak');
  const script = `import { writeFileSync } from 'node:fs'; import { isMainThread } from 'node:worker_threads';
    if (isMainThread) process.once('exit', () => writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`;
  const startedAt = performance.now();
  const options = ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, PROGRAM, ...args, '--json'], {
    encoding: 'utf8',
  });
  const seconds = (performance.now() - startedAt) / 1000;
  if (status !== 0) throw new Error(stderr);
  return { ...JSON.parse(stdout), seconds, peakBytes: Number(readFileSync(peak, 'utf8')) * 1024 };
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(2)} %`;
}
