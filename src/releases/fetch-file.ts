/**
 * Fetches what a channel leads to. Nothing of a channel's file is used before its signature is good. A compressed file
 * is digested and expanded while it comes, in the memory of Brotli's window and a few pieces, and never expands to more
 * bytes than are signed. Its bytes are kept in a partial file until what it expands to is published: a pull that was
 * interrupted digests what is there, and asks for the rest.
 */

import { createHash } from 'node:crypto';
import { fstatSync, ftruncateSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { constants, createBrotliCompress, createBrotliDecompress } from 'node:zlib';
import { syncFile } from '../base/own-file.js';
import { readPieces } from '../core/snapshot/snapshot-file.js';
import {
  ChannelError,
  type ChannelFile,
  COMPRESSED_ENDING,
  type CompressedFile,
  channelPath,
  type Digest,
  MAX_CHANNEL_FILE_BYTES,
  parseChannelFile,
} from './channel.js';
import type { ChannelSource } from './channel-source.js';
import { isPublishedFile } from './find-snapshot.js';
import { type PublicKey, SIGNATURE_ENDING, verifyText } from './minisign.js';
import { createPartial, type PartialFile, removeStalePartials, resumePartial, writeWhole } from './partial-file.js';

/*
 * Compresses a file by Brotli and expands it again, in pieces: neither takes more memory than Brotli's window and a few
 * pieces. `brotli -d` expands the same files. Compressing the world takes half a minute of one processor, expanding it
 * a few seconds.
 */

/** Brotli's quality: 6 makes the world 1 % smaller and takes twice as long, 4 makes it 6 % longer in half the time. */
const QUALITY = 5;
/** Base-2 logarithm of Brotli's window in bytes: 16 MiB, the largest that every decoder of Brotli takes. */
const WINDOW_BITS = 24;
/** Base-2 logarithm of Brotli's unit of distances, 4 bytes: most of a snapshot is arrays of 32-bit numbers. */
const DISTANCE_BITS = 2;
/** Length of the pieces that come out of Brotli, in bytes: 128 KiB; in pieces of 16 KiB, expanding takes longer. */
const CHUNK_BYTES = 128 << 10;

/** Adds up the length and the digest of what goes through. */
export class Meter {
  readonly #hash = createHash('sha256');
  bytes = 0;

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
    this.bytes += piece.length;
  }

  /** The last call. */
  digest(): Digest {
    return { bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }
}

/** The bytes of an open file. Each piece has memory of its own. Throws SnapshotError FILE_TOO_SHORT. */
export function* fileInPieces(fd: number, signal?: AbortSignal): Generator<Buffer> {
  for (const piece of readPieces(fd, [{ offset: 0, length: fstatSync(fd).size }])) {
    signal?.throwIfAborted();
    yield Buffer.from(piece);
  }
}

/** Compresses the open file `from` into the empty file `to`. Throws what node:fs throws. */
export async function compressFile(from: number, to: number): Promise<CompressedFile> {
  const [plain, compressed] = [new Meter(), new Meter()];
  const brotli = createBrotliCompress({
    chunkSize: CHUNK_BYTES,
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_NPOSTFIX]: DISTANCE_BITS,
    },
  });
  await pipeline(metered(fileInPieces(from), plain), brotli, async (pieces) => {
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      writeWhole(to, piece, compressed.bytes);
      compressed.add(piece);
    }
  });
  return { ...plain.digest(), compressed: compressed.digest() };
}

/**
 * Expands pieces into `write`, and measures both sides; undefined where the pieces are not what Brotli made, or expand to
 * more than `maxBytes`, of which no byte too many is written. Throws what `pieces` and `write` throw, and the reason of
 * `signal`, which ends it between two pieces of 128 KiB: a few bytes may expand to a gigabyte.
 */
