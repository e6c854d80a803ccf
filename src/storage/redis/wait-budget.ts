/**
 * How long a request of a person may wait for Redis in all, however many questions it asks one after another: a page
 * that says that Redis can't be reached comes in time also where Redis stops answering in mid-request, or answers each
 * question late. Only waiting for Redis counts, not waiting for a mail server. What runs without a budget waits as
 * until-answered.ts says.
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

  /** Runs `wait` with the milliseconds that it may take. Questions that wait at once are counted once. */
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

/** The budget of the request that this is called for. */
export function currentBudget(): WaitBudget | undefined {
  return budgets.getStore();
}

/** Runs a request, and all that it awaits, within these limits. */
export function withinLimits<T>(limits: WaitLimits, run: () => T): T {
  return budgets.run(new WaitBudget(limits), run);
}
