/** A worker as the supervisor sees it: what it serves, what it replies, and how it ends. */
import cluster, { type Worker } from 'node:cluster';
import type { MetricValues } from '../admin/process-metrics.js';
import type { ServedSnapshot } from '../admin/server-state.js';
import type { KeyStoreHealth } from '../keys/key-store.js';
import type { Logger } from '../logger.js';
import type { PinnedSnapshot } from '../snapshots/pinned-snapshot.js';
import { StartError } from '../start-error.js';
import { RpcClient, type RpcReply, RpcTimeoutError, START } from './rpc.js';
import type { WorkerMethods, WorkerStart } from './serve-api.js';

/** Milliseconds to open and probe a snapshot that no other process has touched yet, on a slow disk. */
const SERVE_TIMEOUT_MS = 60_000;
const START_TIMEOUT_MS = 60_000;
/** Milliseconds, shorter than what a load balancer waits for readiness, and Prometheus for metrics. */
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
  /** What `pinned` is. */
  snapshot!: ServedSnapshot;
  /** Of the last time it answered. */
  metrics: MetricValues = [];
  #isSilent = false;
  readonly #worker: Worker;
  readonly #rpc: RpcClient<WorkerMethods>;

  /** Starts the process, to serve `pinned` on `port`. */
  constructor(
    public pinned: PinnedSnapshot,
    port: number,
  ) {
    // What SNAPSHOT names may be another file by now, and PORT another port.
    const worker = cluster.fork({ POSTAL_PLACES_SNAPSHOT_FILE: pinned.openPath, PORT: String(port) });
    this.#worker = worker;
    this.#rpc = new RpcClient((request) =>
      worker.send(request, (error) => {
        // The worker is ending: its exit is heard of a little later.
        if (error) this.#rpc.close(new WorkerEndedError(`worker ${worker.id} has ended: ${error.message}`));
      }),
    );
    worker.on('message', (reply: RpcReply) => this.#rpc.handleReply(reply));
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
      // The process could not be started, or died with a message on its way; only the latter is followed by an exit.
      worker.on('error', (error) => {
        if (worker.process.pid === undefined) resolve(error.message);
      });
    });
    void this.ended.then((how) => this.#rpc.close(new WorkerEndedError(`worker ${worker.id} ended: ${how}`)));
  }

  /** What log lines call it: its number, and its process's id. */
  get names(): { readonly worker: number; readonly workerPid: number | undefined } {
    return { worker: this.#worker.id, workerPid: this.#worker.process.pid };
  }

  /** Resolves once it listens. Rejects with StartError. */
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
   * Lets it serve another file. Rejects where it refuses the file, and with WorkerEndedError where it ends or hangs,
   * which ends it.
   */
  async serve(pinned: PinnedSnapshot): Promise<ServedSnapshot> {
    try {
      this.snapshot = await this.#rpc.call(SERVE_TIMEOUT_MS, 'serve', pinned.openPath);
      this.pinned = pinned;
      return this.snapshot;
    } catch (error) {
      if (!(error instanceof RpcTimeoutError)) throw error;
      // No client of a worker that hangs gets an answer.
      this.kill();
      throw new WorkerEndedError(`worker ${this.#worker.id}: ${error.message}`);
    }
  }

  /** Lets it take no more connections. Rejects where it does not say so in time. */
  async stopListening(): Promise<void> {
    await this.#rpc.call(STOP_LISTENING_TIMEOUT_MS, 'stopListening');
  }

  /** How its key store does; undefined where it does not answer at once. A change of that is worth a line. */
  async askKeyStore(logger: Logger): Promise<KeyStoreHealth | undefined> {
    const health = await this.#rpc.call(HEALTH_TIMEOUT_MS, 'keyStore').catch(() => undefined);
    const isSilent = health === undefined;
    if (isSilent && !this.#isSilent) logger.warn(this.names, 'a worker does not answer');
    if (!isSilent && this.#isSilent) logger.info(this.names, 'a worker answers again');
    this.#isSilent = isSilent;
    return health;
  }

  /** Renews `metrics`; where the worker is late, the last ones stay: it has not counted backwards. */
  async askMetrics(): Promise<void> {
    this.metrics = await this.#rpc.call(METRICS_TIMEOUT_MS, 'metrics').catch(() => this.metrics);
  }

  /** Tells it to drain and end. */
  stop(): void {
    this.#worker.process.kill('SIGTERM');
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}
