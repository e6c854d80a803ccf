/**
 * `npm run bench:publish [-- <snapshot> <folder>]`: what publishing a snapshot costs beside a plain copy of the file that
 * is read once, with `cp` and `cat`. `publish` syncs what it copies, so the plain copy is timed with a sync as well; and
 * what is published already is published again. All copies lie in a new folder within the given one (by default the
 * system's for temporary files), so on one file system. Nine rounds of the programs in turn, behind one that fills the
 * system's cache; each is timed from the start of its process to its exit, processor time included; medians.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { count, medianOf, printTable, runRounds } from './measuring.mjs';

const ROUNDS = 9;
const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = [process.execPath, join(ROOT, 'dist/cli/main.js')];

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'data/starter.snapshot'));
if (!existsSync(snapshot)) {
  process.stderr.write(`bench:publish: there is no ${snapshot}; name one: npm run bench:publish -- <snapshot>\n`);
  process.exit(2);
}
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'postal-bench-'));
const [copy, published] = [join(folder, 'copy'), join(folder, 'published')];

const PLAIN = 'copy, read';
const SYNCED = 'copy, sync, read';
const NEW = 'publish';
const AGAIN = 'publish what is there';
/** In this order: what is there already was published a moment before. */
const PROGRAMS = {
  [PLAIN]: () => timeAndRemove('cp "$1" "$2" && cat "$2" > /dev/null'),
  [SYNCED]: () => timeAndRemove('cp "$1" "$2" && sync "$2" && cat "$2" > /dev/null'),
  [NEW]: () => publish(true),
  [AGAIN]: () => publish(false),
};

try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure() {
  for (const run of Object.values(PROGRAMS)) run();
  const rounds = await runRounds(Object.keys(PROGRAMS), ROUNDS, (name, round) => {
    process.stderr.write(`${name}, round ${round} of ${ROUNDS}\n`);
    // What was written and removed before is no business of the next program.
    spawnSync('sync');
    return PROGRAMS[name]();
  });
  const of = (name, other, figure) => medianOf(rounds[name], figure) / medianOf(rounds[other], figure);
  process.stdout.write(`\n${snapshot}, ${count(statSync(snapshot).size / 1e6)} MB, to ${folder}\n\n`);
  printTable(
    ['', 'seconds', 'rounds', 'of copy, read', 'of copy, sync, read', 'CPU seconds', 'of copy, read'],
    Object.keys(PROGRAMS).map((name) => [
      name,
      medianOf(rounds[name], 'seconds').toFixed(2),
      rounds[name].map(({ seconds }) => seconds.toFixed(2)).join(' '),
      of(name, PLAIN, 'seconds').toFixed(2),
      of(name, SYNCED, 'seconds').toFixed(2),
      medianOf(rounds[name], 'cpuSeconds').toFixed(2),
      of(name, PLAIN, 'cpuSeconds').toFixed(2),
    ]),
  );
}

function timeAndRemove(script) {
  const times = time(['sh', '-c', script, 'sh', snapshot, copy]);
  rmSync(copy);
  return times;
}

function publish(isNew) {
  if (isNew) rmSync(published, { recursive: true, force: true });
  const { stdout, ...times } = time([...PROGRAM, 'publish', snapshot, '--to', published, '--json']);
  if (JSON.parse(stdout.split('\n')[0]).copied !== isNew) throw new Error(`copied or not: ${stdout}`);
  return times;
}

/** Runs a command to its end: its wall seconds, the processor time of all its processes, and what it printed. */
function time(command) {
  // The second line of `times` is that of the children, user and system.
  const args = ['-c', '"$@" && times', 'sh', ...command];
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
  const seconds = (performance.now() - startedAt) / 1000;
  if (status !== 0) throw new Error(`${command.join(' ')} ended with status ${status}\n${stderr}`);
  const children = stdout.trimEnd().split('\n').at(-1);
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return { seconds, cpuSeconds: parts.reduce((sum, part) => sum + part, 0), stdout };
}
