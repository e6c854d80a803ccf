/** `nearby` */
import { type Command, Option } from 'commander';
import type { NearbyPlace, NearbyPostcode } from '../../clients/typescript/src/types.js';
import { PROCESS_SURROUNDINGS } from '../surroundings.js';
import { addAskOptions, ask } from './asking.js';
import { alignRows, distanceCell, placeRow, position } from './place-lines.js';
import type { AskSurroundings } from './question.js';
import { splitCountry } from './split-country.js';

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
    .description('list the places or postal codes around a position or a postal code, nearest first')
    .argument('<words...>', 'latitude and longitude, or a country code and a postal code')
    .option('--radius <km>', 'the radius in kilometres (25)')
    .option('--limit <count>', 'how many entries there may be (10)')
    .option('--countries <codes>', 'look in these countries only, separated by commas')
    .addOption(new Option('--by <entry>', 'what an entry is (place)').choices(['place', 'postcode']))
    .action(async (words: string[], { radius, limit, countries, by }: NearbyOptions) => {
      await ask<readonly (NearbyPlace | NearbyPostcode)[]>(
        {
          operation: 'nearby',
          parameters: { ...centreOf(words), radiusKm: radius, limit, countries, by },
          linesOf: (found) => alignRows(found.map(rowOf)),
          nothingFound: 'There is nothing within the radius.',
        },
        command,
        surroundings,
      );
    });
  addAskOptions(command, [
    'nearby DE 10115 --radius 5',
    'nearby 48.14 11.58 --by postcode',
    'nearby CA K1A 0B1 --limit 3 --json',
  ]);
}

function centreOf(words: readonly string[]): Readonly<Record<string, string | undefined>> {
  const [lat, lng] = words;
  if (words.length === 2 && words.every((word) => NUMBER.test(word))) return { lat, lng };
  const { country, code } = splitCountry(words);
  return { country, postcode: code };
}

function rowOf(entry: NearbyPlace | NearbyPostcode): readonly string[] {
  const distance = distanceCell(entry.distanceKm);
  if ('place' in entry) return [...placeRow(entry.place), distance];
  return [entry.countryCode, entry.postcode, position(entry.latitude, entry.longitude), distance];
}
