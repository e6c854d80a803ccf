/**
 * How every key store decides: the status of a key, the monthly quota up to the ends of months, and the rate. The
 * last test holds any sequence of questions against a model that takes one request after the other and knows nothing of
 * questions with many. What a bulk request costs is taken as a whole or not at all.
 */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { refusalReason } from '../../../src/keys/decision/key-decision.js';
import { monthOf } from '../../../src/keys/key/calendar.js';
import { changeKeyPlan, changeKeyToRevoked } from '../../../src/keys/key/key-changes.js';
import type { Plan } from '../../../src/keys/key/plan.js';
import { NO_USAGE } from '../../../src/keys/key/usage-counts.js';
import { NOON, newEntry, type StoreUnderTest, usageOf, useStoreScene } from './key-store-scene.js';

fc.configureGlobal({ seed: 20240229 });

const SUCCESSOR = 'key_zzzzzzzzzzzz';
const [BEFORE_NOON, AT_NOON] = [new Date(NOON - 1).toISOString(), new Date(NOON).toISOString()];

export function describeDecisions(underTest: StoreUnderTest): void {
  describe('on the status of keys', () => describeStatus(underTest));
  describe('by the month', () => describeQuota(underTest));
  describe('by the rate', () => describeRate(underTest));
  describe('on requests of several units', () => describeCosts(underTest));
  describe('of one request after the other', () => describeSequences(underTest));
}

function describeStatus(underTest: StoreUnderTest): void {
  const scene = useStoreScene(underTest);

  test('a good key is told with all that its response needs', async () => {
    const entry = await scene.addKey({ plan: 'both' });
    const first = await scene.ask(entry, 2);
    expect(first).toMatchObject({
      status: 'good',
      keyId: entry.record.id,
      plan: scene.plan('both'),
      nowMs: NOON,
      month: monthOf(NOON),
      before: { used: 0, arrivalMs: 0 },
      allowedCount: 2,
    });
    expect(await scene.ask(entry, 1)).toMatchObject({
      ...first,
      before: { used: 2, arrivalMs: NOON + 40 },
      allowedCount: 1,
    });
  });

  test('a key that the store does not have is unknown, and nothing is made of it', async () => {
    expect(await scene.decisionOn(newEntry())).toEqual({ status: 'invalid' });
    expect(await scene.store.directory.list()).toEqual([]);
  });

  test('a key expires at its instant, not before', async () => {
    const entry = await scene.addKey({ expires: AT_NOON });
    scene.nowMs = NOON - 1;
    expect(await scene.decisionOn(entry)).toMatchObject({ status: 'good' });
    scene.nowMs = NOON;
    expect(await scene.decisionOn(entry)).toEqual({ status: 'expired' });
    scene.nowMs = NOON + 1e12;
    expect(await scene.decisionOn(entry)).toEqual({ status: 'expired' });
  });

  test.each([
    ['revoked', { state: 'revoked' }],
    ['revoked', { state: 'revoked', expires: BEFORE_NOON }],
    ['revoked', { state: 'replaced', replacedBy: SUCCESSOR }],
    ['revoked', { state: 'replaced', replacedBy: SUCCESSOR, graceUntil: AT_NOON, expires: BEFORE_NOON }],
    ['expired', { state: 'replaced', replacedBy: SUCCESSOR, graceUntil: '2025-01-01T00:00:00.000Z', expires: AT_NOON }],
    ['expired', { expires: AT_NOON }],
    ['good', { replacedBy: SUCCESSOR, graceUntil: BEFORE_NOON }],
    ['good', { plan: 'none' }],
  ] as const)('is %s for %j', async (status, change) => {
    expect(await scene.decisionOn(await scene.addKey(change))).toMatchObject({ status });
  });

  test('what is refused for its status is not counted', async () => {
    const entry = await scene.addKey({ plan: 'both' });
    await scene.store.directory.change(entry.record.id, changeKeyToRevoked);
    await scene.store.decide([{ digest: entry.digest, count: 3 }]);
    expect((await scene.find(entry)).usage).toEqual(NO_USAGE);
  });

  test('several keys in one call each get their own decision, in the order of the checks', async () => {
    const [one, two, gone] = [
      await scene.addKey({ plan: 'both' }),
      await scene.addKey({ plan: 'quick' }),
      await scene.addKey({ state: 'revoked' }),
    ];
    const asked = [gone, two, newEntry(), one];
    const decisions = await scene.store.decide(asked.map(({ digest }, index) => ({ digest, count: 4 + index })));
    expect(decisions).toMatchObject([
      { status: 'revoked' },
      { status: 'good', keyId: two.record.id, allowedCount: 3 },
      { status: 'invalid' },
      { status: 'good', keyId: one.record.id, allowedCount: 4 },
    ]);
    expect(await scene.store.decide([])).toEqual([]);
  });

  test('the limits of a plan that is not in the table are those of the plan free', async () => {
    const entry = await scene.addKey({ plan: 'gone' });
    expect(await scene.ask(entry, 7)).toMatchObject({ plan: scene.plan('free'), allowedCount: 5 });
    expect((await scene.find(entry)).record.plan).toBe('gone');
  });
}

