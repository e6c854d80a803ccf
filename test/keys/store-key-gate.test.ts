/**
 * The gate over a store in memory that writes down what it is asked: one question for each key and turn, and to each
 * request its own part of the answer.
 */

import { describe, expect, test } from '@jest/globals';
import { admit } from '../../src/keys/admission.js';
import { createApiKey, digestApiKey } from '../../src/keys/api-key.js';
import { monthOf } from '../../src/keys/calendar.js';
import type { KeyQuestion, KeyVerdict } from '../../src/keys/key-store.js';
import type { Plan } from '../../src/keys/plan.js';
import { createKeyGate } from '../../src/keys/store-key-gate.js';
import { KeyStoreError } from '../../src/storage/key-store-error.js';

const NOW = Date.parse('2024-02-29T12:00:00.000Z');
const ID = 'key_0123456789ab';
const PLAN: Plan = { name: 'some', requestsPerMonth: 10, rate: { requestsPerSecond: 50, burst: 4 } };

/** A gate whose store gives every question the verdict that `verdictOf` says. */
function createScene(verdictOf: (question: KeyQuestion) => KeyVerdict | Promise<never>) {
  const turns: (readonly KeyQuestion[])[] = [];
  const gate = createKeyGate({
    knows: () => true,
    decide: async (questions) => {
      turns.push(questions);
      return Promise.all(questions.map(verdictOf));
    },
  });
  return { gate, turns, key: createApiKey() };
}

function good(used = 0, plan = PLAN) {
  return ({ count }: KeyQuestion) =>
    admit(ID, plan, { used, arrivalMs: 0 }, { nowMs: NOW, month: monthOf(NOW) }, count);
}

describe('without the store', () => {
  test('no key, or an empty header, is a missing key', () => {
    const { gate, turns } = createScene(good());
    expect(gate.check(undefined)).toEqual({ allowed: false, reason: 'missing' });
    expect(gate.check('')).toEqual({ allowed: false, reason: 'missing' });
    expect(turns).toEqual([]);
  });

  test('a mistyped key is invalid', async () => {
    const { gate, turns, key } = createScene(good());
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const text of [mistyped, ` ${key}`, `${key}, ${key}`, key.toUpperCase(), 'secret', ' ']) {
      expect(gate.check(text)).toEqual({ allowed: false, reason: 'invalid' });
    }
    await new Promise(setImmediate);
    expect(turns).toEqual([]);
  });
});

describe('with one request', () => {
  test('a good key is allowed, and told where it stands after this request', async () => {
    const { gate, turns, key } = createScene(good(3));
    expect(await gate.check(key)).toEqual({
      allowed: true,
      keyId: ID,
      limits: { plan: PLAN, nowMs: NOW, month: monthOf(NOW), used: 4, arrivalMs: NOW + 20 },
    });
    expect(turns).toEqual([[{ digest: digestApiKey(key), count: 1 }]]);
  });

  test.each([
    ['unknown', 'invalid'],
    ['revoked', 'revoked'],
    ['expired', 'expired'],
  ] as const)('a key that is %s is refused as %s', async (standing, reason) => {
    const { gate, key } = createScene(() => ({ standing }));
    expect(await gate.check(key)).toEqual({ allowed: false, reason });
  });

  test('a key over its quota is refused for that, and stands where it stood', async () => {
    const { gate, key } = createScene(good(10));
    expect(await gate.check(key)).toEqual({
      allowed: false,
      reason: 'quota-exceeded',
      keyId: ID,
      limits: { plan: PLAN, nowMs: NOW, month: monthOf(NOW), used: 10, arrivalMs: 0 },
    });
  });

  test('nothing is remembered: what changed counts from the next request on', async () => {
    let verdict: KeyVerdict = { standing: 'unknown' };
    const { gate, key, turns } = createScene((question) => (verdict.standing === 'good' ? good()(question) : verdict));
    expect(await gate.check(key)).toMatchObject({ allowed: false, reason: 'invalid' });
    verdict = good()({ digest: '', count: 1 });
    expect(await gate.check(key)).toMatchObject({ allowed: true });
    verdict = { standing: 'revoked' };
    expect(await gate.check(key)).toMatchObject({ allowed: false, reason: 'revoked' });
    expect(turns).toHaveLength(3);
  });
});

