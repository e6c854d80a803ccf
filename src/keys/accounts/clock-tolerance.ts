/**
 * Whether an event is recent, by clocks that may disagree or be set back. An instant in the future is not recent: after
 * a clock that was an hour ahead is corrected, a proof of that hour would otherwise stay fresh for another hour.
 */

/** Maximum number of milliseconds by which an instant may be in the future: clocks under NTP differ by far less. */
export const CLOCK_TOLERANCE_MS = 30_000;

/** Whether `atMs` is less than `limitMs` ago, and not in the future. */
export function isRecentWithinTolerance(atMs: number, limitMs: number, nowMs: number): boolean {
  return nowMs - atMs < limitMs && atMs - nowMs <= CLOCK_TOLERANCE_MS;
}
