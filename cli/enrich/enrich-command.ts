/** `postal-places enrich`: options, messages and exit codes. Standard output has nothing but the result. */
import { extname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { onInterruption } from '../../build-index/commands/interruption.js';
import type { Country, Snapshot } from '../../src/store/snapshot.js';
import { escapeUnprintable } from '../../src/unprintable.js';
import { createCountryOfCell } from './country-cells.js';
import { createEnrichProgress, type EnrichProgress } from './enrich-progress.js';
import { renderJsonReport, renderTextReport } from './enrich-report.js';
import { enrichTable } from './enrich-table.js';
import { FIELD_NAMES, parseFields } from './fields.js';
import { openNamedSnapshot } from './open-snapshot.js';
import { FORMATS, type Format, type TablePlan, type TableRequest } from './plan-table.js';
import { type Checkpoint, fileOutput, outputPaths, readCheckpoint, streamOutput } from './table-output.js';
import { checkEncoding, openTable } from './table-source.js';
import { UsageError } from './usage-error.js';

/** What the command touches besides files. */
export interface EnrichSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

interface EnrichOptions {
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
}

const DEFAULT_FIELDS = 'city,state,latitude,longitude';

const EXAMPLES = [
  'enrich addresses.csv --out enriched.csv',
  'enrich addresses.csv --country-column land --postcode-column plz --add city,state,timezone --out enriched.csv',
  'enrich customers.ndjson --country US --out enriched.ndjson --resume',
  'enrich stations.tsv --reverse lat,lng --add city,country_code,distance_km > enriched.tsv',
  'enrich - --format csv --text address < addresses.csv > enriched.csv',
].map((example) => `  postal-places ${example}`);

export function addEnrichCommand(program: Command, surroundings: EnrichSurroundings = process): void {
  const command = program
    .command('enrich')
    .description('add places to the rows of a table: CSV, TSV or NDJSON')
    .argument('<table>', 'a file, or - for standard input')
    .option(
      '--country-column <name>',
      'the column of the country: codes or names; guessed from the names of the columns',
    )
    .option('--postcode-column <name>', 'the column of the postal code; guessed likewise')
    .option('--country <country>', 'the country of all rows, or of those without one in --country-column')
    .addOption(
      new Option('--reverse <lat,lng>', 'find the nearest place to the position in these two columns').conflicts([
        'text',
        'postcodeColumn',
      ]),
    )
    .addOption(
      new Option('--text <column>', 'find the place in the last line of an address in this column').conflicts(
        'postcodeColumn',
      ),
    )
    .option('--add <fields>', 'the fields to add, separated by commas', DEFAULT_FIELDS)
    .addOption(new Option('--format <format>', "the table's format; default: by the name of the file").choices(FORMATS))
    .option('--encoding <name>', "the table's encoding, such as windows-1252 (UTF-8); the result is UTF-8")
    .option('--out <file>', 'write the result to this file; default: standard output')
    .option('--resume', 'continue an interrupted run of the same command; needs --out')
    .option('--snapshot <file or folder>', "default: SNAPSHOT, else the package's own data")
    .option('--json', 'print the report as JSON, and nothing else on standard error')
    .addHelpText('after', `\nFields: ${FIELD_NAMES.join(', ')}.\n\nExamples:\n${EXAMPLES.join('\n')}\n`)
    .addHelpText('after', 'Exit codes: 0 done, 1 failed, 2 wrong usage.')
    .action(async (table: string, options: EnrichOptions) => {
      try {
        await enrich(table, options, surroundings);
      } catch (error) {
        if (error instanceof UsageError) command.error(`error: ${error.message}`);
        throw error;
      }
    });
}

async function enrich(table: string, options: EnrichOptions, surroundings: EnrichSurroundings): Promise<void> {
  const { env, stdin, stdout, stderr } = surroundings;
  const { out, json = false, resume = false } = options;
  const print = (line: string): void => void (json || stderr.write(`${escapeUnprintable(line)}\n`));
  const request = readRequest(table, options);
  const encoding = options.encoding === undefined ? undefined : checkEncoding(options.encoding);
  if (resume && (out === undefined || !outputPaths(out).isFile))
    throw new UsageError('--resume needs --out with a file');
  const snapshot = openNamedSnapshot(options.snapshot ?? env.SNAPSHOT);
  const country = readCountry(snapshot, options.country);
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
        print(describePlan(table, made, request));
        if (resume)
          print(from === undefined ? 'nothing to resume: starting anew' : `resuming after ${earlierRows} rows`);
        const isShown = stderr.isTTY && !json && !(out === undefined && stdout.isTTY);
        if (isShown) {
          progress = createEnrichProgress(stderr as NodeJS.WriteStream, source.totalBytes, earlierRows);
        }
      },
      onPiece: (counted) => progress?.update(counted.rowCount, source.bytesRead()),
    });
    progress?.stop();
    const seconds = (performance.now() - startedAt) / 1000;
    const facts = { input: table, plan: plan as TablePlan, tally, seconds, earlierRows };
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
    kind: position !== undefined ? 'position' : text !== undefined ? 'text' : 'postcode',
    keyColumns: position ?? (given === undefined ? undefined : [given]),
    countryColumn: options.countryColumn,
    hasCountry: options.country !== undefined,
    fields: parseFields(options.add),
  };
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

function readCountry(snapshot: Snapshot, typed: string | undefined): Country | undefined {
  if (typed === undefined) return undefined;
  const country = createCountryOfCell(snapshot)(typed);
  if (country?.structures !== undefined) return country;
  const fault = country === undefined ? 'no country is called' : 'the snapshot has no postcode data of';
  throw new UsageError(`${fault} ${JSON.stringify(typed)}`);
}

function rowsOf(from: Checkpoint | undefined): number {
  return Object.values(from?.tally.counts ?? {}).reduce((sum, count) => sum + count, 0);
}

const KINDS = { postcode: ['postcode'], position: ['latitude', 'longitude'], text: ['address'] } as const;
const DELIMITERS: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' };

/** `addresses.csv (semicolon): country from "land", postcode from "plz"; adding "city", "match"` */
function describePlan(table: string, plan: TablePlan, { kind }: TableRequest): string {
  const roles = plan.hasCountryColumn ? [...KINDS[kind], 'country'] : KINDS[kind];
  const columns = plan.keys.map((name, index) => `${roles[index]} from ${JSON.stringify(name)}`);
  const cells = plan.delimiter === undefined ? '' : ` (${DELIMITERS[plan.delimiter]})`;
  const added = plan.added.map((name) => JSON.stringify(name)).join(', ');
  return `${table === '-' ? 'standard input' : table}${cells}: ${columns.join(', ')}; adding ${added}`;
}
