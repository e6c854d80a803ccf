/**
 * The supervisor of WORKERS > 1. The workers listen on one port and get connections in turn. Each worker maps the same
 * file, whose pages they share, and opens the key store itself. A worker starts from the pinned file, and counts as
 * serving once it serves the pinned file. A worker that ends is replaced: at once the first time, then after growing
 * pauses while replacements end soon.
 */

import cluster from 'node:cluster';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../base/logger.js';
import { packageProgramPath } from '../../base/package-root.js';
import type { PinnedSnapshot } from '../../releases/folder/pinned-snapshot.js';
import type { MetricValues } from '../admin/metrics.js';
import type { ProcessesState, ServedSnapshot } from '../admin/server-state.js';
import { listen } from '../program/listen.js';
import type { ProcessSettings } from '../program/settings.js';
import type { ServerProcesses } from '../serving/server-processes.js';
import { WorkerEndedError, WorkerProcess } from './worker-process.js';

/** Milliseconds between two looks for a worker that serves. */
const LOOK_EVERY_MS = 20;
/** Milliseconds after which a worker that is still opening a snapshot is logged. */
const SLOW_MS = 2_000;
/** Milliseconds beyond DRAIN_SECONDS in which a worker must end: closing its key store takes less. */
export const STOP_MARGIN_MS = 5_000;

/** The shortest life of a worker that served for a while, milliseconds: longer than a start on a slow machine. */
const SHORT_LIFE_MS = 10_000;
/** The pause after the first short life, milliseconds; each later pause is twice the one before. */
const FIRST_PAUSE_MS = 100;
/** The longest pause, milliseconds: what an operator waits at most after removing the cause. */
const LONGEST_PAUSE_MS = 30_000;

/** The pause before a worker is replaced that lived for `lifeMs`; `earlierPauseMs` is the one before it started. */
function restartPauseMs(earlierPauseMs: number, lifeMs: number): number {
  return lifeMs > SHORT_LIFE_MS ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, earlierPauseMs * 2));
}

export async function startSupervisor(
  settings: ProcessSettings,
  pinned: PinnedSnapshot,
  logger: Logger,
): Promise<ServerProcesses> {
  cluster.setupPrimary({ exec: packageProgramPath('src/process/workers/worker-program.js') });
  const port = settings.port === 0 ? await findFreePort(settings.host) : settings.port;
  const workers = new Supervisor(settings, port, pinned, logger);
  await workers.start();
  return workers;
}

