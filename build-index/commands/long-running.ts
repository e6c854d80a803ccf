/** Commands that take long: with their progress, with worker threads, and with an end by Ctrl-C. */

import { constants } from 'node:os';
import { isOwnCommand } from '../../src/releases/packaged/build-packaged.js';
import type { Pool } from '../pool/pool.js';
import { endWithoutOutput } from '../reporting/printing.js';
import { createProgress, type Progress } from '../reporting/progress.js';
import { createBuilderPool } from '../tasks/builder-pool.js';

/* Ends a command on a signal, or when its output can't be written: the disk is full, or the reader has closed the pipe. */

/** Calls `cleanUp` before a signal ends the program. Returns what undoes that. */
export function onSignal(cleanUp: () => void): () => void {
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
  onSignal(cleanUp);
  if (isOwnCommand()) endWithParent(cleanUp);
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

/* Runs long commands with a progress display and a clean end on interruption. */

/** Runs `work`, and closes the display when it succeeds or fails. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = createProgress();
  // An interruption ends the program with process.exit, which also removes partial files.
  onInterruption(() => progress.stop());
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

/** Runs `work`; when it succeeds or fails, ends the threads and closes the display. */
export async function withWorkers<T>(work: (pool: Pool, progress: Progress) => Promise<T>): Promise<T> {
  return await withProgress(async (progress) => {
    const pool = createBuilderPool();
    try {
      return await work(pool, progress);
    } finally {
      await pool.close();
    }
  });
}
