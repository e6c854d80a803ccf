/** Reads ranges of a file in pieces, so that copying and digesting them needs memory for a piece. */
import type { Slice } from '../format/manifest.js';
import { readInto } from './open-file.js';

/** Maximum length of a piece, in bytes: 1 MiB, beyond which copying gets no faster. */
const PIECE_BYTES = 1 << 20;

/**
 * The ranges (offsets from the start of the file) in order. Each piece uses the memory of the one before. Throws
 * SnapshotError FILE_TOO_SHORT.
 */
export function* readPieces(fd: number, ranges: readonly Slice[]): Generator<Uint8Array> {
  const longest = ranges.reduce((most, { length }) => Math.max(most, length), 0);
  const memory = new Uint8Array(Math.min(longest, PIECE_BYTES));
  for (const { offset, length } of ranges) {
    for (let done = 0; done < length; done += memory.length) {
      const piece = memory.subarray(0, Math.min(memory.length, length - done));
      readInto(fd, offset + done, piece);
      yield piece;
    }
  }
}
