/**
 * Trying again, a limited number of times: after exponential backoff with jitter, or as long as the server asks for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DownloadError } from './download-error.js';

export interface Retrying {
  /** How many more tries follow the first, at most. */
  readonly retries: number;
  wait(milliseconds: number): Promise<unknown>;
  /** A number from 0 up to, without, 1. */
  random(): number;
}

export function patientRetrying(retries: number): Retrying {
  return { retries, wait: sleep, random: Math.random };
}

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
/** A server may ask for hours of waiting; the caller would rather hear of the failure. */
const MAX_RETRY_AFTER_MS = 120_000;

/** Half of the delay is certain, half is chance, so that clients that failed together do not come back together. */
function delayBefore(retry: number, retryAfterMs: number, random: () => number): number {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** (retry - 1), MAX_DELAY_MS);
  return Math.max(backoff * (0.5 + random() / 2), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** The result of the first `attempt` that succeeds. Throws the last DownloadError, or at once any other error. */
export async function tryRepeatedly<T>(retrying: Retrying, attempt: () => Promise<T>): Promise<T> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DownloadError) || error.isFinal) throw error;
      if (tryNumber > retrying.retries) {
        throw tryNumber === 1 ? error : new DownloadError(`${error.message} (try ${tryNumber}, the last)`, true);
      }
      await retrying.wait(delayBefore(tryNumber, error.retryAfterMs, retrying.random));
    }
  }
}
