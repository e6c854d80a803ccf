/** The server program's life: see run-program.ts. */
import type { ServerSettings } from './first-process-settings.js';
import { runProgram } from './run-program.js';
import { type RunningServer, startServer } from './start-server.js';

/** Resolves once the server listens, with undefined where the start failed. */
export function runServer(readSettings: () => ServerSettings): Promise<RunningServer | undefined> {
  return runProgram('postal-places', async () => startServer(readSettings()));
}
