/** `pack`: extracts some countries of a snapshot. */

import type { Command } from 'commander';
import { listManifestCountriesWithData, manifestPlaceCount } from '../../src/core/snapshot/manifest.js';
import { nameSnapshotInError } from '../../src/core/snapshot/snapshot-error.js';
import type { PackReport } from '../building/pack-snapshot.js';
import { printReport } from '../reporting/report-text.js';
import { parseCountriesOption, parseOutFileOption } from './option-values.js';

interface PackArguments {
  readonly from: string;
  readonly out: string;
  readonly json?: true;
}

export function addPackCommand(program: Command): void {
  program
    .command('pack')
    .argument('<countries>', 'codes of countries, e.g. DE,AT,CH', parseCountriesOption)
    .requiredOption('--from <snapshot>', 'the snapshot, or the folder where it is published')
    .requiredOption('--out <file>', 'the snapshot to write', parseOutFileOption)
    .option('--json', 'report as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  postal-places pack DE,AT,CH --from world.snapshot --out dach.snapshot
  postal-places pack US --from /srv/places --out us.snapshot --json`,
    )
    .action(async (countries: string[], { from, out, json }: PackArguments) => {
      const options = { source: from, outPath: out, countries };
      const { packSnapshot } = await import('../building/pack-snapshot.js');
      const { withProgressAndWorkers } = await import('./with-progress.js');
      const report = await withProgressAndWorkers((pool, progress) => packSnapshot(options, pool, progress)).catch(
        (error) => {
          throw nameSnapshotInError(from, error);
        },
      );
      printReport(packReportAsObject(report), json);
    });
}

function packReportAsObject({ manifest, ...report }: PackReport) {
  return {
    file: report.outPath,
    from: report.sourcePath,
    release: manifest.release,
    sourceDate: manifest.sourceDate,
    siteUrl: manifest.siteUrl,
    countries: listManifestCountriesWithData(manifest).map((country) => ({
      code: country.code,
      places: manifestPlaceCount(country),
      distinctPostcodes: country.distinctPostcodes,
    })),
    bytes: report.fileBytes,
    sections: manifest.sections.map(({ name, length }) => ({ name, bytes: length })),
    seconds: report.seconds,
    peakMemoryBytes: report.peakMemoryBytes,
  };
}
