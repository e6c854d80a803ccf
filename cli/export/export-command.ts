/** `export`: its options, where its bytes go, its progress and its report. Standard output has nothing but the result. */

import { once } from 'node:events';
import { extname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { onInterruption } from '../../build-index/commands/interruption.js';
import { parseOutFileOption } from '../../build-index/commands/option-values.js';
import { formatCount } from '../../build-index/reporting/format-figures.js';
import { createProgress } from '../../build-index/reporting/progress.js';
import { createOutput } from '../../build-index/writing/output-file.js';
import { syncFile, writeWhole } from '../../src/base/durable-files.js';
import { InvalidValueError } from '../../src/base/errors.js';
import { escapeUnprintable } from '../../src/base/escape-text.js';
import { TABLES, type TableCountry, type TableName } from '../../src/core/answers/tables.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import {
  adviceOnNamedSnapshot,
  describeNotInSnapshot,
  readCountryNames,
  snapshotOption,
  withNamedSnapshot,
} from '../program/named-snapshot.js';
import {
  checkSqlite,
  FORMATS,
  type Format,
  SQLITE_NODE,
  type Write,
  writeLines,
  writeParquet,
  writeSqlite,
} from './write-tables.js';

const TABLE_NAMES = Object.keys(TABLES) as [TableName, ...TableName[]];
/** The name of standard output. */
const STANDARD_OUTPUT = '-';

const EXAMPLES = [
  'export --out places.csv',
  'export --countries GB,France --what postcodes --out postcodes.parquet',
  'export --what cities --format geojsonseq > cities.geojsons',
  'export --snapshot world.snapshot --out world.db',
].map((example) => `  postal-places ${example}`);

/** What the command touches besides files. */
export interface ExportSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

interface ExportOptions {
  readonly format?: Format;
  readonly what?: TableName;
  readonly countries?: string;
  readonly out: string;
  readonly rawCells?: boolean;
  readonly snapshot?: string;
  readonly json?: boolean;
}

export function addExportCommand(program: Command, surroundings: ExportSurroundings = process): void {
  const command = program
    .command('export')
    .addOption(
      new Option(
        '--format <format>',
        `the format; default: by the ending of --out; sqlite needs ${SQLITE_NODE}`,
      ).choices(FORMATS),
    )
    .addOption(
      new Option('--what <table>', 'the table; default: places, and in a database of SQLite all').choices(TABLE_NAMES),
    )
    .option('--countries <countries>', 'only these countries, codes or names, e.g. GB,France')
    .option('--out <file>', 'write to this file; -: to standard output', parseOutFileOption, STANDARD_OUTPUT)
    .option('--raw-cells', "leave texts in CSV that begin with = + - or @ as they are, without the ' before a formula")
    .addOption(snapshotOption())
    .option('--json', 'print the report as JSON, and nothing else on standard error')
    .addHelpText('after', `\nExamples:\n${EXAMPLES.join('\n')}\n\nExit codes: 0 done, 1 failed, 2 wrong usage.`)
    .action(async (options: ExportOptions) => {
      try {
        await exportTables(options, surroundings);
      } catch (error) {
        if (error instanceof InvalidValueError) command.error(`error: ${error.message}`);
        throw error;
      }
    });
}

async function exportTables(options: ExportOptions, surroundings: ExportSurroundings): Promise<void> {
  const { env, stdout } = surroundings;
  const format = options.format ?? formatOf(options.out);
  const path = options.out === STANDARD_OUTPUT ? undefined : resolve(options.out);
  if (format === 'sqlite') {
    checkSqlite();
    if (path === undefined) throw new InvalidValueError('--format sqlite needs --out with a file');
  }
  let hasWritten = false;
  const toStdout = async (bytes: Buffer): Promise<void> => {
    hasWritten = true;
    if (stdout.write(Buffer.from(bytes))) await nextRound();
    else await once(stdout, 'drain');
  };
  const writeTo = async <T>(work: (part: Part) => Promise<T>): Promise<T> =>
    path === undefined ? await work({ path: '', write: toStdout }) : await writeFile(path, work);
  const named = options.snapshot ?? env.SNAPSHOT;
  const countries = options.countries === undefined ? undefined : await readCountries(named, options.countries);
  const chosen = { ...options, format, countries };
  await withNamedSnapshot(
    named,
    countries ?? null,
    (file) => exportFrom(openSnapshot(file), named, writeTo, chosen, surroundings),
    () => !hasWritten,
  );
}

