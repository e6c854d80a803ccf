/**
 * Limits all connections of an HTTP server together: their number, their memory, and the time that a client takes to
 * read a response. Drains them when the server stops. client-connection.ts has the limits of a single connection,
 * docs/operations.md the cost of a client without a key.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Connection, type ConnectionListener, type Exchange } from './client-connection.js';
import { stopListening } from './node-internals.js';

export interface ConnectionLimits {
  /**
   * Maximum number of connections. One more closes the connection whose response has been unread longest or, where
   * every client reads, the connection that has been idle longest. One that had a response within RECENTLY_MS counts as
   * idle only while such connections are more than half of all. Default: 10,000.
   */
  readonly maxConnections?: number;
  /** Whether the app reads the body of this request. Default: no body is read. */
  readonly readsBody?: (request: IncomingMessage) => boolean;
}

/**
 * Maximum bytes of all unanswered requests and unread responses together: half of the memory limit of a process under
 * attack (docs/operations.md).
 */
export const MAX_HELD_BYTES = 128 << 20;
/**
 * Share of MAX_HELD_BYTES down to which connections are cut, so that not every request searches the largest ones.
 */
const HELD_SHARE_KEPT = 7 / 8;
const MAX_CONNECTIONS = 10_000;
/** Milliseconds after which a client that does not read its responses is cut off, a second more at most. */
const READING_TIMEOUT_MS = 60_000;
/** Milliseconds after which a connection with an unread response is closed first when places are short. */
const UNREAD_MS = 2_000;
/**
 * Milliseconds for which a connection is spared after a response, so that a flood of new connections closes its own and
 * not those of clients that ask again and again.
 */
const RECENTLY_MS = 1_000;
/** Milliseconds between two looks for unread responses. */
const CHECK_MS = 1_000;
const DRAIN_CHECK_MS = 50;

/**
 * Milliseconds per second of a drain in which an idle connection may still send a request, whose response then closes it.
 * Time in which the event loop was blocked does not count.
 */
const GRACE_MS_PER_SECOND = 100;

/** Why the server closed a connection, except for client errors and drains. */
export type CutReason =
  /** MAX_CONNECTIONS were open, and this one was idle longest. */
  | 'idle'
  /** It sent more requests than MAX_UNANSWERED. */
  | 'pipelined'
  /** It used most memory when all connections together were over the limit. */
  | 'memory'
  /** Its client did not read its responses for too long, or while MAX_CONNECTIONS were open. */
  | 'unread';

export interface Connections {
  openCount(): number;
  /** Approximate bytes of all unanswered requests and unread responses. */
  heldBytes(): number;
  /** Number of new connections closed at once because all others were busy or had just had a response. */
  refusedCount(): number;
  cutCounts(): Readonly<Record<CutReason, number>>;
  /** Accepts no more connections; open ones are not affected. */
  stopListening(): void;
  /**
   * Stops listening, and resolves when no connection is left, after `seconds` at the latest. Pending requests and requests
   * that still arrive are answered with `Connection: close`; a connection that is idle, or never finishes its request, is
   * closed.
   */
  drain(seconds: number): Promise<void>;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export class ServerConnections implements Connections {
  readonly #open = new Map<Duplex, Connection>();
  /** Connections without a whole request yet, the oldest first, and when each was accepted. */
  readonly #silent = new Map<Connection, number>();
  /** Connections whose requests were all answered, the longest idle first, and when each had its last response. */
  readonly #answered = new Map<Connection, number>();
  /** The connections with unread responses at the last check; the longest unread comes last. */
  #unread: Connection[] = [];
  readonly #cutCounts: Record<CutReason, number> = { idle: 0, pipelined: 0, memory: 0, unread: 0 };
  readonly #maxConnections: number;
  readonly #readsBody: (request: IncomingMessage) => boolean;
  /** The connections beyond the maximum that were accepted in this turn of the event loop. */
  readonly #newcomers: Connection[] = [];
  #refusedCount = 0;
  /** Without responses. */
  #requestBytes = 0;
  readonly #listener: ConnectionListener = {
    begin: (connection, exchange) => this.#begin(connection, exchange),
    onBusy: (connection) => this.#leaveIdle(connection),
    onIdle: (connection) => this.#answered.set(connection, performance.now()),
    onHeld: (changeBytes) => this.#hold(changeBytes),
    onOverrun: (connection) => this.#reset(connection, 'pipelined'),
    onChunkFlood: ({ socket }) => this.refuseChunks(socket),
    readsBody: (request) => this.#readsBody(request),
  };
  #isDraining = false;
  #allClosed: Promise<void> | undefined;

