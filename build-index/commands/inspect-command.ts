/** `inspect`: shows what a snapshot has. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { parsePlaceId } from '../../src/core/snapshot/place-id.js';
import { printText } from '../reporting/printing.js';
import { printReport } from '../reporting/report-text.js';

export function addInspectCommand(program: Command): void {
  program
    .command('inspect')
    .argument('<file>')
    .addOption(
      new Option('--place <place>', 'a place by its id, or by country and path: AD/canillo')
        .argParser(parsePlace)
        .conflicts('postcode'),
    )
    .option('--postcode <code>', 'the places of a postal code: DE/80331', parseInCountry)
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
      const report = inspectSnapshot(path, options);
      if (options.place === undefined && options.postcode === undefined) return printReport(report, options.json);
      printText(`${JSON.stringify(report, null, 2)}\n`);
    });
}

function parsePlace(text: string): string {
  return parsePlaceId(text) === undefined ? parseInCountry(text) : text;
}

function parseInCountry(text: string): string {
  if (/^[A-Za-z]{2}\/./.test(text)) return text;
  throw new InvalidArgumentError('It must begin with the code of a country, like DE/…');
}