function describeQuota(underTest: StoreUnderTest): void {
  const scene = useStoreScene(underTest);

  test('a quota that was made smaller than what was used allows none', async () => {
    const entry = await scene.addKey({ plan: 'hundred' });
    await scene.ask(entry, 8);
    await scene.store.directory.change(entry.record.id, (record) => changeKeyPlan(record, 'free'));
    expect(await scene.ask(entry, 5)).toMatchObject({ before: { used: 8 }, allowedCount: 0 });
  });

  test.each([
    ['2024-01-31', '2024-02-01'],
    ['2024-02-29', '2024-03-01'],
    ['2000-02-29', '2000-03-01'],
    ['2023-02-28', '2023-03-01'],
    ['2100-02-28', '2100-03-01'],
    ['2024-04-30', '2024-05-01'],
    ['2024-12-31', '2025-01-01'],
    ['1999-12-31', '2000-01-01'],
  ])('a month lasts to the last millisecond of %s and the next begins with the first of %s', async (last, first) => {
    const entry = await scene.addKey({ plan: 'hundred' });
    scene.nowMs = Date.parse(`${last}T00:00:00.000Z`);
    expect(await scene.ask(entry, 99)).toMatchObject({ allowedCount: 99 });
    scene.nowMs = Date.parse(`${last}T23:59:59.999Z`);
    expect(await scene.ask(entry, 2)).toMatchObject({ month: { name: last.slice(0, 7) }, allowedCount: 1 });
    expect(await scene.ask(entry, 1)).toMatchObject({ before: { used: 100 }, allowedCount: 0 });
    scene.nowMs = Date.parse(`${first}T00:00:00.000Z`);
    expect(await scene.ask(entry, 101)).toMatchObject({
      month: { name: first.slice(0, 7), startMs: scene.nowMs },
      before: { used: 0 },
      allowedCount: 100,
    });
    expect((await scene.find(entry)).usage).toEqual(
      usageOf({ [last.slice(0, 7)]: 100, [first.slice(0, 7)]: 100 }, { [last]: 100, [first]: 100 }),
    );
  });

  test('a clock that is years off for a moment begins no quota anew', async () => {
    const entry = await scene.addKey({ plan: 'hundred' });
    await scene.ask(entry, 100);
    for (const instant of ['2030-03-01T00:00:00.000Z', '2000-05-01T00:00:00.000Z', '2024-02-15T12:00:00.000Z']) {
      scene.nowMs = Date.parse(instant);
      await scene.ask(entry, 1);
    }
    expect(await scene.ask(entry, 1)).toMatchObject({ before: { used: 100 }, allowedCount: 0 });
    expect((await scene.find(entry)).usage.months.get('2024-02')).toBe(100);
  });

  test('counts are kept of the last 62 days and the last 24 months', async () => {
    const entry = await scene.addKey();
    const [days, months] = [new Map<string, number>(), new Map<string, number>()];
    const instants = [
      ...Array.from({ length: 29 }, (_, month) => Date.UTC(2023, month, 28)),
      ...Array.from({ length: 70 }, (_, day) => Date.UTC(2025, 5, 1 + day)),
    ];
    for (const [index, nowMs] of instants.entries()) {
      scene.nowMs = nowMs;
      await scene.ask(entry, index + 1);
      const day = new Date(nowMs).toISOString().slice(0, 10);
      days.set(day, (days.get(day) ?? 0) + index + 1);
      months.set(day.slice(0, 7), (months.get(day.slice(0, 7)) ?? 0) + index + 1);
    }
    const { usage } = await scene.find(entry);
    expect([...usage.days]).toEqual([...days].slice(-62));
    expect([...usage.months]).toEqual([...months].slice(-24));
    expect(usage.months.size + usage.days.size).toBe(24 + 62);
  });

  test('counts go on after the store was closed and opened again, and so does the rate', async () => {
    const entry = await scene.addKey({ plan: 'both' });
    await scene.ask(entry, 4);
    await scene.store.close();
    const store = await scene.openAgain();
    expect(await scene.ask(entry, 4, store)).toMatchObject({
      before: { used: 4, arrivalMs: NOON + 80 },
      allowedCount: 0,
    });
    scene.nowMs += 20;
    expect(await scene.ask(entry, 4, store)).toMatchObject({ before: { used: 4 }, allowedCount: 1 });
  });

  test('of 200 questions at once through two openings with 100 requests left exactly 100 are allowed', async () => {
    const entry = await scene.addKey({ plan: 'hundred' });
    const other = await scene.openAgain();
    const admissions = await Promise.all(
      Array.from({ length: 200 }, (_, index) => scene.ask(entry, 1, index % 2 === 0 ? scene.store : other)),
    );
    expect(admissions.reduce((sum, { allowedCount }) => sum + allowedCount, 0)).toBe(100);
    expect((await scene.find(entry)).usage.months).toEqual(new Map([['2024-02', 100]]));
  });
}

