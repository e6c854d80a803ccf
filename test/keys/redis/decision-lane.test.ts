/**
 * The lane over a port that answers when its test says so, in time that its test makes pass: how many keys fly together,
 * what counts as an outage and what does not, and keys that the store has lost.
 */

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { admit } from '../../../src/keys/admission.js';
import { monthOf } from '../../../src/keys/calendar-month.js';
import type { KeyQuestion, KeyVerdict } from '../../../src/keys/key-store.js';
import type { Plan } from '../../../src/keys/plan.js';
import { DecisionLane } from '../../../src/keys/redis/decision-lane.js';
import type { AskedKey, KeyReply } from '../../../src/keys/redis/decision-port.js';
import { OutageMemory } from '../../../src/keys/redis/outage-memory.js';

const PLAN: Plan = { name: 'all', requestsPerMonth: null, rate: null };
const GRACE_MS = 60_000;
const TIMEOUT_MS = 250;

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2024-02-10T00:00:00.000Z'), doNotFake: ['nextTick', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A lane whose port takes `roundTripMs` for each flight and knows the keys in `known`. */
function createScene({ roundTripMs = 10, known = new Set<string>() } = {}) {
  const flights: (readonly AskedKey[])[] = [];
  const events: string[] = [];
  let sequence = 0;
  const reply = ({ digest, count }: AskedKey): KeyReply => {
    if (!known.has(digest)) return { standing: 'unknown' };
    const moment = { nowMs: Date.now(), month: monthOf(Date.now()) };
    const admission = admit('key_0123456789ab', PLAN, { used: 0, arrivalMs: 0 }, moment, count);
    const [expiresMs, graceUntilMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    return { standing: 'good', admission, requestCount: count, expiresMs, graceUntilMs };
  };
  const lane = new DecisionLane({
    port: {
      isReady: () => true,
      decide: async (_, keys) => {
        flights.push(keys);
        await new Promise((resolve) => setTimeout(resolve, roundTripMs));
        return keys.map(reply);
      },
      probe: async () => {},
    },
    memory: new OutageMemory(GRACE_MS, 100_000),
    listener: {
      onDegraded: (problem) => void events.push(problem),
      onRecovered: () => void events.push('recovered'),
      onKeysLost: () => void events.push('lost'),
      onKeysFound: () => void events.push('found'),
      onKeyProblem: (_, problem) => void events.push(problem),
    },
    nextSequence: () => ++sequence,
    clock: Date.now,
    timeoutMs: TIMEOUT_MS,
  });
  const ask = async (digest: string, count = 1) => (await lane.ask([{ digest, count }]))[0] as KeyVerdict;
  return { lane, flights, events, known, ask };
}

function questionsOf(prefix: string, count: number): KeyQuestion[] {
  return Array.from({ length: count }, (_, index) => ({ digest: `${prefix}${index}`, count: 1 }));
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe('flights', () => {
  test('take at most 500 keys, whatever waits, and what came first goes first', async () => {
    const { lane, flights, events } = createScene();
    const turns = Array.from({ length: 40 }, (_, turn) => lane.ask(questionsOf(`${turn} `, 250)));
    await pass(10_000);
    expect((await Promise.all(turns)).flat()).toHaveLength(10_000);
    expect(Math.max(...flights.map((keys) => keys.length))).toBeLessThanOrEqual(500);
    const turnsInOrder = flights.flatMap((keys) => keys.map(({ digest }) => Number.parseInt(digest, 10)));
    expect(turnsInOrder).toEqual(turnsInOrder.toSorted((one, other) => one - other));
    expect(events).toEqual([]);
  });

  test('a round trip of more than half the timeout is no outage, however dense the requests', async () => {
    const { events, ask, known } = createScene({ roundTripMs: 130, known: new Set(['a']) });
    const verdicts: Promise<KeyVerdict>[] = [];
    for (let ms = 0; ms < 4_000; ms += 10) {
      verdicts.push(ask('a'));
      await pass(10);
    }
    await pass(1_000);
    expect(known.size).toBe(1);
    expect((await Promise.all(verdicts)).every(({ standing }) => standing === 'good')).toBe(true);
    expect(events).toEqual([]);
  });

  test('a flight that takes longer than the timeout is one', async () => {
    const { events, ask } = createScene({ roundTripMs: TIMEOUT_MS + 1 });
    const verdict = ask('a');
    await pass(TIMEOUT_MS - 1);
    expect(events).toEqual([]);
    await pass(2);
    // Its answer might still have been on the way through the event loop.
    await new Promise(setImmediate);
    expect(await verdict).toMatchObject({ standing: 'unavailable' });
    expect(events).toEqual(['no answer within 250 ms']);
  });

  test('a queue that is too long for the store: what waits too long is decided from memory, without an outage', async () => {
    const known = new Set(questionsOf('good ', 400).map(({ digest }) => digest));
    const { lane, events } = createScene({ roundTripMs: 200, known });
    const seen = lane.ask(questionsOf('good ', 400));
    await pass(200);
    await seen;
    const crowd = Array.from({ length: 20 }, (_, turn) => lane.ask(questionsOf(`${turn} `, 400)));
    const last = lane.ask(questionsOf('good ', 400));
    // All of them are answered by then, or this test hangs.
    await pass(3 * TIMEOUT_MS);
    for (const { standing } of await last) expect(standing).toBe('good');
    const standings = new Set((await Promise.all(crowd)).flat().map(({ standing }) => standing));
    expect(standings).toEqual(new Set(['unknown', 'unavailable']));
    expect({ problem: lane.problem(), events }).toEqual({ problem: null, events: [] });
  });
});

describe('a key that was good and that the store does not know any more', () => {
  test('is served for the time of grace, then nobody knows; it is told once, and counted when it is back', async () => {
    const { events, flights, ask, known } = createScene({ known: new Set(['a', 'b']) });
    const answer = async (digest: string) => {
      const verdict = ask(digest);
      await pass(20);
      return verdict;
    };
    expect(await answer('a')).toMatchObject({ standing: 'good' });
    expect(await answer('stranger')).toEqual({ standing: 'unknown' });
    known.clear();
    for (let round = 0; round < 100; round++) expect(await answer('a')).toMatchObject({ standing: 'good' });
    expect(await answer('b')).toMatchObject({ standing: 'unavailable' });
    // What is owed grows in one debt, though each of these flights told it in vain.
    expect(Math.max(...flights.flat().map(({ debts }) => debts.length))).toBe(1);
    await pass(GRACE_MS);
    expect(await answer('a')).toMatchObject({ standing: 'unavailable' });
    expect(events).toEqual(['lost']);
    const flightCount = flights.length;
    await pass(10_000);
    expect(flights.length - flightCount).toBeLessThanOrEqual(11);
    known.add('a');
    await pass(1_100);
    expect(events).toEqual(['lost', 'found']);
    expect(flights.at(-1)).toMatchObject([{ digest: 'a', count: 0, debts: [{ count: 100 }] }]);
    expect(await answer('stranger')).toEqual({ standing: 'unknown' });
    const settled = flights.length;
    await pass(10_000);
    expect(flights).toHaveLength(settled);
  });

  test('is found again also where nothing is owed', async () => {
    const { events, ask, known } = createScene({ known: new Set(['a']) });
    const first = ask('a');
    await pass(GRACE_MS + 20);
    await first;
    known.clear();
    const verdict = ask('a');
    await pass(20);
    expect(await verdict).toMatchObject({ standing: 'unavailable' });
    known.add('a');
    await pass(1_100);
    expect(events).toEqual(['lost', 'found']);
  });
});
