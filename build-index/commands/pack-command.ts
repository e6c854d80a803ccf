/** `pack` */

import type { Command } from 'commander';
import { nameFile } from '../../src/format/snapshot-error.js';
import { printReport } from '../reporting/printing.js';
import { parseCountries } from './parse-countries.js';
import { parseOutFile } from './parse-out-file.js';

interface PackArguments {
  readonly from: string;
  readonly out: string;
  readonly json?: true;
}

export function addPackCommand(program: Command): void {
  program
    .command('pack')
    .description('extract some countries of a snapshot as a snapshot, the same as a build of these countries gives')
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
      const { packSnapshot } = await import('../packing/pack-snapshot.js');
      const { packAsJson, packAsText } = await import('./pack-report.js');
      const { withWorkers } = await import('./with-workers.js');
      const report = await withWorkers((pool, progress) => packSnapshot(options, pool, progress)).catch((error) => {
        throw nameFile(from, error);
      });
      printReport(json ? `${packAsJson(report)}\n` : packAsText(report));
    });
}
