/** `enrich`: its options, its progress and its report. Standard output has nothing but the result. */

import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import { type Command, Option } from 'commander';
import { onInterruption } from '../../build-index/commands/interruption.js';
import { parseOutFile } from '../../build-index/commands/option-values.js';
import { formatCount, formatNumberOf, formatShare } from '../../build-index/reporting/figures.js';
import { renderTable } from '../../build-index/reporting/report-text.js';
import { checkOutput } from '../../build-index/writing/output-file.js';
import { languageTags } from '../../src/api/description/parameter-rules.js';
import { InvalidValueError } from '../../src/base/errors.js';
import { escapeUnprintable } from '../../src/base/escape-text.js';
import { type Country, openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { adviceOnMissingCountry, answerFrom, describeAbsent, snapshotOption } from '../named-snapshot.js';
import { type EnrichJob, enrichTable } from './enrich-table.js';
import { createCountryOfCell, parseFields } from './finders.js';
import { FIELD_NAMES, FORMATS, type Format, type KeyKind, type TablePlan, type TableRequest } from './plan-table.js';
import {
  checkEncoding,
  fileOutput,
  openTable,
  outputPaths,
  STANDARD_STREAM,
  streamOutput,
  type Tally,
} from './table-files.js';

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
    .option('--out <file>', 'write the result to this file; default, and -: standard output', parseOutFile)
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

/* The progress of a run on a terminal: a bar with rate and time left, or the rows alone where the size is unknown. */

export interface EnrichProgress {
  update(tally: Tally, bytes: number): void;
  stop(): void;
}

/** Undefined `totalBytes`: of a table that comes as a stream. */
function createEnrichProgress(stream: NodeJS.WriteStream, totalBytes: number | undefined): EnrichProgress {
  const startedAt = performance.now();
  const format =
    totalBytes === undefined
      ? '{rows} rows, {rate} a second'
      : '{bar} {percentage} % | {rows} rows, {rate} a second | {left} left';
  const bar = new SingleBar({ format, barCompleteChar: '█', barIncompleteChar: '░', hideCursor: true, stream });
  bar.start(totalBytes ?? 1, 0, { rows: '0', rate: '0', left: '-' });
  return {
    update({ rowCount, earlierRows }, bytes) {
      const seconds = (performance.now() - startedAt) / 1000;
      const rate = formatCount(Math.round(rowCount / seconds));
      const rows = formatCount(earlierRows + rowCount);
      const left = bytes === 0 ? '-' : formatTime((seconds * ((totalBytes ?? 0) - bytes)) / bytes);
      bar.update(totalBytes === undefined ? 0 : Math.min(bytes, totalBytes), { rows, rate, left });
    },
    stop: () => bar.stop(),
  };
}

/** "1:02:03", "2:03" */
function formatTime(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? `${part}` : String(part).padStart(2, '0'))).join(':');
}

/* The report of a finished run: for people, or as JSON. */

export interface RunFacts {
  readonly input: string;
  readonly plan: TablePlan;
  readonly tally: Tally;
  readonly seconds: number;
  readonly snapshot: Snapshot;
  /** Where the snapshot is, if it was named. */
  readonly source: string | undefined;
}

/** One line. */
export function renderJsonReport({ input, plan, tally, seconds, snapshot }: RunFacts): string {
  const { empty, bad, ...matches } = tally.counts;
  return JSON.stringify({
    input,
    keyColumns: plan.keys,
    addedColumns: plan.added,
    rows: tally.earlierRows + tally.rowCount,
    rowsBefore: tally.earlierRows,
    matches,
    empty,
    bad,
    openQuoteLine: tally.openQuoteLine ?? null,
    seconds: Number(seconds.toFixed(3)),
    frequentMisses: tally.frequentMisses,
    absentCountries: listAbsent(snapshot, tally).map(({ country: { entry }, rows }) => ({
      code: entry.code,
      name: entry.name,
      rows,
    })),
    hint: hintOf(plan, tally),
  });
}

