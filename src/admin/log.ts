/** The log of a process: one JSON line for each event on standard output; on a terminal, lines for people. */
import { pino } from 'pino';
import type { Logger, LogLevel } from '../logger.js';

export async function createLog(level: LogLevel): Promise<Logger> {
  const log: Logger = pino({ level }, process.stdout.isTTY ? await prettyLines() : undefined);
  return log;
}

/** The library takes a while to load. */
async function prettyLines(): Promise<NodeJS.WritableStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'pid,hostname', sync: true });
}
