/** `enrich`: its options, its progress and its report. Standard output has nothing but the result. */

import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { onInterruption } from '../../build-index/commands/interruption.js';
import { parseOutFileOption } from '../../build-index/commands/option-values.js';
import { checkOutput } from '../../build-index/writing/output-file.js';
import { languageTags } from '../../src/api/description/parameter-rules.js';
import { InvalidValueError } from '../../src/base/errors.js';
import { escapeUnprintable } from '../../src/base/escape-text.js';
import { type Country, openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import {
  adviceOnNamedSnapshot,
  describeNotInSnapshot,
  snapshotOption,
  withChangesLists,
  withNamedSnapshot,
} from '../program/named-snapshot.js';
import { FIELD_NAMES, parseFields } from './added-fields.js';
import { createCountryOfCell } from './country-of-cell.js';
import { createEnrichProgress, type EnrichProgress } from './enrich-progress.js';
import { type RunFacts, renderJsonReport, renderTextReport } from './enrich-report.js';
import { type EnrichJob, enrichTable } from './enrich-table.js';
import { FORMATS, type Format, type KeyKind, type TablePlan, type TableRequest } from './plan-table.js';
import { checkEncoding, openTable, STANDARD_STREAM } from './table-input.js';
import { fileOutput, outputPaths, streamOutput } from './table-output.js';

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
    .argument('<table>', 'a file, or - for standard input')
    .option(
      '--country-column <name>',
      'the column of the country: codes or names; guessed from the names of the columns',
    )
    .option('--postcode-column <name>', 'the column of the postal code; guessed likewise, or else that of an address')
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
    .option('--lang <tags>', 'the languages of added names, the preferred first, such as de or zh-TW,zh,en')
    .addOption(new Option('--format <format>', "the table's format; default: by the name of the file").choices(FORMATS))
    .option('--encoding <name>', "the table's encoding, such as windows-1252 (UTF-8); the result is UTF-8")
    .option('--out <file>', 'write the result to this file; default, and -: standard output', parseOutFileOption)
    .option('--raw-cells', "add texts that begin with = + - or @ as they are, without the ' that stops a formula")
    .option('--resume', 'continue an interrupted run of the same command; needs --out')
    .addOption(snapshotOption())
    .option('--json', 'print the report as JSON, and nothing else on standard error')
    .addHelpText('after', `\nFields: ${FIELD_NAMES.join(', ')}.\n\nExamples:\n${EXAMPLES.join('\n')}\n`)
    .addHelpText('after', 'Exit codes: 0 done, 1 failed, 2 wrong usage.')
    .action(async (table: string, options: EnrichOptions) => {
      try {
        await enrich(table, options, surroundings);
      } catch (error) {
        if (error instanceof InvalidValueError) command.error(`error: ${error.message}`);
        throw error;
      }
    });
}

/** What the command touches besides files. */
interface EnrichSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly fd?: number };
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
  readonly lang?: string;
  readonly format?: Format;
  readonly encoding?: string;
  readonly out?: string;
  readonly resume?: boolean;
  readonly snapshot?: string;
  readonly json?: boolean;
  readonly rawCells?: boolean;
}

export async function enrich(table: string, options: EnrichOptions, surroundings: EnrichSurroundings): Promise<void> {
  const { env, stdin } = surroundings;
  const out = options.out === STANDARD_STREAM ? undefined : options.out;
  const request = readRequest(table, options);
  const encoding = options.encoding === undefined ? undefined : checkEncoding(options.encoding);
  if (options.resume === true && (out === undefined || !outputPaths(out).isFile))
    throw new InvalidValueError('--resume needs --out with a file');
  if (out !== undefined) checkOutputs(out, table === STANDARD_STREAM ? stdin.fd : table);
  const named = options.snapshot ?? env.SNAPSHOT;
  let hasBegun = false;
  await withNamedSnapshot(
    named,
    null,
    async (path) => {
      const snapshot = withChangesLists(path, openSnapshot(path));
      const country = readCountry(snapshot, named, options.country);
      const source = openTable(table, encoding, stdin);
      // Rows are read and written once.
      hasBegun = true;
      const { tally, ...run } = await runOver(
        { snapshot, source, request, country },
        table,
        out,
        options,
        surroundings,
      );
      const facts = { input: table, tally, ...run, snapshot, source: named };
      surroundings.stderr.write(options.json ? `${renderJsonReport(facts)}\n` : renderTextReport(facts));
    },
    () => !hasBegun,
  );
}

