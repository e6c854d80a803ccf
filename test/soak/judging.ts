/** Which answers are wrong, one by one: what each kind of key may be told, by what its server can have known. */

import type { Evidence, Exchange, Interval } from './evidence.js';
import type { Violation } from './usage-totals.js';

const STATUSES = [200, 401, 429, 503];

export function createJudge(evidence: Evidence): (exchange: Exchange) => Violation | undefined {
  const { kinds, exhaustion, revocation } = evidence;
  const firstServed = firstReceived(evidence.exchanges, 200);
  const firstRefused = firstReceived(evidence.exchanges, 401);

  function judgeGood(exchange: Exchange, mayBeOverQuota: boolean): Violation | undefined {
    const { status, sentMs } = exchange;
    if (status === 200 || (status === 429 && mayBeOverQuota)) return undefined;
    // A server that has never seen the key good has nothing to remember.
    const isUnseen = sentMs <= timeIn(firstServed, exchange);
    return status === 503 && isUnseen && overlapsOutage(evidence, exchange) ? undefined : 'wrongly refused';
  }

  /** Unavailable where Redis can't be asked, refused for what it is where it can, and limited never. */
  function judgeRefused(exchange: Exchange): Violation | undefined {
    const isTrue =
      exchange.status === 401
        ? !wasFromMemory(evidence, exchange)
        : exchange.status === 503 && overlapsOutage(evidence, exchange);
    return isTrue ? undefined : 'wrongly called';
  }

  function judgeRevokedMidway(exchange: Exchange): Violation | undefined {
    const { status, sentMs, receivedMs } = exchange;
    if (receivedMs < revocation.fromMs) return judgeGood(exchange, false);
    if (status !== 200) return judgeRefused(exchange);
    // A server that has refused the key knows, whatever becomes of Redis.
    if (sentMs > timeIn(firstRefused, exchange)) return 'wrongly served';
    // One that has not serves it in an outage, within the grace; one that can ask Redis is told.
    return sentMs > revocation.untilMs && !overlapsOutage(evidence, exchange) ? 'wrongly served' : undefined;
  }

  return (exchange) => {
    const { status, key, receivedMs } = exchange;
    if (status === 0) return 'no answer';
    if (!STATUSES.includes(status)) return 'unexpected status';
    switch (kinds.get(key)) {
      case 'good':
        return judgeGood(exchange, false);
      case 'quota':
        return judgeGood(exchange, receivedMs >= exhaustion.fromMs);
      case 'revoked midway':
        return judgeRevokedMidway(exchange);
      case 'mistyped':
        // That shows without asking anybody.
        return status === 200 ? 'wrongly served' : status === 401 ? undefined : 'wrongly called';
      default:
        return status === 200 ? 'wrongly served' : judgeRefused(exchange);
    }
  };
}

export function overlaps({ sentMs, receivedMs }: Exchange, { fromMs, untilMs }: Interval): boolean {
  return receivedMs >= fromMs && sentMs <= untilMs;
}

/** Whether the request may have been decided from memory. */
export function overlapsOutage({ outages }: Evidence, exchange: Exchange): boolean {
  return (outages[exchange.server] ?? []).some((outage) => overlaps(exchange, outage));
}

/** Whether it surely was. */
export function wasFromMemory({ outages }: Evidence, { server, sentMs, receivedMs }: Exchange): boolean {
  return (outages[server] ?? []).some(({ fromMs, untilMs }) => sentMs > fromMs && receivedMs < untilMs);
}

/** When each server first gave that status to each key, by `server key`. */
function firstReceived(exchanges: readonly Exchange[], status: number): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const exchange of exchanges) {
    if (exchange.status !== status) continue;
    first.set(placeOf(exchange), Math.min(exchange.receivedMs, timeIn(first, exchange)));
  }
  return first;
}

function timeIn(times: ReadonlyMap<string, number>, exchange: Exchange): number {
  return times.get(placeOf(exchange)) ?? Number.POSITIVE_INFINITY;
}

function placeOf({ server, key }: Exchange): string {
  return `${server} ${key}`;
}
