/** `inspect` */

import { type Command, Option } from 'commander';
import { printReport } from '../reporting/printing.js';

export function addInspectCommand(program: Command): void {
  program
    .command('inspect')
    .description('show the contents of a snapshot')
    .argument('<file>')
    .addOption(
      new Option('--place <place>', 'a place by its id, or by country and path: AD/canillo').conflicts('postcode'),
    )
    .option('--postcode <code>', 'the places of a postal code: DE/80331')
    .option('--json', 'report as one JSON object; a place and a postal code always are')
    .addHelpText(
      'after',
      `
Examples:
  postal-places inspect world.snapshot
  postal-places inspect world.snapshot --postcode AD/AD500
  postal-places inspect world.snapshot --place AD/canillo
  postal-places inspect world.snapshot --json`,
    )
    .action(async (path: string, options) => {
      const { inspectSnapshot } = await import('./inspect-report.js');
      printReport(inspectSnapshot(path, options));
    });
}
