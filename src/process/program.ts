/**
 * The life of a program that serves: it starts, heeds signals, and ends; a start that fails ends with one clear line.
 * The server program and the site's program both live so.
 */
import { once } from 'node:events';
import { describeStartError } from '../start-error.js';

/** What a program runs. */
export interface Runnable {
  /** Looks at once whether there is another snapshot to serve. */
  reload(): Promise<void>;
  /** Lets requests under way end, and takes no more. */
  close(): Promise<void>;
}

/**
 * Milliseconds after a signal in which another one counts as the same: Ctrl-C reaches npm and this process, and npm
 * hands on what it got; a service manager does the same with SIGTERM. So a second Ctrl-C forces an end only after that.
 */
const SAME_SIGNAL_MS = 1_000;

/**
 * Serves until SIGTERM, SIGINT, the end of a parent or one of `ends`, looks for another snapshot on SIGHUP, and
 * resolves once `start` has, with undefined where it rejects. A second signal ends the process. `name` stands before
 * every line of standard error.
 */
export async function runProgram<Running extends Runnable>(
  name: string,
  start: () => Promise<Running>,
  ends: readonly Promise<unknown>[] = [],
): Promise<Running | undefined> {
  // Heard from now on: a signal that comes during the start stops the program as soon as it listens.
  const stopSignal = Promise.race([firstSignal(), parentsEnd(), ...ends]);
  let running: Running | undefined;
  process.on('SIGHUP', () => void running?.reload());
  try {
    const started = await start();
    running = started;
    void stopSignal.then(() => stop(name, started));
    return started;
  } catch (error) {
    process.stderr.write(`${name}: ${describeStartError(error)}\n`);
    process.exitCode = 1;
    // The channel to a parent would keep this process.
    if (process.connected) process.disconnect();
    return undefined;
  }
}

/** Resolves on the first signal to stop; a later one ends the process. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    const hear = (): void => {
      firstMs ??= performance.now();
      resolve();
      if (performance.now() - firstMs > SAME_SIGNAL_MS) process.exit(1);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, hear);
  });
}

/** A program that another one forked ends with it, or when the parent lets it go. */
async function parentsEnd(): Promise<unknown> {
  // Not forked.
  if (process.send === undefined) return await new Promise(() => {});
  // The parent may have ended while this process loaded its modules.
  return process.connected && (await once(process, 'disconnect'));
}

async function stop(name: string, running: Runnable): Promise<void> {
  try {
    await running.close();
  } catch (error) {
    process.stderr.write(`${name}: it did not stop cleanly: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
  // A connection that came when the last worker had stopped listening is handed to no worker, and would keep this
  // process.
  process.exit();
}
