/** `pull` */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseChannel } from '../../build-index/commands/publishing-commands.js';
import { parseTime } from '../../src/base/settings.js';
import { DEFAULT_CHANNEL, DEFAULT_KEEP, DEFAULT_LIMIT_MS } from '../../src/releases/channel.js';
import type { PullArguments } from './run-pull.js';

export function addPullCommand(program: Command): void {
  program
    .command('pull')
    .description('bring a folder of snapshots to the release that a channel names')
    .argument('<url>', 'the address of a folder of channels, or a folder with a copy of it')
    .requiredOption('--to <folder>', 'the folder of snapshots that servers follow')
    .requiredOption('--key <key>', "the publisher's public key: its .pub file, or the second line of that file")
    .option('--channel <name>', 'the channel to follow', parseChannel, DEFAULT_CHANNEL)
    .option('--every <time>', 'go on and pull again after this time, such as 30s, 5m or 1h', parseTimeOption)
    .addOption(
      new Option('--timeout <time>', 'give up a pull after this time')
        .argParser(parseTimeOption)
        .default(DEFAULT_LIMIT_MS, '1h'),
    )
    .option('--keep <count>', 'how many snapshots to keep, the one in service among them', parseKeep, DEFAULT_KEEP)
    .option('--json', 'report as JSON')
    .addHelpText(
      'after',
      `
Examples:
  postal-places pull https://data.example.com/places --to /srv/places --key places.key.pub
  postal-places pull https://data.example.com/places --to /srv/places --key places.key.pub --every 5m
  postal-places pull /media/usb/places --to /srv/places --key places.key.pub --channel next`,
    )
    .action(async (address: string, options: Omit<PullArguments, 'address'>) => {
      const { runPull } = await import('./run-pull.js');
      await runPull({ address, ...options });
    });
}

function parseTimeOption(text: string): number {
  const milliseconds = parseTime(text);
  if (milliseconds === undefined) throw new InvalidArgumentError('It must be a time such as 30s, 5m or 1h.');
  return milliseconds;
}

function parseKeep(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999.');
  return Number(text);
}
