/** The logger of a process, and what makes it. */

import { pino } from 'pino';

export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** From no lines at all to every line. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/*
 * The log of a process: one JSON line for each event on standard output; on a terminal, lines for people. `npm start`
 * keeps the terminal for people, and names a file that its processes append to.
 */

export const LOG_FILE_VARIABLE = 'POSTAL_PLACES_LOG_FILE';

export async function createLog(level: LogLevel): Promise<Logger> {
  const file = process.env[LOG_FILE_VARIABLE];
  const target = file === undefined ? undefined : pino.destination({ dest: file, sync: true });
  const log: Logger = pino({ level }, target ?? (process.stdout.isTTY ? await prettyLines() : undefined));
  return log;
}

/** The library takes a while to load. */
async function prettyLines(): Promise<NodeJS.WritableStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'pid,hostname', sync: true });
}
