/**
 * Runs tasks on worker threads and gives the results back in the order of the tasks, whatever order they end in. At
 * most LOOKAHEAD tasks run ahead of the one whose result is awaited, so that finished results do not pile up in memory;
 * but the few that take long are begun before all others: one of them at the end would keep a single thread busy while
 * the others have nothing to do. What a task does is none of the pool's business: the pool is handed what runs tasks.
 */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../src/thread.js';
import { type PackedError, unpackError } from './packed-error.js';

/** A message that says what to do; doing it gives a `Result`. */
export interface Task<Result> {
  readonly kind: string;
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
  /** Results in the order of the tasks. Throws the error of the first task, in that order, that fails. */
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
  if (threadCount === 0) return { run: (tasks) => runHere(runner, tasks), close: async () => {} };
  const started = Array.from({ length: threadCount }, () =>
    startThread(runner.threadProgram, { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB }),
  );
  const threads: Threads = { idle: started.map(({ worker }) => worker), waiting: [] };
  return {
    run: (tasks) => runOn(threads, tasks),
    close: async () => {
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
}

async function* runOn<Result>({ idle, waiting }: Threads, tasks: readonly Task<Result>[]): AsyncGenerator<Result> {
  const results: (Promise<Result> | undefined)[] = [];
  let beginning = 0;
  const takeWorker = async (): Promise<Worker> => idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
  const start = async (task: Task<Result>): Promise<Result> => {
    const worker = await takeWorker();
    try {
      return (await ask(worker, task)) as Result;
    } finally {
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
    const result = await (results[index] as Promise<Result>);
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

function ask(worker: Worker, task: Task<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      worker.off('message', onMessage);
      worker.off('error', onError);
      worker.off('exit', onExit);
      act();
    };
    const onMessage = ({ result, error }: { result?: unknown; error?: PackedError }): void =>
      settle(() => (error === undefined ? resolve(result) : reject(unpackError(error))));
    const onError = (error: unknown): void => settle(() => reject(error));
    const onExit = (code: number): void => settle(() => reject(new Error(`a worker ended with code ${code}`)));
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.on('exit', onExit);
    worker.postMessage(task);
  });
}
