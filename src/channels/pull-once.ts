/** A pull from an address, with a maximum time. */
import { ChannelError } from './channel-error.js';
import { openChannelSource } from './open-source.js';
import { type PullOptions, type PullReport, pull } from './pull.js';

export interface ChannelOptions extends Omit<PullOptions, 'source' | 'signal'> {
  /** An address, or the path of a folder. */
  readonly address: string;
  /** Maximum time of a pull, in milliseconds. */
  readonly limitMs: number;
}

/** Throws as `pull`, and ChannelError TIME_LIMIT. */
export async function pullOnce(
  { address, limitMs, ...options }: ChannelOptions,
  stop: AbortSignal,
): Promise<PullReport> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = AbortSignal.any([stop, limit]);
  try {
    return await pull({ ...options, source: openChannelSource(address, signal), signal });
  } catch (error) {
    if (stop.aborted || !limit.aborted) throw error;
    throw new ChannelError(
      'TIME_LIMIT',
      `the pull took longer than ${limitMs / 1000} s`,
      'the next one goes on where it stopped',
    );
  }
}
