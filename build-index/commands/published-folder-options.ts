/** What the commands on a folder of published snapshots, or of channels and their releases, have in common. */

import { type Command, InvalidArgumentError } from 'commander';
import type { SnapshotCheck } from '../publishing/snapshot-check.js';
import type { Progress } from '../reporting/progress.js';

export interface FolderOptions {
  readonly to: string;
  readonly json?: true;
}

/** --to and --json. */
export function addFolderOptions(command: Command): Command {
  return command
    .requiredOption('--to <folder>', 'the folder of published snapshots, or of channels', parseFolder)
    .option('--json', 'report as JSON');
}

function parseFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be the name of a folder.');
  return text;
}

export async function isChannelFolderOption({ to }: FolderOptions): Promise<boolean> {
  return (await import('../publishing/channel-folder.js')).isChannelFolder(to);
}

/** Runs `work` with a check of snapshots by their checksums or, if it is `deep`, as `verify` does. */
export async function withCheck<T>(
  deep: boolean,
  work: (check: SnapshotCheck, progress: Progress) => Promise<T>,
): Promise<T> {
  const { checksumCheck, deepCheck } = await import('../publishing/snapshot-check.js');
  const { withProgress, withProgressAndWorkers } = await import('./with-progress.js');
  return deep
    ? await withProgressAndWorkers((pool, progress) => work(deepCheck(pool, progress), progress))
    : await withProgress((progress) => work(checksumCheck(progress), progress));
}
