/**
 * Stores against a model of their contract in memory: random writes and readings through two stores of one storage must
 * come out as the model says, each refusal included.
 */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { RecordChange, RecordContent, StoredRecord } from '../../../src/keys/records/record-store.js';
import { newKind, type RecordScene } from './record-scene.js';

const HOUR_MS = 3_600_000;
const RUNS = 40;
const IDS = ['a', '{b}', 'ç'];
const NAMES = ['1', '2', '3', '4', '5', '6'];

/** What a step does to one record; which state of it the writer has read is counted back from the newest. */
interface PlannedChange {
  readonly action: 'create' | 'change' | 'delete' | 'require';
  readonly kindIndex: number;
  readonly id: string;
  readonly statesBack: number;
  readonly names: readonly string[];
  readonly end: 'none' | 'later' | 'past';
  readonly value: number;
}

const arbitraryChange: fc.Arbitrary<PlannedChange> = fc.record({
  action: fc.constantFrom('create', 'create', 'create', 'change', 'change', 'change', 'delete', 'require'),
  kindIndex: fc.constantFrom(0, 0, 0, 1),
  id: fc.constantFrom(...IDS),
  statesBack: fc.constantFrom(0, 0, 0, 0, 1),
  names: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
  end: fc.constantFrom('none', 'later', 'none', 'later', 'past'),
  value: fc.nat(),
});
const arbitraryStep = fc.record({
  storeIndex: fc.constantFrom(0, 1),
  changes: fc.array(arbitraryChange, { minLength: 1, maxLength: 2 }),
});

type Expected = { readonly code: string; readonly changeIndex: number | null } | null;

class Model {
  readonly living = new Map<string, StoredRecord>();
  /** Every state that a record was ever in. */
  readonly states = new Map<string, StoredRecord[]>();

  constructor(
    readonly kinds: readonly string[],
    private readonly nowMs: number,
  ) {}

  changeOf({ action, kindIndex, id, statesBack, names, end, value }: PlannedChange): RecordChange {
    const kind = this.kinds[kindIndex] as string;
    const expiresMs = end === 'none' ? null : this.nowMs + (end === 'later' ? HOUR_MS : -HOUR_MS);
    const content: RecordContent = { value: { value }, names, expiresMs };
    const nobody: StoredRecord = { kind, id, version: '0'.repeat(32), value: {}, names: [], expiresMs: null };
    const record = this.states.get(`${kind} ${id}`)?.at(-1 - statesBack) ?? nobody;
    if (action === 'create') return { create: { kind, id, ...content } };
    if (action === 'change') return { change: record, to: content };
    return action === 'delete' ? { delete: record } : { require: record };
  }

  /** How a write comes out, and, where it is done, what is there then; its version is filled in later. */
  plan(changes: readonly RecordChange[]): { expected: Expected; after: Map<string, StoredRecord | undefined> } {
    const after = new Map<string, StoredRecord | undefined>();
    const taken = new Set<string>();
    const addressOf = (change: RecordChange) =>
      'create' in change
        ? change.create
        : 'change' in change
          ? change.change
          : 'delete' in change
            ? change.delete
            : change.require;
    const contentOf = (change: RecordChange) =>
      'create' in change ? change.create : 'change' in change ? change.to : undefined;
    const refused = (code: string, changeIndex: number) => ({ expected: { code, changeIndex }, after: new Map() });
    for (const [index, change] of changes.entries()) {
      const { kind, id } = addressOf(change);
      if (after.has(`${kind} ${id}`)) return refused('RECORD_INVALID', index);
      after.set(`${kind} ${id}`, undefined);
      for (const name of contentOf(change)?.names ?? []) {
        if (taken.has(`${kind} ${name}`)) return refused('RECORD_INVALID', index);
        taken.add(`${kind} ${name}`);
      }
    }
    for (const [index, change] of changes.entries()) {
      const { kind, id } = addressOf(change);
      const living = this.living.get(`${kind} ${id}`);
      if ('create' in change && living !== undefined) return refused('RECORD_EXISTS', index);
      if (!('create' in change) && living?.version !== (addressOf(change) as StoredRecord).version) {
        return refused('RECORD_CHANGED', index);
      }
      if ('require' in change) after.set(`${kind} ${id}`, living);
    }
    for (const [index, change] of changes.entries()) {
      const { kind, id } = addressOf(change);
      const content = contentOf(change);
      if (content === undefined) continue;
      const { value, names, expiresMs } = content;
      const owners = [...this.living]
        .filter(([key]) => !after.has(key))
        .concat([...after].filter(([, one]) => one !== undefined) as []);
      const isTaken = owners.some(
        ([, owner]) => owner.kind === kind && owner.names.some((name) => names.includes(name)),
      );
      if (isTaken) return refused('RECORD_EXISTS', index);
      after.set(`${kind} ${id}`, { kind, id, version: '', value: value as StoredRecord['value'], names, expiresMs });
    }
    return { expected: null, after };
  }

  take(after: ReadonlyMap<string, StoredRecord | undefined>, version: string): void {
    for (const [key, planned] of after) {
      const record = planned?.version === '' ? { ...planned, version } : planned;
      if (record !== undefined && record !== this.living.get(key))
        this.states.set(key, [...(this.states.get(key) ?? []), record]);
      if (record === undefined || (record.expiresMs !== null && record.expiresMs < this.nowMs)) this.living.delete(key);
      else this.living.set(key, record);
    }
  }
}

export function describeModel(scene: RecordScene): void {
  test('two stores over one storage behave as a model in memory', async () => {
    let [doneCount, refusedCount] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryStep, { minLength: 10, maxLength: 20, size: 'max' }), async (steps) => {
        const model = new Model([newKind(), newKind()], scene.nowMs());
        for (const { storeIndex, changes } of steps) {
          const write = changes.map((change) => model.changeOf(change));
          const { expected, after } = model.plan(write);
          const store = scene.stores[storeIndex] as RecordScene['store'];
          const outcome = await store.write(write).then(
            (version) => ({ version, error: null }),
            ({ code, changeIndex }) => ({ version: '', error: { code, changeIndex } }),
          );
          expect(outcome.error).toEqual(expected);
          if (expected === null) model.take(after, outcome.version);
          if (expected === null) doneCount++;
          else refusedCount++;
        }
        await expectSame(scene, model);
      }),
      { numRuns: RUNS, seed: 20_260_301 },
    );
    expect(doneCount).toBeGreaterThan(RUNS * 2);
    expect(refusedCount).toBeGreaterThan(RUNS * 2);
  });
}

async function expectSame({ store, other }: RecordScene, { kinds, living }: Model): Promise<void> {
  for (const kind of kinds) {
    const records = [...living.values()].filter((record) => record.kind === kind);
    expect(await store.list(kind)).toEqual(IDS.flatMap((id) => records.filter((record) => record.id === id)));
    for (const id of IDS) expect(await other.get(kind, id)).toEqual(living.get(`${kind} ${id}`));
    for (const name of NAMES) {
      expect(await store.findByName(kind, name)).toEqual(records.find(({ names }) => names.includes(name)));
    }
  }
}
