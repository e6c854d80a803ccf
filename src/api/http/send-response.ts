/**
 * Sends a response whole, or in pieces. Whole, it costs as little as Node's HTTP can be made to take: the head and a short
 * body go as one string in one write, and the bytes of a long body from where they lie. In pieces, each leaves when the
 * client has read the one before, so a client that reads slowly takes the memory of one piece.
 */

import type { ServerResponse } from 'node:http';
import { byteLengthOf, type ResponseBody } from '../../core/answers/response-data.js';
import { BufferSink } from '../../core/snapshot/byte-string.js';
import { writeStart } from '../../server/node-internals.js';

/**
 * `headers` are a flat list of names and values, as writeStart takes them. What Node knows by itself (connection, date,
 * that HEAD and 304 have no body) stays with Node.
 */
export function send(response: ServerResponse, status: number, headers: readonly string[], body: ResponseBody): void {
  const hasBody = status !== 304;
  const bodyBytes = hasBody ? byteLengthOf(body) : undefined;
  const isSent = hasBody && response.req.method !== 'HEAD';
  if (!isSent || typeof body === 'string') {
    writeStart(response, status, bodyBytes, headers, isSent ? (body as string) : '');
    response.end();
  } else {
    writeStart(response, status, bodyBytes, headers, body.before);
    response.write(body.slice);
    response.end(body.after, 'latin1');
  }
}

/** Bytes after which a piece is sent: as much as Node keeps for a client before it says to wait. */
const PIECE_BYTES = 65_536;

/** Bytes of the Buffer of a piece, which is full before the entry that fills it ends. */
const PIECE_CAPACITY = 98_304;

/** Maximum number of Buffers that are kept for later responses: more responses than that are rarely sent at a time. */
const MAX_SPARE_PIECES = 8;

/** Maximum bytes of a Buffer that is kept: few pieces take more. */
const MAX_SPARE_CAPACITY = 262_144;

/** Making a Buffer for each response would cost ten lookups. */
const sparePieces: BufferSink[] = [];

/**
 * Sends a response in pieces, or whole with its length if it is one piece. How long a client may take to read is limited by
 * its connection (server/server-connections.ts).
 */
export class PieceSender {
  /** For the caller to add to. */
  readonly piece = sparePieces.pop() ?? new BufferSink(PIECE_CAPACITY);

  /** `headers` are a flat list of names and values, as writeStart takes them. */
  constructor(
    private readonly response: ServerResponse,
    private readonly headers: readonly string[],
  ) {}

  /** Sends the piece if it is full. Returns a promise where the client has to read it first, or to go. */
  sendFull(): Promise<void> | undefined {
    const { response, piece } = this;
    if (piece.length < PIECE_BYTES) return undefined;
    if (!response.headersSent) writeStart(response, 200, undefined, this.headers, '');
    // Uncorked at once, Node tells whether the kernel has taken it all, and the next piece can have the same Buffer.
    response.cork();
    response.write(piece.bytes);
    response.uncork();
    piece.truncate(0);
    if (response.writableLength === 0 || response.destroyed) return undefined;
    return new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go).off('close', go);
        resolve();
      };
      response.on('drain', go).on('close', go);
    });
  }

  /** Sends the rest. The piece must not be used any more. */
  end(): void {
    const { response, piece } = this;
    // The kernel has it all then.
    response.once('finish', () => keepSpare(piece));
    if (response.headersSent) response.end(piece.bytes);
    else send(response, 200, this.headers, { before: '', slice: piece.bytes, after: '' });
  }
}

function keepSpare(piece: BufferSink): void {
  if (piece.capacity > MAX_SPARE_CAPACITY || sparePieces.length === MAX_SPARE_PIECES) return;
  piece.truncate(0);
  sparePieces.push(piece);
}
