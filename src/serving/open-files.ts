/**
 * Open files, of which every connection is one, and of which a process may have only so many. A connection that comes when
 * none is left is closed by libuv without an event or an error; and a worker that can't take one over from the process
 * that accepted it gets none after it, for good. So a process never takes as many connections as that.
 */
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Connections } from '../http/connections.js';

/** What a process has open beside connections: snapshots, key store, log, what a swap needs, node's own; twice that. */
export const OTHER_FILES = 64;
const SHORTAGE_LINE_MS = 3_000;

type Places = Pick<Config, 'maxConnections' | 'workers'>;

/** How many connections each process takes: its part of MAX_CONNECTIONS, or what its open files allow. */
export function connectionsEach({ maxConnections, workers }: Places, openFiles = openFileLimit()): number {
  return Math.min(Math.ceil(maxConnections / workers), Math.max(1, openFiles - OTHER_FILES));
}

/** Says so where open files do not allow for MAX_CONNECTIONS. */
export function warnOfFewFiles(config: Places, logger: Logger, openFiles = openFileLimit()): void {
  const { maxConnections, workers } = config;
  const connections = connectionsEach(config, openFiles) * workers;
  if (connections >= maxConnections) return;
  logger.warn(
    { maxConnections, openFiles, connections },
    'a process may not have enough open files for MAX_CONNECTIONS (ulimit -n): no more connections than that are taken',
  );
}

/** How many files this process, and each that it starts, may have open; infinite where the system does not say. */
function openFileLimit(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  // node has raised the soft limit to the hard one when it started.
  const [, soft] = /^Max open files +(\d+) /m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Says every few seconds, where places ran out, what that cost since; returns what ends this. */
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
