/**
 * Open files. Every connection is one, and a process may have only so many. libuv closes a connection that comes when
 * no file is left, without an event or an error; and a worker that can't take a connection over from the first process
 * gets none after it, for good. So a process never takes more connections than it has files for.
 */
import { readFileSync } from 'node:fs';
import type { Logger } from '../logger.js';
import type { Connections } from '../server/connections.js';
import type { ProcessSettings } from './process-settings.js';

/** Files that a process has open beside connections, doubled: snapshots, key store, log, a swap, and node's own. */
export const OTHER_FILES = 64;
/** Milliseconds between two log lines about closed connections, so that a flood does not fill the log. */
const SHORTAGE_LINE_MS = 3_000;

type ConnectionSettings = Pick<ProcessSettings, 'maxConnections' | 'workers'>;

/** How many connections each process takes: its part of MAX_CONNECTIONS, or what its open files allow. */
export function connectionsEach({ maxConnections, workers }: ConnectionSettings, openFiles = openFileLimit()): number {
  return Math.min(Math.ceil(maxConnections / workers), Math.max(1, openFiles - OTHER_FILES));
}

/** Logs one line where open files do not allow for MAX_CONNECTIONS. */
export function warnOfFewFiles(settings: ConnectionSettings, logger: Logger, openFiles = openFileLimit()): void {
  const { maxConnections, workers } = settings;
  const connections = connectionsEach(settings, openFiles) * workers;
  if (connections >= maxConnections) return;
  logger.warn(
    { maxConnections, openFiles, connections },
    'a process may not have enough open files for MAX_CONNECTIONS (ulimit -n): no more connections than that are taken',
  );
}

/**
 * How many files this process, and each process that it starts, may have open; infinite where the system does not say.
 */
function openFileLimit(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  // node has raised the soft limit to the hard one when it started.
  const [, soft] = /^Max open files +(\d+) /m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/**
 * Logs every few seconds how many connections were closed for want of places, where any were. The function that it
 * returns ends that.
 */
export function tellShortage(
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
      'as many connections are open as may be: idle ones are closed for new ones, and where none is idle, new ones',
    );
  }, SHORTAGE_LINE_MS).unref();
  return () => clearInterval(timer);
}
