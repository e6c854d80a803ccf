/**
 * Writes signed files into a folder of channels: a release once, a channel at every change. Each is two files, the text
 * and its signature. A kill between them would leave a signature of another text, which nobody may sign again: so both
 * stand in a third file until both are replaced, and the next change finishes what was begun.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { advance, type ChannelFile, encodeChannelFile, stepBack } from '../../src/channels/channel-file.js';
import { readChannel, readRelease } from '../../src/channels/channel-folder.js';
import { channelPath, releasePath } from '../../src/channels/channel-paths.js';
import { SIGNATURE_ENDING, type SigningKey, signText, verifyText } from '../../src/channels/minisign.js';
import { encodeReleaseFile, isPublishedRelease, type ReleaseFile } from '../../src/channels/release-file.js';
import { syncPath } from '../../src/platform/sync-path.js';
import { withFolderLocked } from '../../src/publishing/folder-lock.js';
import { PublishingError } from '../../src/publishing/publishing-error.js';
import { type ReplaceOptions, replaceFile } from '../../src/publishing/replace-file.js';
import { withPartsLocked } from './publisher-lock.js';

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

/**
 * Makes a channel name a release of the folder. Only for withPartsLocked, so that `prune` does not remove the release
 * meanwhile. Throws ChannelError, PublishingError, or what node:fs throws.
 */
export async function nameRelease(
  folder: string,
  channel: string,
  release: string,
  key: SigningKey,
): Promise<ChannelReport> {
  return await withFolderLocked(folder, () => nameLocked(folder, channel, release, key));
}

function nameLocked(folder: string, channel: string, release: string, key: SigningKey): ChannelReport {
  requireRelease(folder, release, key);
  const before = currentChannel(folder, channel, key);
  if (before?.release === release) return reportOf(before, false);
  return writeChannel(folder, advance(before, channel, release), key);
}

/**
 * Makes the channel `to` name the release that `from` names: a channel, or a release itself. Throws as nameRelease.
 */
export async function promote(folder: string, from: string, to: string, key: SigningKey): Promise<ChannelReport> {
  return await withChannelsLocked(folder, () => {
    const release = isPublishedRelease(from) ? from : currentChannel(folder, from, key)?.release;
    if (release === undefined) throw unknown(`${folder} has no channel ${from}`);
    return nameLocked(folder, to, release, key);
  });
}

/** Makes a channel name the release before, with a new sequence number. Throws as nameRelease. */
export async function rollBackChannel(folder: string, channel: string, key: SigningKey): Promise<ChannelReport> {
  return await withChannelsLocked(folder, () => {
    const before = currentChannel(folder, channel, key);
    if (before === undefined) throw unknown(`${folder} has no channel ${channel}`);
    const after = stepBack(before);
    if (after === undefined) {
      throw new PublishingError(
        'NOTHING_BEFORE',
        `the channel ${channel} named nothing before ${before.release}`,
        'promote the release that is to be served',
      );
    }
    requireRelease(folder, after.release, key);
    return writeChannel(folder, after, key);
  });
}

/** The release of that name that the folder has; undefined if it has none. Throws as nameRelease. */
export async function publishedRelease(
  folder: string,
  name: string,
  key: SigningKey,
): Promise<ReleaseFile | undefined> {
  return await withFolderLocked(folder, () => {
    finishBegun(folder, releasePath(name), key);
    return readRelease(folder, name, key);
  });
}

/** What the channel names; undefined where the folder has no such channel. Throws as nameRelease. */
export async function publishedChannel(
  folder: string,
  channel: string,
  key: SigningKey,
): Promise<ChannelFile | undefined> {
  return await withFolderLocked(folder, () => currentChannel(folder, channel, key));
}

/** Writes a release's file, whose parts are there, unless it is there already. Throws as nameRelease. */
export async function writeRelease(folder: string, release: ReleaseFile, key: SigningKey): Promise<void> {
  const path = releasePath(release.name);
  await withFolderLocked(folder, () => {
    finishBegun(folder, path, key);
    const before = readRelease(folder, release.name, key);
    const text = encodeReleaseFile(release);
    if (before === undefined || encodeReleaseFile(before) !== text) writeSigned(folder, path, text, key);
  });
}

/** While neither `prune` nor another change of a channel runs. */
async function withChannelsLocked<T>(folder: string, work: () => T): Promise<T> {
  return await withPartsLocked(folder, 'shared', () => withFolderLocked(folder, work));
}

function requireRelease(folder: string, release: string, key: SigningKey): void {
  if (readRelease(folder, release, key) === undefined) throw unknown(`${folder} has no release ${release}`);
}

function currentChannel(folder: string, channel: string, key: SigningKey): ChannelFile | undefined {
  finishBegun(folder, channelPath(channel), key);
  return readChannel(folder, channel, key);
}

/**
 * The time of change of a channel's files is its sequence number: hosts make ETags of time in seconds and length, and
 * rsync compares those alone, so that two changes in one second would be the same to them.
 */
function writeChannel(folder: string, file: ChannelFile, key: SigningKey): ChannelReport {
  const options = { modifiedSeconds: file.sequence };
  writeSigned(folder, channelPath(file.channel), encodeChannelFile(file), key, options);
  return reportOf(file, true);
}

/** A signed change that is under way, as it stands in the third file. */
interface Begun {
  readonly text: string;
  readonly signature: string;
  readonly options: ReplaceOptions;
}

function writeSigned(folder: string, path: string, text: string, key: SigningKey, options: ReplaceOptions = {}): void {
  const comment = `timestamp:${Math.floor(Date.now() / 1000)}\tfile:${path}\thashed`;
  const signature = signText(text, key, comment);
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  const begun: Begun = { text, signature, options };
  replaceFile(begunPath(folder, path), JSON.stringify(begun));
  // Its name must be durable before either file is replaced.
  syncPath(dirname(begunPath(folder, path)));
  finish(folder, path, begun);
}

/** Finishes a change of a signed file that was interrupted. */
function finishBegun(folder: string, path: string, key: SigningKey): void {
  if (!existsSync(begunPath(folder, path))) return;
  const begun = JSON.parse(readFileSync(begunPath(folder, path), 'utf8')) as Begun;
  verifyText(begun.text, begun.signature, key);
  finish(folder, path, begun);
}

/** Replaces both files. The signature comes first: whoever finds the text finds its signature. */
function finish(folder: string, path: string, { text, signature, options }: Begun): void {
  replaceFile(join(folder, path + SIGNATURE_ENDING), signature, options);
  replaceFile(join(folder, path), text, options);
  syncPath(dirname(join(folder, path)));
  rmSync(begunPath(folder, path));
}

/** "channels/.stable.begun" for "channels/stable.json". */
function begunPath(folder: string, path: string): string {
  return join(folder, dirname(path), `.${basename(path, '.json')}.begun`);
}

function reportOf({ channel, release, sequence, earlier }: ChannelFile, changed: boolean): ChannelReport {
  return { channel, release, sequence, previous: earlier.at(-1) ?? null, changed };
}

function unknown(found: string): PublishingError {
  return new PublishingError('NOT_PUBLISHED', found, 'postal-places publish --parts puts releases there');
}
