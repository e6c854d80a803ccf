/**
 * A folder of channels on the publisher's machine (src/releases/channel/channel-file.ts has its layout): reads and
 * changes the channels. A channel is two files, the text and its signature. A kill between their changes would leave a
 * signature of another text, which nobody may sign again: so both stand in a third file until both are replaced, and
 * the next change finishes what was begun.
 */

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeDurable, replaceFile } from '../../src/base/durable-files.js';
import { makeFolder } from '../../src/base/make-folder.js';
import { ChannelError } from '../../src/releases/channel/channel-error.js';
import {
  advanceChannelFile,
  CHANNELS,
  type ChannelFile,
  channelPath,
  encodeChannelFile,
  isChannelName,
  isChannelReleaseName,
  parseChannelFile,
  type Release,
  releasesInChannelFile,
  snapshotPath,
  stepBackChannelFile,
} from '../../src/releases/channel/channel-file.js';
import {
  type PublicKey,
  SIGNATURE_ENDING,
  type SigningKey,
  signWithMinisign,
  verifyWithMinisign,
} from '../../src/releases/channel/minisign.js';
import { withFolderLocked, withLockAtOnce } from '../../src/releases/folder/folder-lock.js';
import { PublishingError } from '../../src/releases/folder/publishing-error.js';

const LOCK_FILE = '.releases.lock';

export interface ChannelReport {
  readonly channel: string;
  /** The name of the release that the channel names now. */
  readonly release: string;
  readonly sequence: number;
  /** The name of the release that `rollback` would go to; null for none. */
  readonly previous: string | null;
  /** False where the channel named the release already; then nothing was written. */
  readonly changed: boolean;
}

