/** A worker as the process that started it sees it: what it serves, what it said last, and how it ends. */
import cluster, { type Worker } from 'node:cluster';
import type { MetricValues } from '../observing/metrics.js';
import type { HeldSnapshot } from '../releases/held-snapshot.js';
import type { ServingReport } from './serving.js';
import { StartError } from './start-error.js';
import { askWorker, type Greeting, NoAnswerError, SNAPSHOT_FILE, WorkerEndedError } from './worker-messages.js';

/** Opening and probing a snapshot that no other process has touched yet, on a slow disk. */
const SWAP_LIMIT_MS = 60_000;
const START_LIMIT_MS = 60_000;
/** Shorter than what asks for readiness waits, and Prometheus for metrics. */
const REPORT_LIMIT_MS = 500;
const METRICS_LIMIT_MS = 5_000;
/** One that is too busy to answer stops listening a little later, with its drain. */
const STOP_LISTENING_LIMIT_MS = 500;

export class Member {
  /** How it ended: a signal, or "code 0". */
  readonly ended: Promise<string>;
  /** When it began to serve; undefined before that. */
  servingSinceMs: number | undefined;
  /** Of the last time it answered. */
  report: ServingReport | undefined;
  metrics: MetricValues = [];
  /** Whether it did not answer the last time. */
  isSilent = false;
  readonly #worker: Worker;

  /** Starts it, to serve `held` on `port`. */
  constructor(
    public held: HeldSnapshot,
    port: number,
  ) {
    this.#worker = cluster.fork({ [SNAPSHOT_FILE]: held.openPath, PORT: String(port) });
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
      // It could not be started, or died with a message on its way; only the latter is followed by an exit.
      this.#worker.on('error', (error) => {
        if (this.#worker.process.pid === undefined) resolve(error.message);
      });
    });
  }

  /** What log lines call it: its number, and its process's id. */
  get names(): { readonly worker: number; readonly workerPid: number | undefined } {
    return { worker: this.#worker.id, workerPid: this.#worker.process.pid };
  }

  /** The host it listens on, once it does. Rejects with StartError where it can't. */
  async listening(): Promise<string> {
    const greeting = await this.#greeting();
    if (greeting.kind === 'failed') throw new StartError(greeting.problem);
    this.report = greeting.report;
    return greeting.host;
  }

  /**
   * Lets it serve another file. Rejects where it refuses the file, and with WorkerEndedError where it ends or hangs, which
   * ends it: it goes on serving what it served, or nothing.
   */
  async serve(held: HeldSnapshot): Promise<void> {
    try {
      await askWorker(this.#worker, SWAP_LIMIT_MS, 'serve', held.openPath);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      // A client that waits for a hung worker gets no answer either.
      this.kill();
      throw new WorkerEndedError(error.message);
    }
    this.held = held;
  }

  /** Lets it take no more connections. Rejects where it does not say so in time. */
  async stopListening(): Promise<void> {
    await askWorker(this.#worker, STOP_LISTENING_LIMIT_MS, 'stopListening');
  }

  /** Renews `report`; false where it fails or is late, and the last one stays. */
  async askReport(): Promise<boolean> {
    try {
      this.report = await askWorker(this.#worker, REPORT_LIMIT_MS, 'report');
      this.isSilent = false;
    } catch {
      this.isSilent = true;
    }
    return !this.isSilent;
  }

  /** Renews `metrics`, but where it fails or is late: one that is too busy to answer has not counted backwards. */
  async askMetrics(): Promise<void> {
    this.metrics = await askWorker(this.#worker, METRICS_LIMIT_MS, 'metrics').catch(() => this.metrics);
  }

  /** Tells it to drain and end. */
  stop(): void {
    this.#worker.process.kill('SIGTERM');
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** The first word of it. One that ends without any has failed, and so has one that says nothing. */
  #greeting(): Promise<Greeting> {
    return new Promise((resolve) => {
      const hear = (message: Greeting): void => {
        if (message.kind !== 'listening' && message.kind !== 'failed') return;
        settle(message);
      };
      const settle = (greeting: Greeting): void => {
        clearTimeout(limit);
        this.#worker.off('message', hear);
        resolve(greeting);
      };
      const fail = (problem: string): void => settle({ kind: 'failed', problem });
      const limit = setTimeout(() => fail(`a worker did not listen within ${START_LIMIT_MS} ms`), START_LIMIT_MS);
      this.#worker.on('message', hear);
      void this.ended.then((how) => fail(`a worker ended at once: ${how}`));
    });
  }
}
