/** `diff`: shows what a new release changes. Exit code 3 if a country would lose too many places. */

import { type Command, InvalidArgumentError } from 'commander';
import { CommandFailure, EXIT } from '../../src/base/exit-code.js';
import { printReport } from '../reporting/report-text.js';
import { parseOutFileOption } from './option-values.js';

/** Default maximum loss of a country's places, in percent: releases of GeoNames rarely lose more. */
const DEFAULT_MAX_LOSS_PERCENT = 5;

export function addDiffCommand(program: Command): void {
  program
    .command('diff')
    .argument('<old>', 'the snapshot in service')
    .argument('<new>', 'the snapshot to replace it')
    .option(
      '--max-loss <percent>',
      'exit with code 3 if a country would lose more than this share of its places',
      parsePercent,
      DEFAULT_MAX_LOSS_PERCENT,
    )
    .option(
      '--changes <file>',
      'also write every added, removed, moved and renamed place, as NDJSON',
      parseOutFileOption,
    )
    .option('--json', 'report as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  postal-places diff /srv/places/current next.snapshot
  postal-places diff /srv/places/current next.snapshot --max-loss 2 --json
  postal-places diff old.snapshot new.snapshot --changes new.changes.ndjson`,
    )
    .action(async (oldPath: string, newPath: string, options: { maxLoss: number; changes?: string; json?: true }) => {
      const { diffSnapshots } = await import('../diffing/diff-snapshots.js');
      const { describeLosses, diffReportAsObject, diffReportForPeople } = await import('./diff-report.js');
      const { withProgress } = await import('./with-progress.js');
      const diff = await withProgress(async (progress) =>
        options.changes === undefined
          ? diffSnapshots(oldPath, newPath, progress)
          : (
              await (
                await import('../diffing/write-changes.js')
              ).writeChanges(oldPath, newPath, options.changes, progress)
            ).diff,
      );
      printReport(diffReportAsObject(diff, options.maxLoss), options.json, diffReportForPeople(diff, options.maxLoss));
      const overMaxLoss = diff.countries.flatMap((country) => describeLosses(country, options.maxLoss));
      if (overMaxLoss.length === 0) return;
      throw new CommandFailure(`over --max-loss ${options.maxLoss} %: ${overMaxLoss.join(', ')}`, EXIT.tooManyLost);
    });
}

function parsePercent(text: string): number {
  const percent = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(percent <= 100)) throw new InvalidArgumentError('It must be a number from 0 to 100.');
  return percent;
}
