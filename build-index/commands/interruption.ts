/** Ends a command on a signal, or when the reader of its output has closed the pipe. */
import { constants } from 'node:os';

/** Calls `cleanUp` before an interruption ends the program. */
export function onInterruption(cleanUp: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      cleanUp();
      process.exit(128 + constants.signals[signal]);
    });
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.once('error', () => {
      cleanUp();
      process.exit(1);
    });
  }
}