const MEANINGS = {
  exact: 'exact',
  normalised: 'normalised',
  partial: 'partial',
  nearest: 'nearest',
  none: 'none',
  absent: 'none: country not in this snapshot',
  empty: 'none: no value to look up',
  bad: 'bad rows, passed through',
} as const;

/** Lines, each with its line feed. */
export function renderTextReport({ plan, tally, seconds, snapshot, source }: RunFacts): string {
  const { rowCount, earlierRows, frequentMisses } = tally;
  const absent = listAbsent(snapshot, tally);
  const absentRows = absent.reduce((sum, { rows }) => sum + rows, 0);
  const counts = { ...tally.counts, none: tally.counts.none - absentRows, absent: absentRows };
  const rate = seconds === 0 ? '' : `, ${formatCount(Math.round(rowCount / seconds))} a second`;
  const before = earlierRows === 0 ? '' : ` (${formatCount(earlierRows)} of them before)`;
  const kinds = (Object.keys(MEANINGS) as (keyof typeof MEANINGS)[]).filter((kind) => counts[kind] > 0);
  const blocks = [`${formatNumberOf(earlierRows + rowCount, 'row')}${before} in ${seconds.toFixed(1)} s${rate}`];
  if (kinds.length > 0) {
    const rows = kinds.map((kind) => [MEANINGS[kind], formatCount(counts[kind]), formatShare(counts[kind], rowCount)]);
    blocks.push(renderTable(['match', 'rows', 'share'], rows));
  }
  if (frequentMisses.length > 0) {
    const rows = frequentMisses.map(({ value, count }) => [escapeUnprintable(value), formatCount(count)]);
    blocks.push(renderTable(['most frequent misses', 'rows'], rows));
  }
  if (absentRows > 0) {
    const sentence = describeAbsent(absent.map(({ country }) => country));
    blocks.push(`${formatNumberOf(absentRows, 'row')}: ${sentence}${adviceOnMissingCountry(source)}`);
  }
  if (tally.openQuoteLine !== undefined) {
    blocks.push(`Line ${tally.openQuoteLine} opens a quote that is not closed: its row, and those like it, are bad.`);
  }
  const hint = hintOf(plan, tally);
  if (hint !== null) blocks.push(hint);
  return `${blocks.join('\n\n')}\n`;
}

/** The countries without data and the numbers of their rows, the most rows first. */
function listAbsent(snapshot: Snapshot, { absent }: Tally): readonly { country: Country; rows: number }[] {
  return absent.map(([code, rows]) => ({ country: snapshot.countryByCode.get(code) as Country, rows }));
}

/** Swapped columns give positions in the sea, in another country or beyond a pole. */
function hintOf({ kind, keys }: TablePlan, { counts }: Tally): string | null {
  if (kind !== 'position' || counts.none <= counts.nearest) return null;
  const [lat, lng] = keys.map((name) => escapeUnprintable(JSON.stringify(name)));
  return `Most positions are far from every place of the snapshot: is ${lat} the latitude and ${lng} the longitude?`;
}

/** What the command touches besides files. */
export interface EnrichSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly fd?: number };
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
  readonly lang?: string;
  readonly format?: Format;
  readonly encoding?: string;
  readonly out?: string;
  readonly resume?: boolean;
  readonly snapshot?: string;
  readonly json?: boolean;
  readonly rawCells?: boolean;
}

/** Throws InvalidValueError, ExpectedError, errors of the file system. */
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
  await answerFrom(
    named,
    null,
    async (path) => {
      const snapshot = openSnapshot(path);
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

/** Throws ExpectedError where the result, or a file of an unfinished run, would replace the table or a snapshot. */
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
  throw new InvalidValueError(`${describeAbsent([country])}${adviceOnMissingCountry(named)}`);
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
