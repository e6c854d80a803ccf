/** `promote`: makes a channel name the release of another channel. */

import type { Command } from 'commander';
import { printReport } from '../reporting/printing.js';
import { parseChannel } from './option-values.js';
import { channelAsText } from './publishing-commands.js';
import { readSigningKey } from './signing-options.js';

export function addPromoteCommand(program: Command): void {
  const command = program
    .command('promote')
    .argument('<from>', 'a channel, or the name of a release as list shows it')
    .argument('<channel>', 'the channel whose followers get that release', parseChannel)
    .requiredOption('--to <folder>', 'the folder of channels')
    .requiredOption('--signing-key <file>', 'the secret key of signing-key create')
    .option('--json', 'report as JSON')
    .addHelpText(
      'after',
      `
Examples:
  postal-places promote next stable --to /srv/releases --signing-key places.key
  postal-places promote 2026-02-3f5ddef8df71158b stable --to /srv/releases --signing-key places.key`,
    );
  command.action(async (from: string, channel: string, options) => {
    const { promote } = await import('../publishing/channel-folder.js');
    const report = await promote(options.to, from, channel, await readSigningKey(options.signingKey));
    printReport(`${options.json ? JSON.stringify(report) : channelAsText(report)}\n`);
  });
}
