/** The supervisor's handle of a worker process: its snapshot, its methods, which it calls by messages, and its end. */

import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { StartError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { KeyStoreHealth } from '../../keys/decision/key-store.js';
import type { PinnedSnapshot } from '../../releases/folder/pinned-snapshot.js';
import type { MetricValues } from '../admin/metrics.js';
import type { ServedSnapshot } from '../admin/server-state.js';
import type { WorkerMethods, WorkerStart } from '../serving/serve-api.js';
import { ANSWER_FAILED, RpcClient, type RpcReply, RpcTimeoutError, START } from './rpc.js';

/** Milliseconds to open and probe a snapshot that no other process has touched yet, on a slow disk. */
const SERVE_TIMEOUT_MS = 60_000;
const START_TIMEOUT_MS = 60_000;
/** Milliseconds: below the timeouts of load balancers for readiness, and of Prometheus for metrics. */
const HEALTH_TIMEOUT_MS = 500;
const METRICS_TIMEOUT_MS = 5_000;
/** Milliseconds; a worker that is too busy to reply in time stops listening a little later, with its drain. */
const STOP_LISTENING_TIMEOUT_MS = 500;

/** The worker ended before it replied. */
export class WorkerEndedError extends Error {
  override readonly name = 'WorkerEndedError';
}

export class WorkerProcess {
  /** How it ended: a signal, or "code 0". */
  readonly ended: Promise<string>;
  /** When it began to serve; undefined before that. */
  servingSinceMs: number | undefined;
  /** Where it listens; known from `listening` on, as is the snapshot. */
  host!: string;
  /** The snapshot of `pinned`. */
  snapshot!: ServedSnapshot;
  /** From its last reply. */
  metrics: MetricValues = [];
  #isSilent = false;
  readonly #worker: Worker;
  readonly #rpc: RpcClient<WorkerMethods>;

  /**
   * Starts the process, to serve `pinned` on `port`. It checks the key store unless `areKeysChecked`, and tells
   * `onFailure` of each INTERNAL_ERROR.
   */
  constructor(
    public pinned: PinnedSnapshot,
    port: number,
    areKeysChecked: boolean,
    onFailure: () => void,
  ) {
    // SNAPSHOT may lead to another file by now, and PORT may be 0.
    const worker = cluster.fork({
      POSTAL_PLACES_SNAPSHOT_FILE: pinned.openPath,
      POSTAL_PLACES_KEYS_CHECKED: areKeysChecked ? 'yes' : 'no',
      PORT: String(port),
    });
    this.#worker = worker;
    this.#rpc = new RpcClient((request) =>
      worker.send(request, (error) => {
        // The worker is ending; its `exit` event follows.
        if (error) this.#rpc.close(new WorkerEndedError(`worker ${worker.id} has ended: ${error.message}`));
      }),
    );
    worker.on('message', (reply: RpcReply) => {
      if (reply.id === ANSWER_FAILED) onFailure();
      else this.#rpc.handleReply(reply);
    });
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
      // The process could not be started, or died with a message on its way; only the latter is followed by an exit.
      worker.on('error', (error) => {
        if (worker.process.pid === undefined) resolve(error.message);
      });
    });
    void this.ended.then((how) => this.#rpc.close(new WorkerEndedError(`worker ${worker.id} ended: ${how}`)));
  }

  /** Its number and process id, for log lines. */
  get names(): { readonly worker: number; readonly workerPid: number | undefined } {
    return { worker: this.#worker.id, workerPid: this.#worker.process.pid };
  }

  /** Resolves once it listens. */
  async listening(): Promise<void> {
    try {
      const { host, snapshot } = await this.#rpc.replyTo<WorkerStart>(START, START_TIMEOUT_MS);
      this.host = host;
      this.snapshot = snapshot;
    } catch (error) {
      throw new StartError((error as Error).message, { cause: error });
    }
  }

  /**
   * Makes it serve another file. Rejects if it refuses the file, and with WorkerEndedError if it ends or hangs; a
   * hanging worker is killed.
   */
  async serve(pinned: PinnedSnapshot): Promise<ServedSnapshot> {
    try {
      this.snapshot = await this.#rpc.call(SERVE_TIMEOUT_MS, 'serve', pinned.openPath);
      this.pinned = pinned;
      return this.snapshot;
    } catch (error) {
      if (!(error instanceof RpcTimeoutError)) throw error;
      // A hanging worker answers no client.
      this.kill();
      throw new WorkerEndedError(`worker ${this.#worker.id}: ${error.message}`);
    }
  }

  /** Makes it stop listening. Rejects if it does not reply in time. */
  async stopListening(): Promise<void> {
    await this.#rpc.call(STOP_LISTENING_TIMEOUT_MS, 'stopListening');
  }

  /** The health of its key store; undefined if it does not reply in time. Logs when replies stop or resume. */
  async askKeyStore(logger: Logger): Promise<KeyStoreHealth | undefined> {
    const health = await this.#rpc.call(HEALTH_TIMEOUT_MS, 'keyStore').catch(() => undefined);
    const isSilent = health === undefined;
    if (isSilent && !this.#isSilent) logger.warn(this.names, 'a worker does not answer');
    if (!isSilent && this.#isSilent) logger.info(this.names, 'a worker answers again');
    this.#isSilent = isSilent;
    return health;
  }

  /** Updates `metrics`; if the worker is late, the earlier values stay. */
  async askMetrics(): Promise<void> {
    this.metrics = await this.#rpc.call(METRICS_TIMEOUT_MS, 'metrics').catch(() => this.metrics);
  }

  /** Makes it drain and end. */
  stop(): void {
    this.#worker.process.kill('SIGTERM');
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}
