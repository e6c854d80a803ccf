/** `verify`: checks a snapshot. */

import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { listManifestCountriesWithData, manifestPlaceCount } from '../../src/core/snapshot/manifest.js';
import { nameSnapshotInError } from '../../src/core/snapshot/snapshot-error.js';
import { printReport } from '../reporting/report-text.js';

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .argument('<file>')
    .option('--json', 'report as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  postal-places verify next.snapshot
  postal-places verify next.snapshot --json`,
    )
    .action(async (path: string, { json }: { json?: true }) => {
      const { verifySnapshot } = await import('../verifying/verify-snapshot.js');
      const { withProgressAndWorkers } = await import('./with-progress.js');
      const { manifest } = await withProgressAndWorkers((pool, progress) => verifySnapshot(path, pool, progress)).catch(
        (error) => {
          throw nameSnapshotInError(path, error);
        },
      );
      const countries = listManifestCountriesWithData(manifest);
      const figures = {
        release: manifest.release,
        countries: countries.length,
        places: countries.reduce((sum, country) => sum + manifestPlaceCount(country), 0),
        bytes: statSync(path).size,
      };
      printReport({ file: path, ...figures }, json, { sound: path, ...figures });
    });
}
