/** `promote`: makes a channel name the release of another channel. */

import type { Command } from 'commander';
import { printReport } from '../reporting/report-text.js';
import { parseChannelOption } from './option-values.js';
import { readSigningKey } from './signing-options.js';

export function addPromoteCommand(program: Command): void {
  program
    .command('promote')
    .argument('<from>', 'a channel, or the name of a release as list shows it')
    .argument('<channel>', 'the channel whose followers get that release', parseChannelOption)
    .requiredOption('--to <folder>', 'the folder of channels')
    .requiredOption('--signing-key <file>', 'the secret key of signing-key create')
    .option('--json', 'report as JSON')
    .addHelpText(
      'after',
      `
Examples:
  postal-places promote next stable --to /srv/releases --signing-key places.key
  postal-places promote 2026-02-3f5ddef8df71158b stable --to /srv/releases --signing-key places.key`,
    )
    .action(async (from: string, channel: string, options) => {
      const { promoteChannel } = await import('../publishing/channel-folder.js');
      const key = await readSigningKey(options.signingKey);
      printReport(await promoteChannel(options.to, from, channel, key), options.json);
    });
}
