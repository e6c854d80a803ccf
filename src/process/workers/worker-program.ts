/**
 * The program of a worker: it serves the snapshot file that its environment names, replies to the supervisor, and
 * drains on a signal, or when the supervisor is gone. Only the supervisor starts it.
 */

import cluster from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import { describeStartError } from '../../base/errors.js';
import { createLogger, endLogger } from '../../base/logger.js';
import { readSettings } from '../../base/settings.js';
import { keyStoreSettings } from '../../keys/decision/key-settings.js';
import { processSettings } from '../program/settings.js';
import { type ApiProcess, serveApi, type WorkerMethods, type WorkerStart } from '../serving/serve-api.js';
import { ANSWER_FAILED, handleRpcRequest, type RpcReply, type RpcRequest, START } from './rpc.js';

/** Milliseconds in which a connection that the supervisor handed over while this worker closed goes back to it. */
const HAND_BACK_MS = 100;

/** Resolves when the supervisor has the message, or is gone. */
function notify(message: RpcReply): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

async function stop(serving: ApiProcess): Promise<void> {
  try {
    await serving.stop();
    await Promise.all([endLogger(), process.connected && wait(HAND_BACK_MS)]);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`postal-places: worker ${process.pid} did not stop cleanly: ${(error as Error).message}\n`);
    await endLogger();
    process.exit(1);
  }
}

function stopWhenTold(serving: ApiProcess): void {
  let isStopping = false;
  const stopOnce = (): void => {
    // A signal comes twice where the process group gets it, and the supervisor hands it on.
    if (isStopping) return;
    isStopping = true;
    void stop(serving);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stopOnce);
  // Up to here node ends a worker at once when the supervisor is gone.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', stopOnce);
  // The supervisor looks for another snapshot.
  process.on('SIGHUP', () => {});
}

async function serve(): Promise<void> {
  try {
    const settings = readSettings({ ...processSettings, ...keyStoreSettings }, process.env);
    const path = process.env.POSTAL_PLACES_SNAPSHOT_FILE ?? '';
    const isChecked = process.env.POSTAL_PLACES_KEYS_CHECKED === 'yes';
    const onFailure = (): void => void notify({ id: ANSWER_FAILED });
    const serving = await serveApi(settings, path, await createLogger(settings.logLevel), { isChecked }, onFailure);
    stopWhenTold(serving);
    process.on('message', async (request: RpcRequest) => {
      await notify(await handleRpcRequest<WorkerMethods>(serving, request));
    });
    const start: WorkerStart = { host: serving.host, snapshot: serving.snapshot() };
    await notify({ id: START, result: start });
  } catch (error) {
    await notify({ id: START, error: describeStartError(error) });
    await endLogger();
    process.exit(1);
  }
}

// A message fails that is on its way when the supervisor ends; `disconnect` says so too.
cluster.worker?.on('error', () => {});
void serve();
