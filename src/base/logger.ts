/**
 * The log of a process: one JSON line for each event on standard output; on a terminal, lines for people. `npm start`
 * keeps the terminal for people, and names a file that its processes append to. No line waits for a reader:
 * log-output.ts says what becomes of lines that nobody reads.
 */

import { openSync } from 'node:fs';
import { pino } from 'pino';
import { LogOutput, openStandardOutput } from './log-output.js';

export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** From no lines at all to every line. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FILE_VARIABLE = 'POSTAL_PLACES_LOG_FILE';

/** A process has one, as it has one standard output: the first logger opens it. */
let output: LogOutput | undefined;

export async function createLogger(level: LogLevel): Promise<Logger> {
  output ??= openOutput();
  const isForPeople = process.env[LOG_FILE_VARIABLE] === undefined && process.stdout.isTTY;
  const log: Logger = pino({ level }, isForPeople ? await prettyLines(output) : output);
  return log;
}

/** The lines of this process that were dropped since its start. */
export function countDroppedLines(): number {
  return output?.droppedCount ?? 0;
}

/** Resolves once the lines of this process are written, or after a second: to be awaited before the process ends. */
export async function endLogger(): Promise<void> {
  await output?.end();
}

function openOutput(): LogOutput {
  const file = process.env[LOG_FILE_VARIABLE];
  const target = file === undefined ? openStandardOutput() : { fd: openSync(file, 'a'), neverWaits: false };
  const opened: LogOutput = new LogOutput(target, (dropped) =>
    pino({}, opened).error({ dropped }, 'lines of the log were dropped: they could not be written in time'),
  );
  return opened;
}

/** The library takes a while to load. */
async function prettyLines(lines: LogOutput): Promise<{ write(line: string): void }> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ ignore: 'pid,hostname' });
  return { write: (line) => lines.write(format(line)) };
}
