/** `verify`: checks a snapshot. */

import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { nameFile } from '../../src/core/snapshot/snapshot-error.js';
import { formatBytes, formatNumberOf } from '../reporting/figures.js';
import { printReport } from '../reporting/printing.js';

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
      const countries = manifest.countries.filter(({ slices }) => slices.length > 0);
      const places = countries.flatMap(({ levelCounts }) => levelCounts).reduce((sum, count) => sum + count, 0);
      const report = {
        file: path,
        release: manifest.release,
        countries: countries.length,
        places,
        bytes: statSync(path).size,
      };
      printReport(`${json ? JSON.stringify(report) : verifyAsText(report)}\n`);
    });
}

interface VerifyReport {
  readonly file: string;
  readonly release: string;
  readonly countries: number;
  readonly places: number;
  readonly bytes: number;
}

function verifyAsText({ file, release, countries, places, bytes }: VerifyReport): string {
  return (
    `${file}: sound; release ${release}, ${formatNumberOf(countries, 'country', 'countries')}, ` +
    `${formatNumberOf(places, 'place')}, ${formatBytes(bytes)}`
  );
}
