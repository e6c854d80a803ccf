/** `build` */

import { readdirSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure, EXIT } from '../../src/base/exit-code.js';
import { isReleaseName } from '../../src/core/snapshot/release-changes.js';
import type { DownloadOptions, DownloadResult } from '../downloading/download-release.js';
import { ALTERNATE_NAMES_TABLE, CITY_TABLES, UNITS_TABLE } from '../reading/row.js';
import { formatBytes, printable, printMessage, printReport, renderTable } from '../reporting/printing.js';
import { parseOutFile } from '../writing/output-file.js';

/* Parses the option `--countries`. */

/** The codes in upper case, each once, in the order given. */
export function parseCountries(text: string): string[] {
  const codes = text.toUpperCase().split(',');
  if (!codes.every((code) => /^[A-Z]{2}$/.test(code))) {
    throw new InvalidArgumentError('It must be two-letter country codes with commas between them.');
  }
  return [...new Set(codes)];
}

const DEFAULT_SITE_URL = 'https://places.example';

export function addBuildCommand(program: Command): void {
  program
    .command('build')
    .argument('<release>', 'a folder of XX.zip or XX.txt files, or one allCountries.zip or .txt')
    .requiredOption('--out <file>', 'the snapshot to write', parseOutFile)
    .option('--site-url <url>', 'the website that the url fields point to', parseSiteUrl, DEFAULT_SITE_URL)
    .option('--countries <codes>', 'only these countries, e.g. DE,FR', parseCountries)
    .option('--release-name <name>', 'default: the date of the newest file in the release', parseReleaseName)
    .option(
      '--gazetteer <file>',
      "GeoNames' cities500, 1000, 5000 or 15000, zip or txt; default: in the release's folder",
    )
    .option(
      '--corrections <file>',
      'CSV of your own corrections of rows, see docs/building.md; may be given several times',
      (file: string, others: readonly string[] = []) => [...others, file],
    )
    .option(
      '--previous <snapshot>',
      'the snapshot in service, or the folder where it is published: a path of it that no place has any more leads on',
    )
    .option('--json', 'report as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  postal-places build var/release --out var/places.snapshot --site-url https://www.example.com
  postal-places build var/release --out next.snapshot --previous /srv/places
  postal-places build var/release --out dach.snapshot --countries DE,AT,CH --json`,
    )
    .action(async (releasePath: string, options) => {
      const buildOptions = {
        releasePath,
        outPath: options.out,
        siteUrl: options.siteUrl,
        countries: options.countries ?? null,
        releaseName: options.releaseName ?? null,
        gazetteerPath: options.gazetteer ?? null,
        correctionPaths: options.corrections ?? [],
        previousPath: options.previous ?? null,
      };
      const { buildSnapshot } = await import('../building/build-snapshot.js');
      const { buildAsJson, buildAsText } = await import('./build-report.js');
      const { withWorkers } = await import('./long-running.js');
      const report = await withWorkers((pool, progress) => buildSnapshot(buildOptions, pool, progress));
      printReport(options.json ? `${buildAsJson(report)}\n` : buildAsText(report));
    });
}

function parseSiteUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w.~!$&'()*+,;=:@%/-]*)?$/.test(url.href) &&
    text.length <= 200;
  if (!isPlain) {
    throw new InvalidArgumentError(
      'It must be an http or https address of at most 200 characters: host, port and path only.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** The name is used in a response header and in file names. */
function parseReleaseName(text: string): string {
  if (!isReleaseName(text)) {
    throw new InvalidArgumentError('It must be 1 to 64 letters, digits, dots, hyphens and underscores.');
  }
  return text;
}

/* `download`: fetches GeoNames' published files for `build`. Exit code 1 if a file could not be downloaded. */

const GEONAMES = 'https://download.geonames.org/export/zip/';
const GAZETTEER = 'https://download.geonames.org/export/dump/';
/** The largest table: with small towns, which people search for too. A build with it takes a few seconds more. */
const [DEFAULT_CITY_TABLE] = CITY_TABLES;
/** Default number of retries of each file: with backoff they bridge about a minute. */
const DEFAULT_RETRIES = 5;
/** Maximum value of --timeout, in seconds. */
const MAX_TIMEOUT_SECONDS = 300;

interface DownloadArguments {
  readonly from: URL;
  readonly countries?: string[];
  /** False for --no-full. */
  readonly full: boolean;
  readonly gazetteerFrom?: URL;
  /** False for --no-gazetteer. */
  readonly gazetteer: string | false;
  readonly alternateNames?: true;
  readonly to: string;
  readonly timeout: number;
  readonly retries: number;
  readonly json?: true;
}

export function addDownloadCommand(program: Command): void {
  program
    .command('download')
    .requiredOption('--to <folder>', 'the folder for the files')
    .option('--from <url>', 'the address of the folder with the published files', parseFrom, new URL(GEONAMES))
    .addOption(
      new Option('--countries <codes>', 'the files of these countries, e.g. DE,FR')
        .argParser(parseCountries)
        .conflicts('all'),
    )
    .option('--all', 'all countries in one file, allCountries.zip; the default without --countries')
    .option('--no-full', 'no full codes of CA, GB and NL, of which the other files have only the first parts')
    .addOption(
      new Option('--gazetteer <table>', 'the table of cities to fetch')
        .choices(CITY_TABLES)
        .default(DEFAULT_CITY_TABLE),
    )
    .option('--no-gazetteer', 'no table of cities')
    .option('--alternate-names', 'also the names of cities and first-level units with their languages: 200 MB')
    .option(
      '--gazetteer-from <url>',
      `the address of the folder with these tables; default: ${GAZETTEER}, or none with another --from`,
      parseFrom,
    )
    .option('--timeout <seconds>', 'close a connection after this time without data', parseTimeout, 30)
    .option('--retries <count>', 'maximum number of retries for each file', parseRetries, DEFAULT_RETRIES)
    .option('--json', 'report as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  postal-places download --to var/release
  postal-places download --to var/release --countries DE,AT,CH --gazetteer cities15000`,
    )
    .action(async (options: DownloadArguments) => await download(options));
}

