/**
 * What a soak writes down while it runs, and nothing it concludes: every request with its answer, when each server could
 * not ask Redis, what was done to Redis and when, and what Redis had counted in the end. All times are milliseconds of
 * the machine's one clock, which the test, the servers and their logs share; they are whole, so two of the same
 * millisecond have no order.
 */

export type KeyKind = 'good' | 'quota' | 'revoked midway' | 'revoked' | 'expired' | 'unknown' | 'mistyped';

export interface Exchange {
  readonly server: number;
  /** The name of the key that was sent. */
  readonly key: string;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly waitedMs: number;
  /** 0 where there was no answer; then `problem` says why. */
  readonly status: number;
  readonly problem?: string;
}

export interface Interval {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** From the moment Redis was told to die or to stand still until it surely executed nothing more. */
export interface Kill extends Interval {
  /** Requests that Redis had in its file and that a power cut took out of it; null where it had its file back whole. */
  readonly takenCount: number | null;
}

export interface Evidence {
  readonly kinds: ReadonlyMap<string, KeyKind>;
  readonly exchanges: readonly Exchange[];
  /** The times in which each server answered from memory, as its log tells them; until Infinity where one did not end. */
  readonly outages: readonly (readonly Interval[])[];
  readonly kills: readonly Kill[];
  /** Whether Redis may answer before it has written, so that a kill loses what nobody cut off. */
  readonly mayLoseUnwritten: boolean;
  /** What Redis has counted in the end, by name, for each key that it has. */
  readonly counted: ReadonlyMap<string, number>;
  readonly quota: number;
  /** When the quota was used up on purpose, while both servers could ask Redis. */
  readonly exhaustion: Interval;
  /** When `keys revoke` revoked the key that is revoked midway. */
  readonly revocation: Interval;
  /** The longest time for which the test itself stood still: no wait can be told from that. */
  readonly longestStallMs: number;
}
