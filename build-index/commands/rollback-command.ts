/** `rollback`: goes back to the snapshot that was in service before, or to the release that a channel named before. */

import type { Command } from 'commander';
import { DEFAULT_CHANNEL } from '../../src/releases/channel/channel-file.js';
import { printReport } from '../reporting/report-text.js';
import { addFolderOptions, type FolderOptions, isChannelFolderOption, withCheck } from './published-folder-options.js';
import { addSigningOptions, readSigningKey, refuseSigning, type SigningOptions } from './signing-options.js';

export function addRollbackCommand(program: Command): void {
  addSigningOptions(addFolderOptions(program.command('rollback')))
    .addHelpText(
      'after',
      `
Examples:
  postal-places rollback --to /srv/places
  postal-places rollback --to /srv/releases --channel stable --signing-key places.key`,
    )
    .action(async (options: FolderOptions & SigningOptions) => {
      const { to, channel = DEFAULT_CHANNEL, signingKey, json } = options;
      if (await isChannelFolderOption(options)) {
        const { rollBackChannel } = await import('../publishing/channel-folder.js');
        return printReport(await rollBackChannel(to, channel, await readSigningKey(signingKey)), json);
      }
      refuseSigning(options, `${to} has snapshots`);
      const { rollBack } = await import('../publishing/roll-back-snapshot.js');
      printReport(await withCheck(false, (check) => rollBack(to, check)), json);
    });
}
