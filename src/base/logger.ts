/** The logger of a process, and what makes it. */

import { openSync, writeSync } from 'node:fs';
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
  const target = file === undefined ? undefined : fileLines(file);
  const log: Logger = pino({ level }, target ?? (process.stdout.isTTY ? await prettyLines() : undefined));
  return log;
}

/** A file that can't be written, as on a full disk, is told of once, and ends nothing. */
function fileLines(path: string): pino.DestinationStream {
  const fd = openSync(path, 'a');
  let isTold = false;
  return {
    write(line) {
      try {
        writeSync(fd, line);
      } catch (error) {
        if (!isTold) process.stderr.write(`postal-places: the log ${path} has gaps: ${(error as Error).message}\n`);
        isTold = true;
      }
    },
  };
}

/** The library takes a while to load. */
async function prettyLines(): Promise<NodeJS.WritableStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'pid,hostname', sync: true });
}
