/**
 * The program of a worker: it serves the snapshot file that its environment names, answers the first process, and drains
 * on a signal, or when the first process is gone. Only the first process starts it.
 */
import cluster from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import { keyStoreSettings } from './keys/key-settings.js';
import { createLog } from './operators/log.js';
import { type Answer, answerFrom, type Question, START } from './questions.js';
import {
  type ServingProcess,
  startServing,
  type WorkerQuestions,
  type WorkerStart,
} from './serving/serving-process.js';
import { servingSettings } from './serving/serving-settings.js';
import { describeStartError } from './serving/start-error.js';
import { readSettings } from './settings.js';

/** A connection that the first process handed to this worker while it closed goes back, and to another worker. */
const HAND_BACK_MS = 100;

/** Resolves when the first process has the message, or is gone. */
function tell(message: Answer): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

async function stop(serving: ServingProcess): Promise<void> {
  try {
    await serving.stop();
    if (process.connected) await wait(HAND_BACK_MS);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`postal-places: worker ${process.pid} did not stop cleanly: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

function stopWhenTold(serving: ServingProcess): void {
  let isStopping = false;
  const stopOnce = (): void => {
    // A signal comes twice where the process group gets it, and the first process hands it on.
    if (isStopping) return;
    isStopping = true;
    void stop(serving);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stopOnce);
  // Up to here node ends a worker at once when the first process is gone.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', stopOnce);
  // The first process looks for another snapshot.
  process.on('SIGHUP', () => {});
}

async function serve(): Promise<void> {
  try {
    const settings = readSettings({ ...servingSettings, ...keyStoreSettings }, process.env);
    const path = process.env.POSTAL_PLACES_SNAPSHOT_FILE ?? '';
    const serving = await startServing(settings, path, await createLog(settings.logLevel));
    stopWhenTold(serving);
    process.on('message', async (question: Question) => {
      await tell(await answerFrom<WorkerQuestions>(serving, question));
    });
    const start: WorkerStart = { host: serving.host, snapshot: serving.snapshot() };
    await tell({ number: START, answer: start });
  } catch (error) {
    await tell({ number: START, problem: describeStartError(error) });
    process.exit(1);
  }
}

// A message fails that is on its way when the first process ends; `disconnect` says so too.
cluster.worker?.on('error', () => {});
void serve();
