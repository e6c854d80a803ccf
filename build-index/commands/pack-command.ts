/** `pack`: extracts some countries of a snapshot. */

import type { Command } from 'commander';
import { listWithData, placeCountOf } from '../../src/core/snapshot/manifest.js';
import { nameFile } from '../../src/core/snapshot/snapshot-error.js';
import type { PackReport } from '../building/pack-snapshot.js';
import { printReport } from '../reporting/report-text.js';
import { parseCountries, parseOutFile } from './option-values.js';

interface PackArguments {
  readonly from: string;
  readonly out: string;
  readonly json?: true;
}

export function addPackCommand(program: Command): void {
  program
    .command('pack')
    .argument('<countries>', 'codes of countries, e.g. DE,AT,CH', parseCountries)
    .requiredOption('--from <snapshot>', 'the snapshot, or the folder where it is published')
    .requiredOption('--out <file>', 'the snapshot to write', parseOutFile)
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
      const { withWorkers } = await import('./long-running.js');
      const report = await withWorkers((pool, progress) => packSnapshot(options, pool, progress)).catch((error) => {
        throw nameFile(from, error);
      });
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
    countries: listWithData(manifest).map((country) => ({
      code: country.code,
      places: placeCountOf(country),
      distinctPostcodes: country.distinctPostcodes,
    })),
    bytes: report.fileBytes,
    sections: manifest.sections.map(({ name, length }) => ({ name, bytes: length })),
    seconds: report.seconds,
    peakMemoryBytes: report.peakMemoryBytes,
  };
}
