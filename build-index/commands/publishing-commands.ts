/** `publish`, `list`, `rollback` and `prune`: the folder of published snapshots, or of channels and their releases. */

import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { InvalidValueError } from '../../src/base/errors.js';
import { CHANGE_KINDS, CODE_CHANGE_KINDS, CODE_CHANGE_WORDS } from '../../src/core/snapshot/release-changes.js';
import { nameFile } from '../../src/core/snapshot/snapshot-error.js';
import { DEFAULT_CHANNEL, isChannelName } from '../../src/releases/channel/channel-file.js';
import type { SigningKey } from '../../src/releases/channel/minisign.js';
import type { KeptReason, PruneReport } from '../../src/releases/folder/prune-snapshots.js';
import type { ListedSnapshot } from '../../src/releases/folder/published-folder.js';
import type { ChannelReport } from '../publishing/channel-folder.js';
import type { ListedRelease, PruneReleasesReport, ReleaseReport } from '../publishing/publish-release.js';
import type { PublishReport, RollbackReport, SnapshotCheck } from '../publishing/publish-snapshot.js';
import { formatBytes, formatCount, formatNumberOf, printReport, renderTable } from '../reporting/printing.js';
import type { Progress } from '../reporting/progress.js';
import { writeNewFile } from '../writing/output-file.js';

/* `promote` and `signing-key`: the channels of a folder of releases, and the keys that sign them. */

export interface SigningOptions {
  /** DEFAULT_CHANNEL where it is not given. */
  readonly channel?: string;
  readonly signingKey?: string;
}

/** --channel and --signing-key. */
export function addSigningOptions(command: Command): Command {
  return command
    .option('--channel <name>', `the channel that followers read (default: "${DEFAULT_CHANNEL}")`, parseChannel)
    .option('--signing-key <file>', 'the secret key of signing-key create, or of minisign without a password');
}

/** Refuses the options of a channel for a folder of snapshots, which has none. Throws InvalidValueError. */
export function refuseSigning({ channel, signingKey }: SigningOptions, remedy: string): void {
  if (signingKey !== undefined) throw new InvalidValueError(`--signing-key signs a channel: ${remedy}`);
  if (channel !== undefined) throw new InvalidValueError(`--channel names a channel: ${remedy}`);
}

export function parseChannel(text: string): string {
  if (!isChannelName(text)) {
    throw new InvalidArgumentError('It must be a to z, 0 to 9 and "-", at most 31, a letter first.');
  }
  return text;
}

/** Throws InvalidValueError, ChannelError, or what node:fs throws. */
export async function readSigningKey(path: string | undefined): Promise<SigningKey> {
  if (path === undefined) {
    throw new InvalidValueError('--signing-key is missing; postal-places signing-key create makes one');
  }
  const { parseSigningKey } = await import('../../src/releases/channel/minisign.js');
  return parseSigningKey(readFileSync(path, 'utf8'), path);
}

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

const ABOUT_KEYS = `
Keep the secret key where only the publisher reads it. Every machine that pulls needs the public key. The files are
those of minisign, which verifies what is signed: minisign -V -p places.key.pub -m channels/stable.json
`;
const EXAMPLES = `
Examples:
  postal-places signing-key create --out places.key`;

export function addSigningKeyCommand(program: Command): void {
  const command = program.command('signing-key').addHelpText('after', EXAMPLES);
  command
    .command('create')
    .description('write a new secret key, and its public key beside it with .pub at the end of its name')
    .requiredOption('--out <file>', 'where the secret key goes; it must not be there yet')
    .option('--json', 'report as JSON')
    .addHelpText('after', `${ABOUT_KEYS}${EXAMPLES}`)
    .action(async ({ out, json }: { out: string; json?: true }) => {
      const { createKeyFiles, parsePublicKey } = await import('../../src/releases/channel/minisign.js');
      const files = createKeyFiles();
      writeNewFile(out, files.secret, 0o600);
      writeNewFile(`${out}.pub`, files.public, 0o644);
      const report = { id: parsePublicKey(files.public).id, secretKey: out, publicKey: `${out}.pub` };
      const text = `key ${report.id}: ${out} signs, ${out}.pub verifies`;
      printReport(`${json ? JSON.stringify(report) : text}\n`);
    });
}

