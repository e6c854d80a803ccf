/**
 * `npm run bench:build [-- <release folder>]`: what compiling a release costs, beside a baseline of the same run that
 * only reads and splits the same rows on one thread, and what twice the rows cost. Three rounds of the three programs
 * in turn, each in a process of its own, from start to exit; medians. Peak memory is the build's own figure, its whole
 * process with all threads. Default: the newest folder in ../shared/geonames beside the project.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeDoubledRelease } from './doubled-release.mjs';
import { count, median, printTable } from './measuring.mjs';

const ROUNDS = 3;
const ROOT = resolve(import.meta.dirname, '../..');

const release = process.argv[2] === undefined ? newestRelease() : resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function newestRelease() {
  const releases = process.env.GEONAMES_RELEASES ?? join(ROOT, '../shared/geonames');
  const newest = existsSync(releases)
    ? readdirSync(releases).findLast((name) => existsSync(join(releases, name, 'countryInfo.txt')))
    : undefined;
  if (newest !== undefined) return join(releases, newest);
  process.stderr.write('bench:build: no release found; name one: npm run bench:build -- <release folder>\n');
  process.exit(2);
}

async function measure() {
  const doubled = join(folder, 'doubled');
  mkdirSync(doubled);
  const doubledRowCount = await writeDoubledRelease(release, doubled);
  const baseline = { name: 'read and split, one thread', rounds: [] };
  const once = { name: 'build', rounds: [] };
  const twice = { name: 'build, twice the rows', rounds: [] };
  for (let round = 1; round <= ROUNDS; round++) {
    process.stderr.write(`round ${round} of ${ROUNDS}\n`);
    baseline.rounds.push(time([join(import.meta.dirname, 'read-rows.mjs'), release]));
    once.rounds.push(time(buildArguments(release)));
    twice.rounds.push(time(buildArguments(doubled)));
  }

  const secondsOf = ({ rounds }) => median(rounds.map(({ seconds }) => seconds));
  const rowOf = (program, rowCount) => {
    const peak = median(program.rounds.map(({ report }) => report.peakMemoryBytes ?? Number.NaN));
    const size = program.rounds[0].report.bytes;
    return [
      program.name,
      count(rowCount),
      secondsOf(program).toFixed(2),
      program.rounds.map(({ seconds }) => seconds.toFixed(2)).join(' '),
      (secondsOf(program) / secondsOf(baseline)).toFixed(1),
      Number.isNaN(peak) ? '' : (peak / 1e6).toFixed(0),
      size === undefined ? '' : (size / 1e6).toFixed(0),
    ];
  };
  const rowCount = baseline.rounds[0].report.rowCount;
  process.stdout.write(`\n${release}\n\n`);
  printTable(
    ['program', 'rows', 'seconds', 'rounds', 'of baseline', 'peak MB', 'file MB'],
    [rowOf(baseline, rowCount), rowOf(once, rowCount), rowOf(twice, doubledRowCount)],
  );
  const phases = Object.keys(once.rounds[0].report.secondsByPhase);
  printTable(
    ['phase (sum over threads; world and verifying: since the last country was built)', 'seconds', 'twice the rows'],
    phases.map((phase) => [
      phase,
      ...[once, twice].map(({ rounds }) => median(rounds.map(({ report }) => report.secondsByPhase[phase])).toFixed(2)),
    ]),
  );
  process.stdout.write(`twice the rows take ${(secondsOf(twice) / secondsOf(once)).toFixed(2)} times the time\n`);
}

function buildArguments(from) {
  return [join(ROOT, 'dist/cli/main.js'), 'build', from, '--out', join(folder, 'places.snapshot'), '--json'];
}

/** Runs a node program to its end: its wall seconds and the JSON object it printed. */
function time(args) {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  const seconds = (performance.now() - startedAt) / 1000;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with status ${status}\n${stderr}`);
  return { seconds, report: JSON.parse(stdout) };
}
