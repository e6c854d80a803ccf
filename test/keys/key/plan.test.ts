/** The table of plans: what may be in it, and one sentence that names the plan and the field where it is wrong. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InvalidValueError } from '../../../src/base/errors.js';
import { createRate } from '../../../src/base/rate-limit.js';
import { createPlanFinder, DEFAULT_PLANS, parsePlans } from '../../../src/keys/key/plan.js';

fc.configureGlobal({ seed: 20240229 });

const FREE = { requestsPerMonth: 10_000, requestsPerSecond: 50, burst: 100 };

test('by default a server has only the plan free', () => {
  expect([...DEFAULT_PLANS.values()]).toEqual([
    { name: 'free', requestsPerMonth: 10_000, rate: createRate({ requestsPerSecond: 50, burst: 100 }) },
  ]);
});

test('every plan is read, in its order, and frozen', () => {
  const plans = parsePlans(
    JSON.stringify({
      'team-2': { requestsPerMonth: 0, requestsPerSecond: 0.5, burst: 1 },
      free: { burst: 1e12, requestsPerSecond: 1e6, requestsPerMonth: 1e12 },
      unlimited: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
      monthly: { requestsPerMonth: 7, requestsPerSecond: null, burst: null },
      quick: { requestsPerMonth: null, requestsPerSecond: 0.000_001, burst: 2 },
      constructor: FREE,
    }),
  );
  expect([...plans]).toEqual([
    ['team-2', { name: 'team-2', requestsPerMonth: 0, rate: createRate({ requestsPerSecond: 0.5, burst: 1 }) }],
    ['free', { name: 'free', requestsPerMonth: 1e12, rate: createRate({ requestsPerSecond: 1e6, burst: 1e12 }) }],
    ['unlimited', { name: 'unlimited', requestsPerMonth: null, rate: null }],
    ['monthly', { name: 'monthly', requestsPerMonth: 7, rate: null }],
    ['quick', { name: 'quick', requestsPerMonth: null, rate: createRate({ requestsPerSecond: 0.000_001, burst: 2 }) }],
    [
      'constructor',
      { name: 'constructor', requestsPerMonth: 10_000, rate: createRate({ requestsPerSecond: 50, burst: 100 }) },
    ],
  ]);
  for (const plan of plans.values()) {
    expect(Object.isFrozen(plan)).toBe(true);
    expect(plan.rate === null || Object.isFrozen(plan.rate)).toBe(true);
  }
});

describe('a table that is none', () => {
  test.each([
    ['', /^it is not JSON/],
    ['{"free": }', /^it is not JSON/],
    ['null', /must be an object/],
    ['[]', /must be an object/],
    ['7', /must be an object/],
    ['{}', /must have the plan "free"/],
    [JSON.stringify({ other: FREE }), /must have the plan "free"/],
    [JSON.stringify({ free: FREE, gold: [FREE] }), /the plan gold must be an object/],
    [JSON.stringify({ free: FREE, gold: null }), /the plan gold must be an object/],
  ])('%s', (text, message) => {
    expect(() => parsePlans(text)).toThrow(InvalidValueError);
    expect(() => parsePlans(text)).toThrow(message);
  });

  test.each(['', 'Free', '2nd', '-a', 'a b', 'a'.repeat(33), '__proto__', 'prø'])('with a plan called %j', (name) => {
    const text = `{"free": ${JSON.stringify(FREE)}, ${JSON.stringify(name)}: ${JSON.stringify(FREE)}}`;
    expect(() => parsePlans(text)).toThrow(InvalidValueError);
    expect(() => parsePlans(text)).toThrow(JSON.stringify(name));
  });
});

describe('a wrong field is named with its plan', () => {
  const wrongNumbers = [undefined, -1, '7', true, [], {}, 1e13];
  test.each([
    ['requestsPerMonth', [...wrongNumbers, 1.5]],
    ['requestsPerSecond', [...wrongNumbers, 0, 0.000_000_9, 1e6 + 1]],
    ['burst', [...wrongNumbers, 0, 1.5]],
  ])('%s', (field, values) => {
    for (const value of values) {
      const attempt = () => parsePlans(JSON.stringify({ free: FREE, gold: { ...FREE, [field]: value } }));
      expect(attempt).toThrow(InvalidValueError);
      expect(attempt).toThrow(new RegExp(`^${field} of the plan gold must be [^\n]+$`));
    }
  });

  const MOST = { requestsPerSecond: 1e-6, burst: 31 };
  test.each([
    [
      'a burst that a key would wait for more than 366 days',
      { ...MOST, burst: 32 },
      /^burst of the plan gold .* 366 days/,
    ],
    ['a rate without a burst', { burst: null }, /plan gold must have both requestsPerSecond and burst/],
    ['a burst without a rate', { requestsPerSecond: null }, /plan gold must have both requestsPerSecond and burst/],
    ['a field that no plan has', { requestsPerDay: 5 }, /plan gold has an unknown field "requestsPerDay"/],
  ])('%s', (_, change, message) => {
    expect(() => parsePlans(JSON.stringify({ free: FREE, gold: { ...FREE, ...change } }))).toThrow(message);
    expect(parsePlans(JSON.stringify({ free: { ...FREE, ...MOST } })).get('free')).toMatchObject({
      rate: { burst: 31 },
    });
  });

  test('a number too large for JavaScript', () => {
    const text = JSON.stringify({ free: FREE }).replace('10000', '1e400');
    expect(() => parsePlans(text)).toThrow(/^requestsPerMonth of the plan free must be/);
  });
});

test('every text is a table or an InvalidValueError of one line', () => {
  const anyTable = fc.dictionary(fc.constantFrom('free', 'gold', 'Bad'), fc.jsonValue()).map((v) => JSON.stringify(v));
  fc.assert(
    fc.property(fc.oneof(anyTable, fc.json(), fc.string()), (text) => {
      try {
        expect(parsePlans(text).has('free')).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidValueError);
        expect((error as Error).message).not.toBe('');
      }
    }),
  );
});

test('a plan is found by its name; the plan free stands for one that is not there, which is told of once', () => {
  const plans = parsePlans(JSON.stringify({ free: FREE, gold: { ...FREE, burst: 7 } }));
  const told: string[] = [];
  const find = createPlanFinder(plans, (name) => told.push(name));
  for (const name of ['gone', 'gold', 'gone', 'toString', 'gone', 'toString']) {
    expect(find(name)).toBe(plans.get(name === 'gold' ? 'gold' : 'free'));
  }
  expect(told).toEqual(['gone', 'toString']);
});
