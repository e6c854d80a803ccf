/**
 * Compresses a file by Brotli and expands it again, in pieces: neither takes more memory than Brotli's window and a few
 * pieces. `brotli -d` expands the same files. Compressing the world takes half a minute of one processor, expanding it
 * a few seconds.
 */

import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createBrotliDecompress } from 'node:zlib';
import { writeWhole } from '../../base/durable-files.js';
import { readFilePieces } from '../../core/snapshot/snapshot-file.js';

/** Brotli's quality: 6 makes the world 1 % smaller and takes twice as long, 4 makes it 6 % longer in half the time. */
const QUALITY = 5;
/** Base-2 logarithm of Brotli's window in bytes: 16 MiB, the largest that every decoder of Brotli takes. */
const WINDOW_BITS = 24;
/** Base-2 logarithm of Brotli's unit of distances, 4 bytes: most of a snapshot is arrays of 32-bit numbers. */
const DISTANCE_BITS = 2;
/** Length of the pieces that come out of Brotli, in bytes: 128 KiB; in pieces of 16 KiB, expanding takes longer. */
const CHUNK_BYTES = 128 << 10;

/** Length in bytes, and SHA-256 in hexadecimal. */
export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

/** A file as it is, and as the host has it: compressed. */
export interface CompressedFile extends Digest {
  readonly compressed: Digest;
}

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

/** The bytes of an open file. Each piece has memory of its own. */
export function* fileInPieces(fd: number, signal?: AbortSignal): Generator<Buffer> {
  for (const piece of readFilePieces(fd, [{ offset: 0, length: fstatSync(fd).size }])) {
    signal?.throwIfAborted();
    yield Buffer.from(piece);
  }
}

/** Compresses the open file `from` into the empty file `to`. */
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
 * Expands pieces into `write`, and measures both sides; undefined where the pieces are not what Brotli made, or expand
 * to more than `maxBytes`, of which no byte too many is written. `signal` ends it between two pieces: a few bytes may
 * expand to a gigabyte.
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
