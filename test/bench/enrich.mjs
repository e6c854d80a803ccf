/**
 * `npm run bench:enrich [-- <snapshot>]`: how many rows a second `enrich` takes, beside csv-parse and csv-stringify that
 * copy the same table. Two tables of a million rows with the snapshot's codes: of customers, whose codes repeat, and with
 * another code in nearly every row. Three rounds, the runs in turn, each in a process of its own; medians. Rates are for
 * each second of processor time, which other programs on the machine change less than the time on the clock. Then memory:
 * the most private memory with a million and with ten million rows, which are made on the fly. Takes about three minutes.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { mixedRows } from './enrich/mixed-rows.mjs';
import { count, medianOf, printTable, runRounds } from './measuring.mjs';

const ROUNDS = 3;
const ROWS = 1_000_000;
const MANY_ROWS = 10_000_000;
const ROOT = resolve(import.meta.dirname, '../..');
const TABLES = { 'codes repeat': 4, 'codes differ': 1 };

const snapshot = resolve(process.argv[2] ?? join(ROOT, 'var/places.snapshot'));
if (!existsSync(snapshot)) {
  process.stderr.write(
    `bench:enrich: there is no snapshot ${snapshot}; name one: npm run bench:enrich -- <snapshot>\n`,
  );
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
const result = join(folder, 'result.csv');
try {
  await measureRates();
  await measureMemory();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureRates() {
  const runs = Object.entries(TABLES).flatMap(([name, spread]) => {
    const table = join(folder, `${spread}.csv`);
    writeFileSync(table, [...mixedRows(snapshot, ROWS, spread)].join(''));
    return ['copy', 'enrich'].map((kind) => [`${kind}, ${name}`, () => run(kind, table)]);
  });
  const rounds = await runRounds(
    runs.map(([name]) => name),
    ROUNDS,
    (name) => Object.fromEntries(runs)[name](),
  );
  const rows = runs.map(([name]) => {
    const seconds = medianOf(rounds[name], 'cpuSeconds');
    const copying = medianOf(rounds[name.replace('enrich', 'copy')], 'cpuSeconds');
    const onClock = ROWS / medianOf(rounds[name], 'seconds');
    return [name, count(ROWS / seconds), (copying / seconds).toFixed(2), count(onClock)];
  });
  process.stdout.write(`\n${snapshot}\n\n`);
  printTable(['run', 'rows a CPU second', 'times copying', 'rows a second'], rows);
}

async function measureMemory() {
  const rows = [];
  for (const rowCount of [ROWS, MANY_ROWS]) {
    const { privateBytes } = await run('enrich', '-', mixedRows(snapshot, rowCount, TABLES['codes differ']));
    rows.push([`${count(rowCount)} rows, codes differ`, (privateBytes / 1e6).toFixed(0)]);
  }
  printTable(['enrich from standard input', 'most private MB'], rows);
}

/** The figures of one run; `rows` are pieces for its standard input. */
async function run(kind, table, rows) {
  const script = join(import.meta.dirname, 'enrich/measured-run.mjs');
  const child = spawn(process.execPath, [script, kind, snapshot, table], {
    env: { ...process.env, RESULT: result },
    stdio: [rows === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
  });
  const printed = child.stdout.setEncoding('utf8').toArray();
  const exit = new Promise((done) => child.once('exit', done));
  if (rows !== undefined) await pipeline(Readable.from(rows), child.stdin);
  if ((await exit) !== 0) throw new Error(`${kind} ${table} failed`);
  return JSON.parse((await printed).join(''));
}
