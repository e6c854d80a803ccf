/** Reads parts of a snapshot file, compresses them, and writes expanded parts into a file. */
import { createHash, hash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextRound } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliDecompress } from 'node:zlib';
import { writeWhole } from '../publishing/write-whole.js';
import { readInto } from '../store/open-file.js';
import { readPieces } from '../store/read-pieces.js';
import { BlockDecoder, encodeBlocks } from './block-filter.js';
import { lengthOf, type Range } from './snapshot-parts.js';

const compress = promisify(brotliCompress);

/** Brotli's quality: 9 makes the parts of the world 2 % smaller and takes 3.7 times as long. */
const QUALITY = 5;
/**
 * Base-2 logarithm of Brotli's window in bytes, 1 MiB: with 4 MiB the parts of the world get 0.3 % smaller, and a pull
 * needs 20 MB more memory, because each connection expands with a window of its own.
 */
const WINDOW_BITS = 20;

/** Length of the pieces that come out of Brotli, in bytes: 128 KiB; in pieces of 16 KiB, expanding takes longer. */
const EXPANDED_CHUNK_BYTES = 128 << 10;

/** Reads the ranges of an open file one after the other into memory. Throws SnapshotError FILE_TOO_SHORT. */
export function readRanges(fd: number, ranges: readonly Range[]): Buffer {
  const bytes = Buffer.allocUnsafe(lengthOf(ranges));
  let done = 0;
  for (const { offset, length } of ranges) {
    readInto(fd, offset, bytes.subarray(done, done + length));
    done += length;
  }
  return bytes;
}

export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** On a thread of libuv, so several at once use several processors. */
export async function compressPart(bytes: Buffer): Promise<Buffer> {
  const blocks = encodeBlocks(bytes);
  return await compress(blocks, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: blocks.length,
    },
  });
}

/** The digest of what the ranges of an open file have, hexadecimal. Throws SnapshotError FILE_TOO_SHORT. */
export function sha256OfRanges(fd: number, ranges: readonly Range[]): string {
  const digest = createHash('sha256');
  for (const piece of readPieces(fd, ranges)) digest.update(piece);
  return digest.digest('hex');
}

/** The digest of a whole file, hexadecimal. Other work goes on between the pieces. */
export async function sha256OfFile(fd: number, signal?: AbortSignal): Promise<string> {
  const digest = createHash('sha256');
  for (const piece of readPieces(fd, [{ offset: 0, length: fstatSync(fd).size }])) {
    digest.update(piece);
    await nextRound(undefined, signal === undefined ? {} : { signal });
  }
  return digest.digest('hex');
}

/** Takes the bytes of a part in pieces. `write` returns false where there is no room for all bytes. */
interface PartTarget {
  write(bytes: Uint8Array): boolean;
  readonly isFull: boolean;
}

/** Writes bytes that come in pieces into the ranges of an open file, one range after the other. */
export class RangeWriter implements PartTarget {
  readonly #ranges: Range[];
  #done = 0;

  constructor(
    private readonly fd: number,
    ranges: readonly Range[],
  ) {
    this.#ranges = [...ranges];
  }

  /** Returns false where the ranges have no room for all bytes. */
  write(bytes: Uint8Array): boolean {
    for (let taken = 0; taken < bytes.length; ) {
      const [range] = this.#ranges;
      if (range === undefined) return false;
      const piece = bytes.subarray(taken, taken + range.length - this.#done);
      writeWhole(this.fd, piece, range.offset + this.#done);
      taken += piece.length;
      this.#done += piece.length;
      if (this.#done < range.length) continue;
      this.#ranges.shift();
      this.#done = 0;
    }
    return true;
  }

  /** Whether all ranges are full. */
  get isFull(): boolean {
    return this.#ranges.length === 0;
  }
}

/**
 * Expands the pieces of a part's file into `writer`. Returns the digest of what came out, hexadecimal; undefined where
 * the bytes are no part, or expand to more or less than the writer has room for. Throws what node:fs and `pieces` throw.
 */
export async function expandPart(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  writer: PartTarget,
): Promise<string | undefined> {
  const digest = createHash('sha256');
  const blocks = new BlockDecoder();
  const take = (block: Buffer | undefined): boolean => {
    if (block === undefined) return false;
    digest.update(block);
    return writer.write(block);
  };
  let isPart = true;
  try {
    await pipeline(pieces, createBrotliDecompress({ chunkSize: EXPANDED_CHUNK_BYTES }), async (expanded) => {
      for await (const chunk of expanded as AsyncIterable<Buffer>) {
        for (const block of blocks.push(chunk)) isPart &&= take(block);
        if (!isPart) break;
      }
    });
  } catch (error) {
    if (!isPart || isOfBrotli(error)) return undefined;
    throw error;
  }
  return isPart && take(blocks.end()) && writer.isFull ? digest.digest('hex') : undefined;
}

/** ERR__ERROR_FORMAT_… and the like, and Z_BUF_ERROR where the bytes end too early. */
function isOfBrotli(error: unknown): boolean {
  // The reason of a signal has a number.
  const { code } = error as { readonly code?: unknown };
  return code === 'Z_BUF_ERROR' || (typeof code === 'string' && code.startsWith('ERR_'));
}