export function addPublishingCommands(program: Command): void {
  const publish = addFolderCommand(program, 'publish', 'put a copy of a snapshot in service, checked by its checksums')
    .argument('<file>')
    .option('--deep', 'check what look-ups rely on as well, as verify does')
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
      const { listSnapshots } = await import('../../src/releases/folder/published-folder.js');
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
      const { rollBack } = await import('../publishing/publish-snapshot.js');
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
      const { pruneSnapshots } = await import('../../src/releases/folder/prune-snapshots.js');
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
  const { readCurrent } = await import('../../src/releases/folder/published-folder.js');
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
    ? await (await import('./long-running.js')).withWorkers((pool, progress) =>
        work(deepCheck(pool, progress), progress),
      )
    : await (await import('./long-running.js')).withProgress((progress) => work(checksumCheck(progress), progress));
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

/* The reports for people; --json prints the same figures for programs. */

function publishAsText({ name, bytes, copied, previous, changes }: PublishReport): string {
  const how = copied ? 'copied' : 'was there already';
  return `${name}: in service, ${formatBytes(bytes)}, ${how}; ${before(previous)}${changesAsText(changes)}`;
}

function changesAsText(changes: PublishReport['changes']): string {
  if (changes === null) return '';
  if ('problem' in changes) return `\nno list of changes: ${changes.problem}`;
  const counts = CHANGE_KINDS.map((kind) => `${formatCount(changes[kind])} ${kind}`);
  const fullCodes = CODE_CHANGE_KINDS.filter((kind) => changes[kind] > 0).map(
    (kind) => `${formatCount(changes[kind])} full codes ${CODE_CHANGE_WORDS[kind]}`,
  );
  return `\n${changes.name}: since ${changes.since} ${[...counts, ...fullCodes].join(', ')}`;
}

function rollbackAsText({ name, bytes, rolledBack, previous }: RollbackReport): string {
  return `${name}: in service, ${formatBytes(bytes)}, instead of ${rolledBack}; ${before(previous)}`;
}

function before(previous: string | null): string {
  return previous === null ? 'nothing before it' : `rollback would go to ${previous}`;
}

function listAsText(snapshots: readonly ListedSnapshot[]): string {
  if (snapshots.length === 0) return 'no snapshots';
  const rows = snapshots.map(({ name, bytes, publishedAt, current, previous }) => {
    return [name, formatBytes(bytes), publishedAt, current ? 'current' : previous ? 'previous' : ''];
  });
  return renderTable(['snapshot', 'size', 'published', ''], rows);
}

const WHY_KEPT: Record<KeptReason, string> = {
  current: 'kept: in service',
  newest: 'kept: one of the newest',
  open: 'kept: a process has it open',
  unlockable: 'kept: it cannot be locked, so a process may have it open',
};

function pruneAsText({ kept, removed, partialsRemoved, bytesFreed }: PruneReport): string {
  const rows = [
    ...kept.map(({ name, bytes, reason }) => [name, formatBytes(bytes), WHY_KEPT[reason]]),
    ...removed.map(({ name, bytes }) => [name, formatBytes(bytes), 'removed']),
  ];
  const partials = partialsRemoved === 0 ? '' : `, and ${formatNumberOf(partialsRemoved, 'partial file')}`;
  return [
    ...(rows.length === 0 ? [] : [renderTable(['snapshot', 'size', ''], rows), '']),
    `removed ${formatNumberOf(removed.length, 'snapshot')}${partials}: ${formatBytes(bytesFreed)} freed`,
  ].join('\n');
}

function channelAsText({ channel, release, sequence, previous, changed }: ChannelReport): string {
  const state = changed ? `names ${release}, sequence number ${sequence}` : `named ${release} already`;
  return `${channel}: ${state}; ${before(previous)}`;
}

function releaseAsText(report: ReleaseReport): string {
  const { bytes, transferBytes, changesTransferBytes, bytesWritten } = report;
  const changes =
    changesTransferBytes === null ? '' : `, and a list of changes of ${formatBytes(changesTransferBytes)}`;
  return [
    channelAsText(report),
    `${formatBytes(bytes)}, compressed ${formatBytes(transferBytes)}${changes}; wrote ${formatBytes(bytesWritten)}`,
  ].join('\n');
}

function releasesAsText(releases: readonly ListedRelease[]): string {
  if (releases.length === 0) return 'no releases';
  const rows = releases.map(({ name, bytes, transferBytes, publishedAt, channels }) => [
    name,
    formatBytes(bytes),
    formatBytes(transferBytes),
    publishedAt,
    channels.join(' '),
  ]);
  return renderTable(['release', 'size', 'compressed', 'published', 'channels'], rows);
}

function pruneReleasesAsText({ kept, removed, bytesFreed }: PruneReleasesReport): string {
  return [
    releasesAsText(kept),
    '',
    `removed ${formatNumberOf(removed.length, 'release')}: ${formatBytes(bytesFreed)} freed`,
  ].join('\n');
}
