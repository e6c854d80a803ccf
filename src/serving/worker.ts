/**
 * The program of a worker. It serves the snapshot file that its environment names, answers what it is asked, and drains
 * when somebody signals it, or when the process that started it is gone.
 */
import cluster from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError, readConfig } from '../config.js';
import { createLogger } from '../observing/logger.js';
import { startServing } from './serving.js';
import { StartError } from './start-error.js';
import { answerQuestions, SNAPSHOT_FILE, tell } from './worker-messages.js';

/** What the first process handed over as this one closed is handed back, and to another. */
const HAND_BACK_MS = 100;

// A message on its way when the first process ends; its end is heard of as well.
cluster.worker?.on('error', () => {});

try {
  const config = readConfig(process.env);
  const serving = await startServing(config, process.env[SNAPSHOT_FILE] ?? '', await createLogger(config.logLevel));
  const { live } = serving;
  let isStopping = false;
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    try {
      await serving.stop();
      if (process.connected) await wait(HAND_BACK_MS);
      process.exit(0);
    } catch (error) {
      process.stderr.write(`postal-places: worker ${process.pid} did not stop cleanly: ${(error as Error).message}\n`);
      process.exit(1);
    }
  };
  // Signals may come twice, of a process group and of the process that started this one.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  // Until here node ends a worker at once when the process that started it is gone.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', stop);
  // Looking for another snapshot is for the process that started this one.
  process.on('SIGHUP', () => {});
  answerQuestions({
    serve: (path) => live.serve(path),
    stopListening: () => serving.stopListening(),
    report: () => serving.report(),
    metrics: () => serving.metrics(),
  });
  await tell({ kind: 'listening', host: serving.host, report: serving.report() });
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof ConfigError;
  await tell({ kind: 'failed', problem: isExpected ? error.message : ((error as Error).stack ?? String(error)) });
  process.exit(1);
}