  /** Watches a server that does not listen yet. `answer` gets the requests of a connection one after the other. */
  constructor(
    private readonly server: Server,
    private readonly answer: Answer,
    limits: ConnectionLimits,
    private readonly refuseChunks: (socket: Socket) => void,
  ) {
    this.#maxConnections = limits.maxConnections ?? MAX_CONNECTIONS;
    this.#readsBody = limits.readsBody ?? (() => false);
    server.on('connection', (socket: Socket) => this.#accept(socket));
    const timer = setInterval(() => this.#check(), CHECK_MS).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Adds a parsed request to the line of its connection. */
  add(request: IncomingMessage, response: ServerResponse): void {
    this.#open.get(request.socket)?.add(request, response);
  }

  /** Calls `refuse` after the last pending response of the socket; never if the socket closes before. */
  refuseAfterAnswers(socket: Duplex, refuse: () => void): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || !socket.writable) socket.destroy();
    else connection.refuseAfterAnswers(refuse);
  }

  /** Takes back what Node has read behind a head at which its parser has paused. */
  unread(socket: Duplex, rest: Uint8Array): void {
    this.#open.get(socket)?.unread(rest);
  }

  openCount(): number {
    return this.#open.size;
  }

  heldBytes(): number {
    let unreadBytes = 0;
    for (const { socket } of this.#open.values()) unreadBytes += socket.writableLength;
    return this.#requestBytes + unreadBytes;
  }

  refusedCount(): number {
    return this.#refusedCount;
  }

  cutCounts(): Readonly<Record<CutReason, number>> {
    return this.#cutCounts;
  }

  stopListening(): void {
    void this.#close();
  }

  async drain(seconds: number): Promise<void> {
    this.#isDraining = true;
    const startedAt = performance.now();
    let lookedMs = 0;
    const look = (): void => {
      lookedMs += DRAIN_CHECK_MS;
      if (performance.now() - startedAt > seconds * 1_000) closeAll(this.#open.values());
      else if (lookedMs > seconds * GRACE_MS_PER_SECOND) closeAll([...this.#silent.keys(), ...this.#answered.keys()]);
    };
    // Between timers and immediates the event loop reads the requests that have arrived.
    const timer = setInterval(() => setImmediate(look), DRAIN_CHECK_MS);
    await this.#close();
    clearInterval(timer);
  }

  #close(): Promise<void> {
    this.#allClosed ??= new Promise((resolve) => stopListening(this.server, resolve));
    return this.#allClosed;
  }

  #accept(socket: Socket): void {
    const connection = new Connection(socket, this.#listener);
    this.#open.set(socket, connection);
    this.#silent.set(connection, performance.now());
    socket.once('close', () => this.#forget(connection));
    // node's own maxConnections makes a cluster hand such a connection from one worker to the next for ever.
    if (this.#open.size <= this.#maxConnections) return;
    // The event loop reads first what has arrived on other connections: they are idle only if nothing has.
    if (this.#newcomers.push(connection) === 1) setImmediate(() => this.#closeTooMany());
  }

  #closeTooMany(): void {
    const nowMs = performance.now();
    const newcomers = this.#newcomers.splice(0);
    while (this.#open.size > this.#maxConnections) {
      const unread = this.#nextUnread(nowMs);
      if (unread !== undefined) {
        this.#reset(unread, 'unread');
        continue;
      }
      // A newcomer without which there were places enough is still open, perhaps busy by now.
      const closed = this.#longestIdle(nowMs) ?? (newcomers.find(({ socket }) => this.#open.has(socket)) as Connection);
      if (newcomers.includes(closed)) this.#refusedCount++;
      else this.#cutCounts.idle++;
      closed.socket.destroy();
      this.#forget(closed);
    }
  }

  #nextUnread(nowMs: number): Connection | undefined {
    for (let unread = this.#unread.pop(); unread !== undefined; unread = this.#unread.pop()) {
      if (this.#open.has(unread.socket) && unread.unreadMs(nowMs) >= UNREAD_MS) return unread;
    }
    return undefined;
  }

  /** The newcomers are the last of those without a request. */
  #longestIdle(nowMs: number): Connection | undefined {
    const [[silent, acceptedMs] = [undefined, Number.POSITIVE_INFINITY]] = this.#silent;
    const [[answered, answeredMs] = [undefined, Number.POSITIVE_INFINITY]] = this.#answered;
    const isRecent = nowMs - answeredMs < RECENTLY_MS && this.#answered.size <= this.#maxConnections / 2;
    return isRecent || acceptedMs < answeredMs ? (silent ?? answered) : answered;
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection.socket);
    this.#leaveIdle(connection);
    connection.forget();
  }

  #leaveIdle(connection: Connection): void {
    this.#silent.delete(connection);
    this.#answered.delete(connection);
  }

  #begin(connection: Connection, { request, response }: Exchange): void {
    // Only the last response of the line closes the connection.
    if (this.#isDraining && connection.unansweredCount === 1) response.shouldKeepAlive = false;
    this.answer(request, response);
  }

  #hold(changeBytes: number): void {
    this.#requestBytes += changeBytes;
    if (changeBytes > 0 && this.#requestBytes > MAX_HELD_BYTES) this.#makeRoom();
  }

  /** Closes the connections that use most memory until the total is below the limit. */
  #makeRoom(): void {
    const byBytes = Array.from(this.#open.values(), (connection) => ({ connection, bytes: connection.heldBytes }));
    byBytes.sort((one, other) => other.bytes - one.bytes);
    let left = this.heldBytes();
    for (const { connection, bytes } of byBytes) {
      if (left <= MAX_HELD_BYTES * HELD_SHARE_KEPT) return;
      this.#reset(connection, 'memory');
      left -= bytes;
    }
  }

  #reset(connection: Connection, reason: CutReason): void {
    this.#cutCounts[reason]++;
    connection.reset();
    // At once, not at the socket's close event: otherwise more connections than needed would be closed.
    this.#forget(connection);
  }

  /** Finds unread responses, which no event reports. */
  #check(): void {
    const nowMs = performance.now();
    const unread: { readonly connection: Connection; readonly forMs: number }[] = [];
    for (const connection of this.#open.values()) {
      const forMs = connection.unreadMs(nowMs);
      if (forMs >= READING_TIMEOUT_MS) this.#reset(connection, 'unread');
      else if (forMs >= UNREAD_MS) unread.push({ connection, forMs });
    }
    unread.sort((one, other) => one.forMs - other.forMs);
    this.#unread = unread.map(({ connection }) => connection);
    if (this.heldBytes() > MAX_HELD_BYTES) this.#makeRoom();
  }
}

function closeAll(connections: Iterable<Connection>): void {
  for (const { socket } of connections) socket.destroy();
}
