/**
 * The lane over a port that answers when its test says so, in time that its test makes pass: how many keys fly together,
 * its states from the first connection through outages to its end, and keys that the store has lost.
 */

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { admit } from '../../../src/keys/admission.js';
import { monthOf } from '../../../src/keys/calendar.js';
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
  const store = {
    isConnected: true,
    /** What the store answers for every key instead of deciding. */
    failure: undefined as KeyReply | undefined,
    /** Whether flights come back at all. */
    isSilent: false,
    probeFailure: undefined as Error | undefined,
    probeCount: 0,
  };
  const reply = ({ digest, count }: AskedKey): KeyReply => {
    if (store.failure !== undefined) return store.failure;
    if (!known.has(digest)) return { standing: 'unknown' };
    const moment = { nowMs: Date.now(), month: monthOf(Date.now()) };
    const admission = admit('key_0123456789ab', PLAN, { used: 0, arrivalMs: 0 }, moment, count);
    const [expiresMs, graceUntilMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    return { standing: 'good', admission, requestCount: count, expiresMs, graceUntilMs };
  };
  const memory = new OutageMemory(GRACE_MS, 100_000);
  const lane = new DecisionLane({
    port: {
      isReady: () => store.isConnected,
      whenReady: async (limitMs) => {
        for (let waitedMs = 0; !store.isConnected; waitedMs += 10) {
          if (waitedMs >= limitMs) throw new Error('not connected');
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      },
      decide: async (_, keys) => {
        flights.push(keys);
        await new Promise((resolve) => setTimeout(resolve, roundTripMs));
        while (store.isSilent) await new Promise((resolve) => setTimeout(resolve, 10));
        return keys.map(reply);
      },
      probe: async () => {
        store.probeCount++;
        if (store.probeFailure !== undefined) throw store.probeFailure;
      },
    },
    memory,
    listener: {
      onDegraded: (problem) => void events.push(problem),
      onRecovered: (outageMs) => void events.push(`recovered after ${outageMs} ms`),
      onKeysLost: () => void events.push('lost'),
      onKeysFound: () => void events.push('found'),
      onKeyProblem: (_, problem) => void events.push(problem),
    },
    clock: Date.now,
    timeoutMs: TIMEOUT_MS,
  });
  const ask = async (digest: string, count = 1) => (await lane.decide([{ digest, count }]))[0] as KeyVerdict;
  /** The verdict on one request, after the time that a flight takes. */
  const answer = async (digest: string, count = 1) => {
    const verdict = ask(digest, count);
    await pass(2 * roundTripMs);
    return verdict;
  };
  const debtsTold = () => flights.at(-1)?.map(({ digest, debts }) => [digest, debts.map(({ count }) => count)]);
  return { lane, flights, events, known, store, memory, ask, answer, debtsTold };
}

function questionsOf(prefix: string, count: number): KeyQuestion[] {
  return Array.from({ length: count }, (_, index) => ({ digest: `${prefix}${index}`, count: 1 }));
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
/** Lets what waits for the event loop go on, which is not faked. */
const nextRound = () => new Promise(setImmediate);

describe('flights', () => {
  test('take at most 500 keys, whatever is asked, and what came first goes first, one flight at a time', async () => {
    const { lane, flights, events } = createScene();
    const asked = Array.from({ length: 10 }, (_, call) => lane.decide(questionsOf(`${call} `, 250)));
    const many = lane.decide(questionsOf('10 ', 1_000));
    await pass(10);
    expect(flights).toHaveLength(2);
    await pass(1_000);
    expect((await Promise.all([...asked, many])).flat()).toHaveLength(3_500);
    expect(Math.max(...flights.map((keys) => keys.length))).toBeLessThanOrEqual(500);
    const calls = flights.flatMap((keys) => keys.map(({ digest }) => Number.parseInt(digest, 10)));
    expect(calls).toEqual(calls.toSorted((one, other) => one - other));
    expect(events).toEqual([]);
  });

  test('a round trip of more than half the timeout is no outage, however dense the requests', async () => {
    const { events, ask } = createScene({ roundTripMs: 130, known: new Set(['a']) });
    const verdicts: Promise<KeyVerdict>[] = [];
    for (let round = 0; round < 30; round++) {
      verdicts.push(ask('a'));
      await pass(130);
    }
    await pass(1_000);
    expect((await Promise.all(verdicts)).every(({ standing }) => standing === 'good')).toBe(true);
    expect(events).toEqual([]);
  });

  test('more keys than a slow store takes in time: the last are decided from memory, without an outage', async () => {
    const known = new Set(questionsOf('good ', 3_000).map(({ digest }) => digest));
    const { lane, events } = createScene({ roundTripMs: 200, known });
    const seen = lane.decide(questionsOf('good ', 400));
    await pass(200);
    await seen;
    const crowd = lane.decide([...questionsOf('good ', 400).toReversed(), ...questionsOf('good ', 3_000).slice(400)]);
    // All of them are answered by then, or this test hangs.
    await pass(2 * TIMEOUT_MS);
    const standings = (await crowd).map(({ standing }) => standing);
    expect(standings.slice(0, 800)).toEqual(Array(800).fill('good'));
    expect(standings.slice(800)).toEqual(Array(2_200).fill('unavailable'));
    expect({ problem: lane.problem(), events }).toEqual({ problem: null, events: [] });
  });
});

describe('before the first connection', () => {
  test('questions wait for it', async () => {
    const { store, events, ask, known } = createScene({ known: new Set(['a']) });
    store.isConnected = false;
    const verdict = ask('a');
    await pass(100);
    store.isConnected = true;
    await pass(30);
    expect(await verdict).toMatchObject({ standing: 'good' });
    expect({ events, known: known.size }).toEqual({ events: [], known: 1 });
  });

  test('but not longer than for an answer; then nobody waits until there is one', async () => {
    const { store, events, ask, answer, lane } = createScene({ known: new Set(['a']) });
    store.isConnected = false;
    const verdict = ask('a');
    await pass(TIMEOUT_MS + 10);
    expect(await verdict).toMatchObject({ standing: 'unavailable' });
    expect(await ask('a')).toMatchObject({ standing: 'unavailable' });
    expect({ events, probes: store.probeCount }).toEqual({ events: ['there is no connection'], probes: 0 });
    store.isConnected = true;
    lane.onConnectionChange();
    await pass(100);
    expect(await answer('a')).toMatchObject({ standing: 'good' });
    expect(events).toHaveLength(2);
  });
});

describe('an outage', () => {
  test('begins when a flight takes longer than the timeout, and what the flight may have counted is told again', async () => {
    const { store, events, ask, answer, debtsTold } = createScene({ known: new Set(['a']) });
    await answer('a');
    store.isSilent = true;
    const [late, stranger] = [ask('a', 3), ask('b')];
    await pass(TIMEOUT_MS - 1);
    expect(events).toEqual([]);
    await pass(2);
    // Its answer might still have been on the way through the event loop.
    await nextRound();
    expect(await late).toMatchObject({ standing: 'good', allowedCount: 3 });
    expect(await stranger).toMatchObject({ standing: 'unavailable' });
    expect(events).toEqual(['no answer within 250 ms']);
    expect(await ask('a', 4)).toMatchObject({ standing: 'good', allowedCount: 4 });
    await pass(1_000);
    // While the flight is in the air, nothing else is sent.
    expect(store.probeCount).toBe(0);
    store.isSilent = false;
    await pass(200);
    await nextRound();
    expect(events[1]).toMatch(/^recovered after \d+ ms$/);
    await pass(20);
    expect(debtsTold()).toEqual([['a', [3, 4]]]);
  });

  test('begins when the connection is lost, without a request that meets it, and ends with a probe', async () => {
    const { store, events, lane, ask, answer, debtsTold, flights } = createScene({ known: new Set(['a']) });
    await answer('a');
    store.isConnected = false;
    lane.onConnectionChange();
    expect({ events, problem: lane.problem() }).toEqual({
      events: ['the connection was lost'],
      problem: 'the connection was lost',
    });
    expect(await ask('a', 5)).toMatchObject({ standing: 'good', allowedCount: 5 });
    expect(await ask('b')).toMatchObject({ standing: 'unavailable' });
    await pass(1_000);
    expect({ flights: flights.length, probes: store.probeCount }).toEqual({ flights: 1, probes: 0 });
    store.isConnected = true;
    lane.onConnectionChange();
    expect(flights).toHaveLength(1);
    await pass(120);
    expect(lane.problem()).toBeNull();
    expect(debtsTold()).toEqual([['a', [5]]]);
    expect(await answer('b')).toEqual({ standing: 'unknown' });
    expect(events).toHaveLength(2);
  });

  test('begins when the store can not write, and lasts while a probe that writes fails', async () => {
    const { store, events, lane, ask, answer, debtsTold, flights } = createScene({ known: new Set(['a']) });
    await answer('a');
    store.failure = { standing: 'failed', why: 'OOM', isWide: true };
    store.probeFailure = new Error('OOM still');
    expect(await answer('a', 2)).toMatchObject({ standing: 'good', allowedCount: 2 });
    expect(events).toEqual(['OOM']);
    await pass(1_000);
    expect({ problem: lane.problem(), flights: flights.length }).toEqual({ problem: 'OOM still', flights: 2 });
    expect(store.probeCount).toBeGreaterThanOrEqual(9);
    expect(await ask('a', 3)).toMatchObject({ standing: 'good', allowedCount: 3 });
    store.failure = undefined;
    store.probeFailure = undefined;
    await pass(120);
    expect(debtsTold()).toEqual([['a', [5]]]);
    expect(events).toHaveLength(2);
  });

  test('what one key meets is none', async () => {
    const { store, events, lane, answer } = createScene({ known: new Set(['a']) });
    await answer('a');
    store.failure = { standing: 'failed', why: 'DAMAGED state', isWide: false };
    expect(await answer('a')).toMatchObject({ standing: 'good' });
    expect(await answer('b')).toMatchObject({ standing: 'unavailable' });
    expect(lane.problem()).toBeNull();
    expect(new Set(events)).toEqual(new Set(['DAMAGED state']));
  });

  test('a lane that is closed in it tells what it can, and no more', async () => {
    const { store, lane, ask, answer, memory, flights } = createScene({ known: new Set(['a']) });
    await answer('a');
    store.isConnected = false;
    lane.onConnectionChange();
    await ask('a', 6);
    const closing = lane.close(500);
    await pass(200);
    store.isConnected = true;
    await pass(200);
    await closing;
    expect(memory.debtCount()).toBe(0);
    const flightCount = flights.length;
    lane.onConnectionChange();
    await pass(10_000);
    expect(flights).toHaveLength(flightCount);
  });
});

describe('a key that was good and that the store does not know any more', () => {
  test('is served for the time of grace, then nobody knows; it is told once, and counted when it is back', async () => {
    const { events, flights, answer, known } = createScene({ known: new Set(['a', 'b']) });
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
