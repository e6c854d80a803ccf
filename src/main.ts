/**
 * What `postal-places serve` runs, the server. What runs where:
 *
 *     process or thread    begins in                               what it does is in
 *     the supervisor       cli/main.ts                             process, releases
 *     a worker             process/workers/worker-program.ts       process, api, server, keys, core
 *     the file check       releases/checking/check-thread.ts       core
 *     a pull               process/source/pull-program.ts          releases
 *     the keys' check      keys/records/records-check-process.ts
 *
 * With WORKERS=1 there is no worker: the supervisor does a worker's work as well. The supervisor calls its workers by
 * messages (process/workers/rpc.ts): the processes share files, and nothing else.
 */

import { runProgram } from './process/program/run-program.js';
import { readProgramSettings } from './process/program/settings.js';
import { startServer } from './process/start-server.js';

/** Resolves once the server listens, or can't. */
export async function serve(): Promise<void> {
  await runProgram(async (stopping) => startServer(readProgramSettings(process.env), stopping));
}
