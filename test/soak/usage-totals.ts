/**
 * The usage totals of a soak: from the evidence alone, which answers were wrong and which requests were lost. Pure, so that
 * usage-totals.soak.ts can hand it evidence with one violation in it and see that the violation is found. An answer is judged by what
 * the server can have known: a request that overlaps no outage of its server was decided by Redis, one that lies wholly
 * inside an outage was decided from memory, and one on the edge may have been either.
 */
import type { Evidence, Exchange, KeyKind, Kill } from './evidence.js';
import { createJudge, overlaps, overlapsOutage, wasFromMemory } from './judging.js';

const VIOLATIONS = [
  'no answer',
  'unexpected status',
  'wrongly refused',
  'wrongly served',
  // Refused, as it had to be, but with a status that says something untrue.
  'wrongly called',
  // Requests counted that were not answered 200, or that a power cut took and the servers could not know of.
  'counted too much',
  // Requests lost that Redis had not confirmed in the last second before a kill, or that no power cut took.
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
  readonly lost: number | null;
}

/** What a kill may have cost at most. */
export interface Risk {
  /** Answered 200 in the last second before it, and not from memory. */
  readonly confirmed: number;
  /** Owed from an outage that ended in that second. */
  readonly owed: number;
}

export interface UsageTotals {
  readonly rows: readonly Row[];
  readonly violations: Readonly<Record<Violation, number>>;
  /** The first exchanges of each violation, for whoever has to find out. */
  readonly examples: readonly string[];
  readonly lost: number;
  readonly riskOfKills: Risk;
  /** Of those that were no power cuts: of these it is known what they took. */
  readonly riskOfPlainKills: Risk;
  readonly takenByPowerCuts: number;
  /** What they took and no server can have told again. */
  readonly leastLost: number;
  /** Answers 200 to the quota key, since it was being used up, that a server may have given from memory. */
  readonly quotaFromMemory: number;
  /** Answers 200 to the key that was revoked midway, by servers that could not know it yet. */
  readonly servedInGrace: number;
}

/** What a machine that loses power takes with it under `appendfsync everysec`. */
const LOSS_MS = 1_000;
const EXAMPLES = 5;

export function computeUsageTotals(evidence: Evidence): UsageTotals {
  const { exchanges, kinds, counted, quota, kills, exhaustion, revocation } = evidence;
  const violations = Object.fromEntries(VIOLATIONS.map((violation) => [violation, 0])) as Record<Violation, number>;
  const examples: string[] = [];
  const judge = createJudge(evidence);
  for (const exchange of exchanges) {
    const violation = judge(exchange);
    if (violation !== undefined && violations[violation]++ < EXAMPLES)
      examples.push(`${violation}: ${JSON.stringify(exchange)}`);
  }

  const rows = [...kinds.keys()].map((key) => addUp(key, exchanges, counted));
  const losses = rows.map((row) => row.lost ?? 0);
  const lost = losses.reduce((sum, each) => sum + Math.max(0, each), 0);
  const overcounted = losses.reduce((sum, each) => sum + Math.max(0, -each), 0);
  const powerCuts = kills.filter(({ takenCount }) => takenCount !== null);
  const plainKills = kills.filter(({ takenCount }) => takenCount === null);
  const taken = ({ takenCount }: Kill) => takenCount ?? 0;
  const takenByPowerCuts = powerCuts.reduce((sum, kill) => sum + taken(kill), 0);
  const leastLost = powerCuts.reduce((sum, kill) => sum + Math.max(0, taken(kill) - countDoubtful(evidence, kill)), 0);
  violations['counted too much'] = overcounted + Math.max(0, leastLost - lost);
  const riskOfKills = riskOf(evidence, kills);
  const riskOfPlainKills = riskOf(evidence, plainKills);
  const mostUnwritten = evidence.mayLoseUnwritten ? totalOf(riskOfPlainKills) : 0;
  const mostLost = Math.min(totalOf(riskOfKills), takenByPowerCuts + mostUnwritten);
  violations['lost too much'] = Math.max(0, lost - mostLost);

  const served = (kind: KeyKind) => exchanges.filter(({ key, status }) => status === 200 && kinds.get(key) === kind);
  const quotaFromMemory = served('quota').filter(
    (exchange) => exchange.receivedMs >= exhaustion.fromMs && overlapsOutage(evidence, exchange),
  ).length;
  for (const [key, kind] of kinds) {
    // As lost = answered - counted, this says: answered at most the quota, what was lost and what memory allowed.
    if (kind === 'quota')
      violations['served over quota'] += Math.max(0, (counted.get(key) ?? 0) - quota - quotaFromMemory);
  }
  const servedInGrace = served('revoked midway').filter(
    (exchange) => exchange.sentMs > revocation.untilMs && judge(exchange) === undefined,
  ).length;
  return {
    rows,
    violations,
    examples,
    lost,
    riskOfKills,
    riskOfPlainKills,
    takenByPowerCuts,
    leastLost,
    quotaFromMemory,
    servedInGrace,
  };
}

function addUp(key: string, exchanges: readonly Exchange[], counts: ReadonlyMap<string, number>): Row {
  const ofKey = exchanges.filter((exchange) => exchange.key === key);
  const byStatus = new Map<number, number>();
  for (const { status } of ofKey) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  const answered = byStatus.get(200) ?? 0;
  const counted = counts.get(key) ?? null;
  return { key, sent: ofKey.length, byStatus, answered, counted, lost: counted === null ? null : answered - counted };
}

/** What Redis may have confirmed in the last second before each of these kills. */
function riskOf(evidence: Evidence, kills: readonly Kill[]): Risk {
  const { exchanges, outages, redisTimeoutMs } = evidence;
  let [confirmed, owed] = [0, 0];
  for (const { fromMs, untilMs } of kills) {
    const lastSecond = { fromMs: fromMs - LOSS_MS, untilMs };
    confirmed += exchanges.filter(
      (exchange) => exchange.status === 200 && overlaps(exchange, lastSecond) && !wasFromMemory(evidence, exchange),
    ).length;
    // What is owed leaves with the first flight after an outage, which is back within the time that a flight has.
    for (const { untilMs: endMs, owedCount } of outages.flat()) {
      if (endMs >= lastSecond.fromMs - redisTimeoutMs && endMs <= untilMs) owed += owedCount;
    }
  }
  return { confirmed, owed };
}

/**
 * The requests that a server may tell Redis again after this kill, because it had not heard that they were counted:
 * those under way, and those owed from an outage that had not ended, or only so lately that its debts were under way.
 */
function countDoubtful({ exchanges, outages, redisTimeoutMs }: Evidence, kill: Kill): number {
  const underWay = exchanges.filter((exchange) => exchange.status === 200 && overlaps(exchange, kill)).length;
  const earlier = outages.flat().filter(({ fromMs }) => fromMs < kill.fromMs);
  const unheard = earlier.filter(({ untilMs }) => untilMs >= kill.fromMs - redisTimeoutMs);
  return unheard.reduce((sum, { owedCount }) => sum + owedCount, underWay);
}

function totalOf({ confirmed, owed }: Risk): number {
  return confirmed + owed;
}
