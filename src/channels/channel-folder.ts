/** Reads the files of releases and channels in a folder on this machine, as their publisher does. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ChannelError } from './channel-error.js';
import { type ChannelFile, parseChannelFile } from './channel-file.js';
import { isChannelName } from './channel-name.js';
import { CHANNELS, channelPath, RELEASES, releasePath } from './channel-paths.js';
import { type PublicKey, SIGNATURE_ENDING, verifyText } from './minisign.js';
import { isPublishedRelease, parseReleaseFile, type ReleaseFile } from './release-file.js';

/** Whether the folder is one that `publish --parts` fills. */
export function hasChannels(folder: string): boolean {
  return statSync(join(folder, CHANNELS), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The names of the channels, ascending. Throws what node:fs throws. */
export function listChannels(folder: string): string[] {
  return namesIn(join(folder, CHANNELS)).filter(isChannelName);
}

/** The names of the releases, ascending. Throws what node:fs throws. */
export function listReleases(folder: string): string[] {
  return namesIn(join(folder, RELEASES)).filter(isPublishedRelease);
}

/**
 * A channel of the folder; undefined if it has none of that name. Throws ChannelError, or what node:fs throws. A
 * signature that is missing, or of another key, is an error: nobody signs again what somebody else has changed.
 */
export function readChannel(folder: string, name: string, key: PublicKey): ChannelFile | undefined {
  const text = readSigned(folder, channelPath(name), key);
  return text === undefined ? undefined : parseChannelFile(text, name);
}

/** The same for a release. */
export function readRelease(folder: string, name: string, key: PublicKey): ReleaseFile | undefined {
  const text = readSigned(folder, releasePath(name), key);
  return text === undefined ? undefined : parseReleaseFile(text, name);
}

/** The releases as they stand there, whoever signed them: for what removes files that none of them names. */
export function readUnverified(folder: string, name: string): ReleaseFile {
  return parseReleaseFile(readFileSync(join(folder, releasePath(name)), 'utf8'), name);
}

function readSigned(folder: string, path: string, key: PublicKey): string | undefined {
  const text = readIfThere(join(folder, path));
  if (text === undefined) return undefined;
  const signature = readIfThere(join(folder, path + SIGNATURE_ENDING));
  if (signature === undefined) {
    throw new ChannelError(
      'SIGNATURE_MISSING',
      `${path} has no signature`,
      'copy its .minisig file back, or remove it',
    );
  }
  try {
    verifyText(text, signature, key);
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    throw new ChannelError(
      error.code,
      `${path}: ${error.found}`,
      'sign with the key that signed it; to change the key, remove releases and channels from the folder, publish again, and give the new .pub file to every machine',
    );
  }
  return text;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  const ending = '.json';
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}
