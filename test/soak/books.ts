/**
 * The books of a soak: from the evidence alone, which answers were wrong and which requests were lost. Pure, so that
 * books.soak.ts can hand it evidence with one fault in it and see that the fault is found. An answer is judged by what
 * the server can have known: a request that overlaps no outage of its server was decided by Redis, one that lies wholly
 * inside an outage was decided from memory, and one on the edge may have been either.
 */
import type { Evidence, Exchange, Interval } from './evidence.js';

export type Fault =
  | 'no answer'
  | 'unexpected status'
  | 'wrongly refused'
  | 'wrongly served'
  /** Refused, as it had to be, but with a status that says something untrue. */
  | 'wrongly called'
  /** Requests counted that were not answered 200. */
  | 'counted too much'
  /** Requests lost that Redis had not confirmed in the last second before a kill. */
  | 'lost too much'
  | 'served over quota';

export interface Row {
  readonly key: string;
  readonly sent: number;
  readonly byStatus: ReadonlyMap<number, number>;
  readonly answered: number;
  /** Null for a key that Redis does not have. */
  readonly counted: number | null;
  readonly lost: number | null;
}

export interface Books {
  readonly rows: readonly Row[];
  readonly faults: Readonly<Record<Fault, number>>;
  /** The first exchanges of each fault, for whoever has to find out. */
  readonly examples: readonly string[];
  readonly lost: number;
  /** Answered 200 in the last second before each kill, and not from memory. */
  readonly confirmedBeforeKills: number;
  /** Owed from an outage that ended in that second. */
  readonly owedBeforeKills: number;
  /** Requests of the quota key that were allowed from memory, so without knowing of the other server's. */
  readonly quotaFromMemory: number;
  /** Answers 200 to the key that was revoked midway, by servers that could not know it yet. */
  readonly servedInGrace: number;
}

/** What a machine that loses power takes with it under `appendfsync everysec`. */
const LOSS_MS = 1_000;
const STATUSES = [200, 401, 429, 503];
const EXAMPLES = 5;

export function closeBooks(evidence: Evidence): Books {
  const { exchanges, kinds, counted, quota, exhaustion } = evidence;
  const faults: Record<Fault, number> = {
    'no answer': 0,
    'unexpected status': 0,
    'wrongly refused': 0,
    'wrongly served': 0,
    'wrongly called': 0,
    'counted too much': 0,
    'lost too much': 0,
    'served over quota': 0,
  };
  const examples: string[] = [];
  const judge = createJudge(evidence);
  for (const exchange of exchanges) {
    const fault = judge(exchange);
    if (fault === undefined) continue;
    if (faults[fault]++ < EXAMPLES) examples.push(`${fault}: ${JSON.stringify(exchange)}`);
  }
  const rows = [...kinds.keys()].map((key) => addUp(key, exchanges, counted));
  for (const { lost } of rows) if (lost !== null) faults['counted too much'] += Math.max(0, -lost);
  const lost = rows.reduce((sum, row) => sum + Math.max(0, row.lost ?? 0), 0);
  const { confirmedBeforeKills, owedBeforeKills } = riskOf(evidence);
  faults['lost too much'] = Math.max(0, lost - confirmedBeforeKills - owedBeforeKills);
  let quotaFromMemory = 0;
  for (const [key, kind] of kinds) {
    if (kind !== 'quota') continue;
    quotaFromMemory = exchanges.filter(
      (exchange) => isAnswered(exchange, key) && overlapsOutage(evidence, exchange) && isFrom(exchange, exhaustion),
    ).length;
    // Answered at most the quota, what was lost of it, and what could only be allowed from memory.
    faults['served over quota'] = Math.max(0, (counted.get(key) ?? 0) - quota - quotaFromMemory);
  }
  const servedInGrace = exchanges.filter(
    (exchange) =>
      kinds.get(exchange.key) === 'revoked midway' &&
      exchange.status === 200 &&
      exchange.sentMs > evidence.revocation.untilMs &&
      judge(exchange) === undefined,
  ).length;
  return {
    rows,
    faults,
    examples,
    lost,
    confirmedBeforeKills,
    owedBeforeKills,
    quotaFromMemory,
    servedInGrace,
  };
}

