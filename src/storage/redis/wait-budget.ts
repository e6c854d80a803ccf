/**
 * Limits the total time that a request to an account page waits for Redis, over all its commands: if Redis stops or
 * slows down in the middle of a request, the error page still comes in time. Only time spent on Redis counts. Code that
 * runs without a budget waits as long as until-answered.ts says.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface WaitLimits {
  /** Milliseconds for one answer. */
  readonly answerMs: number;
  /** Milliseconds for all answers of a request together. */
  readonly requestMs: number;
}

export class WaitBudget {
  #spentMs = 0;
  #waitingCount = 0;
  #waitingSinceMs = 0;

  constructor(private readonly limits: WaitLimits) {}

  /** Runs `wait` with its maximum time in milliseconds. Time of concurrent waits counts once. */
  async spend<T>(wait: (limitMs: number) => Promise<T>): Promise<T> {
    const startMs = performance.now();
    if (this.#waitingCount++ === 0) this.#waitingSinceMs = startMs;
    const { answerMs, requestMs } = this.limits;
    const leftMs = requestMs - this.#spentMs - (startMs - this.#waitingSinceMs);
    try {
      return await wait(Math.max(0, Math.min(answerMs, leftMs)));
    } finally {
      if (--this.#waitingCount === 0) this.#spentMs += performance.now() - this.#waitingSinceMs;
    }
  }
}

const budgets = new AsyncLocalStorage<WaitBudget>();

/** The budget of the current request. */
export function currentBudget(): WaitBudget | undefined {
  return budgets.getStore();
}

/** Runs a request within these limits. */
export function withinLimits<T>(limits: WaitLimits, run: () => T): T {
  return budgets.run(new WaitBudget(limits), run);
}