/** Whether `publish --signing-key` fills the folder. */
export function isChannelFolder(folder: string): boolean {
  return statSync(join(folder, CHANNELS), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The channels, by name, whoever signed them: for what lists releases and removes files that no channel names. */
export function readChannels(folder: string): ChannelFile[] {
  return readdirSync(join(folder, CHANNELS))
    .sort()
    .flatMap((file) => {
      const [, name = ''] = /^(.+)\.json$/.exec(file) ?? [];
      if (!isChannelName(name)) return [];
      return [parseChannelFile(readFileSync(join(folder, channelPath(name)), 'utf8'), name)];
    });
}

/**
 * Runs `work` under a lock of the folder: publishers share it while they write files that no channel names yet, and
 * changes of a channel while it is not yet known which release the channel names. `prune`, which removes such files, has
 * it alone. Throws PublishingError FOLDER_LOCKED at once, or what `work` and node:fs throw.
 */
export async function withChannelFolderLocked<T>(
  folder: string,
  kind: 'shared' | 'exclusive',
  work: () => Promise<T>,
): Promise<T> {
  const held = (): Error => {
    const other = kind === 'shared' ? 'prune removes releases' : 'another process publishes or prunes';
    return new PublishingError('FOLDER_LOCKED', `${other} in ${folder}`, 'try again when it has ended');
  };
  return await withLockAtOnce(folder, LOCK_FILE, kind, held, work);
}

/**
 * Every channel of the folder, with the signature of this key, after finishing what was begun. A signature that is
 * missing, or of another key, is an error: nobody signs again what somebody else has changed.
 */
export async function readSignedChannels(folder: string, key: PublicKey): Promise<ChannelFile[]> {
  return await withFolderLocked(folder, () => {
    const begun = readdirSync(join(folder, CHANNELS)).flatMap((name) => /^\.(.+)\.begun$/.exec(name)?.[1] ?? []);
    for (const channel of begun) finishBegun(folder, channel, key);
    return readChannels(folder).map(({ channel }) => currentChannel(folder, channel, key) as ChannelFile);
  });
}

/**
 * Makes a channel name a release of the folder. Only for withChannelFolderLocked, so that `prune` does not remove the
 * release meanwhile.
 */
export async function nameChannelRelease(
  folder: string,
  channel: string,
  release: Release,
  key: SigningKey,
): Promise<ChannelReport> {
  return await withFolderLocked(folder, () => nameLocked(folder, channel, release, key));
}

function nameLocked(folder: string, channel: string, release: Release, key: SigningKey): ChannelReport {
  requireRelease(folder, release);
  const before = currentChannel(folder, channel, key);
  if (before !== undefined && JSON.stringify(before.release) === JSON.stringify(release))
    return reportOf(before, false);
  return writeChannel(folder, advanceChannelFile(before, channel, release), key);
}

/**
 * Makes the channel `to` name the release that `from` names: a channel, or the name of a release that a channel
 * describes.
 */
export async function promoteChannel(
  folder: string,
  from: string,
  to: string,
  key: SigningKey,
): Promise<ChannelReport> {
  return await withChannelFolderLocked(folder, 'shared', async () => {
    const channels = await readSignedChannels(folder, key);
    const release = isChannelReleaseName(from)
      ? channels.flatMap(releasesInChannelFile).findLast(({ name }) => name === from)
      : channels.find(({ channel }) => channel === from)?.release;
    if (release === undefined)
      throw unknown(`${folder} has no ${isChannelReleaseName(from) ? 'release' : 'channel'} ${from}`);
    return await nameChannelRelease(folder, to, release, key);
  });
}

/** Makes a channel name the release before, with a new sequence number. */
export async function rollBackChannel(folder: string, channel: string, key: SigningKey): Promise<ChannelReport> {
  return await withChannelFolderLocked(folder, 'shared', () =>
    withFolderLocked(folder, () => {
      const before = currentChannel(folder, channel, key);
      if (before === undefined) throw unknown(`${folder} has no channel ${channel}`);
      const after = stepBackChannelFile(before);
      if (after === undefined) {
        throw new PublishingError(
          'NOTHING_BEFORE',
          `the channel ${channel} named nothing before ${before.release.name}`,
          'promote the release that is to be served',
        );
      }
      requireRelease(folder, after.release);
      return writeChannel(folder, after, key);
    }),
  );
}

function requireRelease(folder: string, { name }: Release): void {
  if (!existsSync(join(folder, snapshotPath(name)))) throw unknown(`${folder} has no release ${name}`);
}

function unknown(found: string): PublishingError {
  return new PublishingError('NOT_PUBLISHED', found, 'postal-places publish --signing-key puts releases there');
}

/** Undefined if there is no such channel. Only for withFolderLocked. */
function currentChannel(folder: string, channel: string, key: PublicKey): ChannelFile | undefined {
  finishBegun(folder, channel, key);
  const path = channelPath(channel);
  if (!existsSync(join(folder, path))) return undefined;
  const text = readFileSync(join(folder, path), 'utf8');
  if (!existsSync(join(folder, path + SIGNATURE_ENDING))) {
    const remedy = 'copy its .minisig file back, or remove it';
    throw new ChannelError('SIGNATURE_MISSING', `${path} has no signature`, remedy);
  }
  try {
    verifyWithMinisign(text, readFileSync(join(folder, path + SIGNATURE_ENDING), 'utf8'), key);
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    throw new ChannelError(
      error.code,
      `${path}: ${error.found}`,
      'sign with the key that signed it; to change the key, remove channels from the folder, publish again, and give the new .pub file to every machine',
    );
  }
  return parseChannelFile(text, channel);
}

/** A signed change that is under way, as it stands in the third file. */
interface Begun {
  readonly text: string;
  readonly signature: string;
  /** The time of change of both files, see writeChannel. */
  readonly modifiedSeconds: number;
}

/**
 * The time of change of a channel's files is its sequence number: hosts make ETags of time in seconds and length, and
 * rsync compares those alone, so that two changes in one second would be the same to them.
 */
function writeChannel(folder: string, file: ChannelFile, key: SigningKey): ChannelReport {
  const text = encodeChannelFile(file);
  const comment = `timestamp:${Math.floor(Date.now() / 1000)}\tfile:${channelPath(file.channel)}\thashed`;
  const begun: Begun = { text, signature: signWithMinisign(text, key, comment), modifiedSeconds: file.sequence };
  makeFolder(join(folder, CHANNELS));
  replaceFile(begunPath(folder, file.channel), JSON.stringify(begun));
  // Its name must be durable before either file is replaced.
  makeDurable(join(folder, CHANNELS));
  finish(folder, file.channel, begun);
  return reportOf(file, true);
}

/** Finishes a change of a channel that was interrupted. */
function finishBegun(folder: string, channel: string, key: PublicKey): void {
  const path = begunPath(folder, channel);
  if (!existsSync(path)) return;
  const begun = JSON.parse(readFileSync(path, 'utf8')) as Begun;
  verifyWithMinisign(begun.text, begun.signature, key);
  finish(folder, channel, begun);
}

/** Replaces both files. The signature comes first: whoever finds the text finds its signature. */
function finish(folder: string, channel: string, { text, signature, modifiedSeconds }: Begun): void {
  const path = join(folder, channelPath(channel));
  replaceFile(path + SIGNATURE_ENDING, signature, { modifiedSeconds });
  replaceFile(path, text, { modifiedSeconds });
  makeDurable(join(folder, CHANNELS));
  rmSync(begunPath(folder, channel));
}

function begunPath(folder: string, channel: string): string {
  return join(folder, CHANNELS, `.${channel}.begun`);
}

function reportOf({ channel, release, sequence, earlier }: ChannelFile, changed: boolean): ChannelReport {
  return { channel, release: release.name, sequence, previous: earlier.at(-1)?.name ?? null, changed };
}

export function isReleaseInChannelFolder(folder: string, { name, snapshot }: Release): boolean {
  return statSync(join(folder, snapshotPath(name)), { throwIfNoEntry: false })?.size === snapshot.compressed.bytes;
}
