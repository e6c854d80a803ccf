/**
 * The usage totals of a soak: from the evidence alone, which answers were wrong and which requests were lost. Pure, so that
 * usage-totals.soak.ts can hand it evidence with one violation in it and see that the violation is found. An answer is judged by what
 * the server can have known: a request that overlaps no outage of its server was decided by Redis, one that lies wholly
 * inside an outage was decided from memory, and one on the edge may have been either.
 */
import type { Evidence, Exchange, Kill } from './evidence.js';
import { createJudge, overlaps, overlapsOutage, wasFromMemory } from './judging.js';

const VIOLATIONS = [
  'no answer',
  'unexpected status',
  'wrongly refused',
  'wrongly served',
  // Refused, as it had to be, but with a status that says something untrue.
  'wrongly called',
  // Requests counted that were not answered 200, or were surely answered from memory, or that a power cut took.
  'counted too much',
  // Requests neither counted nor answered from memory that Redis had not confirmed in the last second before a kill, or
  // that no power cut took.
  'lost too much',
  'served over quota',
] as const;

export type Violation = (typeof VIOLATIONS)[number];

export interface Row {
  readonly key: string;
  readonly sent: number;
  readonly byStatus: ReadonlyMap<number, number>;
  readonly answered: number;
  /** Null for a key that Redis does not have. */
  readonly counted: number | null;
  /** Answered 200, and not counted. */
  readonly uncounted: number | null;
}

export interface UsageTotals {
  readonly rows: readonly Row[];
  readonly violations: Readonly<Record<Violation, number>>;
  /** The first exchanges of each violation, for whoever has to find out. */
  readonly examples: readonly string[];
  /** Answers 200 that were surely given from memory, and those that may have been, of keys that Redis has. */
  readonly fromMemory: number;
  readonly mostFromMemory: number;
  /** Not counted, and surely not answered from memory. */
  readonly lost: number;
  /** Answered 200 in the last second before a kill, and not surely from memory: what kills may have cost at most. */
  readonly riskOfKills: number;
  /** Of kills that were no power cuts: of power cuts it is known what they took. */
  readonly riskOfPlainKills: number;
  readonly takenByPowerCuts: number;
  /** Answers 200 to the key that was revoked midway, by servers that could not know it yet. */
  readonly servedInGrace: number;
}

/** What a machine that loses power takes with it under `appendfsync everysec`. */
const LOSS_MS = 1_000;
const EXAMPLES = 5;

export function computeUsageTotals(evidence: Evidence): UsageTotals {
  const { exchanges, kinds, counted, quota, kills, revocation } = evidence;
  const violations = Object.fromEntries(VIOLATIONS.map((violation) => [violation, 0])) as Record<Violation, number>;
  const examples: string[] = [];
  const judge = createJudge(evidence);
  for (const exchange of exchanges) {
    const violation = judge(exchange);
    if (violation !== undefined && violations[violation]++ < EXAMPLES)
      examples.push(`${violation}: ${JSON.stringify(exchange)}`);
  }

  const rows = [...kinds.keys()].map((key) => addUp(key, exchanges, counted));
  const served = exchanges.filter(({ status, key }) => status === 200 && counted.has(key));
  const fromMemory = served.filter((exchange) => wasFromMemory(evidence, exchange));
  const mostFromMemory = served.filter((exchange) => overlapsOutage(evidence, exchange)).length;
  const uncounted = rows.reduce((sum, row) => sum + (row.uncounted ?? 0), 0);
  const lost = Math.max(0, uncounted - mostFromMemory);
  const takenByPowerCuts = kills.reduce((sum, { takenCount }) => sum + (takenCount ?? 0), 0);
  const countedTooMuch = rows.map(({ key, uncounted: ofKey }) => {
    return ofKey === null ? 0 : fromMemory.filter((exchange) => exchange.key === key).length - ofKey;
  });
  violations['counted too much'] = Math.max(
    countedTooMuch.reduce((sum, each) => sum + Math.max(0, each), 0),
    fromMemory.length + takenByPowerCuts - uncounted,
    0,
  );
  const riskOfKills = riskOf(evidence, kills);
  const riskOfPlainKills = riskOf(
    evidence,
    kills.filter(({ takenCount }) => takenCount === null),
  );
  const mostLost = Math.min(riskOfKills, takenByPowerCuts + (evidence.mayLoseUnwritten ? riskOfPlainKills : 0));
  violations['lost too much'] = Math.max(0, lost - mostLost);
  for (const [key, kind] of kinds) {
    if (kind === 'quota') violations['served over quota'] += Math.max(0, (counted.get(key) ?? 0) - quota);
  }
  const servedInGrace = served.filter(
    (exchange) =>
      kinds.get(exchange.key) === 'revoked midway' &&
      exchange.sentMs > revocation.untilMs &&
      judge(exchange) === undefined,
  ).length;
  return {
    rows,
    violations,
    examples,
    fromMemory: fromMemory.length,
    mostFromMemory,
    lost,
    riskOfKills,
    riskOfPlainKills,
    takenByPowerCuts,
    servedInGrace,
  };
}

function addUp(key: string, exchanges: readonly Exchange[], counts: ReadonlyMap<string, number>): Row {
  const ofKey = exchanges.filter((exchange) => exchange.key === key);
  const byStatus = new Map<number, number>();
  for (const { status } of ofKey) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  const answered = byStatus.get(200) ?? 0;
  const counted = counts.get(key) ?? null;
  return {
    key,
    sent: ofKey.length,
    byStatus,
    answered,
    counted,
    uncounted: counted === null ? null : answered - counted,
  };
}

/** How many answers Redis may have confirmed in the last second before each of these kills. */
function riskOf(evidence: Evidence, kills: readonly Kill[]): number {
  return kills.reduce((sum, { fromMs, untilMs }) => {
    const lastSecond = { fromMs: fromMs - LOSS_MS, untilMs };
    const confirmed = evidence.exchanges.filter(
      (exchange) => exchange.status === 200 && overlaps(exchange, lastSecond) && !wasFromMemory(evidence, exchange),
    );
    return sum + confirmed.length;
  }, 0);
}
