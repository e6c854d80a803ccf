/**
 * Reads a connection whose requests have bodies in chunks. Node parses all that it has read at once and calls back for
 * each chunk: 64 KiB hold 10,000 chunks of one byte, and a turn of the event loop may read 32 times as much. Here the
 * parser stops behind the head of such a request. The body stays unparsed until the app reads it, then one slice of it is
 * parsed in each turn, and a body that costs more than its bytes are worth is given up. A body that the app does not read
 * is discarded as bytes and never parsed, so nothing can follow it on its connection. Costs other connections nothing.
 */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { resumeNodeParser } from './node-internals.js';

/**
 * Bytes of an unwanted body, on the wire, that are read before its connection is closed, and of a body in chunks that the
 * app reads: clients that send one by mistake send far less.
 */
export const MAX_DISCARDED_BYTES = 1 << 20;

/**
 * Bytes that are parsed in a turn of the event loop: of chunks of one byte they take half a millisecond. Slices of few
 * chunks double up to MAX_SLICE_BYTES.
 */
const SLICE_BYTES = 4_096;
const MAX_SLICE_BYTES = 16_384;
const FEW_CHUNKS = 16;

/** Maximum number of chunks of a body, and the bytes for each of which it may have one chunk more. */
export const MAX_FREE_CHUNKS = 64;
export const BYTES_PER_CHUNK = 64;

/** Approximate bytes that Node reads ahead of what is parsed. */
export const READ_AHEAD_BYTES = 131_072;

/** Milliseconds without a byte after which a connection is closed whose body is discarded. */
export const DISCARDING_TIMEOUT_MS = 10_000;

type Mode = 'held' | 'parsed' | 'discarded';

export class SlicedReading {
  #mode: Mode = 'held';
  /** The body that the app reads, or has read. */
  #body: IncomingMessage | undefined;
  #isScheduled = false;
  /** Bytes on the wire in this mode, of one body. */
  #wireBytes = 0;
  #bodyBytes = 0;
  #chunkCount = 0;
  #isFirstOfSlice = true;
  #sliceBytes = SLICE_BYTES;
  #isCounting = false;
  /** The body that is read has too many chunks, or too many bytes on the wire. Called once. */
  #onFault = (): void => {};
  #onTooMany = (): void => {};

  constructor(private readonly socket: Socket) {
    // From now on the socket keeps what it reads until `read`, which hands it to Node's parser as the socket's data.
    socket.on('readable', () => this.#schedule());
    // Node's own listener comes first and lets its parser go on.
    socket.on('drain', () => this.#schedule());
  }

  get isDiscarding(): boolean {
    return this.#mode === 'discarded';
  }

  /** The app has paused the body, perhaps because it refuses it: Node would keep each chunk of it. */
  get #isPaused(): boolean {
    return this.#body?.isPaused() === true && !this.#body.complete;
  }

  /** The head of a request with a body in chunks was parsed: nothing behind it is for now. */
  hold(): void {
    this.#mode = 'held';
    this.#sliceBytes = SLICE_BYTES;
  }

  /** Takes back what was read behind the head of the request. */
  unread(rest: Uint8Array): void {
    if (this.#mode !== 'discarded' && rest.length > 0) this.socket.unshift(rest);
  }

  /**
   * The app reads `body`, which is parsed as long as it is not paused. Where `onFault` is called, the caller has to refuse
   * the request and to discard the rest.
   */
  parse(body: IncomingMessage, onFault: () => void): void {
    this.#mode = 'parsed';
    this.#body = body;
    body.on('resume', () => this.#schedule());
    this.#onFault = onFault;
    this.#isCounting = true;
    this.#wireBytes = this.#bodyBytes = this.#chunkCount = 0;
    resumeNodeParser(this.socket);
    this.#schedule();
  }

  /**
   * Counts a piece of the body. The first of each slice is no chunk of its own: it may be the rest of one, and a client
   * whose chunks come one by one is slow and does no harm.
   */
  count(bytes: number): void {
    this.#bodyBytes += bytes;
    if (this.#isFirstOfSlice) this.#isFirstOfSlice = false;
    else this.#chunkCount++;
    if (this.#chunkCount > MAX_FREE_CHUNKS + this.#bodyBytes / BYTES_PER_CHUNK) this.#fail();
  }

  /** The body is complete; requests behind it are parsed in slices too. */
  endBody(): void {
    this.#isCounting = false;
  }

  /** Parses nothing any more. Calls `onTooMany` once MAX_DISCARDED_BYTES were discarded, and reads no more then. */
  discard(onTooMany: () => void): void {
    if (this.isDiscarding) return;
    this.#mode = 'discarded';
    this.#isCounting = false;
    this.#wireBytes = 0;
    this.#onTooMany = onTooMany;
    // That of Node's parser.
    this.socket.removeAllListeners('data');
    // Node then destroys the socket: the client may neither send more nor leave, and nothing else would end it.
    this.socket.setTimeout(DISCARDING_TIMEOUT_MS);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#mode === 'held') return;
    this.#isScheduled = true;
    setImmediate(() => this.#readSlice());
  }

  #readSlice(): void {
    this.#isScheduled = false;
    const { socket } = this;
    if (socket.destroyed || this.#mode === 'held' || this.#wireBytes > MAX_DISCARDED_BYTES) return;
    // Node's parser may have paused until the client reads its responses, and must be given nothing then.
    if (!this.isDiscarding && (socket.writableNeedDrain || this.#isPaused)) return;
    const available = socket.readableLength;
    const bytes = this.isDiscarding ? available : Math.min(available, this.#sliceBytes);
    if (this.isDiscarding || this.#isCounting) this.#wireBytes += bytes;
    this.#isFirstOfSlice = true;
    const chunksBefore = this.#chunkCount;
    // Of nothing, where it tells the end of the connection.
    socket.read(bytes);
    const hasFew = this.#chunkCount - chunksBefore <= FEW_CHUNKS;
    this.#sliceBytes = hasFew ? Math.min(2 * this.#sliceBytes, MAX_SLICE_BYTES) : SLICE_BYTES;
    if (this.#wireBytes > MAX_DISCARDED_BYTES) {
      if (this.isDiscarding) this.#onTooMany();
      else if (this.#isCounting) this.#fail();
    } else if (socket.readableLength > 0) this.#schedule();
  }

  #fail(): void {
    if (!this.#isCounting) return;
    this.#isCounting = false;
    this.#onFault();
  }
}
