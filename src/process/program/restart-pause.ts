/**
 * The pause before a process that ended is replaced: none after a process that served for a while, then longer and
 * longer while each replacement ends soon. A process that can't start costs little, and is still tried.
 */

/** The shortest life of a process that served for a while, milliseconds: longer than a start on a slow machine. */
const SHORT_LIFE_MS = 10_000;
/** The pause after the first short life, milliseconds; each later pause is twice the one before. */
const FIRST_PAUSE_MS = 100;
/** The longest pause, milliseconds: what an operator waits at most after removing the cause. */
const LONGEST_PAUSE_MS = 30_000;

/** Milliseconds. `earlierPauseMs` is the pause before the start of the process that has ended now, after `lifeMs`. */
export function restartPauseMs(earlierPauseMs: number, lifeMs: number): number {
  return lifeMs > SHORT_LIFE_MS ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, earlierPauseMs * 2));
}
