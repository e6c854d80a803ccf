/**
 * Runs tasks on worker threads and gives the results back in the order of the tasks, whatever order they end in. At
 * most LOOKAHEAD tasks run ahead of the one whose result is awaited, so that finished results do not pile up in memory;
 * but the few that take long are begun before all others: one of them at the end would keep a single thread busy while
 * the others have nothing to do. A thread that dies, of its memory limit or of an error that nothing caught, fails every
 * run at once. What a task does is none of the pool's business: the pool is handed what runs tasks.
 */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../src/platform/thread.js';
import { type PackedError, unpackError } from './packed-error.js';
import { describeThreadError, ThreadError } from './thread-error.js';

/** A message that says what to do; doing it gives a `Result`. */
export interface Task<Result> {
  readonly kind: string;
  /** What a thread does with the task, for messages: "building DE". */
  readonly step: string;
  /** About how much there is to do, in a unit that all tasks of a run share; left out where that is little. */
  readonly size?: number;
  /** Never set: only the types know it. */
  readonly result?: Result;
}

/** What runs the tasks of a pool. */
interface TaskRunner {
  /** Runs a task on the calling thread. */
  run(task: Task<unknown>): Promise<unknown>;
  /** The program of a thread that runs the same tasks, by way of serveTasks, see also thread.ts. */
  readonly threadProgram: URL;
}

export interface Pool {
  /** 0 where tasks run on the calling thread. */
  readonly threadCount: number;
  /**
   * Results in the order of the tasks. Throws the error of the first task, in that order, that fails; and ThreadError as
   * soon as a thread dies, whatever that thread was doing.
   */
  run<Result>(tasks: readonly Task<Result>[]): AsyncGenerator<Result>;
  close(): Promise<void>;
}

const LOOKAHEAD = 8;
/** A task takes long that has more than this share of all that a run has to do. */
const LONG_SHARE = 1 / 20;

/**
 * Building makes many short-lived strings: with Node's default of 48 MB a quarter of the time goes to collecting them.
 */
const YOUNG_GENERATION_MB = 128;

/** A pool of worker threads, one for each core; with `threadCount` 0 tasks run on the calling thread. */
export function createPool(runner: TaskRunner, threadCount = Math.min(availableParallelism(), LOOKAHEAD)): Pool {
  if (threadCount === 0) return { threadCount, run: (tasks) => runHere(runner, tasks), close: async () => {} };
  const started = Array.from({ length: threadCount }, () =>
    startThread(runner.threadProgram, { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB }),
  );
  const threads = watchThreads(started.map(({ worker }) => worker));
  return {
    threadCount,
    run: (tasks) => runOn(threads, tasks),
    close: async () => {
      fail(threads, new Error('the pool is closed'));
      await Promise.all(started.map((thread) => thread.end()));
    },
  };
}

async function* runHere<Result>(runner: TaskRunner, tasks: readonly Task<Result>[]): AsyncGenerator<Result> {
  for (const task of tasks) yield (await runner.run(task)) as Result;
}

/** The threads of a pool. A run that failed leaves tasks on them: a later run waits for these threads as well. */
interface Threads {
  readonly idle: Worker[];
  readonly waiting: ((worker: Worker) => void)[];
  /** The task that each busy thread works on. */
  readonly tasks: Map<Worker, Task<unknown>>;
  /** Why every run ends: a thread died, or the pool was closed. */
  failure: Error | undefined;
  /** What the runs that are under way wait for, to be called where that will not come. */
  readonly onFailure: Set<(failure: Error) => void>;
}

/** A thread that dies gets no further task: it fails the pool, with what the thread worked on and how it died. */
function watchThreads(workers: readonly Worker[]): Threads {
  const threads: Threads = {
    idle: [...workers],
    waiting: [],
    tasks: new Map(),
    failure: undefined,
    onFailure: new Set(),
  };
  for (const worker of workers) {
    const die = (reason: string): void => fail(threads, new ThreadError(threads.tasks.get(worker)?.step, reason));
    worker.on('error', (error) => die(describeThreadError(error)));
    worker.on('messageerror', (error) => die(`its result could not be read: ${(error as Error).message}`));
    worker.on('exit', (code) => die(`it exited with code ${code}`));
  }
  return threads;
}

/** Ends every run, now and later. Only the first call counts. */
function fail(threads: Threads, failure: Error): void {
  threads.failure ??= failure;
  for (const reject of threads.onFailure) reject(threads.failure);
}

/** Settles as `result` does, or rejects when the pool fails. (Promise.race would keep each result as long as the pool.) */
function unlessFailed<Result>(threads: Threads, result: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (threads.failure !== undefined) return reject(threads.failure);
    threads.onFailure.add(reject);
    result.then(resolve, reject).finally(() => threads.onFailure.delete(reject));
  });
}

async function* runOn<Result>(threads: Threads, tasks: readonly Task<Result>[]): AsyncGenerator<Result> {
  const { idle, waiting } = threads;
  const results: (Promise<Result> | undefined)[] = [];
  let beginning = 0;
  const takeWorker = async (): Promise<Worker> => idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
  const start = async (task: Task<Result>): Promise<Result> => {
    const worker = await takeWorker();
    threads.tasks.set(worker, task);
    try {
      return (await ask(worker, task)) as Result;
    } finally {
      threads.tasks.delete(worker);
      const next = waiting.shift();
      if (next === undefined) idle.push(worker);
      else next(worker);
    }
  };
  const begin = (index: number): void => {
    const result = start(tasks[index] as Task<Result>);
    // An error is thrown below, when this result is awaited; until then it must not count as unhandled.
    result.catch(() => {});
    results[index] = result;
  };
  for (const index of listLong(tasks)) begin(index);
  for (let index = 0; index < tasks.length; index++) {
    for (; beginning < Math.min(tasks.length, index + LOOKAHEAD); beginning++) {
      if (results[beginning] === undefined) begin(beginning);
    }
    const result = await unlessFailed(threads, results[index] as Promise<Result>);
    results[index] = undefined;
    yield result;
  }
}

/** The tasks that take long, the longest first. */
function listLong(tasks: readonly Task<unknown>[]): number[] {
  const sizeOf = (index: number): number => tasks[index]?.size ?? 0;
  const total = tasks.reduce((sum, _, index) => sum + sizeOf(index), 0);
  return [...tasks.keys()]
    .filter((index) => sizeOf(index) > total * LONG_SHARE)
    .sort((one, other) => sizeOf(other) - sizeOf(one));
}

/** What a thread answers to a task. Never settles where the thread dies, see unlessFailed. */
async function ask(worker: Worker, task: Task<unknown>): Promise<unknown> {
  const answered = new Promise<{ result?: unknown; error?: PackedError }>((resolve) => worker.once('message', resolve));
  worker.postMessage(task);
  const { result, error } = await answered;
  if (error !== undefined) throw unpackError(error);
  return result;
}
