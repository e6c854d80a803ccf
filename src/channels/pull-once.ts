/** A pull from an address, with a maximum time. */
import { ChannelError } from './channel-error.js';
import { openChannelSource } from './open-source.js';
import { type PullOptions, type PullReport, pull } from './pull.js';

export interface ChannelOptions extends Omit<PullOptions, 'source' | 'signal' | 'onRetry'> {
  /** An address, or the path of a folder. */
  readonly address: string;
  /** Maximum time of a pull, in milliseconds. */
  readonly limitMs: number;
}

/** Throws as `pull`, and ChannelError TIME_LIMIT, which has the last failure after which a file was asked for again. */
export async function pullOnce(
  { address, limitMs, ...options }: ChannelOptions,
  stop: AbortSignal,
): Promise<PullReport> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = AbortSignal.any([stop, limit]);
  let lastFailure: Error | undefined;
  const onRetry = (error: Error): void => {
    // The limit itself ends requests with an error.
    if (!signal.aborted) lastFailure = error;
  };
  try {
    return await pull({ ...options, source: openChannelSource(address, signal, onRetry), signal, onRetry });
  } catch (error) {
    if (stop.aborted || !limit.aborted) throw error;
    const reason = lastFailure === undefined ? '' : `; the last failure was: ${reasonOf(lastFailure)}`;
    throw new ChannelError(
      'TIME_LIMIT',
      `the pull took longer than ${limitMs / 1000} s${reason}`,
      'the next one goes on where it stopped',
    );
  }
}

/** Without the remedy, which is for a pull that ends with this failure. */
function reasonOf(error: Error): string {
  return error instanceof ChannelError ? `${error.code}: ${error.found}` : error.message;
}
