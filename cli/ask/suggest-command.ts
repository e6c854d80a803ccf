/** `suggest` */
import { type Command, Option } from 'commander';
import type { Suggestion } from '../../clients/typescript/src/types.js';
import { PROCESS_SURROUNDINGS } from '../surroundings.js';
import { addAskOptions, ask } from './asking.js';
import { alignRows, suggestionRow } from './place-lines.js';
import type { AskSurroundings } from './question.js';

interface SuggestOptions {
  readonly country?: string;
  readonly limit?: string;
  readonly kinds?: string;
}

/** The lookup checks the list of them; the names here are for the help. */
const KINDS = ['place', 'postcode', 'country'];

export function addSuggestCommand(program: Command, surroundings: AskSurroundings = PROCESS_SURROUNDINGS): void {
  const command = program
    .command('suggest')
    .description('suggest places for the start of a name, or for an address line')
    .argument('<words...>', 'the start of a name, or an address line')
    .option('--country <codes>', 'one country, or several separated by commas')
    .option('--limit <count>', 'how many suggestions there may be (10)')
    .addOption(kindsOption())
    .action(async (words: string[], { country, limit, kinds }: SuggestOptions) => {
      const q = words.join(' ');
      await ask<readonly Suggestion[]>(
        {
          operation: 'autocomplete',
          parameters: { q, country, limit, kinds },
          inLines: { include: 'place' },
          linesOf: (found) => alignRows(found.map(suggestionRow)),
          nothingFound: `No results for ${JSON.stringify(q)}.`,
        },
        command,
        surroundings,
      );
    });
  addAskOptions(command, [
    'suggest münch',
    'suggest münch --country DE,CH --limit 5',
    'suggest 1011 --kinds place,postcode --json',
  ]);
}

function kindsOption(): Option {
  const option = new Option('--kinds <kinds>', 'what to suggest, one or several separated by commas (place)');
  // Without the parser of choices(), which would refuse a list.
  option.argChoices = KINDS;
  return option;
}
