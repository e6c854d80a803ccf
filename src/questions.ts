/**
 * Questions to another process, or to a thread, and their answers. Each question has a number, so that answers may come in
 * any order, and a limit; the end of the other side fails every question that is open. How messages travel is for both
 * sides to say.
 */

export interface Question {
  readonly number: number;
  readonly name: string;
  readonly input: readonly unknown[];
}

export interface Answer {
  readonly number: number;
  readonly answer?: unknown;
  /** Why there is no answer: the message of what was thrown. */
  readonly problem?: string;
}

/** What can be asked, by name. */
type Table<Names> = { readonly [Name in keyof Names]: (...input: never[]) => unknown };

/** The number of the question that nobody sends: how the start of the other side went. */
export const START = 0;

/** As long as a timer can be. */
export const NO_LIMIT_MS = 2 ** 31 - 1;

/** The other side lives, and did not answer within the limit. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

/** The side that asks. */
export class Asker<Questions extends Table<Questions>> {
  readonly #open = new Map<number, (outcome: Answer | Error) => void>();
  #lastNumber = START;
  #endError: Error | undefined;

  constructor(private readonly send: (question: Question) => void) {}

  /** Rejects with an Error that has the other side's message, with LateError, or with the error that `end` was given. */
  ask<Name extends keyof Questions & string>(
    limitMs: number,
    name: Name,
    ...input: Parameters<Questions[Name]>
  ): Promise<Awaited<ReturnType<Questions[Name]>>> {
    const number = ++this.#lastNumber;
    this.send({ number, name, input });
    return this.answerTo(number, limitMs);
  }

  answerTo<T>(number: number, limitMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Answer | Error): void => {
        clearTimeout(timer);
        this.#open.delete(number);
        if (outcome instanceof Error) reject(outcome);
        else if (outcome.problem !== undefined) reject(new Error(outcome.problem));
        else resolve(outcome.answer as T);
      };
      const timer = setTimeout(() => settle(new LateError(`no answer within ${limitMs} ms`)), limitMs);
      this.#open.set(number, settle);
      if (this.#endError !== undefined) settle(this.#endError);
    });
  }

  /** To be called with every message of the other side. */
  hear(answer: Answer): void {
    this.#open.get(answer.number)?.(answer);
  }

  /** To be called when the other side has ended: it answers nothing any more. */
  end(error: Error): void {
    this.#endError = error;
    for (const settle of this.#open.values()) settle(error);
  }
}

/** The answer to a question, of the side that is asked. */
export async function answerFrom<Answers extends Table<Answers>>(
  answers: Answers,
  { number, name, input }: Question,
): Promise<Answer> {
  try {
    return { number, answer: await answers[name as keyof Answers](...(input as never[])) };
  } catch (error) {
    return { number, problem: (error as Error).message };
  }
}
