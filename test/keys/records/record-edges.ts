/** The part of the contract of records at its edges: hostile input, ends, and writers that meet. */

import { expect, test } from '@jest/globals';
import { type RecordChange, type StoredRecord, untilRecordsUnchanged } from '../../../src/keys/records/record-store.js';
import { newKind, type RecordScene } from './record-scene.js';

const HOUR_MS = 3_600_000;

export function describeHostileInput(scene: RecordScene): void {
  const LABELS = ['', '\u0000', 'a\u0000b', 'a\nb', '\u007f', '\u2028', '\ud800', 'x'.repeat(513), '€'.repeat(171)];
  const circle: Record<string, unknown> = {};
  circle.circle = circle;
  const deep = JSON.parse(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);

  test.each(LABELS.map((label) => [JSON.stringify(label.slice(0, 20)), label]))(
    'the id or name %s',
    async (_, label) => {
      const { kind, store } = scene;
      const content = { value: {}, names: [], expiresMs: null };
      const attempts = [
        store.get(kind, label),
        store.findByName(kind, label),
        store.write([{ create: { kind, id: label, ...content } }]),
        store.write([{ create: { kind, id: 'one', ...content, names: ['sound', label] } }]),
        store.write([{ delete: { kind, id: label, ...content, version: 'x' } }]),
        store.write([{ delete: { kind, id: 'one', ...content, names: [label], version: 'x' } }]),
      ];
      for (const outcome of await Promise.allSettled(attempts)) {
        expect(outcome).toMatchObject({ reason: { code: 'RECORD_INVALID' } });
      }
    },
  );

  test.each(['', 'Upper', '1st', 'a:b', 'a{b}', 'a\u0000', 'é', 'x'.repeat(33)])('the kind %j', async (kind) => {
    const { store } = scene;
    const create = { kind, id: 'one', value: {}, names: [], expiresMs: null };
    const attempts = [
      store.get(kind, 'one'),
      store.findByName(kind, 'one'),
      store.list(kind),
      store.write([{ create }]),
    ];
    for (const outcome of await Promise.allSettled(attempts)) {
      expect(outcome).toMatchObject({ reason: { code: 'RECORD_INVALID' } });
    }
  });

  test('other content', async () => {
    const { kind } = scene;
    const values = [
      [],
      new Date(0),
      circle,
      { big: 1n },
      deep,
      { text: 'x'.repeat(65_536) },
      { text: '€'.repeat(30_000) },
    ];
    const contents: object[] = [
      ...values.map((value) => ({ value })),
      { names: ['a', 'a'] },
      { names: Array.from({ length: 9 }, (_, n) => `${n}`) },
      ...[-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1].map((expiresMs) => ({ expiresMs })),
    ];
    for (const content of contents) {
      await expect(scene.add('one', content)).rejects.toMatchObject({ code: 'RECORD_INVALID', changeIndex: 0 });
    }
    const one = { kind, id: 'one', value: {}, names: ['a'], expiresMs: null };
    const writes: RecordChange[][] = [
      [],
      Array.from({ length: 101 }, (_, n) => ({ create: { ...one, id: `${n}`, names: [] } })),
      [{ create: one }, { delete: { ...one, version: 'x' } }],
      [{ create: one }, { create: { ...one, id: 'two' } }],
    ];
    for (const write of writes) {
      await expect(scene.store.write(write)).rejects.toMatchObject({ code: 'RECORD_INVALID' });
    }
    expect(await scene.store.list(kind)).toEqual([]);
  });

  test('ids and names with special characters of a store stay distinct', async () => {
    const labels = [...'{}:;*([+-\\\ue000😀', '{}', '{records}', '}{', '::', 'a:b'];
    const ids = [...labels, ...labels.map((label) => `x${label}`)];
    await scene.store.write(
      ids.map((id) => ({ create: { kind: scene.kind, id, value: { id }, names: [`${id} name`], expiresMs: null } })),
    );
    for (const id of ids)
      expect(await scene.other.findByName(scene.kind, `${id} name`)).toMatchObject({ id, value: { id } });
    expect(new Set((await scene.other.list(scene.kind)).map(({ id }) => id))).toEqual(new Set(ids));
  });
}

