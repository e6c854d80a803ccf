/** `prune`: removes old snapshots of a folder, or releases that no channel names. */

import { type Command, InvalidArgumentError } from 'commander';
import { printReport } from '../reporting/report-text.js';
import { addFolderOptions, type FolderOptions, isChannelFolderOption } from './published-folder-options.js';

export function addPruneCommand(program: Command): void {
  addFolderOptions(program.command('prune'))
    .requiredOption('--keep <count>', 'how many to keep, the current one among them', parseKeep)
    .addHelpText('after', '\nExamples:\n  postal-places prune --to /srv/places --keep 2')
    .action(async (options: FolderOptions & { readonly keep: number }) => {
      const { to, keep, json } = options;
      const { pruneReleases } = await import('../publishing/prune-releases.js');
      const { pruneSnapshots } = await import('../../src/releases/folder/prune-snapshots.js');
      printReport(
        await ((await isChannelFolderOption(options)) ? pruneReleases(to, keep) : pruneSnapshots(to, keep)),
        json,
      );
    });
}

function parseKeep(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}
