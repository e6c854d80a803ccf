/**
 * WORKERS above 1: workers serve, on one port. Connections go to them in turn; each worker maps the same file, whose pages
 * they share, and asks the key store for itself. A worker starts from the file that is held, and counts as serving once it
 * serves that. One that ends is replaced: at once the first time, then later and later while replacements end soon.
 */
import cluster from 'node:cluster';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../logger.js';
import type { MetricValues } from '../operators/process-metrics.js';
import type { FleetState, ServedSnapshot } from '../operators/server-state.js';
import { programFile } from '../package-root.js';
import type { HeldSnapshot } from '../releases/held-snapshot.js';
import { listen } from '../serving/listening.js';
import type { ServingSettings } from '../serving/serving-settings.js';
import type { Fleet } from './fleet.js';
import { nextPauseMs } from './replacement-pause.js';
import { swap } from './swap.js';
import { WorkerProcess } from './worker-process.js';

const LOOK_EVERY_MS = 20;
/** What a worker is given to end beyond DRAIN_SECONDS. */
export const STOP_MARGIN_MS = 5_000;

/** Throws StartError where a worker can't start. */
export async function startWorkers(settings: ServingSettings, held: HeldSnapshot, logger: Logger): Promise<Fleet> {
  cluster.setupPrimary({ exec: programFile('src/worker-main.js') });
  const port = settings.port === 0 ? await findFreePort(settings.host) : settings.port;
  const workers = new Workers(settings, port, held, logger);
  await workers.start();
  return workers;
}

