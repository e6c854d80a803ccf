/**
 * The rate of each visitor of a publishable key: so many requests at once, and as many a second, minute, hour or day in
 * the long run, written `300/d`.
 */

import { InvalidValueError } from '../../base/errors.js';
import { createRate, type Rate, shareOfRate } from '../../base/rate-limit.js';

/** How often one visitor may ask: `requests` at once, and as many in every `seconds` in the long run. */
export interface VisitorRate {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * Requests of one visitor, by default: with 300 at once and 300 a day, one visitor stays below the 10,000 requests that
 * the plan `free` has a month, and somebody who fills in a form needs about 20.
 */
export const DEFAULT_VISITOR_RATE: VisitorRate = Object.freeze({ requests: 300, seconds: 86_400 });

/** Maximum number of requests of a visitor's rate: far above what a form needs. */
const MAX_VISITOR_REQUESTS = 100_000;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const UNIT_NAMES: Readonly<Record<number, string>> = { 1: 'second', 60: 'minute', 3600: 'hour', 86400: 'day' };
const VISITOR_RATE_FORM = /^(\d{1,6})\/([smhd])$/;

/** A rate such as `300/d`. */
export function parseVisitorRate(text: string): VisitorRate {
  const [, requests, unit = ''] = VISITOR_RATE_FORM.exec(text) ?? [];
  return checkVisitorRate({ requests: Number(requests), seconds: UNIT_SECONDS[unit] });
}

/** As parseVisitorRate takes it. */
export function formatVisitorRate({ requests, seconds }: VisitorRate): string {
  const [unit] = Object.entries(UNIT_SECONDS).find(([, length]) => length === seconds) ?? [];
  return `${requests}/${unit}`;
}

/** For people: `minute`. */
export function visitorRateUnit({ seconds }: VisitorRate): string {
  return UNIT_NAMES[seconds] ?? `${seconds} seconds`;
}

/** As the rule of rate-limit.ts takes it. */
export function rateOf({ requests, seconds }: VisitorRate): Rate {
  return createRate({ requestsPerSecond: requests / seconds, burst: requests });
}

/** The same rate for each of `count` processes that know nothing of each other's visitors. */
export function shareOfVisitorRate(visitorRate: VisitorRate, count: number): VisitorRate {
  const { requestsPerSecond, burst } = shareOfRate(rateOf(visitorRate), count);
  return { requests: burst, seconds: burst / requestsPerSecond };
}

export function checkVisitorRate({ requests, seconds }: Readonly<Record<string, unknown>>): VisitorRate {
  const isSound =
    Number.isInteger(requests) && (requests as number) >= 1 && (requests as number) <= MAX_VISITOR_REQUESTS;
  if (isSound && Object.values(UNIT_SECONDS).some((length) => length === seconds)) {
    return Object.freeze({ requests: requests as number, seconds: seconds as number });
  }
  throw new InvalidValueError(
    `a visitor rate must be 1 to ${MAX_VISITOR_REQUESTS.toLocaleString('en-US')} requests a second, minute, hour or day, such as 10/s, 60/m, 100/h or 300/d`,
  );
}
