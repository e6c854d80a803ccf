/** The log: one JSON line for each event on standard output; on a terminal, lines for people. */
import { type Logger, pino } from 'pino';
import type { LogLevel } from '../config.js';

export async function createLogger(level: LogLevel): Promise<Logger> {
  if (!process.stdout.isTTY) return pino({ level });
  const { default: pretty } = await import('pino-pretty');
  return pino({ level }, pretty({ ignore: 'pid,hostname', sync: true }));
}
