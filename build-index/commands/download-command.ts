/** `download`: fetches GeoNames' published files for `build`. Exit code 1 if a file could not be downloaded. */

import { readdirSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure, EXIT } from '../../src/base/exit-code.js';
import type { DownloadOptions } from '../downloading/download-release.js';
import { ALTERNATE_NAMES_TABLE, CITY_TABLES, UNITS_TABLE } from '../reading/gazetteer-files.js';
import { printable, printMessage } from '../reporting/printing.js';
import { printReport } from '../reporting/report-text.js';
import { parseCountriesOption } from './option-values.js';

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
        .argParser(parseCountriesOption)
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
  const { withProgress } = await import('./with-progress.js');
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
  printReport({ from: options.from.href, to: options.folder, files: results }, json);
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
