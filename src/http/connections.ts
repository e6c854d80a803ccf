/**
 * The connections of an HTTP server: how many there may be, how long a peer may take to read its answer, and how they
 * end when the server is told to stop.
 */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ConnectionLimits {
  /** More than that are closed at once. */
  readonly maxConnections: number;
  /** After that, and up to five seconds, a peer that has not read its answer is cut off. Default: a minute. */
  readonly readingTimeoutMs?: number;
}

const READING_TIMEOUT_MS = 60_000;

const CHECK_MS = 5_000;
const DRAIN_CHECK_MS = 50;

/** What a drain allows: milliseconds. */
export interface DrainLimits {
  /**
   * How long an idle connection may still bring a request, whose answer then closes it. Time for which this process
   * stood still does not count.
   */
  readonly graceMs: number;
  /** When everything that is left is cut off. */
  readonly limitMs: number;
}

export interface Connections {
  openCount(): number;
  /** How many were closed because there were too many. */
  refusedCount(): number;
  /** Takes no more connections; those that are there go on as they did. */
  stopListening(): void;
  /**
   * Stops listening, and resolves when no connection is left. Requests under way and those that arrive meanwhile are
   * answered, with `Connection: close`; a connection that says nothing, or never finishes its request, is cut off.
   */
  drain(limits: DrainLimits): Promise<void>;
}

/** Watches over the connections of a server that does not listen yet. */
export function watchConnections(
  server: Server,
  { maxConnections, readingTimeoutMs = READING_TIMEOUT_MS }: ConnectionLimits,
): Connections {
  const sockets = new Set<Socket>();
  let refusedCount = 0;
  server.on('connection', (socket) => {
    // node's own maxConnections makes a cluster hand such a connection from one worker to the next for ever.
    if (sockets.size >= maxConnections) {
      refusedCount++;
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  cutSlowReaders(server, sockets, readingTimeoutMs);
  let allClosed: Promise<void> | undefined;
  // The close of http's own servers would cut idle connections at once, with requests that are on their way.
  const stopListening = (): Promise<void> => {
    allClosed ??= new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    return allClosed;
  };
  return {
    openCount: () => sockets.size,
    refusedCount: () => refusedCount,
    stopListening: () => void stopListening(),
    drain: (limits) => drain(server, sockets, limits, stopListening),
  };
}

/** Cuts off peers that do not read the answer they asked for, as long as the server listens. */
function cutSlowReaders(server: Server, sockets: ReadonlySet<Socket>, readingTimeoutMs: number): void {
  let answering = new Map<unknown, number>();
  const timer = setInterval(
    () => {
      const nowMs = performance.now();
      const still = new Map<unknown, number>();
      for (const socket of sockets) {
        const answer = answerOf(socket);
        if (!answer) continue;
        const sinceMs = answering.get(answer) ?? nowMs;
        if (nowMs - sinceMs > readingTimeoutMs) socket.destroy();
        else still.set(answer, sinceMs);
      }
      answering = still;
    },
    Math.min(CHECK_MS, readingTimeoutMs),
  ).unref();
  server.once('close', () => clearInterval(timer));
}

async function drain(
  server: Server,
  sockets: ReadonlySet<Socket>,
  { graceMs, limitMs }: DrainLimits,
  stopListening: () => Promise<void>,
): Promise<void> {
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false;
  });
  const startedAt = performance.now();
  let lookedMs = 0;
  const look = (): void => {
    lookedMs += DRAIN_CHECK_MS;
    const isOver = performance.now() - startedAt > limitMs;
    for (const socket of sockets) {
      const isIdle = !isAnswering(socket) && socket.writableLength === 0;
      if (isOver || (lookedMs > graceMs && isIdle)) socket.destroy();
    }
  };
  // The event loop reads what has arrived between its timers and its immediates.
  const timer = setInterval(() => setImmediate(look), DRAIN_CHECK_MS);
  await stopListening();
  clearInterval(timer);
}

/**
 * Whether an earlier, pipelined request on this socket is still owed its answer. A refusal written now would be taken
 * for that answer, or land in the middle of it.
 */
export function isAnswering(socket: Duplex): boolean {
  return Boolean(answerOf(socket));
}

/** The answer that a socket is to send next. node's own handler of client errors looks at the same field. */
function answerOf(socket: Duplex): ServerResponse | null | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage;
}
