/** `lookup` */
import type { Command } from 'commander';
import type { PostcodePlaces } from '../../clients/typescript/src/types.js';
import { PROCESS_SURROUNDINGS } from '../surroundings.js';
import { addAskOptions, ask } from './asking.js';
import { alignRows, placeRow } from './place-lines.js';
import type { AskSurroundings } from './question.js';
import { splitCountry } from './split-country.js';

export function addLookupCommand(program: Command, surroundings: AskSurroundings = PROCESS_SURROUNDINGS): void {
  const command = program
    .command('lookup')
    .description('find the places of a postal code, in one country or in all')
    .argument('<words...>', 'a country code and a postal code, or a postal code alone')
    .action(async (words: string[]) => {
      const { country, code } = splitCountry(words);
      const linesOf = (found: readonly PostcodePlaces[]): string[] =>
        alignRows(found.flatMap(({ places }) => places.map(placeRow)));
      if (country === undefined) {
        await ask({ operation: 'findPostcodes', parameters: { postcode: code }, linesOf }, command, surroundings);
      } else {
        const parameters = { country, postcode: code };
        const ofOne = (found: PostcodePlaces): string[] => linesOf([found]);
        await ask({ operation: 'findPostcode', parameters, linesOf: ofOne }, command, surroundings);
      }
    });
  addAskOptions(command, ['lookup DE 10115', 'lookup 10115', 'lookup CA K1A 0B1 --json']);
}
