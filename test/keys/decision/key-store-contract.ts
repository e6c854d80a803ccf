/**
 * What every key store must do, whatever it is made of: keep keys and change them, here, and decide, in
 * key-decision-contract.ts. A store's own test file calls this with a way to open one.
 */

import { describe, expect, test } from '@jest/globals';
import { changeKeyPlan, changeKeyToReplaced, changeKeyToRevoked } from '../../../src/keys/key/key-changes.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import { KeyError } from '../../../src/keys/key/key-error.js';
import type { KeyRecord } from '../../../src/keys/key/key-record.js';
import { describePublishable } from './caller-decision-contract.js';
import { describeDecisions } from './key-decision-contract.js';
import { NOON, newEntry, type StoreUnderTest, usageOf, useStoreScene } from './key-store-scene.js';

const SUCCESSOR = 'key_zzzzzzzzzzzz';
const GRACE_UNTIL = '2024-02-15T12:05:00.000Z';

export function describeKeyStore(name: string, store: StoreUnderTest): void {
  describe(`${name} keeps the contract of KeyStore`, () => {
    describe('keeping', () => describeKeeping(store));
    describe('changing', () => describeChanging(store));
    describe('replacing', () => describeReplacing(store));
    describe('deciding', () => describeDecisions(store));
    describe('deciding on publishable keys', () => describePublishable(store));
  });
}

function describeKeeping(underTest: StoreUnderTest): void {
  const scene = useStoreScene(underTest);

  test('an empty store has nothing and is ready', async () => {
    expect(await scene.store.directory.list()).toEqual([]);
    expect(await scene.store.directory.find('key_0123456789ab')).toBeUndefined();
    const health = {
      kind: expect.stringMatching(/^(?:embedded|redis)$/),
      state: 'ready',
      problem: null,
      errorCount: 0,
    };
    expect(scene.store.health()).toEqual(health);
  });

  test('finds what was created, every field and every script', async () => {
    const full = {
      ...newEntry(
        {
          id: 'key_0123456789ab',
          name: '図書館 "one" \\ Ελληνικά العربية हिन्दी 👩‍🔬 {tag}',
          plan: 'team-2',
          created: '2024-02-29T00:00:00.001Z',
          expires: '2100-02-28T23:59:59.999Z',
          state: 'replaced',
          replacedBy: SUCCESSOR,
          graceUntil: GRACE_UNTIL,
        },
        'v1.c2VhbGVk-_',
      ),
      usage: usageOf({ '2023-12': 1, '2024-02': 999_999_999_999 }, { '2023-12-31': 1, '2024-02-29': 999_999_999_999 }),
    };
    const plain = newEntry({ created: '2024-03-01T00:00:00.000Z' });
    await scene.store.directory.create(full);
    await scene.store.directory.create(plain);
    expect(await scene.store.directory.find(full.record.id)).toEqual(full);
    expect(await scene.store.directory.find(plain.record.id)).toEqual(plain);
    expect(await scene.store.directory.list()).toEqual([full, plain]);
    expect(Object.isFrozen((await scene.find(full)).record)).toBe(true);
    expect(await scene.store.directory.find(SUCCESSOR)).toBeUndefined();
  });

  test('finds keys by their ids and by nothing that only looks like one', async () => {
    const { digest } = await scene.addKey();
    for (const text of ['', '*', digest, 'key_', 'key_???????????\u0000', 'constructor']) {
      expect(await scene.store.directory.find(text)).toBeUndefined();
    }
  });

  test('lists the oldest first, those of one instant by id', async () => {
    const instants = ['2024-03-01T00:00:00.000Z', '2023-12-31T23:59:59.999Z', '2024-03-01T00:00:00.000Z'];
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => scene.addKey({ created: instants[index % 3] as string })),
    );
    const order = (await scene.store.directory.list()).map(({ record }) => `${record.created} ${record.id}`);
    expect(order).toHaveLength(30);
    expect(order).toEqual([...order].sort());
  });

  test.each([
    ['digest', 'one after the other'],
    ['digest', 'at once'],
    ['id', 'one after the other'],
    ['id', 'at once'],
  ])('creates no second key under a %s, %s', async (what, when) => {
    const first = newEntry({ name: 'first', plan: 'unlimited' });
    const { id } = what === 'id' ? first.record : newEntry().record;
    const second = newEntry({ name: 'second', plan: 'unlimited', id });
    const entries = [first, what === 'id' ? second : { ...second, digest: first.digest }];
    if (when === 'one after the other') await scene.store.directory.create(first);
    const outcomes = await Promise.allSettled(entries.map((entry) => scene.store.directory.create(entry)));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(when === 'at once' ? 1 : 2);
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { code: 'KEY_EXISTS' } });
    const [kept, ...others] = await scene.store.directory.list();
    expect(others).toEqual([]);
    if (when === 'one after the other') expect(kept).toEqual(first);
    expect(await scene.store.directory.find(kept?.record.id ?? '')).toEqual(kept);
    const loser = entries.find(({ digest }) => digest !== kept?.digest);
    if (loser !== undefined) expect(await scene.decisionOn(loser)).toEqual({ status: 'invalid' });
  });

  test('has everything after it was closed and opened again', async () => {
    const entry = await scene.addKey({ name: 'stays' });
    await scene.ask(entry, 3);
    await scene.store.close();
    await scene.store.close();
    const store = await scene.openAgain();
    expect(await store.directory.list()).toEqual([{ ...entry, usage: usageOf({ '2024-02': 3 }, { '2024-02-15': 3 }) }]);
  });

  test('shows at once what was written through another opening', async () => {
    const other = await scene.openAgain();
    const entry = await scene.addKey();
    expect(await other.directory.find(entry.record.id)).toEqual(entry);
    expect(await scene.ask(entry, 1, other)).toMatchObject({ allowedCount: 1 });
    await other.directory.change(entry.record.id, changeKeyToRevoked);
    expect(await scene.decisionOn(entry)).toEqual({ status: 'revoked' });
  });
}

