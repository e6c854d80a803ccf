/**
 * One client's connection and the requests on it that have no answer yet, in the order in which they came. node parses
 * everything that it has read before the first of these requests is answered: 64 KiB may hold 2,500 of them. Here one
 * request at a time is being answered and the others wait in line, so a turn of the event loop starts at most one
 * request of each connection. The line is short and its bytes are counted; a client that sends more loses its
 * connection, and nothing that was parsed from it is looked at any more.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { MAX_DISCARDED_BYTES, READ_AHEAD_BYTES, SlicedReading } from './chunked-body.js';
import { pauseNodeParserAt, stopNodeParser } from './node-internals.js';

/** Maximum number of unanswered requests of one connection. Browsers send one at a time, few clients send more. */
export const MAX_UNANSWERED = 16;

/**
 * Bytes that node keeps for a request beside its text, and for each string of its headers: measured, and rounded up.
 */
const REQUEST_BYTES = 4_096;
const STRING_BYTES = 32;

const EXPECTS_CONTINUE = /^100-continue$/i;

/** Bytes that a client must read within READING_TIMEOUT_MS to count as reading: the slowest modem reads more. */
const MIN_READ_BYTES = 65_536;

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Approximate memory of the request, and of what the app has read of its body, until it is answered. */
  bytes: number;
  /** Whether the app waits for the body of the request. */
  readonly readsBody: boolean;
}

/** The events of a connection, for ServerConnections (server-connections.ts). */
export interface ConnectionListener {
  /** Answers the request; it is the only one of its connection that is being answered. */
  begin(connection: Connection, exchange: Exchange): void;
  /** The first request of an empty line came. */
  onBusy(connection: Connection): void;
  /** The last response was sent. */
  onIdle(connection: Connection): void;
  /** The unanswered requests of the connection take more memory, or less. */
  onHeld(changeBytes: number): void;
  /** The client sent more than MAX_UNANSWERED requests. */
  onOverrun(connection: Connection): void;
  /** A body that the app reads has more chunks than its bytes are worth (chunked-body.ts): it has to be refused. */
  onChunkFlood(connection: Connection): void;
  /** Whether the app reads the body of this request. */
  readsBody(request: IncomingMessage): boolean;
}

export class Connection {
  /** The first is being answered, the others wait. */
  readonly #line: Exchange[] = [];
  /** The same listener for all responses, which are sent one after the other. */
  readonly #onFinish = (): void => this.#next();
  #heldBytes = 0;
  /** The request that came last, answered or not; undefined where it gets a refusal as its response. */
  #latest: IncomingMessage | undefined;
  #refuse: (() => void) | undefined;
  /** From the first request with a body in chunks on. */
  #sliced: SlicedReading | undefined;
  /** Since when there has always been unread data, and the bytes that the client had read by then. */
  #unread: { readonly sinceMs: number; readonly readBytes: number } | undefined;

  constructor(
    readonly socket: Socket,
    private readonly listener: ConnectionListener,
  ) {
    pauseNodeParserAt(socket, isChunked);
  }

  get unansweredCount(): number {
    return this.#line.length;
  }

  /** Bytes of unanswered requests and of the unread response. */
  get heldBytes(): number {
    return this.#heldBytes + this.socket.writableLength;
  }

