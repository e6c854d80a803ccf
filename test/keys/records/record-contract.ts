/** What every store of records must do, whatever it is made of. A store's own test file calls this with a way to open one. */

import { describe, expect, test } from '@jest/globals';
import { type RecordChange, RecordError } from '../../../src/keys/records/record-store.js';
import { describeContention, describeEnding, describeHostileInput } from './record-edges.js';
import { describeModel } from './record-model.js';
import { type OpenedRecords, type RecordScene, useRecordScene } from './record-scene.js';

const HOUR_MS = 3_600_000;
const EVERY_SCRIPT = '図書館 "one" \\ Ελληνικά العربية हिन्दी 👩‍🔬 {tag} a:b *? constructor __proto__';

export function describeRecords(name: string, open: () => Promise<OpenedRecords>): void {
  describe(`${name} keeps the contract of RecordStore`, () => {
    const scene = useRecordScene(open);
    describe('finding', () => describeFinding(scene));
    describe('writing', () => describeWriting(scene));
    describe('hostile input', () => describeHostileInput(scene));
    describe('ending', () => describeEnding(scene));
    describe('at once', () => describeContention(scene));
    describeModel(scene);
  });
}

function describeFinding(scene: RecordScene): void {
  test('a created record is found by its id and each of its names, through another opening too', async () => {
    const value = { text: EVERY_SCRIPT, nested: { list: [1, null, true, { '': -0.5 }] }, ['__proto__']: 'own' };
    const content = { value, names: ['ada@example.org', EVERY_SCRIPT, 'x'.repeat(512)], expiresMs: 8.64e15 };
    const create = { kind: scene.kind, id: EVERY_SCRIPT, ...content };
    const version = await scene.store.write([{ create }]);
    for (const store of scene.stores) {
      expect(await store.get(scene.kind, EVERY_SCRIPT)).toEqual({ ...create, version });
      for (const name of content.names)
        expect(await store.findByName(scene.kind, name)).toEqual({ ...create, version });
      expect(await store.list(scene.kind)).toEqual([{ ...create, version }]);
    }
  });

  test('a record is found by nothing that only looks like its id or a name, and in its own kind alone', async () => {
    const record = await scene.add('one', { names: ['name'] });
    const longer = `${scene.kind}-a`;
    await scene.store.write([{ create: { kind: longer, id: 'one', value: {}, names: ['name'], expiresMs: null } }]);
    for (const text of ['name', 'On', 'ONE', 'one ', 'on?', '*', `${scene.kind}:one`]) {
      expect(await scene.store.get(scene.kind, text)).toBeUndefined();
    }
    for (const text of ['one', 'NAME', 'nam', '*'])
      expect(await scene.store.findByName(scene.kind, text)).toBeUndefined();
    expect(await scene.store.findByName(longer, 'name')).toMatchObject({ kind: longer });
    expect(await scene.store.list(scene.kind)).toEqual([record]);
  });

  test('hundreds of records are listed once each, by the bytes of their ids, while others are read', async () => {
    // In UTF-16, U+FF5E comes after the halves of U+1F600.
    const ids = ['\u{1f600}', '\uff5e', 'é', 'e', 'Z', '~', ':', ...Array.from({ length: 443 }, (_, n) => `${n}`)];
    for (let at = 0; at < ids.length; at += 90) {
      await scene.store.write(
        ids.slice(at, at + 90).map((id) => ({
          create: { kind: scene.kind, id, value: { id }, names: [`name of ${id}`], expiresMs: null },
        })),
      );
    }
    let isListed = false;
    const listing = scene.store.list(scene.kind).finally(() => {
      isListed = true;
    });
    let roundCount = 0;
    for (; !isListed; roundCount++) await new Promise(setImmediate);
    const listed = await listing;
    expect(roundCount).toBeGreaterThan(2);
    expect(listed.map(({ id }) => id)).toEqual(
      ids.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
    expect(listed.every(({ id, value }) => value.id === id)).toBe(true);
  });
}

function describeWriting(scene: RecordScene): void {
  test('a change gives a record other content, frees the names that it lacks, and takes a new version', async () => {
    const before = await scene.add('one', {
      value: { a: 1 },
      names: ['old', 'both'],
      expiresMs: scene.nowMs() + HOUR_MS,
    });
    const to = { value: { b: [] }, names: ['both', 'new'], expiresMs: null };
    const version = await scene.other.write([{ change: before, to }]);
    expect(await scene.read(before)).toEqual({ kind: scene.kind, id: 'one', version, ...to });
    expect(version).not.toBe(before.version);
    expect(await scene.store.findByName(scene.kind, 'old')).toBeUndefined();
    await scene.add('two', { names: ['old'] });
    await expect(scene.add('three', { names: ['both'] })).rejects.toMatchObject({ code: 'RECORD_EXISTS' });
    const after = await scene.read(before);
    const misnamed = scene.store.write([{ delete: { ...after, names: [] } }]);
    await expect(misnamed).rejects.toMatchObject({ code: 'RECORD_CHANGED' });
    await scene.store.write([{ delete: after }]);
    await scene.add('three', { names: ['both', 'new'] });
    expect((await scene.store.list(scene.kind)).map(({ id }) => id)).toEqual(['three', 'two']);
  });

  test('where one change is refused, nothing changes, and the error says which and why', async () => {
    const [one, two] = [await scene.add('one', { names: ['a'] }), await scene.add('two', { names: ['b'] })];
    await scene.store.write([{ change: two, to: two }]);
    const before = await scene.store.list(scene.kind);
    const made = { kind: scene.kind, id: 'made', value: {}, names: ['c'], expiresMs: null };
    const fine: RecordChange[] = [
      { create: made },
      { change: one, to: { ...one, names: ['d'], value: { changed: true } } },
    ];
    const refused: [RecordChange, string, RegExp][] = [
      [{ create: { ...made, id: 'two', names: [] } }, 'RECORD_EXISTS', /"two" is there already/],
      [{ create: { ...made, id: 'next', names: ['b'] } }, 'RECORD_EXISTS', /another record has a name of .*"next"/],
      [{ change: two, to: two }, 'RECORD_CHANGED', /"two" is not as it was read/],
      [{ delete: two }, 'RECORD_CHANGED', /"two"/],
      [{ require: two }, 'RECORD_CHANGED', /"two"/],
      [{ delete: { ...one, id: 'gone' } }, 'RECORD_CHANGED', /"gone"/],
    ];
    for (const [change, code, message] of refused) {
      const error = await scene.store.write([...fine, change]).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RecordError);
      expect(error).toMatchObject({ code, changeIndex: 2, message: expect.stringMatching(message) });
      expect(await scene.other.list(scene.kind)).toEqual(before);
      for (const name of ['c', 'd']) expect(await scene.store.findByName(scene.kind, name)).toBeUndefined();
    }
    await scene.store.write(fine);
  });

  test('a write takes 100 changes of records with 8 names and long values', async () => {
    const value = { text: 'x'.repeat(65_536 - '{"text":""}'.length) };
    const create = Array.from({ length: 100 }, (_, n) => ({
      create: {
        kind: scene.kind,
        id: `${n}`,
        value: n < 3 ? value : {},
        names: Array.from({ length: 8 }, (__, m) => `${n}/${m}`),
        expiresMs: null,
      },
    }));
    await scene.store.write(create);
    const made = await scene.other.list(scene.kind);
    expect(made).toHaveLength(100);
    expect((await scene.read({ kind: scene.kind, id: '2' })).value).toEqual(value);
    await scene.store.write(made.map((record) => ({ delete: record })));
    expect(await scene.other.list(scene.kind)).toEqual([]);
    expect(await scene.other.findByName(scene.kind, '99/7')).toBeUndefined();
  });
}
