/**
 * Ends a command on a signal, when its output can't be written (the disk is full, or the reader has closed the pipe), or
 * with the program that forked it. Partial files go before it ends.
 */

import { constants } from 'node:os';
import { isPackagedBuild } from '../../src/releases/packaged/build-packaged.js';
import { endWithoutOutput } from '../reporting/printing.js';

/** Calls `cleanUp` before a signal ends the program. Returns what undoes that. */
export function onInterruptionSignal(cleanUp: () => void): () => void {
  const undoings = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => {
    const end = (): void => {
      cleanUp();
      process.exit(128 + constants.signals[signal]);
    };
    process.once(signal, end);
    return () => void process.off(signal, end);
  });
  return () => {
    for (const undo of undoings) undo();
  };
}

/** Calls `cleanUp` before an interruption ends the program. */
export function onInterruption(cleanUp: () => void): void {
  onInterruptionSignal(cleanUp);
  if (isPackagedBuild()) endWithParent(cleanUp);
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

/** A forked command ends with the program that forked it: nobody else wants its result. */
function endWithParent(cleanUp: () => void): void {
  const end = (): void => {
    cleanUp();
    process.exit(1);
  };
  if (!process.connected) end();
  process.once('disconnect', end);
  // The command ends when its work is done.
  process.channel?.unref();
}
