/**
 * Pulls a channel again and again. A pull that fails changes nothing that is served, and the next one comes after the
 * same interval. Intervals vary by a tenth, so that machines that were started together do not ask together. Where
 * another process of this machine pulls into the folder, that pull does the work, and this one is skipped.
 */

import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../base/logger.js';
import { ChannelError, type ChannelErrorCode } from '../channel/channel-error.js';
import type { PullReport } from './pull.js';

export interface ChannelFailure {
  readonly code: ChannelErrorCode | 'OTHER';
  /** One line. */
  readonly reason: string;
  /** ISO 8601, UTC: the first of the failures in a row. */
  readonly since: string;
}

/** What is known about the channel that a program follows. */
export interface ChannelState {
  readonly address: string;
  readonly channel: string;
  /** What the channel named last, and when the publisher changed it; null before the first pull that succeeded. */
  readonly release: string | null;
  readonly changedAt: string | null;
  /** ISO 8601, UTC: when the last pull ended, and the last that succeeded; null for none since the start. */
  readonly checkedAt: string | null;
  readonly succeededAt: string | null;
  /** Why the last pull failed; null if it succeeded. */
  readonly failure: ChannelFailure | null;
  /** Whether no pull has succeeded for so long that somebody should look. */
  readonly isLate: boolean;
  readonly counts: ChannelCounts;
}

/**
 * Number of pulls that brought another release, that found nothing new, that another process of this machine was ahead
 * of, and that failed.
 */
export interface ChannelCounts {
  readonly changed: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly failed: number;
}

/** Share of the interval by which a pause differs at most. */
const JITTER = 0.1;

/**
 * The shortest time without a pull that succeeded after which somebody should look, in milliseconds: an hour, longer
 * than a host is down for maintenance.
 */
const LATE_MS = 3_600_000;
/** The same in intervals, for intervals of more than 20 minutes. */
const LATE_INTERVALS = 3;

/** `stopped`: the follower ended the pull. */
export type PullOutcome = keyof ChannelCounts | 'stopped';

type Known = Pick<ChannelState, 'address' | 'channel'> & Partial<Pick<ChannelState, 'release' | 'changedAt'>>;

export class ChannelFollower {
  readonly #stopping = new AbortController();
  #state: Omit<ChannelState, 'isLate'>;
  #following: Promise<void> = Promise.resolve();
  #underWay: Promise<PullOutcome> | undefined;
  #lateMs = LATE_MS;
  #succeededMs = performance.now();

  /** `known` has the channel, and what an earlier process found of it. */
  constructor(
    { address, channel, release = null, changedAt = null }: Known,
    private readonly pull: (signal: AbortSignal) => Promise<PullReport>,
    private readonly logger: Logger,
  ) {
    this.#state = {
      ...{ address, channel, release, changedAt, checkedAt: null, succeededAt: null, failure: null },
      counts: { changed: 0, unchanged: 0, skipped: 0, failed: 0 },
    };
  }

  get state(): ChannelState {
    return { ...this.#state, isLate: performance.now() - this.#succeededMs > this.#lateMs };
  }

  /** Pulls after `firstDelayMs` and then after every interval, until `stop`. */
  follow(intervalMs: number, firstDelayMs = 0): void {
    const { signal } = this.#stopping;
    this.#lateMs = Math.max(LATE_MS, LATE_INTERVALS * intervalMs);
    const run = async (): Promise<void> => {
      let delayMs = firstDelayMs;
      while (!signal.aborted) {
        await wait(delayMs, undefined, { signal }).catch(() => {});
        await this.pullOnce();
        delayMs = intervalMs * (1 + JITTER * (2 * Math.random() - 1));
      }
    };
    this.#following = run();
  }

  /** Resolves when the pull under way has ended, without its work. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#following, this.#underWay]);
  }

  /** Pulls now, or waits for the pull under way, and keeps what came of it as the state. */
  pullOnce(): Promise<PullOutcome> {
    this.#underWay ??= this.#pullOnce().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #pullOnce(): Promise<PullOutcome> {
    const { signal } = this.#stopping;
    if (signal.aborted) return 'stopped';
    const startedAt = performance.now();
    let outcome: PullOutcome;
    try {
      const report = await this.pull(signal);
      outcome = this.#succeeded(report, Math.round(performance.now() - startedAt) / 1000);
    } catch (error) {
      if (signal.aborted) return 'stopped';
      outcome =
        error instanceof ChannelError && error.code === 'PULL_RUNNING' ? 'skipped' : this.#failed(error as Error);
    }
    const { counts } = this.#state;
    this.#state = { ...this.#state, counts: { ...counts, [outcome]: counts[outcome] + 1 } };
    return outcome;
  }

  #succeeded(report: PullReport, seconds: number): 'changed' | 'unchanged' {
    const { release, changedAt, changed } = report;
    if (changed) this.logger.info({ ...report, seconds }, 'pulled another release');
    else if (this.#state.failure !== null) this.logger.info({ release }, 'the channel can be followed again');
    const now = new Date().toISOString();
    this.#succeededMs = performance.now();
    this.#state = { ...this.#state, release, changedAt, checkedAt: now, succeededAt: now, failure: null };
    return changed ? 'changed' : 'unchanged';
  }

  #failed(error: Error): 'failed' {
    const { failure } = this.#state;
    const now = new Date().toISOString();
    const code = error instanceof ChannelError ? error.code : 'OTHER';
    const reason = error.message.replace(/\s+/g, ' ');
    // Every pull of a host that is down fails alike: the first of them says enough.
    if (failure?.reason !== reason) this.logger.error({ code, reason }, 'the channel could not be pulled');
    this.#state = { ...this.#state, checkedAt: now, failure: { code, reason, since: failure?.since ?? now } };
    return 'failed';
  }
}