export async function expandFile(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  write: (piece: Uint8Array, position: number) => void = () => {},
  signal?: AbortSignal,
): Promise<CompressedFile | undefined> {
  const [plain, compressed] = [new Meter(), new Meter()];
  let isLonger = false;
  try {
    await pipeline(
      metered(pieces, compressed),
      createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
      async (expanded) => {
        for await (const piece of expanded as AsyncIterable<Buffer>) {
          signal?.throwIfAborted();
          isLonger = plain.bytes + piece.length > maxBytes;
          if (isLonger) return;
          write(piece, plain.bytes);
          plain.add(piece);
        }
      },
    );
  } catch (error) {
    if (isLonger || isOfBrotli(error)) return undefined;
    throw error;
  }
  return isLonger ? undefined : { ...plain.digest(), compressed: compressed.digest() };
}

export function isSameFile(a: CompressedFile | undefined, b: CompressedFile): boolean {
  const isSame = (one: Digest, other: Digest): boolean => one.bytes === other.bytes && one.sha256 === other.sha256;
  return a !== undefined && isSame(a, b) && isSame(a.compressed, b.compressed);
}

async function* metered(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  meter: Meter,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    meter.add(piece);
    yield piece;
  }
}

/** ERR__ERROR_FORMAT_… and the like, and Z_BUF_ERROR where the bytes end too early. */
function isOfBrotli(error: unknown): boolean {
  // The reason of a signal has a number.
  const { code } = error as { readonly code?: unknown };
  return code === 'Z_BUF_ERROR' || (typeof code === 'string' && code.startsWith('ERR_'));
}

export interface FetchOptions {
  readonly source: ChannelSource;
  /** What the channel must be signed with. */
  readonly key: PublicKey;
  readonly signal: AbortSignal;
  /** Told why a signature or a file is asked for again. */
  readonly onRetry?: (error: Error) => void;
  /** The number of bytes to fetch of a file, then that of each piece. */
  readonly onTransfer?: (event: { readonly total: number } | { readonly fetched: number }) => void;
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
 * The channel's file, unless the source says that it still has `etag`. The file and its signature are replaced one after
 * the other, so a signature may be ahead. Throws ChannelError.
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
      verifyText(found.text, signature === 'unchanged' ? '' : signature.text, key);
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
 * were fetched. Throws ChannelError, what node:fs and `publish` throw, or the reason of `signal`.
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
export function removeOtherDownloads(folder: string, wanted: readonly WantedFile[]): void {
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
  { source, signal, onTransfer }: FetchOptions,
): Promise<number | undefined> {
  const { bytes } = file.compressed;
  let fetched = 0;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    if (fstatSync(download).size > bytes) ftruncateSync(download, 0);
    let { size } = fstatSync(download);
    yield* fileInPieces(download, signal);
    onTransfer?.({ total: bytes - size });
    for await (const piece of source.readInPieces(path, bytes, size)) {
      writeWhole(download, piece, size);
      size += piece.length;
      fetched += piece.length;
      onTransfer?.({ fetched: piece.length });
      yield piece;
    }
  }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const expanded = await expandFile(pieces(), file.bytes, (piece, at) => writeWhole(target, piece, at), signal);
    if (isSameFile(expanded, file)) return fetched;
    ftruncateSync(download, 0);
  }
  return undefined;
}

/** Throws ChannelError NO_SPACE if the disk has no room for the file. */
function requireSpace({ finalPath, file, reserveBytes }: WantedFile, bytesThere: number): void {
  const needed = file.bytes + Math.max(0, file.compressed.bytes - bytesThere) + reserveBytes + SPARE_BYTES;
  const { bavail, bsize } = statfsSync(dirname(finalPath));
  if (bavail * bsize >= needed) return;
  throw noSpace(`${dirname(finalPath)} has ${bavail * bsize} bytes free, and the release needs ${needed}`);
}

export function noSpace(found: string): ChannelError {
  return new ChannelError('NO_SPACE', found, 'make room, or keep fewer snapshots');
}
