/** `reverse` */
import type { Command } from 'commander';
import type { NearestPlace } from '../../clients/typescript/src/types.js';
import { PROCESS_SURROUNDINGS } from '../surroundings.js';
import { addAskOptions, ask } from './asking.js';
import { alignRows, distanceCell, placeRow } from './place-lines.js';
import type { AskSurroundings } from './question.js';

export function addReverseCommand(program: Command, surroundings: AskSurroundings = PROCESS_SURROUNDINGS): void {
  const command = program
    .command('reverse')
    .description('find the place nearest to a position, within 80 km')
    .argument('<lat>', 'latitude in decimal degrees')
    .argument('<lng>', 'longitude in decimal degrees')
    .option('--country <code>', 'look in this country only', 'any')
    .action(async (lat: string, lng: string, { country }: { readonly country: string }) => {
      const linesOf = ({ place, distanceKm }: NearestPlace): string[] =>
        alignRows([[...placeRow(place), distanceCell(distanceKm)]]);
      await ask({ operation: 'reverse', parameters: { lat, lng, country }, linesOf }, command, surroundings);
    });
  addAskOptions(command, ['reverse 48.14 11.58', 'reverse 40.75 -73.99 --country US --json']);
}