  /** Takes a request that node has parsed. */
  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.socket.destroyed || this.#refuse !== undefined || this.#sliced?.isDiscarding) return;
    if (this.#line.length === MAX_UNANSWERED) {
      this.listener.onOverrun(this);
      return;
    }
    this.#latest = request;
    const readsBody = hasBody(request) && this.listener.readsBody(request);
    const exchange = { request, response, bytes: bytesOf(request), readsBody };
    this.#line.push(exchange);
    this.#hold(exchange.bytes);
    // onHeld may have closed this connection to free memory.
    if (this.socket.destroyed) return;
    response.on('finish', this.#onFinish);
    if (isChunked(request)) this.#holdChunks();
    if (readsBody) this.#watchBody(exchange);
    else if (hasBody(request)) this.#discardBody(exchange);
    if (this.#line.length > 1) return;
    if (readsBody) this.#onBusyAfterBody(exchange);
    else this.listener.onBusy(this);
    this.listener.begin(this, exchange);
  }

  /** Takes back what Node has read behind a head at which its parser has paused. */
  unread(rest: Uint8Array): void {
    this.#sliced?.unread(rest);
  }

  /** Refuses bytes that Node can't parse, after the pending responses. */
  refuseAfterAnswers(refuse: () => void): void {
    if (this.#refuse !== undefined) return;
    this.#refuse = refuse;
    const last = this.#line.at(-1);
    if (last?.readsBody && !last.request.complete && !last.response.headersSent) {
      // The rest of its body will not come, and the app would wait for it for ever: the refusal is its response.
      this.#line.pop();
      this.#latest = undefined;
      this.#hold(-last.bytes);
    }
    if (this.#line.length === 0) this.#refuseNow(refuse);
  }

  /**
   * Milliseconds for which the client has read less than MIN_READ_BYTES of available responses, as observed by earlier
   * calls; 0 if nothing is unread.
   */
  unreadMs(nowMs: number): number {
    const { writableLength, bytesWritten } = this.socket;
    if (writableLength === 0) {
      this.#unread = undefined;
      return 0;
    }
    const readBytes = bytesWritten - writableLength;
    if (this.#unread === undefined || readBytes - this.#unread.readBytes >= MIN_READ_BYTES) {
      this.#unread = { sinceMs: nowMs, readBytes };
    }
    return nowMs - this.#unread.sinceMs;
  }

  /** Resets the connection; the kernel drops unread data too. */
  reset(): void {
    this.socket.resetAndDestroy();
    stopNodeParser(this.socket);
  }

  /** The socket has closed: drops the pending requests. */
  forget(): void {
    this.#line.length = 0;
    this.#hold(-this.#heldBytes);
  }

  #next(): void {
    const done = this.#line.shift();
    // The connection was closed in the meantime.
    if (done === undefined) return;
    this.#hold(-done.bytes);
    if (this.#line.length > 0) setImmediate(() => this.#beginNext());
    else if (this.#refuse !== undefined) this.#refuseNow(this.#refuse);
    else this.listener.onIdle(this);
  }

  /** A connection counts as idle until the body is complete, so that a client that never sends it can be closed. */
  #onBusyAfterBody(exchange: Exchange): void {
    exchange.request.once('end', () => {
      if (this.#line[0] === exchange) this.listener.onBusy(this);
    });
  }

  /** Nothing behind the head is parsed until the app reads the body. */
  #holdChunks(): void {
    const { socket } = this;
    if (this.#sliced === undefined) {
      const sliced = new SlicedReading(socket);
      this.#sliced = sliced;
      // Node calls it behind a response that closes the connection. Unread bytes would make of it a reset, with which a
      // client that still sends its body may lose the response.
      socket.destroySoon = () => {
        if (sliced.isDiscarding) socket.end();
        else Socket.prototype.destroySoon.call(socket);
      };
    }
    this.#sliced.hold();
  }

  /** Counts a body as the app reads it. A client that expects `100 Continue` waits for it before it sends the body. */
  #watchBody(exchange: Exchange): void {
    const { request, response } = exchange;
    const sliced = isChunked(request) ? this.#sliced : undefined;
    request.once('resume', () => {
      if (response.headersSent) return;
      if (EXPECTS_CONTINUE.test(request.headers.expect ?? '')) response.writeContinue();
      sliced?.parse(request, () => this.#refuseChunks(exchange));
      request.on('data', (chunk: Buffer) => {
        if (this.#line[0] !== exchange) return;
        // The Buffer into which the app copies it has up to twice the bytes.
        const bytes = 2 * chunk.length;
        exchange.bytes += bytes;
        this.#hold(bytes);
        sliced?.count(chunk.length);
      });
      request.once('end', () => sliced?.endBody());
    });
    // Before Node's own listener, which would read the rest without limit.
    response.prependOnceListener('finish', () => {
      if (!request.complete) this.#discardBody(exchange);
    });
  }

  #refuseChunks({ request, response }: Exchange): void {
    // For the app its client has gone: the slice may hold the end of the body.
    request.push = () => true;
    request.emit('close');
    this.#discardChunks(request, response);
    this.listener.onChunkFlood(this);
  }

  /**
   * Discards a body that the app does not read: Node would keep it until the response, and then read it without limit.
   */
  #discardBody({ request, response }: Exchange): void {
    if (isChunked(request)) {
      this.#discardChunks(request, response);
      return;
    }
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_DISCARDED_BYTES) return;
      request.pause();
      this.#resetAfter(response);
    });
    takeCare(request);
  }

  /** Discards a body in chunks, and closes the connection behind the response: where the body ends is not looked for. */
  #discardChunks(request: IncomingMessage, response: ServerResponse): void {
    if (!response.headersSent) response.shouldKeepAlive = false;
    else if (response.writableFinished) this.socket.end();
    takeCare(request);
    this.#sliced?.discard(() => this.#resetAfter(response));
  }

  #resetAfter(response: ServerResponse): void {
    if (response.writableFinished || this.socket.writableEnded) this.reset();
    else response.once('finish', () => this.reset());
  }

  #refuseNow(refuse: () => void): void {
    // No refusal after a response that closes the connection, or for the body of an answered request.
    if (this.socket.writable && this.#latest?.complete !== false) refuse();
    else this.socket.destroy();
  }

  #beginNext(): void {
    const [next] = this.#line;
    // After a response that closes the connection there is no other.
    if (next !== undefined && this.socket.writable) this.listener.begin(this, next);
  }

  #hold(changeBytes: number): void {
    this.#heldBytes += changeBytes;
    this.listener.onHeld(changeBytes);
  }
}

function bytesOf(request: IncomingMessage): number {
  const { url = '', rawHeaders } = request;
  let bytes = REQUEST_BYTES + url.length + STRING_BYTES * rawHeaders.length;
  if (isChunked(request)) bytes += READ_AHEAD_BYTES;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}

/** Lets a body flow into nothing. */
function takeCare(request: IncomingMessage): void {
  // The first read tells Node that the body is taken care of.
  request.read(0);
  request.resume();
}