function describeRate(underTest: StoreUnderTest): void {
  const scene = useStoreScene(underTest);

  test('a rate below one request a second gives each request back at its millisecond, not before', async () => {
    const entry = await scene.addKey({ plan: 'slow' });
    for (const [laterMs, allowed] of [
      [0, 2],
      [9_999, 0],
      [10_000, 1],
      [19_999, 0],
      [20_000, 1],
      [60_000, 2],
    ] as const) {
      scene.nowMs = NOON + laterMs;
      expect({ laterMs, allowed: (await scene.ask(entry, 3)).allowedCount }).toEqual({ laterMs, allowed });
    }
  });

  test('a clock that is set back locks a key out for no longer than a burst', async () => {
    const entry = await scene.addKey({ plan: 'quick' });
    await scene.ask(entry, 3);
    scene.nowMs = NOON - 3_600_000;
    await scene.ask(entry, 1);
    scene.nowMs += 60;
    expect(await scene.ask(entry, 1)).toMatchObject({ allowedCount: 1 });
  });
}

function describeCosts(underTest: StoreUnderTest): void {
  const scene = useStoreScene(underTest);

  test('takes no more of the rate than may come at once, unless it takes several of the quota', async () => {
    const entry = await scene.addKey({ plan: 'both' });
    expect(await scene.askFor(entry, 1, 1, 9)).toMatchObject({ allowedCount: 1, rateCost: 4 });
    expect(await scene.askFor(entry, 1, 1, 9)).toMatchObject({ before: { arrivalMs: NOON + 80 }, allowedCount: 0 });
    scene.nowMs += 80;
    expect(await scene.askFor(entry, 1, 1, 9)).toMatchObject({ allowedCount: 1 });
    scene.nowMs += 80;
    expect(await scene.askFor(entry, 2, 1, 9)).toMatchObject({ allowedCount: 0, rateCost: 9 });
    const unlimited = await scene.addKey({ plan: 'unlimited' });
    expect(await scene.askFor(unlimited, 1, 2, 9)).toMatchObject({ allowedCount: 2, rateCost: 9 });
  });

  test('a request of no unit tells where the key stands, also where nothing is left, and counts nothing', async () => {
    const entry = await scene.addKey({ plan: 'both' });
    expect(await scene.askFor(entry, 0, 3)).toMatchObject({ before: { used: 0, arrivalMs: 0 }, allowedCount: 3 });
    expect((await scene.find(entry)).usage).toEqual(NO_USAGE);
    await scene.ask(entry, 4);
    expect(await scene.askFor(entry, 0)).toMatchObject({ before: { used: 4, arrivalMs: NOON + 80 }, allowedCount: 1 });
    expect((await scene.find(entry)).usage.months).toEqual(new Map([['2024-02', 4]]));
    await scene.store.directory.change(entry.record.id, changeKeyToRevoked);
    expect(await scene.store.decide([{ digest: entry.digest, count: 1, cost: 0 }])).toEqual([{ status: 'revoked' }]);
  });
}

