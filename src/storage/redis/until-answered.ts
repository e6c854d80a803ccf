/**
 * Repeats a command to Redis until it is answered: for changes, account pages and `postal-places keys`, never for a
 * request of the API.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { KeyStoreError, type KeyStoreErrorCode } from '../key-store-error.js';
import { inTime } from './in-time.js';
import type { RedisClient } from './redis-client.js';
import { currentBudget } from './wait-budget.js';

const WAIT_MS = 5_000;
const RETRY_MS = 20;

/**
 * Sends when there is a connection, and again if the connection was lost, for five seconds or within the budget of the
 * current request (wait-budget.ts). The command must be idempotent. Rejects with KeyStoreError, with KEY_STORE_UNSURE
 * if the command may have been executed.
 */
export async function untilAnswered(client: RedisClient, send: () => Promise<unknown>): Promise<unknown> {
  const ask = (limitMs: number): Promise<unknown> => askFor(limitMs, client, send);
  return await (currentBudget()?.spend(ask) ?? ask(WAIT_MS));
}

/** The same for a command that only reads, so that KEY_STORE_UNSURE can't occur. */
export async function untilRead(client: RedisClient, send: () => Promise<unknown>): Promise<unknown> {
  return await untilAnswered(client, send).catch((error: unknown) => {
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
      return await inTime(send(), deadlineMs - performance.now(), () => tooLate('KEY_STORE_UNSURE', client));
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
