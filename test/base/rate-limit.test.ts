/** The rate limit's arithmetic: the example of its header, and what must hold for every rate and every instant. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  arrivalFrom,
  countAdmissible,
  createRate,
  type Rate,
  rateWaitMs,
  shareOfRate,
  untilAdmissibleMs,
} from '../../src/base/rate-limit.js';

fc.configureGlobal({ seed: 20240229 });

const NOW = Date.parse('2024-02-29T12:00:00.000Z');
/** An interval of 20 ms. */
const RATE: Rate = createRate({ requestsPerSecond: 50, burst: 3 });

/** From one request in eleven days to a thousand in a second. */
const anyRate = fc
  .record({
    requestsPerSecond: fc.constantFrom(0.000_001, 0.1, 0.3, 1, 3, 7, 50, 300, 999),
    burst: fc.integer({ min: 1, max: 1_000 }),
  })
  .map(createRate);
const anyInstant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2100, 0) });

/** A key that was idle, made requests at one instant and stands there some time later, or earlier: clocks are set. */
const anyStanding = fc
  .record({
    rate: anyRate,
    startMs: anyInstant,
    made: fc.nat(1_000),
    later: fc.double({ min: -2, max: 2, noNaN: true }),
  })
  .map(({ rate, startMs, made, later }) => ({
    rate,
    arrivalMs: startMs + Math.min(made, rate.burst) * rate.intervalMs,
    nowMs: Math.max(0, Math.round(startMs + later * rate.burst * rate.intervalMs)),
  }));

test('an interval is a second shared among its requests', () => {
  expect(RATE.intervalMs).toBe(20);
  expect(createRate({ requestsPerSecond: 0.1, burst: 1 }).intervalMs).toBe(10_000);
});

describe('the example of the header', () => {
  test.each([
    // arrival as seen from now, may come, until one more may
    [-1_000, 3, 0],
    [0, 3, 0],
    [1, 2, 1],
    [20, 2, 20],
    [40, 1, 20],
    [41, 0, 1],
    [59, 0, 19],
    [60, 0, 20],
  ])('with the arrival %i ms from now %i may come, one more after %i ms', (aheadMs, count, untilMs) => {
    expect(countAdmissible(RATE, NOW + aheadMs, NOW)).toBe(count);
    expect(rateWaitMs(RATE, NOW + aheadMs, NOW)).toBe(untilMs);
  });

  test('a key never used is idle', () => {
    expect(countAdmissible(RATE, 0, NOW)).toBe(3);
    expect(rateWaitMs(RATE, 0, NOW)).toBe(0);
    expect(arrivalFrom(RATE, 0, NOW)).toBe(NOW);
  });
});

test.each([
  [-1_000, 3, 0],
  [0, 3, 0],
  [1, 3, 1],
  [60, 3, 60],
  [60, 2, 40],
  [60, 1, 20],
  [20, 2, 0],
])('with the arrival %i ms from now, %i may come at once after %i ms', (aheadMs, count, untilMs) => {
  expect(untilAdmissibleMs(RATE, NOW + aheadMs, NOW, count)).toBe(untilMs);
});

test('a slow key that is nearly idle gets the time until it is idle', () => {
  expect(rateWaitMs(createRate({ requestsPerSecond: 0.1, burst: 2 }), NOW + 50, NOW)).toBe(50);
});

test('counting begins neither in the past nor further ahead than a burst', () => {
  fc.assert(
    fc.property(anyStanding, ({ rate, arrivalMs, nowMs }) => {
      const from = arrivalFrom(rate, arrivalMs, nowMs);
      expect(from).toBeGreaterThanOrEqual(nowMs);
      expect(from).toBeLessThanOrEqual(nowMs + rate.burst * rate.intervalMs);
    }),
  );
});

test('never less than none and never more than a burst may come', () => {
  fc.assert(
    fc.property(anyStanding, ({ rate, arrivalMs, nowMs }) => {
      const count = countAdmissible(rate, arrivalMs, nowMs);
      expect(Number.isInteger(count)).toBe(true);
      expect(count).toBeGreaterThanOrEqual(0);
      expect(count).toBeLessThanOrEqual(rate.burst);
    }),
  );
});

