/** The bytes of a table in UTF-8, piece by piece, from a file or from standard input. */

import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { InvalidValueError } from '../../src/base/errors.js';

/** The name of standard input as the table, and of standard output as the result. */
export const STANDARD_STREAM = '-';

/** Number of bytes of a piece: some thousand rows. */
export const PIECE_BYTES = 1 << 18;

export interface TableSource {
  readonly pieces: AsyncIterable<Buffer>;
  /** Bytes of the file; undefined for a stream. */
  readonly totalBytes: number | undefined;
  /** Bytes that were read so far. */
  readonly bytesRead: () => number;
}

/** `encoding` is a name as browsers know it; undefined for UTF-8, or UTF-16 with a byte order mark. */
export function openTable(path: string, encoding: string | undefined, stdin: Readable): TableSource {
  const info = path === STANDARD_STREAM ? undefined : statSync(path);
  const file = info?.isFile() === true ? info : undefined;
  let read = 0;
  const count = (bytes: number): void => {
    read += bytes;
  };
  return {
    pieces: decodePieces(
      () => (info ? createReadStream(path, { highWaterMark: PIECE_BYTES }) : stdin),
      encoding,
      count,
    ),
    totalBytes: file?.size,
    bytesRead: () => read,
  };
}

/** The usual name of an encoding that this Node knows. */
export function checkEncoding(encoding: string): string {
  try {
    return new TextDecoder(encoding).encoding;
  } catch {
    throw new InvalidValueError(
      `no encoding is called ${JSON.stringify(encoding)}; utf-8, windows-1252 and utf-16le are some`,
    );
  }
}

async function* decodePieces(
  open: () => AsyncIterable<Buffer>,
  encoding: string | undefined,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let isFirst = true;
  for await (const piece of open()) {
    count(piece.length);
    if (isFirst) {
      const name = encoding ?? encodingByMark(piece);
      // The byte order mark stays, for programs that read the result.
      if (name !== undefined && name !== 'utf-8') decoder = new TextDecoder(name, { ignoreBOM: true });
      isFirst = false;
    }
    yield decoder === undefined ? piece : Buffer.from(decoder.decode(piece, { stream: true }));
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield Buffer.from(rest);
}

function encodingByMark(start: Buffer): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined;
}
