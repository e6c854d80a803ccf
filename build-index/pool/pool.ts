/**
 * Runs tasks on worker threads and returns the results in the order of the tasks. At most LOOKAHEAD tasks run ahead of
 * the awaited result, so that finished results don't pile up in memory. A long task with little work behind it starts
 * first: at the end, it would keep a single thread busy while the other threads are idle. If a thread dies (of its
 * memory limit or an uncaught error), all runs fail at once. The pool does not know the tasks: the program of its
 * threads runs them.
 */

import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { ExpectedError } from '../../src/base/errors.js';
import { startThread } from '../../src/base/thread.js';
import { deserializeError, type SerializedError } from './serialized-error.js';

/** A message to a worker thread that describes a task with a `Result`. */
export interface Task<Result> {
  readonly kind: string;
  /** A description of the task for messages: "building DE". */
  readonly step: string;
  /** The approximate amount of work, in a unit that all tasks of a run share; absent for a small task. */
  readonly size?: number;
  /** Never set: carries the type of the result. */
  readonly result?: Result;
}

export interface Pool {
  /**
   * Returns results in the order of the tasks. Throws the error of the first failed task in that order, or
   * ExpectedError as soon as any thread dies.
   */
  run<Result>(tasks: readonly Task<Result>[]): AsyncGenerator<Result>;
  close(): Promise<void>;
}

/** Maximum number of threads: bounds the memory. */
const MAX_THREADS = 8;
/** Maximum number of tasks ahead of the awaited result: bounds the finished results in memory. */
const LOOKAHEAD = 12;
/** Minimum share of a run's total size at which a task may be long. */
const LONG_SHARE = 1 / 50;

/**
 * Size of a thread's young generation, in MB. A build creates many short-lived strings: with Node's default of 48 MB it
 * spends a quarter of its time collecting them.
 */
const YOUNG_GENERATION_MB = 128;

/** A pool of worker threads, one for each core. `threadProgram` runs a task for each message, see tasks/task-thread.ts. */
export function createPool(threadProgram: URL, threadCount = Math.min(availableParallelism(), MAX_THREADS)): Pool {
  const started = Array.from({ length: threadCount }, () =>
    startThread(threadProgram, { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB }),
  );
  const threads = watchThreads(started.map(({ worker }) => worker));
  return {
    run: (tasks) => runOn(threads, tasks, threadCount),
    close: async () => {
      fail(threads, new Error('the pool is closed'));
      await Promise.all(started.map((thread) => thread.end()));
    },
  };
}

/** The threads of a pool. A failed run leaves tasks on them; a later run waits until these threads are idle again. */
interface Threads {
  readonly idle: Worker[];
  readonly waiting: ((worker: Worker) => void)[];
  /** The current task of each busy thread. */
  readonly tasks: Map<Worker, Task<unknown>>;
  /** Set when a thread has died or the pool is closed: then every run fails. */
  failure: Error | undefined;
  /** Rejects the results that current runs wait for. */
  readonly onFailure: Set<(failure: Error) => void>;
}

/** If a thread dies, fails the pool with the thread's task and the reason. */
function watchThreads(workers: readonly Worker[]): Threads {
  const threads: Threads = {
    idle: [...workers],
    waiting: [],
    tasks: new Map(),
    failure: undefined,
    onFailure: new Set(),
  };
  for (const worker of workers) {
    const die = (reason: string): void => {
      const step = threads.tasks.get(worker)?.step ?? 'it had no task';
      fail(threads, new ExpectedError(`a worker thread died while ${step}: ${reason}`));
    };
    worker.on('error', (error) => die(describeThreadError(error)));
    worker.on('messageerror', (error) => die(`its result could not be read: ${(error as Error).message}`));
    worker.on('exit', (code) => die(`it exited with code ${code}`));
  }
  return threads;
}

/** The reason of a worker's `error` event: an uncaught error in the thread, or its memory limit. */
function describeThreadError(error: unknown): string {
  if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_WORKER_OUT_OF_MEMORY') {
    return (error as Error | null)?.stack ?? String(error);
  }
  const remedy = 'NODE_OPTIONS=--max-old-space-size=<MiB> sets the limit of each thread';
  return `it ran out of memory (ERR_WORKER_OUT_OF_MEMORY); ${remedy}`;
}

/** Fails all current and later runs. Only the first call has an effect. */
function fail(threads: Threads, failure: Error): void {
  threads.failure ??= failure;
  for (const reject of threads.onFailure) reject(threads.failure);
}

/** Settles like `result`, or rejects if the pool fails. (Promise.race would keep every result as long as the pool.) */
function unlessFailed<Result>(threads: Threads, result: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (threads.failure !== undefined) return reject(threads.failure);
    threads.onFailure.add(reject);
    result.then(resolve, reject).finally(() => threads.onFailure.delete(reject));
  });
}

async function* runOn<Result>(
  threads: Threads,
  tasks: readonly Task<Result>[],
  threadCount: number,
): AsyncGenerator<Result> {
  const { idle, waiting } = threads;
  const results: (Promise<Result> | undefined)[] = [];
  let nextIndex = 0;
  const takeWorker = async (): Promise<Worker> => idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
  const start = async (task: Task<Result>): Promise<Result> => {
    const worker = await takeWorker();
    threads.tasks.set(worker, task);
    try {
      return (await runOnWorker(worker, task)) as Result;
    } finally {
      threads.tasks.delete(worker);
      const next = waiting.shift();
      if (next === undefined) idle.push(worker);
      else next(worker);
    }
  };
  const begin = (index: number): void => {
    const result = start(tasks[index] as Task<Result>);
    // The loop below throws an error when it awaits this result; until then Node must not report it as unhandled.
    result.catch(() => {});
    results[index] = result;
  };
  for (const index of listLong(tasks, threadCount)) begin(index);
  for (let index = 0; index < tasks.length; index++) {
    for (; nextIndex < Math.min(tasks.length, index + LOOKAHEAD); nextIndex++) {
      if (results[nextIndex] === undefined) begin(nextIndex);
    }
    const result = await unlessFailed(threads, results[index] as Promise<Result>);
    results[index] = undefined;
    yield result;
  }
}

/** The indexes of the tasks that are longer than the work behind them takes the other threads; the longest first. */
function listLong(tasks: readonly Task<unknown>[], threadCount: number): number[] {
  const sizeOf = (index: number): number => tasks[index]?.size ?? 0;
  const total = tasks.reduce((sum, _, index) => sum + sizeOf(index), 0);
  let behind = total;
  return [...tasks.keys()]
    .filter((index) => {
      const size = sizeOf(index);
      behind -= size;
      return size > total * LONG_SHARE && size * (threadCount - 1) > behind;
    })
    .sort((one, other) => sizeOf(other) - sizeOf(one));
}

/** The result of a task on a worker. Never settles if the thread dies, see unlessFailed. */
async function runOnWorker(worker: Worker, task: Task<unknown>): Promise<unknown> {
  const reply = new Promise<{ result?: unknown; error?: SerializedError }>((resolve) =>
    worker.once('message', resolve),
  );
  worker.postMessage(task);
  const { result, error } = await reply;
  if (error !== undefined) throw deserializeError(error);
  return result;
}