/** Enriches the table, with its progress on a terminal. */
async function runOver(
  job: Pick<EnrichJob, 'snapshot' | 'source' | 'request' | 'country'>,
  table: string,
  out: string | undefined,
  { json = false, resume = false }: EnrichOptions,
  { stdout, stderr }: EnrichSurroundings,
): Promise<Pick<RunFacts, 'plan' | 'tally' | 'seconds'>> {
  const print = (line: string): void => void (json || stderr.write(`${escapeUnprintable(line)}\n`));
  const { source } = job;
  let progress: EnrichProgress | undefined;
  let plan: TablePlan | undefined;
  const startedAt = performance.now();
  const onStop = (): void => {
    progress?.stop();
    if (out !== undefined) print('interrupted: the same command with --resume continues');
  };
  if (stderr === process.stderr) onInterruption(onStop);
  try {
    const tally = await enrichTable({
      ...job,
      async openOutput(made) {
        plan = made;
        const fingerprint = fingerprintOf([job.snapshot.id, job.request, job.country?.entry.code]);
        const output = out === undefined ? streamOutput(stdout) : await fileOutput(out, fingerprint, resume);
        print(describePlan(table, made));
        if (resume) print(output.isResumed ? 'resuming' : 'nothing to resume: starting anew');
        const isShown = stderr.isTTY && !json && !(out === undefined && stdout.isTTY);
        if (isShown) progress = createEnrichProgress(stderr as NodeJS.WriteStream, source.totalBytes);
        return output;
      },
      onPiece: (counted) => progress?.update(counted, source.bytesRead()),
    });
    return { plan: plan as TablePlan, tally, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    progress?.stop();
  }
}

/** Neither the result nor a file of an unfinished run may replace the table or a snapshot. */
function checkOutputs(out: string, input: string | number | undefined): void {
  const rules = { inputs: input === undefined ? [] : [input], isSnapshot: false };
  const { part, id } = outputPaths(out);
  for (const path of [out, part, id]) checkOutput(path, rules);
}

function readRequest(table: string, options: EnrichOptions): TableRequest {
  const { reverse, text, postcodeColumn } = options;
  const position = reverse?.split(',');
  if (position !== undefined && position.length !== 2) {
    throw new InvalidValueError('--reverse needs the names of two columns with a comma between them, such as lat,lng');
  }
  const given = text ?? postcodeColumn;
  return {
    format: options.format ?? formatOf(table),
    kind: kindOf(options),
    keyColumns: position ?? (given === undefined ? undefined : [given]),
    countryColumn: options.countryColumn,
    hasCountry: options.country !== undefined,
    fields: parseFields(options.add),
    lang: readLanguages(options.lang),
    isRaw: options.rawCells === true,
  };
}

function readLanguages(tags: string | undefined): string | undefined {
  if (tags === undefined) return undefined;
  const read = languageTags.parse(tags);
  if (read === undefined) throw new InvalidValueError(`--lang must be ${languageTags.allowed}`);
  return read;
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
  throw new InvalidValueError(`${table} does not end in .csv, .tsv or .ndjson: name its format by --format`);
}

function readCountry(snapshot: Snapshot, named: string | undefined, typed: string | undefined): Country | undefined {
  if (typed === undefined) return undefined;
  const country = createCountryOfCell(snapshot)(typed);
  if (country?.structures !== undefined) return country;
  if (country === undefined) throw new InvalidValueError(`no country is called ${JSON.stringify(typed)}`);
  throw new InvalidValueError(`${describeNotInSnapshot([country])}${adviceOnNamedSnapshot(named, [country])}`);
}

/** Stands for all that a result depends on besides the rows of the table. */
function fingerprintOf(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
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
