/** Opens the source of a channel by its address: http(s), or the path of a folder. */
import { setTimeout as wait } from 'node:timers/promises';
import { InvalidValueError } from '../expected-error.js';
import { SYSTEM_NETWORK } from '../transfer/network.js';
import type { ChannelSource } from './channel-source.js';
import { createFolderSource } from './folder-source.js';
import { createHttpSource } from './http-source.js';
import { parseSourceUrl } from './source-url.js';

/** Maximum time without a byte, in milliseconds. */
const STALL_MS = 30_000;
/** Minimum speed of a host in bytes a second, measured over STALL_MS. */
const MIN_BYTES_PER_SECOND = 1_000;
/** How often a file is asked for again in one pull. */
const RETRIES = 4;

/**
 * `signal` ends requests and the pauses between them; `onRetry` is told why a file is asked for again. Throws
 * InvalidValueError.
 */
export function openChannelSource(
  address: string,
  signal: AbortSignal,
  onRetry: (error: Error) => void,
): ChannelSource {
  const url = parseAddress(address);
  if (url === undefined) return createFolderSource(address, signal);
  return createHttpSource({
    url,
    limits: { stallMs: STALL_MS, minBytesPerSecond: MIN_BYTES_PER_SECOND, network: SYSTEM_NETWORK },
    retryPolicy: {
      retries: RETRIES,
      onRetry,
      wait: (milliseconds) => wait(milliseconds, undefined, { signal }),
      random: Math.random,
    },
    signal,
  });
}

/** As parseSourceUrl; the error is a whole sentence. */
export function parseAddress(address: string): URL | undefined {
  try {
    return parseSourceUrl(address);
  } catch (error) {
    // Without the address, which may have a password.
    throw new InvalidValueError(`the address can't be pulled from: ${(error as Error).message}`);
  }
}
