/**
 * The lifecycle of the server and of the site: start, signals and stop. A failed start prints one line.
 */

import { describeStartError } from '../../base/errors.js';
import { exitCodeOf } from '../../base/exit-code.js';
import { endLogger } from '../../base/logger.js';

/** A running server or site. */
export interface Runnable {
  /** Looks for another snapshot now. */
  reload(): Promise<void>;
  /** Stops listening and drains requests. */
  close(): Promise<void>;
}

/** Stands before every line of standard error. */
const PROGRAM = 'postal-places';

/**
 * Milliseconds after a signal in which a further signal counts as the same one: Ctrl-C reaches npm and this process,
 * and npm forwards it; service managers do the same with SIGTERM. Only a later Ctrl-C ends the process at once.
 */
const SAME_SIGNAL_MS = 1_000;

/**
 * Serves until SIGTERM, SIGINT or one of `ends`, looks for another snapshot on SIGHUP, and resolves once `start` has, with
 * undefined where it rejects. A second signal ends the process. `start` may reject with
 * the reason of `stopping` where it would take long.
 */
export async function runProgram<Running extends Runnable>(
  start: (stopping: AbortSignal) => Promise<Running>,
  ends: readonly Promise<unknown>[] = [],
): Promise<Running | undefined> {
  // Listens from now on: a signal during the start stops the program as soon as it serves.
  const stopSignal = Promise.race([firstSignal(), ...ends]);
  const stopping = new AbortController();
  void stopSignal.then(() => stopping.abort());
  let running: Running | undefined;
  process.on('SIGHUP', () => void running?.reload());
  try {
    const started = await start(stopping.signal);
    running = started;
    void stopSignal.then(() => stop(started));
    return started;
  } catch (error) {
    if (!stopping.signal.aborted || error !== stopping.signal.reason) {
      process.stderr.write(`${PROGRAM}: ${describeStartError(error)}\n`);
      process.exitCode = exitCodeOf(error);
    }
    await endLogger();
    return undefined;
  }
}

/** Resolves on the first signal to stop; a later one ends the process. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    const handle = (): void => {
      firstMs ??= performance.now();
      resolve();
      if (performance.now() - firstMs > SAME_SIGNAL_MS) process.exit(1);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, handle);
  });
}

async function stop(running: Runnable): Promise<void> {
  try {
    await running.close();
  } catch (error) {
    process.stderr.write(`${PROGRAM}: it did not stop cleanly: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
  await endLogger();
  // A connection that came when the last worker had stopped listening is handed to no worker, and would keep this
  // process.
  process.exit();
}
