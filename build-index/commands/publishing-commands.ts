/** `publish`, `list`, `rollback` and `prune`: the folder of published snapshots, or of channels and their releases. */

import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULT_CHANNEL } from '../../src/channels/channel-file.js';
import { InvalidValueError } from '../../src/expected-error.js';
import { nameFile } from '../../src/format/snapshot-error.js';
import type { ReleaseReport } from '../publishing/publish-release.js';
import type { PublishReport, SnapshotCheck } from '../publishing/publish-snapshot.js';
import { printReport } from '../reporting/printing.js';
import type { Progress } from '../reporting/progress.js';
import { addSigningOptions, readSigningKey, refuseSigning, type SigningOptions } from './channel-commands.js';
import {
  channelAsText,
  listAsText,
  pruneAsText,
  pruneReleasesAsText,
  publishAsText,
  releaseAsText,
  releasesAsText,
  rollbackAsText,
} from './publishing-reports.js';

export function addPublishingCommands(program: Command): void {
  const publish = addFolderCommand(program, 'publish', 'put a copy of a snapshot in service, checked by its checksums')
    .argument('<file>')
    .option('--deep', 'check every cross-reference of the copy as well, as verify does')
    .option('--no-changes', 'write no list of what the release changes');
  addSigningOptions(publish)
    .addHelpText(
      'after',
      `
Examples:
  postal-places publish next.snapshot --to /srv/places
  postal-places publish next.snapshot --to /srv/places --deep --json
  postal-places publish next.snapshot --to /srv/releases --signing-key places.key --channel next`,
    )
    .action(async (file: string, options: PublishOptions) => {
      try {
        if (isForChannel(options)) print(await publishToChannel(file, options), releaseAsText, options);
        else print(await publishAsCopy(file, options), publishAsText, options);
      } catch (error) {
        throw nameFile(file, error);
      }
    });
  addFolderCommand(program, 'list', 'show the published snapshots, or the releases of channels')
    .addHelpText('after', exampleOf('list --to /srv/places'))
    .action(async (options: FolderOptions) => {
      if (await hasChannels(options)) {
        const { listReleases } = await import('../publishing/publish-release.js');
        return print(listReleases(options.to), releasesAsText, options);
      }
      const { listSnapshots } = await import('../../src/snapshots/list-snapshots.js');
      print(listSnapshots(options.to), listAsText, options);
    });
  const rollback = addFolderCommand(program, 'rollback', 'put the snapshot in service that was there before');
  addSigningOptions(rollback)
    .addHelpText(
      'after',
      `${exampleOf('rollback --to /srv/places')}
  postal-places rollback --to /srv/releases --channel stable --signing-key places.key`,
    )
    .action(async (options: FolderOptions & SigningOptions) => {
      if (await hasChannels(options)) {
        const { rollBackChannel } = await import('../publishing/channel-folder.js');
        const key = await readSigningKey(options.signingKey);
        const channel = options.channel ?? DEFAULT_CHANNEL;
        return print(await rollBackChannel(options.to, channel, key), channelAsText, options);
      }
      refuseSigning(options, `${options.to} has snapshots`);
      const { rollBack } = await import('../publishing/roll-back.js');
      print(await checked(options, (check) => rollBack(options.to, check)), rollbackAsText, options);
    });
  addFolderCommand(program, 'prune', 'remove old snapshots; never the current one, nor one that a process has open')
    .requiredOption('--keep <count>', 'how many to keep, the current one among them', parseKeep)
    .addHelpText('after', exampleOf('prune --to /srv/places --keep 2'))
    .action(async (options: FolderOptions & { keep: number }) => {
      if (await hasChannels(options)) {
        const { pruneReleases } = await import('../publishing/publish-release.js');
        return print(await pruneReleases(options.to, options.keep), pruneReleasesAsText, options);
      }
      const { pruneSnapshots } = await import('../../src/publishing/prune-snapshots.js');
      print(await pruneSnapshots(options.to, options.keep), pruneAsText, options);
    });
}

interface FolderOptions {
  readonly to: string;
  readonly json?: true;
  readonly deep?: true;
}

interface PublishOptions extends FolderOptions, SigningOptions {
  /** False with --no-changes. */
  readonly changes: boolean;
}

/** Either option of a channel names one. */
function isForChannel({ signingKey, channel }: SigningOptions): boolean {
  return signingKey !== undefined || channel !== undefined;
}

async function publishAsCopy(file: string, options: PublishOptions): Promise<PublishReport> {
  if (await hasChannels(options)) {
    throw new InvalidValueError(`${options.to} has channels: give --signing-key, or another folder`);
  }
  const { publishSnapshot } = await import('../publishing/publish-snapshot.js');
  return await checked(options, (check, progress) =>
    publishSnapshot(file, options.to, check, progress, { withChanges: options.changes }),
  );
}

async function publishToChannel(source: string, options: PublishOptions): Promise<ReleaseReport> {
  const { publishRelease } = await import('../publishing/publish-release.js');
  const { readCurrent } = await import('../../src/snapshots/snapshot-folder.js');
  if (readCurrent(options.to) !== undefined) {
    throw new InvalidValueError(`${options.to} has snapshots that servers follow: channels need a folder of their own`);
  }
  const key = await readSigningKey(options.signingKey);
  const { to: folder, channel = DEFAULT_CHANNEL, changes: withChanges } = options;
  return await checked(options, (check, progress) =>
    publishRelease({ source, folder, channel, key, withChanges }, check, progress),
  );
}

/** Runs `work` with the check that the options ask for. */
async function checked<T>(
  { deep }: Pick<FolderOptions, 'deep'>,
  work: (check: SnapshotCheck, progress: Progress) => Promise<T>,
): Promise<T> {
  const { checksumCheck, deepCheck } = await import('../publishing/publish-snapshot.js');
  return deep
    ? await (await import('./with-workers.js')).withWorkers((pool, progress) =>
        work(deepCheck(pool, progress), progress),
      )
    : await (await import('./with-progress.js')).withProgress((progress) => work(checksumCheck(progress), progress));
}

async function hasChannels({ to }: FolderOptions): Promise<boolean> {
  return (await import('../publishing/channel-folder.js')).hasChannels(to);
}

const exampleOf = (call: string): string => `\nExamples:\n  postal-places ${call}`;

function addFolderCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .requiredOption('--to <folder>', 'the folder of published snapshots, or of channels', parseFolder)
    .option('--json', 'report as JSON');
}

function print<T>(report: T, asText: (report: T) => string, { json }: { json?: boolean }): void {
  printReport(`${json ? JSON.stringify(report) : asText(report)}\n`);
}

function parseFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be the name of a folder.');
  return text;
}

function parseKeep(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}