/** What is wrong with one answer. */
function createJudge(evidence: Evidence): (exchange: Exchange) => Fault | undefined {
  const { kinds, exhaustion, revocation } = evidence;
  const firstAnswer = firstReceived(evidence.exchanges, 200);
  const firstRefusal = firstReceived(evidence.exchanges, 401);
  const at = ({ server, key }: Exchange) => `${server} ${key}`;

  function judgeGood(exchange: Exchange, mayBeOverQuota: boolean): Fault | undefined {
    const { status, sentMs } = exchange;
    if (status === 200 || (status === 429 && mayBeOverQuota)) return undefined;
    // Redis was there when the load began, so this is the only outage in which a good key may be unknown.
    const isUnseen = sentMs <= (firstAnswer.get(at(exchange)) ?? Number.POSITIVE_INFINITY);
    return status === 503 && isUnseen && overlapsOutage(evidence, exchange) ? undefined : 'wrongly refused';
  }

  function judgeRefused(exchange: Exchange): Fault | undefined {
    if (exchange.status === 401) return liesInOutage(evidence, exchange) ? 'wrongly called' : undefined;
    return exchange.status === 503 && overlapsOutage(evidence, exchange) ? undefined : 'wrongly called';
  }

  function judgeRevokedMidway(exchange: Exchange): Fault | undefined {
    const { status, sentMs, receivedMs } = exchange;
    if (receivedMs < revocation.fromMs) return judgeGood(exchange, false);
    if (status !== 200) return judgeRefused(exchange);
    if (sentMs > (firstRefusal.get(at(exchange)) ?? Number.POSITIVE_INFINITY)) return 'wrongly served';
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
        // Seen without asking anybody.
        return status === 200 ? 'wrongly served' : status === 401 ? undefined : 'wrongly called';
      default:
        return status === 200 ? 'wrongly served' : judgeRefused(exchange);
    }
  };
}

/** When each server first gave that status to each key, by `server key`. */
function firstReceived(exchanges: readonly Exchange[], status: number): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const exchange of exchanges) {
    if (exchange.status !== status) continue;
    const at = `${exchange.server} ${exchange.key}`;
    first.set(at, Math.min(exchange.receivedMs, first.get(at) ?? Number.POSITIVE_INFINITY));
  }
  return first;
}

function addUp(key: string, exchanges: readonly Exchange[], counts: ReadonlyMap<string, number>): Row {
  const ofKey = exchanges.filter((exchange) => exchange.key === key);
  const byStatus = new Map<number, number>();
  for (const { status } of ofKey) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  const answered = byStatus.get(200) ?? 0;
  const counted = counts.get(key) ?? null;
  return { key, sent: ofKey.length, byStatus, answered, counted, lost: counted === null ? null : answered - counted };
}

/** What Redis may have confirmed in the last second before it was killed. */
function riskOf(evidence: Evidence): Pick<Books, 'confirmedBeforeKills' | 'owedBeforeKills'> {
  const { exchanges, kills, outages, redisTimeoutMs } = evidence;
  let [confirmedBeforeKills, owedBeforeKills] = [0, 0];
  for (const { fromMs, untilMs } of kills) {
    const window = { fromMs: fromMs - LOSS_MS, untilMs };
    confirmedBeforeKills += exchanges.filter(
      (exchange) => exchange.status === 200 && overlaps(exchange, window) && !liesInOutage(evidence, exchange),
    ).length;
    // What is owed leaves with the first flight after an outage, which is back within the time a flight has.
    for (const { untilMs: endMs, owedCount } of outages.flat()) {
      if (endMs >= window.fromMs - redisTimeoutMs && endMs <= untilMs) owedBeforeKills += owedCount;
    }
  }
  return { confirmedBeforeKills, owedBeforeKills };
}

function isAnswered({ status, key }: Exchange, name: string): boolean {
  return status === 200 && key === name;
}

function isFrom({ receivedMs }: Exchange, { fromMs }: Interval): boolean {
  return receivedMs >= fromMs;
}

function overlaps({ sentMs, receivedMs }: Exchange, { fromMs, untilMs }: Interval): boolean {
  return receivedMs >= fromMs && sentMs <= untilMs;
}

/** Whether the request may have been decided from memory. */
function overlapsOutage({ outages }: Evidence, exchange: Exchange): boolean {
  return (outages[exchange.server] ?? []).some((outage) => overlaps(exchange, outage));
}

/** Whether it surely was. */
function liesInOutage({ outages }: Evidence, { server, sentMs, receivedMs }: Exchange): boolean {
  return (outages[server] ?? []).some(({ fromMs, untilMs }) => sentMs > fromMs && receivedMs < untilMs);
}
