/** Ends a command on a signal, or when its output can't be written: the disk is full, or the reader has closed the pipe. */
import { constants } from 'node:os';
import { endWithoutOutput } from '../reporting/printing.js';

/** Calls `cleanUp` before an interruption ends the program. */
export function onInterruption(cleanUp: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      cleanUp();
      process.exit(128 + constants.signals[signal]);
    });
  }
  process.stdout.once('error', (error) => {
    cleanUp();
    endWithoutOutput(error);
  });
  // Nobody could read a message.
  process.stderr.once('error', () => {
    cleanUp();
    process.exit(1);
  });
}
