/** Runs `enrich` with its parsed options, and prints its messages. Standard output has nothing but the result. */
import { extname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { onInterruption } from '../../build-index/commands/interruption.js';
import { formatNumberOf } from '../../build-index/reporting/tables.js';
import { type Country, openSnapshot, type Snapshot } from '../../src/store/snapshot.js';
import { escapeUnprintable } from '../../src/unprintable.js';
import { adviceOnMissingCountry, describeAbsent, openNamed } from '../named-snapshot.js';
import { createCountryOfCell } from './country-cells.js';
import { createEnrichProgress, type EnrichProgress } from './enrich-progress.js';
import { renderJsonReport, renderTextReport } from './enrich-report.js';
import { enrichTable } from './enrich-table.js';
import { parseFields } from './fields.js';
import type { Format } from './names.js';
import type { KeyKind, TablePlan, TableRequest } from './plan-table.js';
import { type Checkpoint, fileOutput, outputPaths, readCheckpoint, streamOutput } from './table-output.js';
import { checkEncoding, openTable, STANDARD_STREAM } from './table-source.js';
import { UsageError } from './usage-error.js';

/** What the command touches besides files. */
export interface EnrichSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

export interface EnrichOptions {
  readonly countryColumn?: string;
  readonly postcodeColumn?: string;
  readonly country?: string;
  readonly reverse?: string;
  readonly text?: string;
  readonly add: string;
  readonly format?: Format;
  readonly encoding?: string;
  readonly out?: string;
  readonly resume?: boolean;
  readonly snapshot?: string;
  readonly json?: boolean;
  readonly rawCells?: boolean;
}

/** Throws UsageError, ExpectedError, errors of the file system. */
export async function enrich(table: string, options: EnrichOptions, surroundings: EnrichSurroundings): Promise<void> {
  const { env, stdin, stdout, stderr } = surroundings;
  const { json = false, resume = false } = options;
  const out = options.out === STANDARD_STREAM ? undefined : options.out;
  const print = (line: string): void => void (json || stderr.write(`${escapeUnprintable(line)}\n`));
  const request = readRequest(table, options);
  const encoding = options.encoding === undefined ? undefined : checkEncoding(options.encoding);
  if (resume && (out === undefined || !outputPaths(out).isFile))
    throw new UsageError('--resume needs --out with a file');
  const named = options.snapshot ?? env.SNAPSHOT;
  const snapshot = openNamed(named, openSnapshot);
  const country = readCountry(snapshot, named, options.country);
  const source = openTable(table, encoding, stdin);
  let progress: EnrichProgress | undefined;
  let plan: TablePlan | undefined;
  let earlierRows = 0;
  const startedAt = performance.now();
  const onStop = (): void => {
    progress?.stop();
    if (out !== undefined) print('interrupted: the same command with --resume continues');
  };
  if (stderr === process.stderr) onInterruption(onStop);
  try {
    const tally = await enrichTable({
      snapshot,
      source,
      request,
      country,
      async start(fingerprint) {
        if (out === undefined) return { from: undefined, output: streamOutput(stdout) };
        const from = resume ? readCheckpoint(out, fingerprint) : undefined;
        return { from, output: await fileOutput(out, from) };
      },
      onPlan(made, from) {
        plan = made;
        earlierRows = rowsOf(from);
        print(describePlan(table, made));
        if (resume)
          print(
            from === undefined
              ? 'nothing to resume: starting anew'
              : `resuming after ${formatNumberOf(earlierRows, 'row')}`,
          );
        const isShown = stderr.isTTY && !json && !(out === undefined && stdout.isTTY);
        if (isShown) {
          progress = createEnrichProgress(stderr as NodeJS.WriteStream, source.totalBytes, earlierRows);
        }
      },
      onPiece: (counted) => progress?.update(counted.rowCount, source.bytesRead()),
    });
    progress?.stop();
    const seconds = (performance.now() - startedAt) / 1000;
    const facts = { input: table, plan: plan as TablePlan, tally, seconds, earlierRows, snapshot, source: named };
    stderr.write(json ? `${renderJsonReport(facts)}\n` : renderTextReport(facts));
  } finally {
    progress?.stop();
  }
}

function readRequest(table: string, options: EnrichOptions): TableRequest {
  const { reverse, text, postcodeColumn } = options;
  const position = reverse?.split(',');
  if (position !== undefined && position.length !== 2) {
    throw new UsageError('--reverse needs the names of two columns with a comma between them, such as lat,lng');
  }
  const given = text ?? postcodeColumn;
  return {
    format: options.format ?? formatOf(table),
    kind: kindOf(options),
    keyColumns: position ?? (given === undefined ? undefined : [given]),
    countryColumn: options.countryColumn,
    hasCountry: options.country !== undefined,
    fields: parseFields(options.add),
    isRaw: options.rawCells === true,
  };
}

function kindOf({ reverse, text, postcodeColumn }: EnrichOptions): KeyKind | undefined {
  if (reverse !== undefined) return 'position';
  if (text !== undefined) return 'text';
  return postcodeColumn === undefined ? undefined : 'postcode';
}

const FORMAT_BY_ENDING: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

function formatOf(table: string): Format {
  const format = FORMAT_BY_ENDING[extname(table).toLowerCase()];
  if (format !== undefined) return format;
  throw new UsageError(`${table} does not end in .csv, .tsv or .ndjson: name its format by --format`);
}

function readCountry(snapshot: Snapshot, named: string | undefined, typed: string | undefined): Country | undefined {
  if (typed === undefined) return undefined;
  const country = createCountryOfCell(snapshot)(typed);
  if (country?.structures !== undefined) return country;
  if (country === undefined) throw new UsageError(`no country is called ${JSON.stringify(typed)}`);
  throw new UsageError(`${describeAbsent([country])}${adviceOnMissingCountry(named)}`);
}

function rowsOf(from: Checkpoint | undefined): number {
  return Object.values(from?.tally.counts ?? {}).reduce((sum, count) => sum + count, 0);
}

const KINDS = { postcode: ['postcode'], position: ['latitude', 'longitude'], text: ['address'] } as const;
const DELIMITERS: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' };

/** `addresses.csv (semicolon): country from "land", postcode from "plz"; adding "city", "match"` */
function describePlan(table: string, plan: TablePlan): string {
  const roles = [...KINDS[plan.kind], 'country'];
  const columns = plan.keys.map((name, index) => `${roles[index]} from ${JSON.stringify(name)}`);
  const cells = plan.delimiter === undefined ? '' : ` (${DELIMITERS[plan.delimiter]})`;
  const added = plan.added.map((name) => JSON.stringify(name)).join(', ');
  return `${table === STANDARD_STREAM ? 'standard input' : table}${cells}: ${columns.join(', ')}; adding ${added}`;
}
