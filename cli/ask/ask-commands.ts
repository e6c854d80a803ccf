/** The commands that ask a snapshot: `lookup`, `match`, `nearby`, `reverse` and `suggest`. */

import { type Command, Option } from 'commander';
import type {
  AddressMatch,
  NearbyPlace,
  NearbyPostcode,
  NearestPlace,
  PostcodePlaces,
  Suggestion,
} from '../../clients/typescript/src/types.js';
import { findCountryCodes } from '../program/named-snapshot.js';
import { PROCESS_SURROUNDINGS } from '../program/program-io.js';
import { type CountryAndCode, splitCountry } from './country-and-code.js';
import { alignRows, formatRowDistance, formatRowPosition, matchRow, placeRow, suggestionRow } from './place-rows.js';
import { type AskSurroundings, addQuestionOptions, askQuestion, sourceOf } from './question.js';

/** Ends the command by an error of its own where there is a country without a code. */
async function readCountryAndCode(
  words: readonly string[],
  command: Command,
  surroundings: AskSurroundings,
): Promise<CountryAndCode & { readonly code: string }> {
  const source = sourceOf(command, surroundings);
  const { country, code } = await splitCountry(words, (texts) => findCountryCodes(source, texts));
  if (code !== undefined) return { country, code };
  return command.error(`error: a postal code is missing behind ${words.join(' ')}, such as ${command.name()} DE 10115`);
}

/** What placeRow tells besides the place. */
const CITY = { include: 'city' };

export function addLookupCommand(program: Command, surroundings: AskSurroundings = PROCESS_SURROUNDINGS): void {
  const command = program
    .command('lookup')
    .argument('<words...>', 'a country (a code or a name) and a postal code, or a postal code alone')
    .action(async (words: string[]) => {
      const { country, code } = await readCountryAndCode(words, command, surroundings);
      const linesOf = (found: readonly PostcodePlaces[]): string[] =>
        alignRows(found.flatMap(({ places }) => places.map(placeRow)));
      if (country === undefined) {
        await askQuestion(
          { operation: 'findPostcodes', parameters: { postcode: code }, inLines: CITY, linesOf, compiling: 'lookup' },
          command,
          surroundings,
        );
      } else {
        const parameters = { country, postcode: code };
        const ofOne = (found: PostcodePlaces): string[] => linesOf([found]);
        await askQuestion(
          { operation: 'findPostcode', parameters, inLines: CITY, linesOf: ofOne, compiling: 'lookup' },
          command,
          surroundings,
        );
      }
    });
  addQuestionOptions(command, ['lookup DE 10115', 'lookup Germany 10115', 'lookup 10115', 'lookup CA K1A 0B1 --json']);
}

interface NearbyOptions {
  readonly radius?: string;
  readonly limit?: string;
  readonly countries?: string;
  readonly by?: string;
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

export function addNearbyCommand(program: Command, surroundings: AskSurroundings = PROCESS_SURROUNDINGS): void {
  const command = program
    .command('nearby')
    .argument('<words...>', 'latitude and longitude, or a country and a postal code')
    .option('--radius <km>', 'the radius in kilometres (25)')
    .option('--limit <count>', 'how many entries there may be (10)')
    .option('--countries <codes>', 'look in these countries only, separated by commas: codes or names')
    .addOption(new Option('--by <entry>', 'what an entry is (place)').choices(['place', 'postcode']))
    .action(async (words: string[], { radius, limit, countries, by }: NearbyOptions) => {
      await askQuestion<readonly (NearbyPlace | NearbyPostcode)[]>(
        {
          operation: 'nearby',
          parameters: { ...(await centreOf(words, command, surroundings)), radiusKm: radius, limit, countries, by },
          inLines: CITY,
          linesOf: (found) => alignRows(found.map(rowOf)),
          nothingFound: 'There is nothing within the radius.',
          compiling: '--countries',
        },
        command,
        surroundings,
      );
    });
  addQuestionOptions(command, [
    'nearby DE 10115 --radius 5',
    'nearby 48.14 11.58 --by postcode',
    'nearby CA K1A 0B1 --limit 3 --json',
  ]);
}

async function centreOf(
  words: readonly string[],
  command: Command,
  surroundings: AskSurroundings,
): Promise<Readonly<Record<string, string | undefined>>> {
  const [lat, lng] = words;
  if (words.length === 2 && words.every((word) => NUMBER.test(word))) return { lat, lng };
  const { country, code } = await readCountryAndCode(words, command, surroundings);
  return { country, postcode: code };
}

function rowOf(entry: NearbyPlace | NearbyPostcode): readonly string[] {
  const distance = formatRowDistance(entry.distanceKm);
  if ('place' in entry) return [...placeRow(entry.place), distance];
  return [entry.countryCode, entry.postcode, formatRowPosition(entry.latitude, entry.longitude), distance];
}

export function addReverseCommand(program: Command, surroundings: AskSurroundings = PROCESS_SURROUNDINGS): void {
  const command = program
    .command('reverse')
    .argument('<lat>', 'latitude in decimal degrees')
    .argument('<lng>', 'longitude in decimal degrees')
    .option(
      '--country <country>',
      'look in this country, a code or a name, or in any (the one that contains the position)',
    )
    .action(async (lat: string, lng: string, { country }: { readonly country?: string }) => {
      const linesOf = ({ place, distanceKm }: NearestPlace): string[] =>
        alignRows([[...placeRow(place), formatRowDistance(distanceKm)]]);
      const parameters = { lat, lng, country };
      await askQuestion(
        { operation: 'reverse', parameters, inLines: CITY, linesOf, compiling: '--country' },
        command,
        surroundings,
      );
    });
  addQuestionOptions(command, ['reverse 48.14 11.58', 'reverse 40.75 -73.99 --country US --json']);
}

export function addMatchCommand(program: Command, surroundings: AskSurroundings = PROCESS_SURROUNDINGS): void {
  const command = program
    .command('match')
    .argument('<words...>', 'an address')
    .option('--country <country>', 'the country of the address: a code or a name')
    .action(async (words: string[], { country }: { readonly country?: string }) => {
      await askQuestion<AddressMatch>(
        {
          operation: 'match',
          parameters: { address: words.join(' '), country },
          linesOf: (found) => alignRows(matchRow(found)),
          nothingFound: 'The address leads to no place.',
          remarkOf: ({ conflict }, describeAbsent) => {
            if (conflict === null) return undefined;
            const { reason, countryCode, message } = conflict;
            return reason === 'country_without_data' ? describeAbsent(countryCode) : message;
          },
          compiling: '--country',
        },
        command,
        surroundings,
      );
    });
  addQuestionOptions(command, [
    'match Unter den Linden 77, 10117 Berlin',
    'match 12 Main Street, Boston MA --country US --json',
  ]);
}

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
    .argument('<words...>', 'the start of a name, or an address line')
    .option('--country <countries>', 'one country, or several separated by commas: codes or names')
    .option('--limit <count>', 'how many suggestions there may be (10)')
    .addOption(kindsOption())
    .action(async (words: string[], { country, limit, kinds }: SuggestOptions) => {
      const q = words.join(' ');
      await askQuestion<readonly Suggestion[]>(
        {
          operation: 'autocomplete',
          parameters: { q, country, limit, kinds },
          inLines: { include: 'place' },
          linesOf: (found) => alignRows(found.map(suggestionRow)),
          nothingFound: `No results for ${JSON.stringify(q)}.`,
          compiling: '--country',
        },
        command,
        surroundings,
      );
    });
  addQuestionOptions(command, [
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
