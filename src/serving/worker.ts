/**
 * The program of a worker. It serves the snapshot file that its environment names, answers what it is asked, and drains
 * when it is told to, when somebody signals it, or when the process that started it is gone.
 */
import { ConfigError, readConfig } from '../config.js';
import { createLogger } from '../observing/logger.js';
import { type Serving, startServing } from './serving.js';
import { StartError } from './start-error.js';
import { answerQuestions, tell } from './worker-messages.js';
import { SNAPSHOT_FILE } from './worker-variables.js';

try {
  const config = readConfig(process.env);
  const serving = await startServing(config, process.env[SNAPSHOT_FILE] ?? '', await createLogger(config.logLevel));
  const stop = stopOnce(serving);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  // Looking for another snapshot is for the process that started this one.
  process.on('SIGHUP', () => {});
  process.once('disconnect', stop);
  const { live } = serving;
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
  tell({ kind: 'listening', host: serving.host });
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof ConfigError;
  const problem = isExpected ? error.message : ((error as Error).stack ?? String(error));
  tell({ kind: 'failed', problem });
  process.disconnect();
  process.exitCode = 1;
}

function stopOnce(serving: Serving): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= serving.stop().then(
      () => process.disconnect?.(),
      (error) => {
        process.exitCode = 1;
        process.stderr.write(
          `postal-places: worker ${process.pid} did not stop cleanly: ${(error as Error).message}\n`,
        );
        process.disconnect?.();
      },
    );
    return stopped;
  };
}
