/** Tests the usage totals: evidence of a small run without a violation, then with each violation that they must find. */
import { expect, test } from '@jest/globals';
import type { Evidence, Exchange, KeyKind } from './evidence.js';
import { computeUsageTotals, type Violation } from './usage-totals.js';

const KINDS: readonly KeyKind[] = ['good', 'quota', 'revoked midway', 'revoked', 'expired', 'unknown', 'mistyped'];

function exchange(key: KeyKind, status: number, sentMs: number, server = 0): Exchange {
  return { server, key, status, sentMs, receivedMs: sentMs + 2, waitedMs: 2 };
}

/** Redis is killed at 10 s; both servers miss it from then until 12 s. The revocation is at 5 s, of which 1 hears late. */
const EXCHANGES: readonly Exchange[] = [
  ...[0, 1].flatMap((server) => KINDS.slice(0, 3).map((key) => exchange(key, 200, 1_000, server))),
  exchange('revoked', 401, 1_000),
  exchange('expired', 401, 1_000),
  exchange('unknown', 401, 1_000),
  exchange('mistyped', 401, 1_000),
  exchange('revoked midway', 401, 5_100, 0),
  exchange('quota', 200, 7_000),
  exchange('quota', 429, 7_100),
  exchange('good', 200, 9_500),
  exchange('good', 200, 11_000),
  exchange('quota', 429, 11_000),
  exchange('revoked midway', 503, 11_000, 0),
  exchange('revoked midway', 200, 11_000, 1),
  exchange('revoked', 503, 11_000),
  exchange('unknown', 503, 11_000),
  exchange('mistyped', 401, 11_000),
  exchange('good', 200, 13_000),
  exchange('revoked midway', 401, 13_000, 1),
];
const OUTAGE = { fromMs: 10_000, untilMs: 12_000 };
const EVIDENCE: Evidence = {
  kinds: new Map(KINDS.map((kind) => [kind, kind])),
  exchanges: EXCHANGES,
  outages: [[OUTAGE], [OUTAGE]],
  kills: [{ fromMs: 10_000, untilMs: 10_001, takenCount: null }],
  mayLoseUnwritten: true,
  counted: new Map([
    ['good', 3],
    ['quota', 3],
    ['revoked midway', 2],
    ['revoked', 0],
    ['expired', 0],
  ]),
  quota: 3,
  exhaustion: { fromMs: 6_900, untilMs: 7_200 },
  revocation: { fromMs: 5_000, untilMs: 5_050 },
  longestStallMs: 0,
};

function violationsIn(evidence: Evidence): [violation: string, count: number][] {
  return Object.entries(computeUsageTotals(evidence).violations).filter(([, count]) => count > 0);
}

test('a run without violation', () => {
  const { violations: _, examples, ...totals } = computeUsageTotals(EVIDENCE);
  expect(violationsIn(EVIDENCE)).toEqual([]);
  expect(examples).toEqual([]);
  expect(totals).toMatchObject({
    fromMemory: 2,
    mostFromMemory: 2,
    lost: 1,
    riskOfKills: 1,
    servedInGrace: 1,
  });
  expect(totals.rows[0]).toMatchObject({ key: 'good', sent: 5, answered: 5, counted: 3, uncounted: 2 });
});

test.each<[Violation, string, Exchange]>([
  ['no answer', 'a connection that broke', { ...exchange('good', 0, 11_000), problem: 'ECONNRESET' }],
  ['unexpected status', 'an error of the server', exchange('revoked', 500, 2_000)],
  ['wrongly refused', 'a good key that is unknown', exchange('good', 401, 2_000)],
  ['wrongly refused', 'a good key that is limited', exchange('good', 429, 11_000)],
  ['wrongly refused', 'a good key that was seen before', exchange('good', 503, 11_000)],
  ['wrongly refused', 'an unseen key without an outage', exchange('good', 503, 500)],
  ['wrongly refused', 'a quota that is not used up', exchange('quota', 429, 6_000)],
  ['wrongly refused', 'a used up quota that is unavailable', exchange('quota', 503, 11_000)],
  ['wrongly refused', 'a key that is not revoked yet', exchange('revoked midway', 401, 4_000)],
  ['wrongly served', 'a revoked key in an outage', exchange('revoked', 200, 11_000)],
  ['wrongly served', 'an expired key', exchange('expired', 200, 2_000)],
  ['wrongly served', 'an unknown key', exchange('unknown', 200, 11_000)],
  ['wrongly served', 'a mistyped key', exchange('mistyped', 200, 11_000)],
  ['wrongly served', 'a key that the server has refused, in an outage', exchange('revoked midway', 200, 11_000, 0)],
  ['wrongly served', 'a key that Redis has revoked', exchange('revoked midway', 200, 6_000, 1)],
  ['wrongly called', 'an unknown key that is limited', exchange('unknown', 429, 11_000)],
  ['wrongly called', 'an unknown key that nobody can know', exchange('unknown', 401, 11_000)],
  ['wrongly called', 'an expired key that is unavailable without an outage', exchange('expired', 503, 2_000)],
  ['wrongly called', 'a mistyped key that is unavailable', exchange('mistyped', 503, 11_000)],
])('%s: %s', (violation, _, wrong) => {
  // What was answered 200 outside the outage was counted too, so that nothing else is wrong.
  const counted = new Map(EVIDENCE.counted);
  const before = counted.get(wrong.key);
  if (wrong.status === 200 && before !== undefined && wrong.sentMs < OUTAGE.fromMs) counted.set(wrong.key, before + 1);
  expect(violationsIn({ ...EVIDENCE, exchanges: [...EXCHANGES, wrong], counted })).toEqual([[violation, 1]]);
});

test.each<[Violation, string, Partial<Evidence>]>([
  ['counted too much', 'a request of the outage', { counted: new Map([...EVIDENCE.counted, ['good', 5]]) }],
  ['counted too much', 'a refused request counted', { counted: new Map([...EVIDENCE.counted, ['expired', 1]]) }],
  [
    'counted too much',
    'one less lost than the power cut took',
    { kills: [{ fromMs: 9_990, untilMs: 9_991, takenCount: 2 }] },
  ],
  ['lost too much', 'one more than was confirmed', { counted: new Map([...EVIDENCE.counted, ['good', 2]]) }],
  ['lost too much', 'one although there was no kill', { kills: [] }],
  ['lost too much', 'one although all was written', { mayLoseUnwritten: false }],
  [
    'lost too much',
    'one although the power cut took none',
    { kills: [{ fromMs: 10_000, untilMs: 10_001, takenCount: 0 }] },
  ],
  ['served over quota', 'one more than the quota', { quota: 2 }],
])('%s: %s', (violation, _, wrong) => {
  expect(violationsIn({ ...EVIDENCE, ...wrong })).toEqual([[violation, 1]]);
});
