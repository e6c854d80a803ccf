/**
 * Downloads that fail, and how often they are tried again: a limited number of times, after exponential backoff with
 * jitter or after the delay that the server asks for.
 */

import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A failure of the network or the server. Errors of the file system, such as a full disk, are not of this class.
 */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';

  /** `isFinal`: a retry would fail too. `retryAfterMs`: the delay that the server asks for, in milliseconds. */
  constructor(
    message: string,
    readonly isFinal: boolean,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** An error after which a retry may succeed. */
export function retryableError(message: string, retryAfterMs = 0): DownloadError {
  return new DownloadError(message, false, retryAfterMs);
}

export function permanentError(message: string): DownloadError {
  return new DownloadError(message, true);
}

export interface RetryOptions {
  /** Maximum number of attempts after the first. */
  readonly retries: number;
  /** Ends the pauses. */
  readonly signal?: AbortSignal | undefined;
  /** Told why an attempt failed, before each retry. */
  readonly onRetry?: ((error: DownloadError) => void) | undefined;
}

/** Delay before the first retry, in milliseconds; it doubles with each retry. */
const FIRST_DELAY_MS = 1000;
/** Maximum delay by backoff, in milliseconds. */
const MAX_DELAY_MS = 60_000;
/** Maximum delay by Retry-After, in milliseconds: rather than wait for hours, the download fails. */
const MAX_RETRY_AFTER_MS = 120_000;

/** Half of the delay is fixed, half is random, so that clients that failed together don't retry together. */
function delayBefore(retry: number, retryAfterMs: number): number {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** (retry - 1), MAX_DELAY_MS);
  return Math.max(backoff * (0.5 + Math.random() / 2), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** The result of the first successful `attempt`. Throws the last DownloadError, or any other error at once. */
export async function retry<T>({ retries, signal, onRetry }: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof DownloadError) || error.isFinal) throw error;
      if (tryNumber > retries) {
        throw tryNumber === 1 ? error : new DownloadError(`${error.message} (try ${tryNumber}, the last)`, true);
      }
      onRetry?.(error);
      await sleep(delayBefore(tryNumber, error.retryAfterMs), undefined, { signal });
    }
  }
}