describe('with many requests in one turn of the event loop', () => {
  test('those of one key are one question, and all questions go to the store together', async () => {
    const { gate, turns, key } = createScene(good());
    const other = createApiKey();
    await Promise.all([key, other, key, undefined, key].map((text) => gate.check(text)));
    expect(turns).toEqual([
      [
        { digest: digestApiKey(key), count: 3 },
        { digest: digestApiKey(other), count: 1 },
      ],
    ]);
  });

  test('each is told its own part, in the order in which they came', async () => {
    const { gate, key } = createScene(good(7));
    const decisions = await Promise.all(Array.from({ length: 5 }, () => gate.check(key)));
    expect(decisions).toMatchObject([
      { allowed: true, limits: { used: 8, arrivalMs: NOW + 20 } },
      { allowed: true, limits: { used: 9, arrivalMs: NOW + 40 } },
      { allowed: true, limits: { used: 10, arrivalMs: NOW + 60 } },
      { allowed: false, reason: 'quota-exceeded', limits: { used: 10, arrivalMs: NOW + 60 } },
      { allowed: false, reason: 'quota-exceeded', limits: { used: 10, arrivalMs: NOW + 60 } },
    ]);
  });

  test('those over the rate are refused for that', async () => {
    const { gate, key } = createScene(good());
    const decisions = await Promise.all(Array.from({ length: 6 }, () => gate.check(key)));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, true, false, false]);
    expect(decisions[5]).toMatchObject({ reason: 'rate-limited', limits: { used: 4, arrivalMs: NOW + 80 } });
  });

  test('all of a refused key are refused', async () => {
    const { gate, key } = createScene(() => ({ standing: 'expired' }));
    const decisions = await Promise.all([gate.check(key), gate.check(key)]);
    expect(decisions).toEqual(Array(2).fill({ allowed: false, reason: 'expired' }));
  });

  test('what comes while the store decides is asked together, once it has', async () => {
    const answers: (() => void)[] = [];
    const turns: (readonly KeyQuestion[])[] = [];
    const gate = createKeyGate({
      knows: () => true,
      decide: (questions) => {
        turns.push(questions);
        return new Promise((resolve) => answers.push(() => resolve(questions.map(good()))));
      },
    });
    const key = createApiKey();
    const first = gate.check(key);
    await new Promise(setImmediate);
    const later = [gate.check(key), gate.check(createApiKey()), gate.check(key)];
    await new Promise(setImmediate);
    expect(turns).toHaveLength(1);
    answers[0]?.();
    expect(await first).toMatchObject({ allowed: true });
    await new Promise(setImmediate);
    expect(turns[1]).toMatchObject([{ digest: digestApiKey(key), count: 2 }, { count: 1 }]);
    answers[1]?.();
    expect(await Promise.all(later)).toMatchObject(Array(3).fill({ allowed: true }));
  });
});

