/** `list`: shows the published snapshots of a folder, or the releases of its channels. */

import type { Command } from 'commander';
import { printReport } from '../reporting/report-text.js';
import { addFolderOptions, type FolderOptions, isChannelFolderOption } from './published-folder-options.js';

export function addListCommand(program: Command): void {
  addFolderOptions(program.command('list'))
    .addHelpText('after', '\nExamples:\n  postal-places list --to /srv/places')
    .action(async (options: FolderOptions) => {
      const { listReleases } = await import('../publishing/prune-releases.js');
      const { listPublishedSnapshots } = await import('../../src/releases/folder/published-folder.js');
      printReport(
        (await isChannelFolderOption(options)) ? listReleases(options.to) : listPublishedSnapshots(options.to),
        options.json,
      );
    });
}
