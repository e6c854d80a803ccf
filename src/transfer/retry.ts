/**
 * Retries a limited number of times, after exponential backoff with jitter, or after the delay that the server asks
 * for.
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

export interface RetryPolicy {
  /** Maximum number of attempts after the first. */
  readonly retries: number;
  /** Told why an attempt failed, before each retry. */
  onRetry?(error: DownloadError): void;
  wait(milliseconds: number): Promise<unknown>;
  /** A number from 0 (included) to 1 (excluded). */
  random(): number;
}

export function createRetryPolicy(retries: number): RetryPolicy {
  return { retries, wait: sleep, random: Math.random };
}

/** Delay before the first retry, in milliseconds; it doubles with each retry. */
const FIRST_DELAY_MS = 1000;
/** Maximum delay by backoff, in milliseconds. */
const MAX_DELAY_MS = 60_000;
/** Maximum delay by Retry-After, in milliseconds: rather than wait for hours, the download fails. */
const MAX_RETRY_AFTER_MS = 120_000;

/** Half of the delay is fixed, half is random, so that clients that failed together don't retry together. */
function delayBefore(retry: number, retryAfterMs: number, random: () => number): number {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** (retry - 1), MAX_DELAY_MS);
  return Math.max(backoff * (0.5 + random() / 2), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** The result of the first successful `attempt`. Throws the last DownloadError, or any other error at once. */
export async function retry<T>(retryPolicy: RetryPolicy, attempt: () => Promise<T>): Promise<T> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await attempt();
    } catch (error) {
      await waitAfter(error, tryNumber, retryPolicy);
    }
  }
}

/** The same for what comes in pieces: each attempt gives the pieces that those before it lacked. */
export async function* retryPieces<T>(retryPolicy: RetryPolicy, attempt: () => AsyncIterable<T>): AsyncGenerator<T> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return yield* attempt();
    } catch (error) {
      await waitAfter(error, tryNumber, retryPolicy);
    }
  }
}

/** Waits until the next attempt. Throws what the last attempt throws. */
async function waitAfter(error: unknown, tryNumber: number, retryPolicy: RetryPolicy): Promise<void> {
  const { retries, wait, random } = retryPolicy;
  if (!(error instanceof DownloadError) || error.isFinal) throw error;
  if (tryNumber > retries) {
    throw tryNumber === 1 ? error : new DownloadError(`${error.message} (try ${tryNumber}, the last)`, true);
  }
  retryPolicy.onRetry?.(error);
  await wait(delayBefore(tryNumber, error.retryAfterMs, random));
}
