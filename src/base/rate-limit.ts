/**
 * A rate limit: the generic cell rate algorithm (GCRA, ITU-T I.371, as a virtual scheduling algorithm). All it keeps of
 * a client, such as a key or a network, is one number, the theoretical arrival time: the instant at which the client
 * would be idle again if its requests had come evenly. A request moves it one interval on; a request that would move it
 * more than `burst` intervals into the future is refused and moves nothing. So a client may make `burst` requests at once
 * and `requestsPerSecond` for ever.
 *
 *     interval 20 ms, burst 3                     now
 *     after 2 requests at once                     ├── 20 ──┼── 20 ──┤ arrival = now + 40: one more may come
 *     after 3                                      ├── 20 ──┼── 20 ──┼── 20 ──┤ none before now + 20
 *
 * Times are multiples of 1/1024 ms, which doubles add without rounding, so a burst is exact however it comes. An
 * arrival further ahead than any burst reaches, left behind by a clock that was set back or a plan that was made
 * smaller, counts as none: such a client starts anew. For keys in Redis the same rule is written in Lua.
 */

export interface RateLimit {
  /** Requests per second in the long run; below 1 for less than one request a second. */
  readonly requestsPerSecond: number;
  /** Requests that a client which was idle may make at one instant; at least 1. */
  readonly burst: number;
}

/** A limit with its interval. */
export interface Rate extends RateLimit {
  /** Milliseconds that one request takes of the client's time, a multiple of 1/1024 and at least that. */
  readonly intervalMs: number;
}

const TICKS_PER_MS = 1024;

export function createRate({ requestsPerSecond, burst }: RateLimit): Rate {
  const intervalMs = Math.max(1, Math.round((1000 * TICKS_PER_MS) / requestsPerSecond)) / TICKS_PER_MS;
  return Object.freeze({ requestsPerSecond, burst, intervalMs });
}

/** The share of a rate for each of `count` processes that know nothing of each other; one request at once at least. */
export function shareOfRate({ requestsPerSecond, burst }: Rate, count: number): Rate {
  return createRate({ requestsPerSecond: requestsPerSecond / count, burst: Math.max(1, Math.floor(burst / count)) });
}

/** The arrival time to count from: never in the past, and now if the stored time is impossible. */
export function arrivalFrom(rate: Rate, arrivalMs: number, nowMs: number): number {
  const isPossible = arrivalMs - nowMs <= (rate.burst + 1) * rate.intervalMs;
  return isPossible ? Math.max(arrivalMs, nowMs) : nowMs;
}

/** Number of requests that are allowed now, for a client with this arrival time. */
export function countAdmissible(rate: Rate, arrivalMs: number, nowMs: number): number {
  const aheadMs = arrivalFrom(rate, arrivalMs, nowMs) - nowMs;
  return Math.max(0, Math.floor(rate.burst - aheadMs / rate.intervalMs));
}

/** Milliseconds until one more request is allowed than now; 0 if the client is idle. */
export function rateWaitMs(rate: Rate, arrivalMs: number, nowMs: number): number {
  return untilAdmissibleMs(rate, arrivalMs, nowMs, Math.min(rate.burst, countAdmissible(rate, arrivalMs, nowMs) + 1));
}

/** Milliseconds until `count` requests are allowed at once, which is at most the burst; 0 if they are allowed now. */
export function untilAdmissibleMs(rate: Rate, arrivalMs: number, nowMs: number, count: number): number {
  const aheadMs = arrivalFrom(rate, arrivalMs, nowMs) - nowMs;
  return Math.max(0, aheadMs - (rate.burst - count) * rate.intervalMs);
}