function describeChanging(underTest: StoreUnderTest): void {
  const scene = useStoreScene(underTest);

  test('a change is returned, kept, and counts from the next decision on', async () => {
    const { record, ...others } = await scene.addKey({ plan: 'hundred' });
    const changed = await scene.store.directory.change(record.id, (before) => changeKeyPlan(before, 'none'));
    expect(changed).toEqual({ ...record, plan: 'none' });
    expect(await scene.find({ record, ...others })).toEqual({ record: changed, ...others });
    expect(await scene.ask({ record, ...others }, 1)).toMatchObject({ plan: scene.plan('none'), allowedCount: 0 });
  });

  test('every field but the id can be changed, to null and back, and the seal and the counts stay', async () => {
    const usage = usageOf({ '2024-01': 7 }, { '2024-01-31': 7 });
    const entry = { ...newEntry({ plan: 'unlimited' }, 'v1.c2VhbGVk'), usage };
    const { record } = entry;
    await scene.store.directory.create(entry);
    await scene.ask(entry, 2);
    const full = {
      ...record,
      name: 'other 図書館',
      plan: 'other',
      created: '2024-02-29T00:00:00.000Z',
      expires: GRACE_UNTIL,
      state: 'replaced' as const,
      replacedBy: SUCCESSOR,
      graceUntil: GRACE_UNTIL,
    };
    const counted = usageOf({ '2024-01': 7, '2024-02': 2 }, { '2024-01-31': 7, '2024-02-15': 2 });
    for (const next of [full, record, full]) {
      expect(await scene.store.directory.change(record.id, () => next)).toEqual(next);
      expect(await scene.find(entry)).toEqual({ ...entry, record: next, usage: counted });
    }
  });

  test('a key that is not there can not be changed, and the function is not asked', async () => {
    let isAsked = false;
    const attempt = scene.store.directory.change(SUCCESSOR, (record) => {
      isAsked = true;
      return record;
    });
    await expect(attempt).rejects.toBeInstanceOf(KeyError);
    await expect(attempt).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
    expect(isAsked).toBe(false);
  });

  test('what the function throws comes out as it is, and nothing is changed', async () => {
    const entry = await scene.addKey();
    const failure = new RangeError('no');
    const attempt = scene.store.directory.change(entry.record.id, () => {
      throw failure;
    });
    await expect(attempt).rejects.toBe(failure);
    expect(await scene.find(entry)).toEqual(entry);
    expect(scene.store.health()).toMatchObject({ state: 'ready' });
  });

  test('changes at once through two openings all take effect', async () => {
    const { record } = await scene.addKey({ name: '>' });
    const other = await scene.openAgain();
    await Promise.all(
      Array.from('abcdefgh', (letter, index) =>
        (index % 2 === 0 ? scene.store : other).directory.change(record.id, (before) => ({
          ...before,
          name: before.name + letter,
        })),
      ),
    );
    const name = (await scene.store.directory.find(record.id))?.record.name ?? '';
    expect([...name].sort()).toEqual([...'>abcdefgh']);
  });
}

