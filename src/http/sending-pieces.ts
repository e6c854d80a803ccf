/**
 * Sends a response in pieces, each when the client has read the one before, so that a client that reads slowly takes the
 * memory of one piece. A response that is one piece is sent whole, with its length. How long a client may take to read is
 * limited by its connection (connections.ts).
 */
import type { ServerResponse } from 'node:http';
import { writeStart } from '../server/node-internals.js';
import type { ByteString } from '../store/byte-string.js';
import { send } from './sending.js';

/** Bytes after which a piece is sent: as much as Node keeps for a client before it says to wait. */
const PIECE_BYTES = 65_536;

export class PieceSender {
  #text: ByteString = '';

  /** `headers` are a flat list of names and values, as writeStart takes them. */
  constructor(
    private readonly response: ServerResponse,
    private readonly headers: readonly string[],
  ) {}

  /** Adds to the piece; true where it should be sent. */
  add(text: ByteString): boolean {
    this.#text += text;
    return this.#text.length >= PIECE_BYTES;
  }

  /** Sends the piece if it is full. Resolves when the client has read it, or has gone. */
  async sendFull(): Promise<void> {
    const { response } = this;
    if (this.#text.length < PIECE_BYTES) return;
    if (!response.headersSent) writeStart(response, 200, undefined, this.headers, '');
    const isTaken = response.write(this.#text, 'latin1');
    this.#text = '';
    if (isTaken || response.destroyed) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go).off('close', go);
        resolve();
      };
      response.on('drain', go).on('close', go);
    });
  }

  /** Sends the rest. */
  end(text: ByteString): void {
    if (this.response.headersSent) this.response.end(this.#text + text, 'latin1');
    else send(this.response, 200, this.headers, this.#text + text);
  }
}