test('a burst at once, one by one or in bundles, is exactly the burst', () => {
  const bundles = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(anyRate, anyInstant, bundles, (rate, nowMs, sizes) => {
      let [arrivalMs, allowed] = [0, 0];
      // As many bundles as it takes: the last ones are refused in part and then whole.
      for (let at = 0; at < 2 * rate.burst; at++) {
        const count = Math.min(sizes[at % sizes.length] as number, countAdmissible(rate, arrivalMs, nowMs));
        if (count === 0) break;
        arrivalMs = arrivalFrom(rate, arrivalMs, nowMs) + count * rate.intervalMs;
        allowed += count;
      }
      expect(allowed).toBe(rate.burst);
    }),
  );
});

test.each([
  [150, 1_000],
  [600, 500],
  [3_000, 5_000],
])(
  'at %i requests a second a burst of %i that comes one by one is not one more or less',
  (requestsPerSecond, burst) => {
    const rate = createRate({ requestsPerSecond, burst });
    let [arrivalMs, allowed] = [0, 0];
    while (allowed < 2 * burst && countAdmissible(rate, arrivalMs, NOW) > 0) {
      arrivalMs = arrivalFrom(rate, arrivalMs, NOW) + rate.intervalMs;
      allowed++;
    }
    expect(allowed).toBe(burst);
  },
);

test('after a second of use at every instant no more came than the burst and the rate', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 50, maxLength: 200 });
  const rates = anyRate.filter(({ requestsPerSecond }) => requestsPerSecond >= 1);
  fc.assert(
    fc.property(rates, steps, (rate, waitsMs) => {
      let [nowMs, arrivalMs, allowed] = [NOW, 0, 0];
      for (const waitMs of waitsMs) {
        nowMs += waitMs;
        const count = countAdmissible(rate, arrivalMs, nowMs);
        arrivalMs = arrivalFrom(rate, arrivalMs, nowMs) + count * rate.intervalMs;
        allowed += count;
      }
      expect(allowed).toBeLessThanOrEqual(rate.burst + (nowMs - NOW) / rate.intervalMs + 0.02);
    }),
  );
});

test('no request may come a whole millisecond before its time', () => {
  const slow = anyRate.filter(({ requestsPerSecond }) => requestsPerSecond <= 50);
  fc.assert(
    fc.property(slow, (rate) => {
      const fullMs = NOW + rate.burst * rate.intervalMs;
      expect(countAdmissible(rate, fullMs, Math.floor(NOW + rate.intervalMs) - 1)).toBe(0);
      expect(countAdmissible(rate, fullMs, Math.ceil(NOW + rate.intervalMs))).toBe(1);
    }),
  );
});

test('the next request is allowed at the given time, which is never later than when the key is idle', () => {
  fc.assert(
    fc.property(anyStanding, ({ rate, arrivalMs, nowMs }) => {
      const fromMs = arrivalFrom(rate, arrivalMs, nowMs);
      const untilMs = rateWaitMs(rate, fromMs, nowMs);
      expect(untilMs).toBeGreaterThanOrEqual(0);
      expect(untilMs).toBeLessThanOrEqual(fromMs - nowMs);
      const more = Math.min(rate.burst, countAdmissible(rate, fromMs, nowMs) + 1);
      expect(countAdmissible(rate, fromMs, nowMs + untilMs)).toBeGreaterThanOrEqual(more);
    }),
    { numRuns: 1_000 },
  );
});

test('shares of a rate add up to no more than the rate, each with one request at once at least', () => {
  fc.assert(
    fc.property(anyRate, fc.integer({ min: 1, max: 256 }), (rate, count) => {
      const share = shareOfRate(rate, count);
      expect(share.requestsPerSecond * count).toBeCloseTo(rate.requestsPerSecond);
      expect(share.burst * count).toBeLessThanOrEqual(Math.max(rate.burst, count));
      expect(share.burst).toBeGreaterThanOrEqual(1);
      if (count === 1) expect(share).toEqual(rate);
    }),
  );
});