describe('with many keys that the store has not found lately', () => {
  /** A gate whose store answers when it is told to, and has found the keys in `found`. */
  function createSlowScene(found: readonly string[] = []) {
    const digests = new Set(found.map(digestApiKey));
    const asked: { readonly questions: readonly KeyQuestion[]; readonly answer: () => void }[] = [];
    const gate = createKeyGate({
      knows: (digest) => digests.has(digest),
      decide: (questions) =>
        new Promise((resolve) => {
          const verdictOf = (question: KeyQuestion): KeyVerdict =>
            digests.has(question.digest) ? good()(question) : { standing: 'unknown' };
          asked.push({ questions, answer: () => resolve(questions.map(verdictOf)) });
        }),
    });
    return { gate, asked };
  }

  /** An answer is heard in one turn, and what it lets go is asked at the end of the next. */
  async function turnsEnd(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  }

  test('few of them are with the store at a time, the rest waits in line, and no more than the line holds', async () => {
    const { gate, asked } = createSlowScene();
    const strangers = Array.from({ length: 10_000 }, createApiKey);
    const decisions = Promise.all(strangers.map((key) => gate.check(key)));
    let answered = 0;
    for (let turn = 0; turn < 20; turn++) {
      await turnsEnd();
      const [{ questions, answer }] = asked.splice(0) as [(typeof asked)[0]];
      expect(questions.map(({ digest }) => digest)).toEqual(
        strangers.slice(answered, answered + questions.length).map(digestApiKey),
      );
      expect(questions.length).toBeLessThanOrEqual(250);
      answered += questions.length;
      answer();
      if (answered === 2_000) break;
    }
    const reasons = (await decisions).map((decision) => !decision.allowed && decision.reason);
    expect(reasons).toEqual([...Array(2_000).fill('invalid'), ...Array(8_000).fill('crowded')]);
    const again = gate.check(strangers[9_999]);
    await turnsEnd();
    asked[0]?.answer();
    expect(await again).toEqual({ allowed: false, reason: 'invalid' });
  });

  test('a key that was found lately does not stand in that line', async () => {
    const key = createApiKey();
    const { gate, asked } = createSlowScene([key]);
    const strangers = Array.from({ length: 5_000 }, () => gate.check(createApiKey()));
    await turnsEnd();
    const first = gate.check(key);
    asked[0]?.answer();
    await turnsEnd();
    expect(asked.map(({ questions }) => questions.length)).toEqual([250, 251]);
    asked[1]?.answer();
    expect(await first).toMatchObject({ allowed: true });
    expect(strangers).toHaveLength(5_000);
  });

  test('many requests with one such key are one question, also where the line is full', async () => {
    const { gate, asked } = createSlowScene();
    const keys = Array.from({ length: 2_000 }, createApiKey);
    for (const key of keys) void gate.check(key);
    await turnsEnd();
    expect(gate.check(keys[1_999])).toBeInstanceOf(Promise);
    for (let turn = 0; turn < 8; turn++) {
      asked[turn]?.answer();
      await turnsEnd();
    }
    expect(asked[7]?.questions.at(-1)).toEqual({ digest: digestApiKey(keys[1_999] as string), count: 2 });
  });
});

describe('with a store that can not answer', () => {
  const failure = new KeyStoreError('KEY_STORE_FAILED', 'the store failed', 'try again');

  test('every request of the turn is an error, never a refusal', async () => {
    const { gate, key } = createScene(() => Promise.reject(failure));
    const outcomes = await Promise.allSettled([gate.check(key), gate.check(createApiKey()), gate.check(key)]);
    expect(outcomes).toEqual(Array(3).fill({ status: 'rejected', reason: failure }));
  });

  test('a key that can not be decided now is an error, and the others are answered', async () => {
    const lost = createApiKey();
    const { gate, key } = createScene((question) =>
      question.digest === digestApiKey(lost) ? { standing: 'unavailable', cause: failure } : good()(question),
    );
    const outcomes = await Promise.allSettled([lost, key, lost].map((text) => gate.check(text)));
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: { allowed: true } },
      { status: 'rejected', reason: failure },
    ]);
  });

  test('the next turn is asked anew', async () => {
    let isBroken = true;
    const { gate, key } = createScene((question) => (isBroken ? Promise.reject(failure) : good()(question)));
    await expect(gate.check(key)).rejects.toBe(failure);
    isBroken = false;
    expect(await gate.check(key)).toMatchObject({ allowed: true });
  });
});
