/** `build`: compiles a release into a snapshot. */

import { type Command, InvalidArgumentError } from 'commander';
import { isReleaseName } from '../../src/core/snapshot/release-name.js';
import { printReport } from '../reporting/report-text.js';
import { parseCountriesOption, parseOutFileOption } from './option-values.js';

const DEFAULT_SITE_URL = 'https://places.example';

export function addBuildCommand(program: Command): void {
  program
    .command('build')
    .argument('<release>', 'a folder of XX.zip or XX.txt files, or one allCountries.zip or .txt')
    .requiredOption('--out <file>', 'the snapshot to write', parseOutFileOption)
    .option('--site-url <url>', 'the website that the url fields point to', parseSiteUrl, DEFAULT_SITE_URL)
    .option('--countries <codes>', 'only these countries, e.g. DE,FR', parseCountriesOption)
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
      const { buildReportAsObject, buildReportForPeople } = await import('./build-report.js');
      const { withProgressAndWorkers } = await import('./with-progress.js');
      const report = await withProgressAndWorkers((pool, progress) => buildSnapshot(buildOptions, pool, progress));
      printReport(buildReportAsObject(report), options.json, buildReportForPeople(report));
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
