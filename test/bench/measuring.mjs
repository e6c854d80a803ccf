/**
 * What the benchmarks share: their parts, rounds, medians, processor time and tables. `npm run bench:<name> -- <part>
 * <arguments>` runs one part, without a part's name all of them run. BENCH_ROUNDS says how many rounds there are, where a
 * part's own number is not wanted, BENCH_SECONDS how long a round of requests or look-ups is, and BENCH_INPUTS how many
 * look-ups differ: few and short ones show that a benchmark runs, but give no figure that is worth telling.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
export const PROGRAM = join(ROOT, 'dist/cli/main.js');

/** Runs the part of `parts` that the command line names, or all: each gets the other arguments and a temporary folder. */
export async function runParts(parts) {
  const [first, ...rest] = process.argv.slice(2);
  const isPart = Object.hasOwn(parts, first);
  for (const [name, run] of isPart ? [[first, parts[first]]] : Object.entries(parts)) {
    process.stdout.write(`== ${name}\n\n`);
    const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
    try {
      await run(isPart ? rest : process.argv.slice(2), folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Ends this process with one line that says what is missing. */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** The snapshot that is named, or the starter's; ends this process where there is none. */
export function requireSnapshot(named) {
  const snapshot = resolve(named ?? join(ROOT, 'data/starter.snapshot'));
  if (!existsSync(snapshot)) fail(`there is no snapshot ${snapshot}; name one behind the part`);
  process.stdout.write(`${snapshot}\n\n`);
  return snapshot;
}

/** Ends this process unless the tools, each with its Debian package, and two cores are there. */
export function requireForLoad(tools) {
  for (const [tool, debian] of Object.entries({ taskset: 'util-linux', chrt: 'util-linux', wrk: 'wrk', ...tools })) {
    if (spawnSync(tool, ['--version']).error !== undefined) {
      fail(`${tool} is missing: apt-get install --yes ${debian}`);
    }
  }
  if (availableParallelism() < 2) fail('two cores are needed, one for the server and one for wrk');
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function roundCount(usual) {
  return Number(process.env.BENCH_ROUNDS ?? usual);
}

/**
 * What `run(name, round)` gives, or resolves to, for each name, the names in turn. Before several rounds comes round 0, which
 * does not count. The figures of each run are told on standard error when it is done.
 */
export async function runRounds(names, usualCount, run, { hasWarmUp = true } = {}) {
  const rounds = Object.fromEntries(names.map((name) => [name, []]));
  const last = roundCount(usualCount);
  for (let round = hasWarmUp && last > 1 ? 0 : 1; round <= last; round++) {
    process.stderr.write(round === 0 ? 'a round that does not count\n' : `round ${round} of ${last}\n`);
    for (const name of names) {
      const figures = await run(name, round);
      const told = Object.entries(figures).filter(([, value]) => typeof value === 'number');
      process.stderr.write(`  ${name}: ${told.map(([figure, value]) => `${figure} ${value.toFixed(2)}`).join(', ')}\n`);
      if (round > 0) rounds[name].push(figures);
    }
  }
  return rounds;
}

/** The median of one figure over the rounds. */
export function medianOf(rounds, figure) {
  return median(rounds.map((round) => round[figure]));
}

/** The processor time of this process so far in milliseconds, its collecting of garbage included. */
export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Runs a command to its end, in `cwd` if given: wall seconds, processor time of all its processes, and what it printed. */
export function timeCommand(command, cwd) {
  // The second line of `times` is that of the children, user and system.
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', '"$@" && times', 'sh', ...command], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const seconds = (performance.now() - startedAt) / 1000;
  if (status !== 0) throw new Error(`${command.join(' ')} ended with status ${status}\n${stderr}`);
  const lines = stdout.trimEnd().split('\n');
  const [user, system] = [...lines.at(-1).matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => minutes * 60 + +rest,
  );
  return { seconds, cpuSeconds: user + system, stdout: lines.slice(0, -2).join('\n') };
}

let hasPrintedMachine = false;
/** Characters of a column of figures, and of the names before them: rows are printed before the widest is known. */
const FIGURE_WIDTH = 9;
const NAME_WIDTH = 30;

/**
 * Prints a heading, and each row of texts when it is done, so that a benchmark that ends early has told what it measured.
 * The first column is to the left, the others to the right. Before the first table comes the Node that ran the benchmark,
 * and the number of processors.
 */
export function startTable(heading) {
  if (!hasPrintedMachine) {
    process.stdout.write(`node ${process.versions.node}, ${availableParallelism()} processors\n\n`);
    hasPrintedMachine = true;
  }
  const widths = heading.map(({ length }, column) => Math.max(length, column === 0 ? NAME_WIDTH : FIGURE_WIDTH));
  const row = (cells) => {
    const padded = cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])));
    process.stdout.write(`${padded.join('  ').trimEnd()}\n`);
  };
  row(heading);
  return { row, end: () => process.stdout.write('\n') };
}

/** Prints a table whose rows are done together. */
export function printTable(heading, rows) {
  const table = startTable(heading);
  rows.forEach(table.row);
  table.end();
}

export function count(value) {
  return Math.round(value).toLocaleString('en-US');
}

export function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