export function describeEnding(scene: RecordScene): void {
  test('a record is there until its end, and then its id and its names are free', async () => {
    const expiresMs = scene.nowMs() + 500;
    const one = await scene.add('one', { names: ['a', 'b'], expiresMs });
    const stays = await scene.add('stays', { expiresMs: expiresMs + HOUR_MS });
    expect(await scene.other.findByName(scene.kind, 'a')).toEqual(one);
    await scene.pass(502);
    expect(await scene.other.get(scene.kind, 'one')).toBeUndefined();
    expect(await scene.other.findByName(scene.kind, 'a')).toBeUndefined();
    expect(await scene.other.list(scene.kind)).toEqual([stays]);
    for (const change of [{ delete: one }, { require: one }, { change: one, to: one }]) {
      await expect(scene.store.write([change])).rejects.toMatchObject({ code: 'RECORD_CHANGED' });
    }
    await scene.add('two', { names: ['a'] });
    const again = await scene.add('one', { names: ['b'] });
    expect(await scene.other.findByName(scene.kind, 'b')).toEqual(again);
    expect(await scene.other.findByName(scene.kind, 'a')).toMatchObject({ id: 'two' });
  });

  test('an end can be moved and taken away, and one that has passed is the end at once', async () => {
    const soon = scene.nowMs() + 500;
    const [moved, kept] = [
      await scene.add('moved', { expiresMs: soon }),
      await scene.add('kept', { expiresMs: soon, names: ['k'] }),
    ];
    await scene.store.write([
      { change: moved, to: { ...moved, expiresMs: soon + HOUR_MS } },
      { change: kept, to: { ...kept, expiresMs: null } },
    ]);
    await scene.pass(502);
    expect((await scene.other.list(scene.kind)).map(({ id }) => id)).toEqual(['kept', 'moved']);
    expect(await scene.other.findByName(scene.kind, 'k')).toMatchObject({ id: 'kept' });
    const [, last] = (await scene.other.list(scene.kind)) as [StoredRecord, StoredRecord];
    await scene.store.write([{ change: last, to: { ...last, names: ['m'], expiresMs: scene.nowMs() - HOUR_MS } }]);
    expect(await scene.other.get(scene.kind, 'moved')).toBeUndefined();
    await scene.add('other', { names: ['m'] });
  });
}

export function describeContention(scene: RecordScene): void {
  test('50 changes of one record at once, through two openings, all take effect', async () => {
    const { kind } = scene;
    await scene.add('one', { value: { seen: [] } });
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        untilRecordsUnchanged(async () => {
          const store = n % 2 === 0 ? scene.store : scene.other;
          const record = (await store.get(kind, 'one')) as StoredRecord;
          const seen = [...(record.value.seen as number[]), n];
          await store.write([{ change: record, to: { ...record, value: { seen } } }]);
        }),
      ),
    );
    const { value } = await scene.read({ kind, id: 'one' });
    expect((value.seen as number[]).sort((one, other) => one - other)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  test('concurrent writes use a single-use record once, and assign a name once', async () => {
    const code = await scene.add('code');
    const uses = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => {
        const create = { kind: scene.kind, id: `session ${n}`, value: {}, names: [], expiresMs: null };
        return (n % 2 === 0 ? scene.store : scene.other).write([{ create }, { delete: code }]);
      }),
    );
    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await scene.store.list(scene.kind)).toHaveLength(1);
    const kind = newKind();
    const takes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => {
        const create = { kind, id: `${n}`, value: {}, names: ['ada@example.org'], expiresMs: null };
        return (n % 2 === 0 ? scene.store : scene.other).write([{ create }]);
      }),
    );
    expect(takes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await scene.store.list(kind)).toEqual([await scene.other.findByName(kind, 'ada@example.org')]);
  });
}
