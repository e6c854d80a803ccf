/**
 * The embedded store of records: the contract, then what is its own: processes that are killed, what it keeps of ended
 * records, damage, and a full disk. The other processes run the built program, which `npm test` builds.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { open as openLmdb, type RootDatabase } from 'lmdb';
import { EmbeddedRecordStore, RecordTables } from '../../../src/keys/records/embedded-record-store.js';
import type { StoredRecord } from '../../../src/keys/records/record-store.js';
import { openFolderLock, RECORDS_FILE } from '../../../src/keys/storage/key-folder.js';
import { createRandom } from '../../fixtures/random.mjs';
import { createTemporaryFolders } from '../temporary-folders.js';
import { describeRecords } from './record-contract.js';
import { addRecord, newRecord } from './record-scene.js';

const NOON = Date.parse('2024-02-15T12:00:00.000Z');
const BUILT = new URL('../../../dist/src/', import.meta.url).href;
const KILLS = 10;

const folders = createTemporaryFolders();
afterAll(() => folders.clear());
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

interface OpenedFolder {
  readonly root: RootDatabase;
  readonly store: EmbeddedRecordStore;
  close(): Promise<void>;
}

function openFolder(folder: string, clock: () => number): Promise<OpenedFolder> {
  const lock = openFolderLock(folder);
  return lock.hold(10_000, () => {
    const root = openLmdb({ path: join(folder, RECORDS_FILE), overlappingSync: false });
    const store = new EmbeddedRecordStore(new RecordTables(folder, root), lock, clock);
    const close = async () => {
      await lock.hold(10_000, () => root.close());
      lock.close();
    };
    return { root, store, close };
  });
}

describeRecords('the embedded store', async () => {
  const folder = folders.make();
  let nowMs = NOON;
  const [one, other] = [await openFolder(folder, () => nowMs), await openFolder(folder, () => nowMs)];
  return {
    stores: [one.store, other.store],
    nowMs: () => nowMs,
    async pass(ms) {
      nowMs += ms;
    },
    async close() {
      await one.close();
      await other.close();
    },
  };
});

async function open(folder: string, clock: () => number = () => NOON): Promise<OpenedFolder> {
  const opened = await openFolder(folder, clock);
  cleanups.push(opened.close);
  return opened;
}

/** Another process that opens the folder and runs these lines, under a limit of the size of files where one is given. */
function startBeside(folder: string, lines: string, fileBlocks = 'unlimited') {
  const script = `
    import { openFolderLock } from '${BUILT}keys/storage/key-folder.js';
    import { EmbeddedRecordStore } from '${BUILT}keys/records/embedded-record-store.js';
    import { openRecordTables } from '${BUILT}keys/records/embedded-record-store.js';
    import { untilRecordsUnchanged } from '${BUILT}keys/records/record-store.js';
    const folder = process.argv[1];
    const lock = openFolderLock(folder);
    const tables = await lock.hold(10_000, () => openRecordTables(folder));
    const store = new EmbeddedRecordStore(tables, lock);
    ${lines}`;
  const args = ['-c', 'ulimit -f "$0" && exec "$@"', fileBlocks, process.execPath, '--input-type=module', '--eval'];
  const child = spawn('sh', [...args, script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return { child, output: () => output };
}

test('a killed process has written both of two records or neither, and each confirmed write is on disk', async () => {
  const random = createRandom(11);
  const folder = folders.make();
  const { store } = await open(folder);
  for (const id of ['left', 'right']) await addRecord(store, id, { value: { count: 0 }, names: [`${id} 0`] });
  let caught = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const { child, output } = startBeside(
      folder,
      `for (;;) {
        const [left, right] = await store.list('account');
        const count = left.value.count + 1;
        const next = (record) => ({ change: record, to: { ...record, value: { count }, names: [record.id + ' ' + count] } });
        await store.write([next(left), next(right)]);
        process.stdout.write(count + '\\n');
      }`,
    );
    await once(child.stdout, 'data');
    await wait(random() * 20);
    child.kill('SIGKILL');
    await once(child, 'close');
    const told = Number(output().trimEnd().split('\n').at(-1));
    const [left, right] = (await store.list('account')) as [StoredRecord, StoredRecord];
    const count = left.value.count as number;
    expect(right.value).toEqual({ count });
    expect([told, told + 1]).toContain(count);
    for (const { id } of [left, right]) {
      expect(await store.findByName('account', `${id} ${count}`)).toMatchObject({ id });
      for (const other of [count - 1, count + 1]) {
        expect(await store.findByName('account', `${id} ${other}`)).toBeUndefined();
      }
    }
    caught += count;
  }
  expect(caught).toBeGreaterThan(KILLS);
});

test('three processes that change one record at once lose no change', async () => {
  const folder = folders.make();
  const { store } = await open(folder);
  await addRecord(store, 'one', { value: { count: 0 } });
  const lines = `
    for (let n = 0; n < 40; n++) {
      await untilRecordsUnchanged(async () => {
        const one = await store.get('account', 'one');
        await store.write([{ change: one, to: { ...one, value: { count: one.value.count + 1 } } }]);
      });
    }`;
  const ends = Array.from({ length: 3 }, () => once(startBeside(folder, lines).child, 'close'));
  for (const [code] of await Promise.all(ends)) expect(code).toBe(0);
  expect(await store.get('account', 'one')).toMatchObject({ value: { count: 120 } });
});

test('where the disk takes no more, a write is a typed error, and nothing of it is there', async () => {
  const folder = folders.make();
  const { store } = await open(folder);
  const one = await addRecord(store, 'one');
  const blocks = String(Math.ceil(statSync(join(folder, RECORDS_FILE)).size / 512) + 200);
  const { child, output } = startBeside(
    folder,
    `const value = { text: 'x'.repeat(60_000) };
    const one = await store.get('account', 'one');
    for (let n = 0; n < 100; n++) {
      const create = (id) => ({ create: { kind: 'blob', id, value, names: [], expiresMs: null } });
      await store.write([create(n + 'a'), create(n + 'b')]).catch(async (error) => {
        const found = (await store.list('blob')).length;
        console.log(JSON.stringify([error.name, error.code, found === 2 * n]));
        process.exit();
      });
    }`,
    blocks,
  );
  await once(child, 'close');
  expect(JSON.parse(output())).toEqual(['KeyStoreError', 'KEY_STORE_FAILED', true]);
  expect(await store.get('account', 'one')).toEqual(one);
  await store.write([{ delete: one }]);
});

test('ended records are removed by later writes, some at a time', async () => {
  let nowMs = NOON;
  const { root, store } = await open(folders.make(), () => nowMs);
  for (let batch = 0; batch < 3; batch++) {
    await store.write(
      Array.from({ length: 50 }, (_, n) => ({ create: newRecord(`${batch} ${n}`, { expiresMs: NOON + batch }) })),
    );
  }
  const counts = () =>
    ['record:texts', 'record:names', 'record:ends'].map((name) => root.openDB(name, { encoding: 'string' }).getCount());
  expect(counts()).toEqual([150, 150, 150]);
  nowMs = NOON + 1;
  await addRecord(store, 'one');
  expect(counts()).toEqual([101, 101, 100]);
  nowMs = NOON + 3;
  await addRecord(store, 'two');
  expect(counts()).toEqual([2, 2, 0]);
});

test('damaged records are errors that name them, and spoil no other', async () => {
  let nowMs = NOON;
  const { root, store } = await open(folders.make(), () => nowMs);
  const texts = root.openDB<string, string>('record:texts', { encoding: 'string' });
  const sound = await addRecord(store, 'sound');
  const { version } = sound;
  const spoilt = ['', '{}', version, `${version}[[],null,{}`, `${version}[[],null,{},1]`, `${version}[[1],null,{}]`];
  spoilt.push(
    `${version}[["a\\n"],null,{}]`,
    `${version}[[],1.5,{}]`,
    `${version}[[],null,[]]`,
    `${version}[[],null,null]`,
  );
  spoilt.push(`${version.slice(1)}[[],null,{}]`, `${version.toUpperCase().replace(/^./, 'A')}[[],null,{}]`);
  for (const [index, text] of spoilt.entries()) {
    const record = await addRecord(store, `spoilt ${index}`, { expiresMs: NOON + 1 });
    texts.putSync(`account:spoilt ${index}`, text);
    const damaged = { code: 'KEY_STORE_DAMAGED', message: expect.stringContaining(`the account "spoilt ${index}"`) };
    await expect(store.get('account', record.id)).rejects.toMatchObject(damaged);
    await expect(store.findByName('account', `name of ${record.id}`)).rejects.toMatchObject(damaged);
    await expect(store.write([{ delete: record }])).rejects.toMatchObject(damaged);
    await expect(store.write([{ create: newRecord('next', { names: record.names }) }])).rejects.toMatchObject(damaged);
  }
  const told: string[] = [];
  expect(await store.list('account', ({ message }) => told.push(message))).toEqual([sound]);
  expect(told).toHaveLength(spoilt.length);
  await expect(store.list('account')).rejects.toMatchObject({ code: 'KEY_STORE_DAMAGED' });
  nowMs = NOON + 2;
  await store.write([{ delete: sound }]);
});

describe('checksums', () => {
  /** The tables, as an earlier version of this program knows them, and the checksums. */
  function tablesOf(root: RootDatabase) {
    const [texts, names, checksums] = ['texts', 'names', 'checksums'].map((name) =>
      root.openDB<string, string>(`record:${name}`, { encoding: 'string' }),
    );
    if (texts === undefined || names === undefined || checksums === undefined) throw new Error('a table is missing');
    return { texts, names, checksums };
  }

  async function checkAll(store: EmbeddedRecordStore): Promise<{ checked: string[]; damaged: (string | undefined)[] }> {
    const [checked, damaged]: [string[], (string | undefined)[]] = [[], []];
    for await (const { records, errors } of store.check('account', new AbortController().signal)) {
      checked.push(...records.map(({ id }) => id));
      damaged.push(...errors.map(({ recordName }) => recordName));
    }
    return { checked, damaged };
  }

  const isDamage = { code: 'KEY_STORE_DAMAGED' };

  test('a record with another text, or in another place, is damaged and not missing', async () => {
    const { root, store } = await open(folders.make());
    const { texts } = tablesOf(root);
    const [sound, other, moved] = [
      await addRecord(store, 'a sound'),
      await addRecord(store, 'other'),
      await addRecord(store, 'stays'),
    ];
    texts.putSync('account:other', (texts.get('account:other') as string).replace('{}', '{"a":1}'));
    texts.putSync('account:strays', texts.get('account:stays') as string);
    texts.removeSync('account:stays');
    for (const { id, names } of [other, moved]) {
      await expect(store.get('account', id)).rejects.toMatchObject(isDamage);
      await expect(store.findByName('account', names[0] as string)).rejects.toMatchObject(isDamage);
      await expect(store.write([{ create: newRecord(id) }])).rejects.toMatchObject(isDamage);
    }
    await expect(store.get('account', 'strays')).rejects.toMatchObject(isDamage);
    const told: unknown[] = [];
    expect(await store.list('account', (error) => told.push(error))).toEqual([sound]);
    expect(told).toHaveLength(3);
    expect((await checkAll(store)).damaged.sort()).toEqual(['name of other', 'name of stays', 'name of stays']);
  });

  test('many records, of which one in each page is lost', async () => {
    const { root, store } = await open(folders.make());
    const ids = Array.from({ length: 350 }, (_, index) => String(1_000 + index));
    for (let at = 0; at < ids.length; at += 50) {
      await store.write(ids.slice(at, at + 50).map((id) => ({ create: newRecord(id) })));
    }
    const lost = ids.filter((_, index) => index % 70 === 0);
    for (const id of lost) tablesOf(root).texts.removeSync(`account:${id}`);
    const told: unknown[] = [];
    expect(await store.list('account', (error) => told.push(error))).toHaveLength(ids.length - lost.length);
    expect(told).toHaveLength(lost.length);
    expect((await checkAll(store)).damaged).toEqual(lost.map((id) => `name of ${id}`));
  });

  test('a store without checksums is served, and gets them when it is checked', async () => {
    const { root, store } = await open(folders.make());
    const { texts, checksums } = tablesOf(root);
    for (const id of ['one', 'two']) await addRecord(store, id);
    await addRecord(store, 'ends', { expiresMs: NOON + 1 });
    checksums.clearSync();
    expect(await store.list('account')).toHaveLength(3);
    expect(await checkAll(store)).toEqual({ checked: ['one', 'two'], damaged: [] });
    expect(await checkAll(store)).toEqual({ checked: [], damaged: [] });
    texts.removeSync('account:one');
    await expect(store.get('account', 'one')).rejects.toMatchObject(isDamage);
  });

  test('what an earlier version of this program changed or deleted is not damaged', async () => {
    const { root, store } = await open(folders.make());
    const { texts, names } = tablesOf(root);
    const changed = await addRecord(store, 'changed');
    await addRecord(store, 'deleted');
    const version = changed.version.replace(/./g, (digit) => (digit === '0' ? '1' : '0'));
    texts.putSync('account:changed', `${version}[["name of changed"],null,{"by":"another"}]`);
    texts.removeSync('account:deleted');
    names.removeSync('account:name of deleted');
    expect(await store.get('account', 'changed')).toMatchObject({ value: { by: 'another' } });
    expect(await store.get('account', 'deleted')).toBeUndefined();
    expect(await checkAll(store)).toEqual({ checked: ['changed'], damaged: [] });
    expect(await addRecord(store, 'deleted')).toMatchObject({ id: 'deleted' });
    expect(await store.list('account')).toHaveLength(2);
  });
});
