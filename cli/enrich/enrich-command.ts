/** `enrich` */

import { type Command, Option } from 'commander';
import { snapshotOption } from '../named-snapshot.js';
import { FIELD_NAMES, FORMATS } from './plan-table.js';
import type { EnrichOptions, EnrichSurroundings } from './run-enrich.js';

const DEFAULT_FIELDS = 'city,state,latitude,longitude';

const EXAMPLES = [
  'enrich addresses.csv --out enriched.csv',
  'enrich addresses.csv --country-column land --postcode-column plz --add city,state,timezone --out enriched.csv',
  'enrich customers.ndjson --country US --out enriched.ndjson --resume',
  'enrich stations.tsv --reverse lat,lng --add city,country_code,distance_km > enriched.tsv',
  'enrich - --format csv --text address < addresses.csv > enriched.csv',
].map((example) => `  postal-places ${example}`);

export function addEnrichCommand(program: Command, surroundings: EnrichSurroundings = process): void {
  const command = program
    .command('enrich')
    .description('add places to the rows of a table: CSV, TSV or NDJSON')
    .argument('<table>', 'a file, or - for standard input')
    .option(
      '--country-column <name>',
      'the column of the country: codes or names; guessed from the names of the columns',
    )
    .option('--postcode-column <name>', 'the column of the postal code; guessed likewise, or else that of an address')
    .option('--country <country>', 'the country of all rows, or of those without one in --country-column')
    .addOption(
      new Option('--reverse <lat,lng>', 'find the nearest place to the position in these two columns').conflicts([
        'text',
        'postcodeColumn',
      ]),
    )
    .addOption(
      new Option('--text <column>', 'find the place in the last line of an address in this column').conflicts(
        'postcodeColumn',
      ),
    )
    .option('--add <fields>', 'the fields to add, separated by commas', DEFAULT_FIELDS)
    .addOption(new Option('--format <format>', "the table's format; default: by the name of the file").choices(FORMATS))
    .option('--encoding <name>', "the table's encoding, such as windows-1252 (UTF-8); the result is UTF-8")
    .option('--out <file>', 'write the result to this file; default, and -: standard output')
    .option('--raw-cells', "add texts that begin with = + - or @ as they are, without the ' that stops a formula")
    .option('--resume', 'continue an interrupted run of the same command; needs --out')
    .addOption(snapshotOption())
    .option('--json', 'print the report as JSON, and nothing else on standard error')
    .addHelpText('after', `\nFields: ${FIELD_NAMES.join(', ')}.\n\nExamples:\n${EXAMPLES.join('\n')}\n`)
    .addHelpText('after', 'Exit codes: 0 done, 1 failed, 2 wrong usage.')
    .action(async (table: string, options: EnrichOptions) => {
      const { enrich } = await import('./run-enrich.js');
      const { UsageError } = await import('./plan-table.js');
      try {
        await enrich(table, options, surroundings);
      } catch (error) {
        if (error instanceof UsageError) command.error(`error: ${error.message}`);
        throw error;
      }
    });
}
