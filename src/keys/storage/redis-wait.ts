/**
 * How long somebody waits for Redis. A decision about a request waits for one reply (`waitForReply`). Changes, account pages
 * and `postal-places keys` repeat a command until it is answered (`waitUntilAnswered`). A request to an account page has a
 * budget of time for all its commands together: if Redis stops or slows down in the middle of a request, the error page
 * still comes in time. Only time spent on Redis counts.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextRound, setTimeout as wait } from 'node:timers/promises';
import { KeyStoreError, type KeyStoreErrorCode } from './key-store-error.js';
import type { RedisClient } from './redis-client.js';

/** The reply, or after `limitMs` the error of `tooLate`. A later reply is dropped. */
export async function waitForReply<T>(answer: Promise<T>, limitMs: number, tooLate: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(async () => {
      // If the event loop was blocked, replies that have arrived are read first.
      await nextRound();
      reject(tooLate());
    }, limitMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface WaitLimits {
  /** Milliseconds for one answer. */
  readonly answerMs: number;
  /** Milliseconds for all answers of a request together. */
  readonly requestMs: number;
}

class WaitBudget {
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
function currentBudget(): WaitBudget | undefined {
  return budgets.getStore();
}

/** Runs a request within these limits. */
export function withinWaitLimits<T>(limits: WaitLimits, run: () => T): T {
  return budgets.run(new WaitBudget(limits), run);
}

const WAIT_MS = 5_000;
const RETRY_MS = 20;

/**
 * Sends when there is a connection, and again if the connection was lost, for five seconds or within the budget of the
 * current request. The command must be idempotent. Rejects with KeyStoreError, with KEY_STORE_UNSURE
 * if the command may have been executed.
 */
export async function waitUntilAnswered(client: RedisClient, send: () => Promise<unknown>): Promise<unknown> {
  const ask = (limitMs: number): Promise<unknown> => askFor(limitMs, client, send);
  return await (currentBudget()?.spend(ask) ?? ask(WAIT_MS));
}

/** The same for a command that only reads, so that KEY_STORE_UNSURE can't occur. */
export async function waitUntilRead(client: RedisClient, send: () => Promise<unknown>): Promise<unknown> {
  return await waitUntilAnswered(client, send).catch((error: unknown) => {
    if (!(error instanceof KeyStoreError && error.code === 'KEY_STORE_UNSURE')) throw error;
    throw new KeyStoreError('KEY_STORE_INACCESSIBLE', error.found, error.remedy, error);
  });
}

async function askFor(limitMs: number, client: RedisClient, send: () => Promise<unknown>): Promise<unknown> {
  if (limitMs === 0) throw tooLate('KEY_STORE_INACCESSIBLE', client);
  const deadlineMs = performance.now() + limitMs;
  let unsure: KeyStoreError | undefined;
  for (;;) {
    try {
      await client.whenReady(Math.max(0, deadlineMs - performance.now()));
      return await waitForReply(send(), deadlineMs - performance.now(), () => tooLate('KEY_STORE_UNSURE', client));
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
      if (error.code === 'KEY_STORE_UNSURE') unsure = error;
      // If a repeated command fails, an earlier attempt may have been executed.
      else if (error.code !== 'KEY_STORE_INACCESSIBLE') throw unsure ?? error;
      if (performance.now() + RETRY_MS >= deadlineMs) throw unsure ?? error;
      await wait(RETRY_MS);
    }
  }
}

function tooLate(code: KeyStoreErrorCode, { description }: RedisClient): KeyStoreError {
  const remedy = 'look whether that Redis runs, at the network between, and at REDIS_TIMEOUT_MS';
  return new KeyStoreError(code, `${description} did not answer in time`, remedy);
}
