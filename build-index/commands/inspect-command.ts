/** `build-index inspect` */

import { type Command, Option } from 'commander';
import { printReport } from '../reporting/printing.js';
import { inspectSnapshot } from './inspect-report.js';

export function addInspectCommand(program: Command): void {
  program
    .command('inspect')
    .description('show the contents of a snapshot')
    .argument('<file>')
    .addOption(
      new Option('--place <place>', 'a place by its id, or by country and path: LI/oberland/…').conflicts('postcode'),
    )
    .option('--postcode <code>', 'the places of a postal code: DE/80331')
    .action((path: string, options) => {
      printReport(inspectSnapshot(path, options));
    });
}
