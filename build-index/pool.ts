/**
 * Runs tasks on worker threads and gives the results back in the order of the tasks, whatever order they end in. At
 * most LOOKAHEAD tasks run ahead of the one whose result is awaited, so that finished ones do not pile up in memory.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type PackedError, runTask, type Task, type TaskResult, unpackError } from './tasks.js';

const LOOKAHEAD = 8;

/** Building makes many short-lived strings: with Node's default of 48 MB a quarter of the time goes to collecting them. */
const YOUNG_GENERATION_MB = 128;

export interface Pool {
  /** Results in the order of the tasks. Throws the first task's error that comes up in that order. */
  run<T extends Task>(tasks: readonly T[]): AsyncGenerator<TaskResult<T>>;
  close(): Promise<void>;
}

/** A pool of worker threads, one for each core; with `threadCount` 0 tasks run on the calling thread. */
export function createPool(threadCount = Math.min(availableParallelism(), LOOKAHEAD)): Pool {
  if (threadCount === 0) return { run: runHere, close: async () => {} };
  const workers = Array.from({ length: threadCount }, () => startWorker());
  const idle = [...workers];
  return {
    run: (tasks) => runOn(idle, tasks),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function startWorker(): Worker {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB };
  return new Worker(new URL('./worker.js', import.meta.url), { resourceLimits });
}

async function* runHere<T extends Task>(tasks: readonly T[]): AsyncGenerator<TaskResult<T>> {
  for (const task of tasks) yield (await runTask(task)) as TaskResult<T>;
}

async function* runOn<T extends Task>(idle: Worker[], tasks: readonly T[]): AsyncGenerator<TaskResult<T>> {
  const results: (Promise<TaskResult<T>> | undefined)[] = [];
  const waiting: ((worker: Worker) => void)[] = [];
  const takeWorker = async (): Promise<Worker> => idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
  const start = async (task: T): Promise<TaskResult<T>> => {
    const worker = await takeWorker();
    try {
      return (await ask(worker, task)) as TaskResult<T>;
    } finally {
      const next = waiting.shift();
      if (next === undefined) idle.push(worker);
      else next(worker);
    }
  };
  for (let index = 0; index < tasks.length; index++) {
    while (results.length < Math.min(tasks.length, index + LOOKAHEAD)) {
      const result = start(tasks[results.length] as T);
      // An error is thrown below when its turn comes; until then it must not count as unhandled.
      result.catch(() => {});
      results.push(result);
    }
    const result = await (results[index] as Promise<TaskResult<T>>);
    results[index] = undefined;
    yield result;
  }
}

function ask(worker: Worker, task: Task): Promise<unknown> {
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
