/**
 * How every key store decides on the requests of a publishable key: origin, operation, quota, the visitor's rate and the
 * key's. The last test holds any sequence of requests against a model that takes one after the other.
 */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Caller, CallerStatus, PublishableAdmission } from '../../../src/keys/decision/key-decision.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import { changeKeyRestrictions, changeKeyToReplaced, createSuccessor } from '../../../src/keys/key/key-changes.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import { readOrigin } from '../../../src/keys/key/origin.js';
import { NO_USAGE } from '../../../src/keys/key/usage-counts.js';
import { HOSTILE_ORIGINS, OWN_ORIGINS, RESTRICTIONS, SHOP, VISITOR_INTERVAL_MS } from '../key/origin-cases.js';
import { NOON, newEntry, type StoreUnderTest, usageOf, useStoreScene } from './key-store-scene.js';

const [ADA, BOB] = ['00000000000000aa', 'bb000000000000bb'];

function callerWith(change: Partial<Caller> = {}): Caller {
  return { origin: SHOP, operation: 'autocomplete', visitor: ADA, ...change };
}

export function describePublishable(underTest: StoreUnderTest): void {
  const scene = useStoreScene(underTest);

  async function decide(entry: KeyEntry, callers: readonly Caller[], store: KeyStore = scene.store) {
    const [decision] = await store.decide([{ digest: entry.digest, count: callers.length, callers }]);
    if (decision?.status !== 'publishable') throw new Error(`the key is not good: ${JSON.stringify(decision)}`);
    return decision satisfies PublishableAdmission;
  }

  async function statusesOf(entry: KeyEntry, callers: readonly Caller[], store?: KeyStore): Promise<CallerStatus[]> {
    return (await decide(entry, callers, store)).outcomes.map(({ status }) => status);
  }

  test('a good key is told with all that its response needs', async () => {
    const entry = await scene.addKey({ plan: 'both', restrictions: RESTRICTIONS });
    expect(await decide(entry, [callerWith(), callerWith({ origin: '' }), callerWith()])).toMatchObject({
      status: 'publishable',
      keyId: entry.record.id,
      plan: scene.plan('both'),
      restrictions: RESTRICTIONS,
      nowMs: NOON,
      before: { used: 0, arrivalMs: 0 },
      allowedCount: 2,
      outcomes: [
        { status: 'allowed', visitorArrivalMs: NOON + VISITOR_INTERVAL_MS },
        { status: 'origin-not-allowed', visitorArrivalMs: 0 },
        { status: 'allowed', visitorArrivalMs: NOON + 2 * VISITOR_INTERVAL_MS },
      ],
    });
    expect((await scene.find(entry)).usage).toEqual(usageOf({ '2024-02': 2 }, { '2024-02-15': 2 }));
    expect(await scene.find(entry)).toMatchObject({ record: { restrictions: RESTRICTIONS } });
  });

  test('pages of the key’s own origins are allowed, and of no other origin', async () => {
    const manyTimes = { ...RESTRICTIONS, visitorRate: { requests: 1_000, seconds: 1 } };
    const entry = await scene.addKey({ restrictions: manyTimes });
    const ask = (origins: readonly string[]) =>
      statusesOf(
        entry,
        origins.map((origin) => callerWith({ origin: readOrigin(origin) ?? '' })),
      );
    expect(await ask(OWN_ORIGINS)).toEqual(OWN_ORIGINS.map(() => 'allowed'));
    expect(await ask(HOSTILE_ORIGINS)).toEqual(HOSTILE_ORIGINS.map(() => 'origin-not-allowed'));
    expect((await scene.find(entry)).usage.months.get('2024-02')).toBe(OWN_ORIGINS.length);
  });

  test('only the key’s operations are allowed, and the origin comes first', async () => {
    const entry = await scene.addKey({ restrictions: RESTRICTIONS });
    const callers = ['autocomplete', 'checkPostcode', 'reverse', 'Autocomplete', 'auto', ''].map((operation) =>
      callerWith({ operation }),
    );
    const wrong = callerWith({ operation: 'reverse', origin: 'https://evil.example' });
    expect(await statusesOf(entry, [...callers, wrong])).toEqual([
      ...['allowed', 'allowed', 'restricted', 'restricted', 'restricted', 'restricted', 'origin-not-allowed'],
    ]);
  });

  test('the store opened twice has one rate of each visitor', async () => {
    const entry = await scene.addKey({ restrictions: RESTRICTIONS });
    const other = await scene.openAgain();
    expect(await statusesOf(entry, [callerWith(), callerWith()])).toEqual(['allowed', 'allowed']);
    expect(await statusesOf(entry, [callerWith(), callerWith()], other)).toEqual(['allowed', 'visitor-limited']);
    expect(await statusesOf(entry, [callerWith()])).toEqual(['visitor-limited']);
  });

  test('keys have visitors of their own, and a successor has those of its key', async () => {
    const [one, two] = [
      await scene.addKey({ restrictions: RESTRICTIONS }),
      await scene.addKey({ restrictions: RESTRICTIONS }),
    ];
    const three = [callerWith(), callerWith(), callerWith()];
    expect(await statusesOf(one, three)).not.toContain('visitor-limited');
    expect(await statusesOf(two, three)).not.toContain('visitor-limited');
    const next = newEntry({ ...createSuccessor(one.record, new Date(NOON)) });
    await scene.store.directory.replace(one.record.id, (record) => ({
      replaced: changeKeyToReplaced(record, next.record.id, null, NOON),
      successor: next,
    }));
    expect((await scene.find(next)).record.restrictions).toEqual(RESTRICTIONS);
    expect(await statusesOf(next, [callerWith()])).toEqual(['visitor-limited']);
    const refused = await scene.store.decide([{ digest: one.digest, count: 1, callers: [callerWith()] }]);
    expect(refused).toEqual([{ status: 'revoked', origins: RESTRICTIONS.origins }]);
  });

  test('a request may take more of the key’s rate, but not of the visitor’s', async () => {
    const restrictions = { ...RESTRICTIONS, visitorRate: { requests: 6, seconds: 1 } };
    const entry = await scene.addKey({ plan: 'both', restrictions });
    const ask = async (count: number, rateCost: number) => {
      const callers = Array(count).fill(callerWith());
      const [decision] = await scene.store.decide([{ digest: entry.digest, count, rateCost, callers }]);
      return decision as PublishableAdmission;
    };
    const decision = await ask(3, 2);
    expect(decision.outcomes.map(({ status }) => status)).toEqual(['allowed', 'allowed', 'rate-limited']);
    expect(decision).toMatchObject({ allowedCount: 2, cost: 1, rateCost: 2 });
    expect((await ask(1, 1)).before).toEqual({ used: 2, arrivalMs: NOON + 80 });
    scene.nowMs += 80;
    expect((await ask(2, 9)).outcomes.map(({ status }) => status)).toEqual(['allowed', 'rate-limited']);
    scene.nowMs += 80;
    expect((await ask(4, 1)).outcomes.map(({ status }) => status)).toEqual([
      ...Array(3).fill('allowed'),
      'visitor-limited',
    ]);
  });

  test('a change of the restrictions holds at once', async () => {
    const entry = await scene.addKey({ restrictions: RESTRICTIONS });
    expect(await statusesOf(entry, [callerWith()])).toEqual(['allowed']);
    const other = 'https://other.example';
    await scene.store.directory.change(entry.record.id, (record) =>
      changeKeyRestrictions(record, { origins: [other] }),
    );
    expect(await statusesOf(entry, [callerWith(), callerWith({ origin: other })])).toEqual([
      'origin-not-allowed',
      'allowed',
    ]);
  });

  test('a key of the other kind is damaged, never free', async () => {
    const publishable = await scene.addKey({ restrictions: RESTRICTIONS });
    const secret = await scene.addKey({});
    const decisions = await scene.store.decide([
      { digest: publishable.digest, count: 1 },
      { digest: secret.digest, count: 1, callers: [callerWith()] },
    ]);
    expect(decisions).toMatchObject([{ status: 'unavailable' }, { status: 'unavailable' }]);
    for (const entry of [publishable, secret]) expect((await scene.find(entry)).usage).toEqual(NO_USAGE);
  });

  test('decides as if one request had come after the other', async () => {
    // Most requests come this far that quota and both rates are met at once.
    const callers = fc.record({
      origin: fc.constantFrom(...Array(9).fill(SHOP), 'https://evil.example'),
      operation: fc.constantFrom(...Array(5).fill('autocomplete'), 'checkPostcode', 'reverse'),
      visitor: fc.constantFrom(ADA, ADA, BOB, 'cc000000000000cc'),
    });
    const steps = fc.array(
      fc.tuple(
        fc.constantFrom(0, 10, 20, 40, 19_970, 20_000, 60_000),
        fc.array(callers, { minLength: 1, maxLength: 8 }),
      ),
      { minLength: 3, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        scene.nowMs = NOON;
        const entry = await scene.addKey({ plan: 'both', restrictions: RESTRICTIONS });
        const model = createModel();
        for (const [waitMs, asked] of sequence) {
          scene.nowMs += waitMs;
          expect(await statusesOf(entry, asked)).toEqual(asked.map((caller) => model(scene.nowMs, caller)));
        }
      }),
      { numRuns: 30 },
    );
  });
}

/** The rule for RESTRICTIONS on the plan `both`, by the times of all allowed requests. */
function createModel(): (nowMs: number, caller: Caller) => CallerStatus {
  let used = 0;
  let keyArrivalMs = 0;
  const arrivals = new Map<string, number>();
  return (nowMs, { origin, operation, visitor }) => {
    if (origin !== SHOP) return 'origin-not-allowed';
    if (operation === 'reverse') return 'restricted';
    if (used === 10) return 'quota-exceeded';
    const visitorMs = Math.max(nowMs, arrivals.get(visitor) ?? 0);
    if (visitorMs + VISITOR_INTERVAL_MS - nowMs > 3 * VISITOR_INTERVAL_MS) return 'visitor-limited';
    const keyMs = Math.max(nowMs, keyArrivalMs);
    if (keyMs + 20 - nowMs > 80) return 'rate-limited';
    used++;
    keyArrivalMs = keyMs + 20;
    arrivals.set(visitor, visitorMs + VISITOR_INTERVAL_MS);
    return 'allowed';
  };
}
