/** `build-index verify` */

import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { printReport } from '../reporting/printing.js';
import { formatBytes, formatCount } from '../reporting/tables.js';
import { verifySnapshot } from '../verifying/verify-snapshot.js';
import { withWorkers } from './with-workers.js';

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('check every checksum and every cross-reference of a snapshot')
    .argument('<file>')
    .action(async (path: string) => {
      const { manifest } = await withWorkers((pool, progress) => verifySnapshot(path, pool, progress));
      const countries = manifest.countries.filter(({ slices }) => slices.length > 0);
      const places = countries.flatMap(({ levelCounts }) => levelCounts).reduce((sum, count) => sum + count, 0);
      printReport(
        `${path}: sound; release ${manifest.release}, ${formatCount(countries.length)} countries, ` +
          `${formatCount(places)} places, ${formatBytes(statSync(path).size)}\n`,
      );
    });
}