async function download(args: DownloadArguments): Promise<void> {
  const { from, to, countries, timeout, retries, json } = args;
  // A mirror of the postal files may lack the gazetteer, and with a mirror GeoNames' server must not be used.
  const gazetteerFrom = args.gazetteerFrom ?? (from.href === GEONAMES ? new URL(GAZETTEER) : null);
  if (gazetteerFrom === null && args.alternateNames === true) {
    throw new CommandFailure('--alternate-names with another --from needs --gazetteer-from', EXIT.wrongUsage);
  }
  const { downloadRelease } = await import('../downloading/download-release.js');
  const { withProgress } = await import('./long-running.js');
  const options: DownloadOptions = {
    from,
    gazetteerFrom: gazetteerFrom ?? new URL(GAZETTEER),
    gazetteerFiles: gazetteerFrom === null ? [] : gazetteerFilesOf(args),
    folder: to,
    countries: countries ?? null,
    fullCodes: args.full,
    stallMs: timeout * 1000,
    retries,
  };
  const results = await withProgress((progress) => downloadRelease(options, progress));
  printReport(json ? `${downloadAsJson(options, results)}\n` : downloadAsText(options, results));
  const failures = results.flatMap((result) => (result.status === 'failed' ? [`${result.file}: ${result.error}`] : []));
  if (failures.length > 0) {
    const list = failures.map((failure) => `\n  ${printable(failure)}`).join('');
    throw new CommandFailure(
      `${failures.length} of ${results.length} files could not be downloaded${list}`,
      EXIT.failed,
    );
  }
  if (countries === undefined && readdirSync(to).some((name) => /^[A-Z]{2}\.(?:zip|txt)$/.test(name))) {
    printMessage(`${to} also contains files of single countries, and a build uses those`);
  }
}

function gazetteerFilesOf({ gazetteer, alternateNames }: DownloadArguments): string[] {
  return [
    ...(gazetteer === false ? [] : [`${gazetteer}.zip`]),
    ...(alternateNames === true ? [`${ALTERNATE_NAMES_TABLE}.zip`, `${UNITS_TABLE}.txt`] : []),
  ];
}

function parseFrom(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isFolder = url !== undefined && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}` === '';
  if (!isFolder || url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('It must be an http or https address: host, port and path only.');
  }
  return new URL(url.href.replace(/\/*$/, '/'));
}

function parseTimeout(text: string): number {
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (!(seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS)) {
    throw new InvalidArgumentError(`It must be a number of seconds up to ${MAX_TIMEOUT_SECONDS}.`);
  }
  return seconds;
}

function parseRetries(text: string): number {
  if (!/^\d{1,2}$/.test(text)) throw new InvalidArgumentError('It must be a number from 0 to 99.');
  return Number(text);
}

/* The report of a download: a table for people, or one JSON object for programs. */

function downloadAsJson({ from, folder }: DownloadOptions, results: readonly DownloadResult[]): string {
  return JSON.stringify({ from: from.href, to: folder, files: results });
}

function downloadAsText({ from, folder }: DownloadOptions, results: readonly DownloadResult[]): string {
  const rows = results.map(({ file, status, bytes }) => [file, status, bytes === null ? '' : formatBytes(bytes)]);
  return `${from.href} → ${folder}\n\n${renderTable(['file', 'status', 'size'], rows)}\n`;
}
