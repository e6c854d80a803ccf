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

/** The number of the first question, which nobody sends: the start of the other side asks how its start went. */
export const START = 0;

/** The other side lives, and did not answer within the limit. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

interface OpenQuestion {
  resolve(answer: unknown): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** The side that asks. */
export class Asker<Questions extends Table<Questions>> {
  readonly #open = new Map<number, OpenQuestion>();
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
    if (this.#endError === undefined) this.send({ number, name, input });
    return this.#answerTo(number, limitMs) as Promise<Awaited<ReturnType<Questions[Name]>>>;
  }

  /** The answer to START. */
  started(limitMs: number): Promise<unknown> {
    return this.#answerTo(START, limitMs);
  }

  /** To be called with every message of the other side. */
  hear({ number, answer, problem }: Answer): void {
    const question = this.#close(number);
    if (problem === undefined) question?.resolve(answer);
    else question?.reject(new Error(problem));
  }

  /** To be called when the other side has ended: it answers nothing any more. */
  end(error: Error): void {
    this.#endError = error;
    for (const number of this.#open.keys()) this.#close(number)?.reject(error);
  }

  #answerTo(number: number, limitMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#endError !== undefined) return reject(this.#endError);
      const late = (): void => this.#close(number)?.reject(new LateError(`no answer within ${limitMs} ms`));
      const timer = limitMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(late, limitMs);
      this.#open.set(number, { resolve, reject, timer });
    });
  }

  #close(number: number): OpenQuestion | undefined {
    const question = this.#open.get(number);
    this.#open.delete(number);
    clearTimeout(question?.timer);
    return question;
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
