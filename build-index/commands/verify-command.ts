/** `verify`: checks a snapshot. */

import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { listWithData, placeCountOf } from '../../src/core/snapshot/manifest.js';
import { nameFile } from '../../src/core/snapshot/snapshot-error.js';
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
      const { withWorkers } = await import('./long-running.js');
      const { manifest } = await withWorkers((pool, progress) => verifySnapshot(path, pool, progress)).catch(
        (error) => {
          throw nameFile(path, error);
        },
      );
      const countries = listWithData(manifest);
      const figures = {
        release: manifest.release,
        countries: countries.length,
        places: countries.reduce((sum, country) => sum + placeCountOf(country), 0),
        bytes: statSync(path).size,
      };
      printReport({ file: path, ...figures }, json, { sound: path, ...figures });
    });
}
