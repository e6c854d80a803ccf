/** What a process and its workers say to each other: questions of the one, answers of the others. */
import type { Worker } from 'node:cluster';
import type { MetricValues } from '../observing/metrics.js';
import type { ServingReport } from './serving.js';

/** The variable that names the file a worker serves: what SNAPSHOT names may be another one by now. */
export const SNAPSHOT_FILE = 'POSTAL_PLACES_SNAPSHOT_FILE';

/** What a worker can be asked, by name. */
export interface Questions {
  serve(path: string): Promise<void>;
  stopListening(): void;
  report(): ServingReport;
  metrics(): Promise<MetricValues>;
}

export type QuestionName = keyof Questions;

/** The first message of a worker: where it listens, or why it can't. */
export type Greeting =
  | { readonly kind: 'listening'; readonly host: string; readonly report: ServingReport }
  | { readonly kind: 'failed'; readonly problem: string };

interface Question {
  readonly kind: 'question';
  readonly number: number;
  readonly name: QuestionName;
  readonly input: readonly unknown[];
}

interface Answer {
  readonly kind: 'answer';
  readonly number: number;
  readonly answer?: unknown;
  readonly problem?: string;
}

/** The worker ended before it answered. */
export class WorkerEndedError extends Error {
  override readonly name = 'WorkerEndedError';
}

/** The worker lives, and did not answer in time. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

let lastNumber = 0;

/** Rejects with what the worker says is wrong, where it ends, and where there is no answer within `limitMs`. */
export function askWorker<Name extends QuestionName>(
  worker: Worker,
  limitMs: number,
  name: Name,
  ...input: Parameters<Questions[Name]>
): Promise<Awaited<ReturnType<Questions[Name]>>> {
  return new Promise((resolve, reject) => {
    const number = ++lastNumber;
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('exit', onExit);
      act();
    };
    const onMessage = (message: Answer): void => {
      if (message.kind !== 'answer' || message.number !== number) return;
      settle(() =>
        message.problem === undefined ? resolve(message.answer as never) : reject(new Error(message.problem)),
      );
    };
    const onExit = (): void => settle(() => reject(new WorkerEndedError(`worker ${worker.id} ended`)));
    const late = (): void => settle(() => reject(new NoAnswerError(`worker ${worker.id}: no answer in ${limitMs} ms`)));
    const timer = setTimeout(late, limitMs);
    worker.on('message', onMessage);
    worker.on('exit', onExit);
    if (worker.isDead()) {
      onExit();
      return;
    }
    worker.send({ kind: 'question', number, name, input } satisfies Question, (error) => {
      // Its end is heard of a little later.
      if (error) settle(() => reject(new WorkerEndedError(`worker ${worker.id}: ${error.message}`)));
    });
  });
}

/** Answers what this worker is asked. */
export function answerQuestions(answers: Questions): void {
  process.on('message', (message: Question) => {
    if (message.kind === 'question') void answer(answers, message);
  });
}

async function answer(answers: Questions, { number, name, input }: Question): Promise<void> {
  try {
    const found = await (answers[name] as (...input: readonly unknown[]) => unknown)(...input);
    void tell({ kind: 'answer', number, answer: found });
  } catch (error) {
    void tell({ kind: 'answer', number, problem: (error as Error).message });
  }
}

/** Says something to the process that started this worker, if that is still there; resolves when it is said. */
export function tell(message: Greeting | Answer): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
