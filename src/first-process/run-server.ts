/** The life of the server program: it starts, heeds signals, and ends; a start that fails ends with one clear line. */
import { once } from 'node:events';
import { describeStartError } from '../serving/start-error.js';
import type { ServerSettings } from './first-process-settings.js';
import { type RunningServer, startServer } from './start-server.js';

/**
 * Serves until SIGTERM or SIGINT, looks for another snapshot on SIGHUP, and resolves once the server listens, with
 * undefined where the start failed. A second signal ends the process.
 */
export async function runServer(readSettings: () => ServerSettings): Promise<RunningServer | undefined> {
  // Heard from now on: a signal that comes during the start stops the server as soon as it listens.
  const stopSignal = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  let running: RunningServer | undefined;
  process.on('SIGHUP', () => void running?.reload());
  try {
    const server = await startServer(readSettings());
    running = server;
    void stopSignal.then(() => stop(server));
    return server;
  } catch (error) {
    process.stderr.write(`postal-places: ${describeStartError(error)}\n`);
    process.exitCode = 1;
    return undefined;
  }
}

async function stop(running: RunningServer): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(1));
  try {
    await running.close();
  } catch (error) {
    process.stderr.write(`postal-places: it did not stop cleanly: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
  // A connection that came when the last worker had stopped listening is handed to no worker, and would keep this process.
  process.exit();
}
