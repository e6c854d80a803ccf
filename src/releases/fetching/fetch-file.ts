/**
 * Fetches what a channel leads to. Nothing of a channel's file is used before its signature is good. A compressed file is
 * kept in a partial file until what it expands to is published: a pull that was interrupted asks for the rest. It is
 * digested and expanded in the memory of Brotli's window and a few pieces, and never expands to more bytes than are signed.
 */

import { fstatSync, ftruncateSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { syncFile, writeWhole } from '../../base/durable-files.js';
import { ChannelError } from '../channel/channel-error.js';
import {
  type ChannelFile,
  COMPRESSED_ENDING,
  channelPath,
  MAX_CHANNEL_FILE_BYTES,
  parseChannelFile,
} from '../channel/channel-file.js';
import { type PublicKey, SIGNATURE_ENDING, verifyWithMinisign } from '../channel/minisign.js';
import { type CompressedFile, expandFile, fileInPieces, isSameFile } from '../files/compressed-file.js';
import { createPartial, type PartialFile, removeStalePartials, resumePartial } from '../files/partial-file.js';
import { isPublishedFile } from '../folder/published-name.js';
import type { ChannelSource } from './channel-host.js';

export interface FetchOptions {
  readonly source: ChannelSource;
  /** What the channel must be signed with. */
  readonly key: PublicKey;
  readonly signal: AbortSignal;
  /** Told why a signature or a file is asked for again. */
  readonly onRetry?: (error: Error) => void;
  /** The number of bytes that are there of the compressed file being fetched, and its length. */
  readonly onBytes?: (bytes: number, totalBytes: number) => void;
}

/** How often, and after how many milliseconds, a signature is asked for again that is of another text than the file. */
const SIGNATURE_RETRIES = 3;
const SIGNATURE_RETRY_MS = 500;
/** How often a file with wrong bytes is fetched: a proxy or the disk may have damaged it once. */
const ATTEMPTS = 2;
/** Disk to leave free, in bytes: 64 MiB. */
const SPARE_BYTES = 64 << 20;
/** Number of digits of a digest that tell the partial files of one name apart. */
const DIGEST_DIGITS = 16;

/**
 * The channel's file, unless the source says that it still has `etag`. The file and its signature are replaced one
 * after the other, so a signature may be ahead.
 */
export async function fetchChannel(
  { source, key, signal, onRetry }: FetchOptions,
  channel: string,
  etag: string | null,
): Promise<{ file: ChannelFile; etag: string | null } | 'unchanged'> {
  const path = channelPath(channel);
  for (let attempt = 1; ; attempt++) {
    const found = await source.readText(path, MAX_CHANNEL_FILE_BYTES, etag);
    if (found === 'unchanged') return found;
    const signature = await source.readText(path + SIGNATURE_ENDING, MAX_CHANNEL_FILE_BYTES);
    try {
      verifyWithMinisign(found.text, signature === 'unchanged' ? '' : signature.text, key);
    } catch (error) {
      const named =
        error instanceof ChannelError ? new ChannelError(error.code, `${path}: ${error.found}`, error.remedy) : error;
      if (attempt > SIGNATURE_RETRIES) throw named;
      onRetry?.(named as Error);
      await wait(SIGNATURE_RETRY_MS, undefined, { signal });
      continue;
    }
    return { file: parseChannelFile(found.text, channel), etag: found.etag };
  }
}

export interface WantedFile {
  /** Of the compressed file on the host. */
  readonly path: string;
  readonly file: CompressedFile;
  /** Where the expanded file is to be. */
  readonly finalPath: string;
  /** Disk that later files of the release need, in bytes. */
  readonly reserveBytes: number;
}

/**
 * Fetches a file, expanded, into a partial file, and lets `publish` give it its name. Returns the number of bytes that
 * were fetched.
 */
export async function fetchFile(
  wanted: WantedFile,
  options: FetchOptions,
  publish: (partial: PartialFile) => Promise<void> | void,
): Promise<number> {
  const download = resumePartial(downloadName(wanted));
  let isOver = false;
  try {
    requireSpace(wanted, fstatSync(download.fd).size);
    const partial = createPartial(wanted.finalPath);
    try {
      const fetched = await fetchInto(partial.fd, download.fd, wanted, options);
      isOver = fetched === undefined;
      if (fetched === undefined) {
        const found = `${wanted.path} of ${options.source.name} has other bytes than were signed`;
        throw new ChannelError('FILE_DAMAGED', found, 'copy it to the host again, or publish the release again');
      }
      await syncFile(partial.fd);
      options.signal.throwIfAborted();
      await publish(partial);
      isOver = true;
      return fetched;
    } finally {
      partial.discard();
    }
  } finally {
    if (isOver) download.discard();
    else download.leave();
  }
}

/** Removes the partial files of killed pulls that fetching these files does not go on with. */
export function removeOtherFetches(folder: string, wanted: readonly WantedFile[]): void {
  const own = wanted.map(downloadName);
  removeStalePartials(folder, (name) => {
    return (
      isPublishedFile(name) || (name.endsWith(COMPRESSED_ENDING) && !own.some((path) => path.endsWith(`/${name}`)))
    );
  });
}

/** Of the partial file: another release under the same name has another. */
function downloadName({ finalPath, file }: WantedFile): string {
  return `${finalPath}.${file.compressed.sha256.slice(0, DIGEST_DIGITS)}${COMPRESSED_ENDING}`;
}

/** Returns the number of bytes that were fetched; undefined where they are not the file. */
async function fetchInto(
  target: number,
  download: number,
  { path, file }: WantedFile,
  { source, signal, onBytes }: FetchOptions,
): Promise<number | undefined> {
  const { bytes: length } = file.compressed;
  let fetched = 0;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (fstatSync(download).size > length) ftruncateSync(download, 0);
    let before = fstatSync(download).size;
    await source.download(path, length, download, (bytes) => {
      fetched += Math.max(0, bytes - before);
      before = bytes;
      onBytes?.(bytes, length);
    });
    const write = (piece: Uint8Array, at: number): void => writeWhole(target, piece, at);
    const expanded = await expandFile(fileInPieces(download, signal), file.bytes, write, signal);
    if (isSameFile(expanded, file)) return fetched;
    ftruncateSync(download, 0);
  }
  return undefined;
}

function requireSpace({ finalPath, file, reserveBytes }: WantedFile, bytesThere: number): void {
  const needed = file.bytes + Math.max(0, file.compressed.bytes - bytesThere) + reserveBytes + SPARE_BYTES;
  const { bavail, bsize } = statfsSync(dirname(finalPath));
  if (bavail * bsize >= needed) return;
  throw noSpace(`${dirname(finalPath)} has ${bavail * bsize} bytes free, and the release needs ${needed}`);
}

export function noSpace(found: string): ChannelError {
  return new ChannelError('NO_SPACE', found, 'make room, or keep fewer snapshots');
}