/** Later workers must listen on the first worker's port, also when no other worker listens there any more. */
async function findFreePort(host: string): Promise<number> {
  const server = createServer();
  const { port } = await listen(server, host, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class Workers implements Fleet {
  /** Known from `start` on, as is the snapshot. */
  host!: string;
  /** What every worker serves; while a swap goes on, the earlier snapshot. */
  served!: ServedSnapshot;
  /** Every worker that has not ended, and the promise of its start. */
  readonly #all = new Map<WorkerProcess, Promise<void>>();
  /** What workers that have ended had counted. */
  #departed: Promise<MetricValues> = Promise.resolve([]);
  #lastServedMs = performance.now();
  readonly #stopping = new AbortController();
  /** Of replacements that are put off. */
  readonly #pauses = new Set<AbortController>();
  #restartCount = 0;
  /** Why a replacement did not start the last time. */
  #problem = '';

  constructor(
    private readonly settings: ServingSettings,
    readonly port: number,
    public held: HeldSnapshot,
    private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    try {
      // The first worker finds what is wrong, and prepares the key store.
      const first = await this.#start();
      this.host = first.host;
      this.served = first.snapshot;
      const others = Array.from({ length: this.settings.workers - 1 }, () => this.#start());
      for (const worker of [first, ...(await Promise.all(others))]) void this.#keepReplacing(worker);
    } catch (error) {
      await this.stop().catch(() => {});
      throw error;
    }
  }

  snapshot(): ServedSnapshot {
    return this.served;
  }

  serving(): WorkerProcess[] {
    return [...this.#all.keys()].filter(({ servingSinceMs }) => servingSinceMs !== undefined);
  }

  servingCount(): number {
    return this.serving().length;
  }

  unservedMs(): number {
    return this.servingCount() > 0 ? 0 : performance.now() - this.#lastServedMs;
  }

  async state(): Promise<FleetState> {
    const keyStores = await Promise.all(this.serving().map((worker) => worker.askKeyStore(this.logger)));
    return {
      keyStores: keyStores.filter((health) => health !== undefined),
      expectedCount: this.settings.workers,
      servingCount: this.servingCount(),
      restartCount: this.#restartCount,
    };
  }

  async metrics(): Promise<MetricValues[]> {
    await Promise.all(this.serving().map((worker) => worker.askMetrics()));
    return [await this.#departed, ...this.serving().map(({ metrics }) => metrics)].filter(({ length }) => length > 0);
  }

  swap(held: HeldSnapshot): Promise<void> {
    return swap(this, held, this.logger);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const serving = this.serving();
    // A client that is told to go comes back at once: a worker that still listened would take it in, and drop it.
    await Promise.allSettled(serving.map((worker) => worker.stopListening()));
    await Promise.all([...this.#all.keys()].map((worker) => this.#stopWorker(worker)));
    const problem = (await Promise.all(serving.map(({ ended }) => ended))).find((how) => how !== 'code 0');
    if (problem !== undefined) throw new Error(`a worker ended with ${problem}`);
  }

  /** A worker that serves, as soon as there is one; undefined where all workers end as soon as they start. */
  async anyServing(): Promise<WorkerProcess | undefined> {
    for (;;) {
      this.#stopping.signal.throwIfAborted();
      const [worker] = this.serving();
      if (worker !== undefined || this.#pauses.size === this.settings.workers) return worker;
      await wait(LOOK_EVERY_MS);
    }
  }

  /** Where all workers end as soon as they start: lets them start from another file. Rejects where that goes no better. */
  async startFrom(held: HeldSnapshot): Promise<ServedSnapshot> {
    const earlier = this.held;
    this.held = held;
    for (const pause of this.#pauses) pause.abort();
    this.#pauses.clear();
    const worker = await this.anyServing();
    if (worker !== undefined) return worker.snapshot;
    this.held = earlier;
    throw new Error(`no worker starts from it: ${this.#problem}`);
  }

  /** Resolves when each worker that is starting now serves, or has failed. */
  async started(): Promise<void> {
    await Promise.allSettled(this.#all.values());
  }

  /** Starts a worker; resolves when it serves the file that is held. */
  async #start(): Promise<WorkerProcess> {
    const worker = new WorkerProcess(this.held, this.port);
    const started = this.#untilServing(worker);
    this.#all.set(worker, started);
    void worker.ended.then(() => {
      this.#all.delete(worker);
      this.#departed = this.#departed.then((values) => addCounts(values, worker.metrics));
      if (worker.servingSinceMs !== undefined) this.#lastServedMs = performance.now();
    });
    try {
      await started;
      return worker;
    } catch (error) {
      worker.kill();
      throw error;
    }
  }

  async #untilServing(worker: WorkerProcess): Promise<void> {
    await worker.listening();
    // A swap may have come meanwhile.
    while (worker.held !== this.held) await worker.serve(this.held);
    if (!this.#all.has(worker)) throw new Error('the worker ended while it started');
    worker.servingSinceMs = performance.now();
  }

  /** Replaces a worker when it ends, and each of its replacements. */
  async #keepReplacing(first: WorkerProcess): Promise<void> {
    let worker: WorkerProcess | undefined = first;
    let pauseMs = 0;
    for (;;) {
      const how = await worker?.ended;
      if (this.#stopping.signal.aborted) return;
      const lifeMs = worker === undefined ? 0 : performance.now() - (worker.servingSinceMs ?? 0);
      pauseMs = nextPauseMs(pauseMs, lifeMs);
      // Code 0: an operator stopped it.
      const level = how === 'code 0' ? 'info' : 'error';
      if (worker !== undefined) this.logger[level]({ ...worker.names, how, pauseMs }, 'a worker ended and is replaced');
      await this.#pause(pauseMs);
      if (this.#stopping.signal.aborted) return;
      worker = await this.#startReplacement(pauseMs);
    }
  }

  /** Undefined where it does not start. */
  async #startReplacement(pauseMs: number): Promise<WorkerProcess | undefined> {
    this.#restartCount++;
    try {
      const worker = await this.#start();
      this.logger.info({ serving: this.servingCount() }, 'a worker was replaced');
      return worker;
    } catch (error) {
      if (this.#stopping.signal.aborted) return undefined;
      this.#problem = (error as Error).message;
      this.logger.error({ problem: this.#problem, pauseMs }, 'a worker can not start');
      return undefined;
    }
  }

  async #pause(pauseMs: number): Promise<void> {
    if (pauseMs === 0) return;
    const pause = new AbortController();
    this.#pauses.add(pause);
    // The timer keeps the process alive where no worker is left.
    await wait(pauseMs, undefined, { signal: AbortSignal.any([this.#stopping.signal, pause.signal]) }).catch(() => {});
    this.#pauses.delete(pause);
  }

  async #stopWorker(worker: WorkerProcess): Promise<void> {
    worker.stop();
    const limit = setTimeout(
      () => {
        this.logger.error(worker.names, 'a worker does not stop and is ended');
        worker.kill();
      },
      this.settings.drainSeconds * 1_000 + STOP_MARGIN_MS,
    );
    await worker.ended;
    clearTimeout(limit);
  }
}

/** Loads the metrics library, which takes a while, only where something was counted. */
async function addCounts(values: MetricValues, metrics: MetricValues): Promise<MetricValues> {
  if (metrics.length === 0) return values;
  const { keepCounts } = await import('../operators/metrics-page.js');
  return await keepCounts([values, metrics]);
}
