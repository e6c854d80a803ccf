/** `publish`: puts a snapshot in service in a folder, or makes a channel name it. */

import type { Command } from 'commander';
import { InvalidValueError } from '../../src/base/errors.js';
import { nameSnapshotInError } from '../../src/core/snapshot/snapshot-error.js';
import { DEFAULT_CHANNEL } from '../../src/releases/channel/channel-file.js';
import type { ReleaseReport } from '../publishing/publish-release.js';
import type { PublishReport } from '../publishing/publish-snapshot.js';
import { printReport } from '../reporting/report-text.js';
import { addFolderOptions, type FolderOptions, isChannelFolderOption, withCheck } from './published-folder-options.js';
import { addSigningOptions, readSigningKey, type SigningOptions } from './signing-options.js';

interface PublishOptions extends FolderOptions, SigningOptions {
  readonly deep?: true;
  /** False with --no-changes. */
  readonly changes: boolean;
}

export function addPublishCommand(program: Command): void {
  const command = addFolderOptions(program.command('publish'))
    .argument('<file>')
    .option('--deep', 'check what look-ups rely on as well, as verify does')
    .option('--no-changes', 'write no list of what the release changes');
  addSigningOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  postal-places publish next.snapshot --to /srv/places
  postal-places publish next.snapshot --to /srv/places --deep --json
  postal-places publish next.snapshot --to /srv/releases --signing-key places.key --channel next`,
    )
    .action(async (file: string, options: PublishOptions) => {
      // Either option of a channel names one.
      const isForChannel = options.signingKey !== undefined || options.channel !== undefined;
      try {
        printReport(await (isForChannel ? publishToChannel : publishAsCopy)(file, options), options.json);
      } catch (error) {
        throw nameSnapshotInError(file, error);
      }
    });
}

async function publishAsCopy(file: string, options: PublishOptions): Promise<PublishReport> {
  if (await isChannelFolderOption(options)) {
    throw new InvalidValueError(`${options.to} has channels: give --signing-key, or another folder`);
  }
  const { publishSnapshot } = await import('../publishing/publish-snapshot.js');
  const { to, deep = false, changes: withChanges } = options;
  return await withCheck(deep, (check, progress) => publishSnapshot(file, to, check, progress, { withChanges }));
}

async function publishToChannel(source: string, options: PublishOptions): Promise<ReleaseReport> {
  const { publishRelease } = await import('../publishing/publish-release.js');
  const { readCurrent } = await import('../../src/releases/folder/published-folder.js');
  if (readCurrent(options.to) !== undefined) {
    throw new InvalidValueError(`${options.to} has snapshots that servers follow: channels need a folder of their own`);
  }
  const key = await readSigningKey(options.signingKey);
  const { to: folder, channel = DEFAULT_CHANNEL, deep = false, changes: withChanges } = options;
  return await withCheck(deep, (check, progress) =>
    publishRelease({ source, folder, channel, key, withChanges }, check, progress),
  );
}
