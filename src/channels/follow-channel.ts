/**
 * Pulls a channel again and again. A pull that fails changes nothing that is served, and the next one comes after the
 * same interval. Intervals vary by a tenth, so that machines that were started together do not ask together.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../logger.js';
import { ChannelError, type ChannelErrorCode } from './channel-error.js';
import { openChannelSource } from './open-source.js';
import { type PullOptions, type PullReport, pull } from './pull.js';

export interface ChannelOptions extends Omit<PullOptions, 'source' | 'signal'> {
  /** An address, or the path of a folder. */
  readonly address: string;
  /** Maximum time of a pull, in milliseconds. */
  readonly limitMs: number;
}

export interface ChannelFailure {
  readonly code: ChannelErrorCode | 'OTHER';
  /** One line. */
  readonly reason: string;
  /** ISO 8601, UTC: the first of the failures in a row. */
  readonly since: string;
}

export interface ChannelState {
  readonly address: string;
  readonly channel: string;
  /** What the channel named last, and when the publisher changed it; null before the first pull that succeeded. */
  readonly release: string | null;
  readonly changedAt: string | null;
  /** ISO 8601, UTC: when the last pull ended, and the last that succeeded; null for none. */
  readonly checkedAt: string | null;
  readonly succeededAt: string | null;
  /** Why the last pull failed; null if it succeeded. */
  readonly failure: ChannelFailure | null;
  /** Number of pulls that brought another release, that found nothing new, and that failed. */
  readonly counts: { readonly changed: number; readonly unchanged: number; readonly failed: number };
}

/** Share of the interval by which a pause differs at most. */
const JITTER = 0.1;

/** Pulls once. Throws as `pull`, and ChannelError TIME_LIMIT. */
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

export class ChannelFollower {
  readonly #stopping = new AbortController();
  #state: ChannelState;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: ChannelOptions,
    private readonly logger: Logger,
    private readonly onState: (state: ChannelState) => void = () => {},
  ) {
    const { address, channel } = options;
    this.#state = {
      ...{ address, channel, release: null, changedAt: null, checkedAt: null, succeededAt: null, failure: null },
      counts: { changed: 0, unchanged: 0, failed: 0 },
    };
  }

  get state(): ChannelState {
    return this.#state;
  }

  /** Pulls now and then after every interval, until `stop`. */
  follow(intervalMs: number, firstDelayMs = 0): void {
    const { signal } = this.#stopping;
    const run = async (): Promise<void> => {
      let delayMs = firstDelayMs;
      while (!signal.aborted) {
        await wait(delayMs, undefined, { signal }).catch(() => {});
        await this.pullOnce();
        delayMs = intervalMs * (1 + JITTER * (2 * Math.random() - 1));
      }
    };
    this.#running = run();
  }

  /** Resolves when the pull under way has ended, without its work. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Pulls once, and keeps what came of it as the state. */
  async pullOnce(): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const startedAt = performance.now();
    try {
      const report = await pullOnce(this.options, signal);
      this.#succeeded(report, Math.round(performance.now() - startedAt) / 1000);
    } catch (error) {
      if (!signal.aborted) this.#failed(error as Error);
    }
    this.onState(this.#state);
  }

  #succeeded(report: PullReport, seconds: number): void {
    const { release, changedAt, changed } = report;
    const { counts, failure } = this.#state;
    const now = new Date().toISOString();
    if (changed) this.logger.info({ ...report, seconds }, 'pulled another release');
    else if (failure !== null) this.logger.info({ release }, 'the channel can be followed again');
    this.#state = {
      ...this.#state,
      ...{ release, changedAt, checkedAt: now, succeededAt: now, failure: null },
      counts: changed ? { ...counts, changed: counts.changed + 1 } : { ...counts, unchanged: counts.unchanged + 1 },
    };
  }

  #failed(error: Error): void {
    const { counts, failure } = this.#state;
    const now = new Date().toISOString();
    const code = error instanceof ChannelError ? error.code : 'OTHER';
    const reason = error.message.replace(/\s+/g, ' ');
    // Every pull of a host that is down fails alike: the first of them says enough.
    if (failure?.reason !== reason) this.logger.error({ code, reason }, 'the channel could not be pulled');
    this.#state = {
      ...this.#state,
      checkedAt: now,
      failure: { code, reason, since: failure?.since ?? now },
      counts: { ...counts, failed: counts.failed + 1 },
    };
  }
}