function describeReplacing(underTest: StoreUnderTest): void {
  const scene = useStoreScene(underTest);
  const FIVE_MINUTES = 300_000;

  test('without grace the old key is revoked at once and its successor is good', async () => {
    const [old, successor] = [await scene.addKey(), newEntry({ plan: 'unlimited' }, 'v1.c2VhbGVk')];
    const { id } = successor.record;
    const succeed = (record: KeyRecord) => ({ replaced: changeKeyToReplaced(record, id, null, NOON), successor });
    const replaced = await scene.store.directory.replace(old.record.id, succeed);
    expect(replaced).toEqual({ ...old.record, state: 'replaced', replacedBy: id });
    expect(await scene.decisionOn(old)).toEqual({ status: 'revoked' });
    expect(await scene.decisionOn(successor)).toMatchObject({ status: 'good', keyId: id, allowedCount: 1 });
    expect(await scene.find(successor)).toEqual({
      ...successor,
      usage: usageOf({ '2024-02': 1 }, { '2024-02-15': 1 }),
    });
  });

  test('with grace the old key is good until the instant and revoked from then', async () => {
    const [old, successor] = [await scene.addKey(), newEntry({ plan: 'unlimited' })];
    await scene.store.directory.replace(old.record.id, (record) => ({
      replaced: changeKeyToReplaced(record, successor.record.id, GRACE_UNTIL, NOON),
      successor,
    }));
    scene.nowMs = NOON + FIVE_MINUTES - 1;
    expect(await scene.decisionOn(old)).toMatchObject({ status: 'good', allowedCount: 1 });
    scene.nowMs = NOON + FIVE_MINUTES;
    expect(await scene.decisionOn(old)).toEqual({ status: 'revoked' });
    expect(await scene.decisionOn(successor)).toMatchObject({ status: 'good', allowedCount: 1 });
  });

  test('the key and its successor are counted as one', async () => {
    const [old, successor] = [
      { ...newEntry({ plan: 'both' }), usage: usageOf({ '2024-01': 10 }) },
      newEntry({ plan: 'both' }),
    ];
    await scene.store.directory.create(old);
    expect(await scene.ask(old, 3)).toMatchObject({ allowedCount: 3 });
    await scene.store.directory.replace(old.record.id, (record) => ({
      replaced: changeKeyToReplaced(record, successor.record.id, GRACE_UNTIL, NOON),
      successor,
    }));
    const counts = usageOf({ '2024-01': 10, '2024-02': 3 }, { '2024-02-15': 3 });
    expect((await scene.find(successor)).usage).toEqual(counts);
    expect((await scene.find(old)).usage).toEqual(counts);
    scene.nowMs = NOON + 1_000;
    expect(await scene.ask(successor, 4)).toMatchObject({ before: { used: 3 }, allowedCount: 4 });
    scene.nowMs = NOON + 2_000;
    expect(await scene.ask(successor, 4)).toMatchObject({ before: { used: 7 }, allowedCount: 3 });
    scene.nowMs = NOON + 3_000;
    expect(await scene.ask(old, 1)).toMatchObject({ before: { used: 10 }, allowedCount: 0 });
  });

  test('asked for together, the key and its successor are counted as one, too', async () => {
    const [old, successor] = [await scene.addKey({ plan: 'hundred' }), newEntry({ plan: 'hundred' })];
    await scene.store.directory.replace(old.record.id, (record) => ({
      replaced: changeKeyToReplaced(record, successor.record.id, GRACE_UNTIL, NOON),
      successor,
    }));
    const questions = [old, successor].map(({ digest }) => ({ digest, count: 40 }));
    expect(await scene.store.decide(questions)).toMatchObject([{ allowedCount: 40 }, { allowedCount: 40 }]);
    expect(await scene.store.decide(questions)).toMatchObject([{ allowedCount: 20 }, { allowedCount: 0 }]);
    expect((await scene.find(successor)).usage.months).toEqual(new Map([['2024-02', 100]]));
  });

  test('nothing is replaced and nothing made where the key is unknown, the successor is taken or the function throws', async () => {
    const [old, taken] = [await scene.addKey(), await scene.addKey()];
    const before = await scene.store.directory.list();
    const failure = new RangeError('no');
    const [sameDigest, sameId] = [{ ...newEntry(), digest: taken.digest }, newEntry({ id: taken.record.id })];
    const succeededBy = (successor: KeyEntry) => (record: KeyRecord) => ({
      replaced: changeKeyToRevoked(record),
      successor,
    });
    const attempts = [
      () => scene.store.directory.replace(SUCCESSOR, succeededBy(newEntry())),
      () => scene.store.directory.replace(old.record.id, succeededBy(sameDigest)),
      () => scene.store.directory.replace(old.record.id, succeededBy(sameId)),
      () =>
        scene.store.directory.replace(old.record.id, () => {
          throw failure;
        }),
    ];
    const errors: unknown[] = [];
    for (const attempt of attempts) errors.push(await attempt().catch((error: unknown) => error));
    expect(errors[0]).toMatchObject({ code: 'KEY_UNKNOWN' });
    expect(errors[1]).toMatchObject({ code: 'KEY_EXISTS' });
    expect(errors[2]).toMatchObject({ code: 'KEY_EXISTS' });
    expect(errors[3]).toBe(failure);
    expect(await scene.store.directory.list()).toEqual(before);
  });
}
