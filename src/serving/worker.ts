/**
 * The program of a worker. It serves the snapshot file that its environment names, answers what it is asked, and drains
 * when somebody signals it, or when the process that started it is gone.
 */
import cluster from 'node:cluster';
import { ConfigError, readConfig } from '../config.js';
import { createLogger } from '../observing/logger.js';
import { startServing } from './serving.js';
import { StartError } from './start-error.js';
import { answerQuestions, tell } from './worker-messages.js';
import { SNAPSHOT_FILE } from './worker-variables.js';

// Else node ends a worker at once when the process that started it is gone.
if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;

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
      process.exit(0);
    } catch (error) {
      process.stderr.write(`postal-places: worker ${process.pid} did not stop cleanly: ${(error as Error).message}\n`);
      process.exit(1);
    }
  };
  // Signals may come twice, of a process group and of the process that started this one.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  process.once('disconnect', stop);
  // Looking for another snapshot is for the process that started this one.
  process.on('SIGHUP', () => {});
  answerQuestions({
    prepare(path) {
      live.prepare(path);
      return null;
    },
    commit() {
      live.commit();
      return null;
    },
    discard() {
      live.discard();
      return null;
    },
    report: () => serving.report(),
    metrics: () => serving.metrics(),
  });
  await tell({ kind: 'listening', host: serving.host, report: serving.report() });
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof ConfigError;
  await tell({ kind: 'failed', problem: isExpected ? error.message : ((error as Error).stack ?? String(error)) });
  process.exit(1);
}