const FORMAT_BY_ENDING: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.geojsons': 'geojsonseq',
  '.geojsonl': 'geojsonseq',
  '.parquet': 'parquet',
  '.db': 'sqlite',
  '.sqlite': 'sqlite',
};

function formatOf(out: string): Format {
  const format = FORMAT_BY_ENDING[extname(out).toLowerCase()];
  if (format !== undefined) return format;
  const endings = Object.keys(FORMAT_BY_ENDING).join(', ');
  throw new InvalidValueError(`--format is missing: --out names none by its ending, which may be ${endings}`);
}

/** The codes of a list of codes and names. */
async function readCountries(named: string | undefined, list: string): Promise<readonly string[]> {
  const codes = (await readCountryNames(named, list)).split(',');
  const unknown = codes.find((code) => !/^[a-z]{2}$/i.test(code));
  if (unknown !== undefined) throw new InvalidValueError(`no country is called ${JSON.stringify(unknown)}`);
  return [...new Set(codes.map((code) => code.toUpperCase()))];
}

/** The options with what they leave open. */
interface ChosenExport extends Omit<ExportOptions, 'format' | 'countries'> {
  readonly format: Format;
  readonly countries: readonly string[] | undefined;
}

async function exportFrom(
  snapshot: Snapshot,
  named: string | undefined,
  writeTo: <T>(work: (part: Part) => Promise<T>) => Promise<T>,
  { format, what, out, countries: codes, rawCells, json = false }: ChosenExport,
  { stdout, stderr }: ExportSurroundings,
): Promise<void> {
  const countries = chooseCountries(snapshot, named, codes);
  const isShown = !json && !(out === STANDARD_OUTPUT && stdout.isTTY);
  const progress = isShown ? createProgress(stderr as NodeJS.WriteStream) : undefined;
  if (stderr === process.stderr) onInterruption(() => progress?.stop());
  const startedAt = performance.now();
  const job = { countries, isRaw: rawCells === true, progress };
  const tables = what !== undefined ? [what] : format === 'sqlite' ? TABLE_NAMES : (['places'] as const);
  const [table] = tables;
  let counts: readonly number[];
  try {
    counts = await writeTo(async (part) => {
      if (format === 'sqlite') return await writeSqlite(part.path, tables, job);
      if (format === 'parquet') return [await writeParquet(table, job, part.write)];
      return [await writeLines(format, table, job, part.write)];
    });
  } finally {
    progress?.stop();
  }
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3));
  const rows = Object.fromEntries(tables.map((name, index) => [name, counts[index]]));
  const told = tables.map((name, index) => `${formatCount(counts[index] as number)} ${name}`).join(', ');
  const where = out === STANDARD_OUTPUT ? 'standard output' : escapeUnprintable(out);
  const report = json ? JSON.stringify({ out, format, release: snapshot.release, rows, seconds }) : `${told}: ${where}`;
  stderr.write(`${report}\n`);
}

/** All countries with data, or those with these codes. */
function chooseCountries(
  snapshot: Snapshot,
  named: string | undefined,
  codes: readonly string[] | undefined,
): TableCountry[] {
  const unknown = codes?.filter((code) => !snapshot.countryByCode.has(code)) ?? [];
  if (unknown.length > 0) throw new InvalidValueError(`no country has the code ${unknown.join(', ')}`);
  const chosen = snapshot.countries.filter(({ entry }) => codes === undefined || codes.includes(entry.code));
  const absent = codes === undefined ? [] : chosen.filter(({ structures }) => structures === undefined);
  if (absent.length > 0)
    throw new InvalidValueError(`${describeNotInSnapshot(absent)}${adviceOnNamedSnapshot(named, absent)}`);
  return chosen.flatMap(({ entry, structures }) => (structures === undefined ? [] : { code: entry.code, structures }));
}

/** What is written to: bytes one after another, or an empty file that something else opens. */
interface Part {
  readonly path: string;
  readonly write: Write;
}

/** All that the command reads is a snapshot. */
const NO_SNAPSHOT = { inputs: [], isSnapshot: false };

/** Gives the file its name when it is whole and synced; until then, and after a failure, the file of before has it. */
async function writeFile<T>(path: string, work: (part: Part) => Promise<T>): Promise<T> {
  const partial = createOutput(path, NO_SNAPSHOT);
  try {
    let length = 0;
    const result = await work({
      path: partial.path,
      async write(bytes) {
        writeWhole(partial.fd, bytes, length);
        length += bytes.length;
        await nextRound();
      },
    });
    await syncFile(partial.fd);
    partial.publish();
    return result;
  } finally {
    partial.discard();
  }
}
