/**
 * The limit of open files. Each connection is an open file. Without a free file, libuv closes a new connection without
 * an event or an error, and a worker that fails to take over a connection from the supervisor never gets another. So a
 * process accepts no more connections than its limit of open files allows. The supervisor has a connection open only
 * until a worker has taken it over: where more arrive at once than the supervisor has files for, libuv closes the rest,
 * and no line says so.
 */

import { readFileSync } from 'node:fs';
import type { Logger } from '../../base/logger.js';
import type { Connections } from '../../server/server-connections.js';
import type { ProcessSettings } from './settings.js';

/** Files that a process has open beside connections, doubled: snapshots, key store, log, a swap, and node's own. */
export const OTHER_FILES = 64;
/** Milliseconds between two log lines about closed connections, so that a flood does not fill the log. */
const SHORTAGE_LINE_MS = 3_000;

type ConnectionSettings = Pick<ProcessSettings, 'maxConnections' | 'workers'>;

/** Maximum connections of each process: its share of MAX_CONNECTIONS, or fewer if its open files don't suffice. */
export function connectionsEach({ maxConnections, workers }: ConnectionSettings): number {
  return Math.min(Math.ceil(maxConnections / workers), Math.max(1, openFileLimit() - OTHER_FILES));
}

/** Logs one line if the limit of open files is too low for MAX_CONNECTIONS. */
export function warnIfConnectionLimitTooHigh(settings: ConnectionSettings, logger: Logger): void {
  const { maxConnections, workers } = settings;
  const connections = connectionsEach(settings) * workers;
  if (connections >= maxConnections) return;
  logger.warn(
    { maxConnections, openFiles: openFileLimit(), connections },
    'the limit of open files (ulimit -n) is too low for MAX_CONNECTIONS: fewer connections are accepted',
  );
}

/**
 * Maximum number of open files of this process and of each process that it starts; infinite if unknown.
 */
function openFileLimit(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  // node has raised the soft limit to the hard one when it started.
  const [, soft] = /^Max open files +(\d+) /m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/**
 * Logs every few seconds how many connections were closed because MAX_CONNECTIONS were open, if any. Returns a function
 * that stops it.
 */
export function logConnectionLimitReached(
  logger: Logger,
  connections: Pick<Connections, 'refusedCount' | 'cutCounts' | 'openCount'>,
): () => void {
  let [toldRefused, toldIdle] = [0, 0];
  const timer = setInterval(() => {
    const refused = connections.refusedCount() - toldRefused;
    const idleCut = connections.cutCounts().idle - toldIdle;
    if (refused + idleCut === 0) return;
    toldRefused += refused;
    toldIdle += idleCut;
    logger.warn(
      { refused, idleCut, open: connections.openCount() },
      'the maximum number of connections is open: an idle one is closed for each new one or, where none is idle, the new one',
    );
  }, SHORTAGE_LINE_MS).unref();
  return () => clearInterval(timer);
}