function describeSequences(underTest: StoreUnderTest): void {
  const scene = useStoreScene(underTest);
  /** Ten milliseconds are no small part of any plan's interval, so no rounding is in question. */
  const steps = fc.array(
    fc.record({
      laterMs: fc.nat(60).map((tens) => tens * 10),
      count: fc.integer({ min: 1, max: 9 }),
      cost: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 5 })),
      rateCost: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 5 })),
    }),
    {
      minLength: 1,
      maxLength: 25,
    },
  );
  const planName = fc.constantFrom('free', 'hundred', 'none', 'quick', 'both', 'single', 'unlimited');

  test('any sequence of questions is answered as if each request had come alone', async () => {
    await fc.assert(
      fc.asyncProperty(planName, steps, async (plan, sequence) => {
        // Soon comes another month, in which the rate goes on.
        scene.nowMs = Date.parse('2024-02-29T23:59:59.800Z');
        const entry = await scene.addKey({ plan });
        const model = createOneByOneModel(scene.plan(plan));
        for (const { laterMs, count, cost, rateCost } of sequence) {
          scene.nowMs += laterMs;
          const admission = await scene.askFor(entry, cost, count, rateCost);
          const outcomes = Array.from({ length: count }, (_, index) =>
            index < admission.allowedCount ? 'allowed' : refusalReason(admission),
          );
          expect(outcomes).toEqual(Array.from({ length: count }, () => model.ask(scene.nowMs, cost, rateCost)));
        }
        expect((await scene.find(entry)).usage.months).toEqual(model.used);
      }),
      { numRuns: 60 },
    );
  });
}

/** The definitions, one request at a time: a count for each month, and GCRA as ITU-T I.371 words it. */
function createOneByOneModel({ requestsPerMonth, rate }: Plan) {
  const used = new Map<string, number>();
  let theoreticalArrivalMs = Number.NEGATIVE_INFINITY;
  return {
    used,
    ask(nowMs: number, cost: number, ofRate: number): 'allowed' | 'quota-exceeded' | 'rate-limited' {
      const month = new Date(nowMs).toISOString().slice(0, 7);
      const usedNow = used.get(month) ?? 0;
      if (requestsPerMonth !== null && usedNow + cost > requestsPerMonth) return 'quota-exceeded';
      if (rate !== null) {
        const intervalMs = 1000 / rate.requestsPerSecond;
        const rateCost = cost === 1 ? Math.min(ofRate, rate.burst) : Math.max(cost, ofRate);
        const limitMs = (rate.burst - rateCost) * intervalMs;
        const arrivalMs = Math.max(nowMs, theoreticalArrivalMs);
        if (nowMs < arrivalMs - limitMs) return 'rate-limited';
        theoreticalArrivalMs = arrivalMs + rateCost * intervalMs;
      }
      used.set(month, usedNow + cost);
      return 'allowed';
    },
  };
}
