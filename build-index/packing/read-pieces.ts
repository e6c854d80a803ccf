/** Reads a range of a file in pieces, so that copying a slice needs memory for a piece. */
import { readInto } from '../../src/store/open-file.js';

/** Maximum length of a piece, in bytes: 1 MiB, beyond which copying gets no faster. */
const PIECE_BYTES = 1 << 20;

/** The pieces of the range, in order. Each uses the memory of the one before. Throws SnapshotError FILE_TOO_SHORT. */
export function* readPieces(fd: number, offset: number, length: number): Generator<Uint8Array> {
  const memory = new Uint8Array(Math.min(length, PIECE_BYTES));
  for (let done = 0; done < length; done += memory.length) {
    const piece = memory.subarray(0, Math.min(memory.length, length - done));
    readInto(fd, offset + done, piece);
    yield piece;
  }
}
