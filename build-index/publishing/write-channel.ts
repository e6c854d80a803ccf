/** Writes signed files into a folder of channels: a release once, a channel at every change. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { advance, type ChannelFile, encodeChannelFile, stepBack } from '../../src/channels/channel-file.js';
import { readChannel, readRelease } from '../../src/channels/channel-folder.js';
import { CHANNELS, channelPath, releasePath } from '../../src/channels/channel-paths.js';
import { SIGNATURE_ENDING, type SigningKey, signText, verifyText } from '../../src/channels/minisign.js';
import { encodeReleaseFile, isPublishedRelease, type ReleaseFile } from '../../src/channels/release-file.js';
import { syncPath } from '../../src/platform/sync-path.js';
import { withFolderLocked } from '../../src/publishing/folder-lock.js';
import { PublishingError } from '../../src/publishing/publishing-error.js';
import { replaceFile } from '../../src/publishing/replace-file.js';

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

/** Makes a channel name a release of the folder. Throws ChannelError, PublishingError, or what node:fs throws. */
export async function nameRelease(
  folder: string,
  channel: string,
  release: string,
  key: SigningKey,
): Promise<ChannelReport> {
  return await withFolderLocked(folder, () => {
    finishBegun(folder, channel, key);
    requireRelease(folder, release, key);
    const before = readChannel(folder, channel, key);
    if (before?.release === release) return reportOf(before, false);
    return writeChannel(folder, advance(before, channel, release), key);
  });
}

/**
 * Makes the channel `to` name the release that `from` names: a channel, or a release itself. Throws as nameRelease.
 */
export async function promote(folder: string, from: string, to: string, key: SigningKey): Promise<ChannelReport> {
  const release = isPublishedRelease(from) ? from : readChannel(folder, from, key)?.release;
  if (release === undefined) throw unknown(`${folder} has no channel ${from}`);
  return await nameRelease(folder, to, release, key);
}

/** Makes a channel name the release before, with a new sequence number. Throws as nameRelease. */
export async function rollBackChannel(folder: string, channel: string, key: SigningKey): Promise<ChannelReport> {
  return await withFolderLocked(folder, () => {
    finishBegun(folder, channel, key);
    const before = readChannel(folder, channel, key);
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

/** Writes a release's file, whose parts are there. */
export async function writeRelease(folder: string, file: ReleaseFile, key: SigningKey): Promise<void> {
  const [path, text] = [releasePath(file.name), encodeReleaseFile(file)];
  await withFolderLocked(folder, () => replaceBoth(join(folder, path), text, signed(path, text, key)));
}

function requireRelease(folder: string, release: string, key: SigningKey): void {
  if (readRelease(folder, release, key) === undefined) throw unknown(`${folder} has no release ${release}`);
}

/**
 * Replaces a channel's two files. A kill between them would leave a signature of another text, which nobody may sign
 * again: so both texts stand in a third file until both are replaced, and the next change finishes what was begun.
 */
function writeChannel(folder: string, file: ChannelFile, key: SigningKey): ChannelReport {
  const path = join(folder, channelPath(file.channel));
  const [text, signature] = [encodeChannelFile(file), signed(channelPath(file.channel), encodeChannelFile(file), key)];
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(begunPath(folder, file.channel), JSON.stringify({ text, signature }));
  replaceBoth(path, text, signature);
  rmSync(begunPath(folder, file.channel));
  return reportOf(file, true);
}

/** Finishes a change of the channel that was interrupted. */
function finishBegun(folder: string, channel: string, key: SigningKey): void {
  const begun = begunPath(folder, channel);
  if (!existsSync(begun)) return;
  const { text, signature } = JSON.parse(readFileSync(begun, 'utf8')) as Record<'text' | 'signature', string>;
  verifyText(text, signature, key);
  replaceBoth(join(folder, channelPath(channel)), text, signature);
  rmSync(begun);
}

function begunPath(folder: string, channel: string): string {
  return join(folder, CHANNELS, `.${channel}.begun`);
}

function reportOf({ channel, release, sequence, earlier }: ChannelFile, changed: boolean): ChannelReport {
  return { channel, release, sequence, previous: earlier.at(-1) ?? null, changed };
}

function signed(path: string, text: string, key: SigningKey): string {
  return signText(text, key, `timestamp:${Math.floor(Date.now() / 1000)}\tfile:${path}\thashed`);
}

/** The signature comes first: whoever finds the text finds its signature. */
function replaceBoth(path: string, text: string, signature: string): void {
  replaceFile(path + SIGNATURE_ENDING, signature);
  replaceFile(path, text);
  syncPath(dirname(path));
}

function unknown(found: string): PublishingError {
  return new PublishingError('NOT_PUBLISHED', found, 'postal-places publish --parts puts releases there');
}
