/** What is known about the channel that a program follows. */
import type { ChannelErrorCode } from './channel-error.js';

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