/** Later workers must listen on the first worker's port, even if no worker listens at that moment. */
async function findFreePort(host: string): Promise<number> {
  const server = createServer();
  const { port } = await listen(server, host, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

class Supervisor implements ServerProcesses {
  /** Known from `start` on, as is the snapshot. */
  host!: string;
  /** What every worker serves; while a swap goes on, the earlier snapshot. */
  #served!: ServedSnapshot;
  /** Every worker that has not ended, and the promise of its start. */
  readonly #all = new Map<WorkerProcess, Promise<void>>();
  /** The counts of workers that have ended. */
  #departed: Promise<MetricValues> = Promise.resolve([]);
  #lastServedMs = performance.now();
  readonly #stopping = new AbortController();
  /** The pauses before replacements. */
  readonly #pauses = new Set<AbortController>();
  #restartCount = 0;
  /** Of all workers, also those that have ended. */
  #failureCount = 0;
  /** The error of the last replacement that did not start. */
  #problem = '';

  constructor(
    private readonly settings: ProcessSettings,
    readonly port: number,
    public pinned: PinnedSnapshot,
    private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    try {
      // The first worker finds configuration errors, and creates or checks the key store.
      const first = await this.#start();
      this.host = first.host;
      this.#served = first.snapshot;
      const others = Array.from({ length: this.settings.workers - 1 }, () => this.#start(true));
      for (const worker of [first, ...(await Promise.all(others))]) void this.#keepReplacing(worker);
    } catch (error) {
      await this.stop().catch(() => {});
      throw error;
    }
  }

  snapshot(): ServedSnapshot {
    return this.#served;
  }

  serving(): WorkerProcess[] {
    return [...this.#all.keys()].filter(({ servingSinceMs }) => servingSinceMs !== undefined);
  }

  servingCount(): number {
    return this.serving().length;
  }

  failureCount(): number {
    return this.#failureCount;
  }

  unservedMs(): number {
    return this.servingCount() > 0 ? 0 : performance.now() - this.#lastServedMs;
  }

  async state(): Promise<ProcessesState> {
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
    // The library takes a while to load.
    const { readSupervisorMetrics } = await import('../admin/metrics.js');
    const own = await readSupervisorMetrics();
    return [own, await this.#departed, ...this.serving().map(({ metrics }) => metrics)].filter(
      ({ length }) => length > 0,
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const serving = this.serving();
    // A closed client reconnects at once: a worker that still listens would accept and then drop it.
    await Promise.allSettled(serving.map((worker) => worker.stopListening()));
    await Promise.all([...this.#all.keys()].map((worker) => this.#stopWorker(worker)));
    const problem = (await Promise.all(serving.map(({ ended }) => ended))).find((how) => how !== 'code 0');
    if (problem !== undefined) throw new Error(`a worker ended with ${problem}`);
  }

  /**
   * Serves the file first from one worker, and if that worker refuses it, nothing has changed; then from all others at once.
   * Two releases are served for a moment; docs/releases.md describes what clients see.
   */
  async swap(pinned: PinnedSnapshot): Promise<void> {
    const earlier = this.pinned;
    const snapshot = await this.#serveFirst(pinned);
    // A worker that starts from now on reads `pinned`; one that is starting compares before it counts as serving.
    this.pinned = pinned;
    const others = this.serving().filter((worker) => worker.pinned !== pinned);
    await Promise.all(others.map((worker) => this.#serveOrEnd(worker, pinned)));
    this.#served = snapshot;
    // A worker that is starting may not have opened the earlier file yet.
    void Promise.allSettled(this.#all.values()).then(() => earlier.release());
  }

  /**
   * Rejects if a worker refuses the file, or if two workers in a row end while they open it: one worker may end for
   * another reason. If all workers end as soon as they start, they start from this file.
   */
  async #serveFirst(pinned: PinnedSnapshot): Promise<ServedSnapshot> {
    for (let endedCount = 0; ; endedCount++) {
      const worker = await this.#anyServing();
      if (worker === undefined) return await this.#startFrom(pinned);
      try {
        return await this.#serve(worker, pinned);
      } catch (error) {
        if (!(error instanceof WorkerEndedError) || endedCount > 0) throw error;
        await worker.ended;
      }
    }
  }

  /** Kills a worker that refuses a file that another worker serves: its replacement starts from the pinned file. */
  async #serveOrEnd(worker: WorkerProcess, pinned: PinnedSnapshot): Promise<void> {
    try {
      await this.#serve(worker, pinned);
    } catch (error) {
      if (error instanceof WorkerEndedError) return;
      this.logger.error({ ...worker.names, err: error }, 'a worker did not change its snapshot and is ended');
      worker.kill();
    }
  }

  async #serve(worker: WorkerProcess, pinned: PinnedSnapshot): Promise<ServedSnapshot> {
    const slow = setTimeout(() => {
      this.logger.warn(worker.names, 'a worker is slow to open the snapshot, and holds up the swap');
    }, SLOW_MS);
    try {
      return await worker.serve(pinned);
    } finally {
      clearTimeout(slow);
    }
  }

  /** Waits for a worker that serves; undefined if all workers end as soon as they start. */
  async #anyServing(): Promise<WorkerProcess | undefined> {
    for (;;) {
      this.#stopping.signal.throwIfAborted();
      const [worker] = this.serving();
      if (worker !== undefined || this.#pauses.size === this.settings.workers) return worker;
      await wait(LOOK_EVERY_MS);
    }
  }

  /** Starts all workers from another file, since they end as soon as they start. Rejects if they end again. */
  async #startFrom(pinned: PinnedSnapshot): Promise<ServedSnapshot> {
    const earlier = this.pinned;
    this.pinned = pinned;
    for (const pause of this.#pauses) pause.abort();
    this.#pauses.clear();
    const worker = await this.#anyServing();
    if (worker !== undefined) return worker.snapshot;
    this.pinned = earlier;
    throw new Error(`no worker starts from it: ${this.#problem}`);
  }

  /** Starts a worker; resolves when it serves the file that is pinned. A replacement checks the key store again. */
  async #start(areKeysChecked = false): Promise<WorkerProcess> {
    const worker = new WorkerProcess(this.pinned, this.port, areKeysChecked, () => this.#failureCount++);
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
    while (worker.pinned !== this.pinned) await worker.serve(this.pinned);
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
      pauseMs = restartPauseMs(pauseMs, lifeMs);
      // Code 0: an operator stopped it.
      const level = how === 'code 0' ? 'info' : 'error';
      if (worker !== undefined) this.logger[level]({ ...worker.names, how, pauseMs }, 'a worker ended and is replaced');
      await this.#pause(pauseMs);
      if (this.#stopping.signal.aborted) return;
      worker = await this.#startReplacement(pauseMs);
    }
  }

  /** Undefined if it does not start. */
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
  const { keepCounts } = await import('../admin/metrics.js');
  return await keepCounts([values, metrics]);
}
