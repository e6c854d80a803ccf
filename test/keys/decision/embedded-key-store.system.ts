/**
 * The embedded store: the contract, then what is its own: its folder, other processes, and damage of every kind that
 * must be an error and not the end of the process. The other processes run the built program, which `npm test` builds.
 */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import type { KeyStore } from '../../../src/keys/decision/key-store.js';
import type { KeyEntry } from '../../../src/keys/key/key-directory.js';
import type { KeyRecord } from '../../../src/keys/key/key-record.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/key/plan.js';
import { NO_USAGE } from '../../../src/keys/key/usage-counts.js';
import { KeyStoreError } from '../../../src/keys/storage/key-store-error.js';
import { runProgram } from '../../fixtures/program.js';
import { createRecordingLogger, type LoggedLine } from '../../fixtures/recording-logger.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import { createTemporaryFolders } from '../temporary-folders.js';
import { describeKeyStore } from './key-store-contract.js';
import { embeddedStore, NOON, newEntry } from './key-store-scene.js';

const BUILT = new URL('../../../dist/src/keys/', import.meta.url).href;
const PLANS = '{"free": {"requestsPerMonth": 1000, "requestsPerSecond": null, "burst": null}}';
const findPlan = createPlanFinder(parsePlans(PLANS));

const folders = createTemporaryFolders();
const opened: KeyStore[] = [];
afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
afterAll(() => folders.clear());

async function openStore(folder: string, clock: () => number = () => NOON): Promise<KeyStore> {
  const store = await openEmbeddedKeyStore({ folder, findPlan, clock });
  opened.push(store);
  return store;
}

function runBeside(script: string, folder: string) {
  const args = ['--input-type=module', '--eval', script, folder];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

async function addKey(store: KeyStore, change: Partial<KeyRecord> = {}): Promise<KeyEntry> {
  const entry = newEntry(change);
  await store.directory.create(entry);
  return entry;
}

describeKeyStore('the embedded store', embeddedStore(folders));

test('its folder is made for its owner alone, with what is missing above it', async () => {
  const folder = join(folders.make(), 'var', 'keys');
  await openStore(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

describe('damage', () => {
  const sound = folders.make();
  beforeAll(async () => {
    const store = await openEmbeddedKeyStore({ folder: sound, findPlan, clock: () => NOON });
    for (let index = 0; index < 200; index++) await store.directory.create(newEntry());
    await store.decide((await store.directory.list()).map(({ digest }) => ({ digest, count: 777 })));
    await store.close();
  });

  function makeDataFile(name = 'keys.mdb'): { folder: string; file: string; bytes: Buffer } {
    const folder = folders.make();
    for (const file of ['keys.mdb', 'usage.bin']) copyFileSync(join(sound, file), join(folder, file));
    return { folder, file: join(folder, name), bytes: readFileSync(join(folder, name)) };
  }

  async function expectDamaged(folder: string, name = 'keys.mdb'): Promise<void> {
    const message = expect.stringContaining(name);
    await expect(openStore(folder)).rejects.toMatchObject({
      name: 'KeyStoreError',
      code: 'KEY_STORE_DAMAGED',
      message,
    });
  }

  test('a sound file passes, and so does an empty one', async () => {
    const { folder } = makeDataFile();
    expect(await (await openStore(folder)).directory.list()).toHaveLength(200);
    const empty = folders.make();
    for (const name of ['keys.mdb', 'usage.bin']) writeFileSync(join(empty, name), '');
    expect(await (await openStore(empty)).directory.list()).toEqual([]);
  });

  test.each([
    ['cut within its header', (bytes: Buffer) => bytes.subarray(0, 63)],
    ['of other bytes', (bytes: Buffer) => bytes.fill(7)],
    ['with slots of another size', (bytes: Buffer) => bytes.fill(1, 12, 13)],
  ])('a file of counts %s', async (_, spoil) => {
    const { folder, file, bytes } = makeDataFile('usage.bin');
    writeFileSync(file, spoil(bytes));
    await expectDamaged(folder, 'usage.bin');
  });

  test.each([1, 3])('a store of version %i is refused with one line, and left as it is', async (version) => {
    const { folder, file, bytes } = makeDataFile('usage.bin');
    bytes.writeUInt32LE(version, 8);
    writeFileSync(file, bytes);
    const refused = runProgram(['keys', 'create', '--name', 'test', '--store', folder]);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(new RegExp(`^postal-places: ${folder} .*version ${version}:.*\\n$`));
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'KEY_STORE_OTHER_VERSION' });
    expect(readFileSync(file)).toEqual(bytes);
  });

  test('counts that were cut off, or moved away, begin anew; the others stay', async () => {
    const { folder, file, bytes } = makeDataFile('usage.bin');
    writeFileSync(file, bytes.subarray(0, 64 + 100 * 1056 + 20));
    const usages = (await (await openStore(folder)).directory.list()).map(
      ({ usage }) => usage.months.get('2024-02') ?? 0,
    );
    expect(usages.filter((count) => count === 777)).toHaveLength(100);
    expect(usages.filter((count) => count === 0)).toHaveLength(100);
  });
});

describe('entries that no store of ours wrote are errors, not missing keys', () => {
  async function makeSpoilt(
    name: string,
    spoil: (bytes: Buffer) => void,
  ): Promise<{ store: KeyStore; entry: KeyEntry; logged: readonly LoggedLine[] }> {
    const folder = folders.make();
    const before = await openEmbeddedKeyStore({ folder, findPlan, clock: () => NOON });
    const entry = await addKey(before);
    await before.decide([{ digest: entry.digest, count: 777 }]);
    await before.close();
    const file = join(folder, name);
    const bytes = readFileSync(file);
    spoil(bytes);
    writeFileSync(file, bytes);
    const logger = createRecordingLogger();
    const store = await openEmbeddedKeyStore({ folder, findPlan, clock: () => NOON, logger });
    opened.push(store);
    return { store, entry, logged: logger.lines };
  }

  const damaged = { name: 'KeyStoreError', code: 'KEY_STORE_DAMAGED' };
  const COUNT_OF_FEBRUARY = 64 + 16 + 12 * ((12 * 2024 + 1) % 24) + 4;

  test('a count that is no number', async () => {
    const { store, entry } = await makeSpoilt('usage.bin', (bytes) =>
      bytes.writeDoubleLE(Number.NaN, COUNT_OF_FEBRUARY),
    );
    const sound = await addKey(store);
    await expect(store.directory.list()).rejects.toMatchObject(damaged);
    const told: KeyStoreError[] = [];
    expect(await store.directory.list((error) => told.push(error))).toEqual([sound]);
    expect(told).toMatchObject([{ ...damaged, message: expect.stringContaining(entry.digest.slice(0, 16)) }]);
    await expect(store.directory.find(entry.record.id)).rejects.toMatchObject(damaged);
    expect(await store.decide([{ digest: entry.digest, count: 1 }])).toMatchObject([
      { status: 'unavailable', cause: damaged },
    ]);
    expect(store.health()).toMatchObject({ state: 'degraded', problem: expect.any(String) });
    expect(await store.decide([{ digest: 'unknown', count: 1 }])).toEqual([{ status: 'invalid' }]);
    expect(store.health()).toMatchObject({ state: 'ready', problem: null });
  });

  /** Spoils each copy of the key's record in the file: pages that are free again may have some. */
  function spoilRecords(bytes: Buffer, spoil: (record: Buffer) => void): void {
    // The file has a key's digest before its record, in the same node.
    const form = /key:[0-9a-f]{64}[0-9a-f]{32}\[\["key_[^\]]*\][^}]*\}/g;
    for (const { index, 0: text } of bytes.toString('latin1').matchAll(form)) {
      spoil(bytes.subarray(index, index + text.length));
    }
  }

  test.each([
    ['its state', (record: Buffer) => record.write('"actine"', record.indexOf('"active"'))],
    ['its digest', (record: Buffer) => record.writeUInt8((record[40] as number) ^ 1, 40)],
    ['its plan', (record: Buffer) => record.write('"plan":"fred"', record.indexOf('"plan":"free"'))],
    ['its creation', (record: Buffer) => record.write('"created":"1971', record.indexOf('"created":"1970'))],
    ['its place among the counts', (record: Buffer) => record.write('"usage":"1-', record.indexOf('"usage":"0-'))],
    ['a quotation mark', (record: Buffer) => record.write('#', record.indexOf('"', 140))],
  ])('a bit of %s that flipped on the disk: the key is unavailable, and told of by its id', async (_, spoil) => {
    const { store, entry, logged } = await makeSpoilt('keys.mdb', (bytes) => spoilRecords(bytes, spoil));
    const line = { level: 'error', fields: { key: entry.record.id }, message: 'could not check a key' };
    store.inspect();
    await waitUntil('the check', () => logged.length > 0);
    expect(logged).toContainEqual(expect.objectContaining({ ...line, fields: expect.objectContaining(line.fields) }));
    const count = logged.length;
    for (let round = 0; round < 3; round++) {
      expect(await store.decide([{ digest: entry.digest, count: 1 }])).toMatchObject([
        { status: 'unavailable', cause: damaged },
      ]);
    }
    expect(await store.decide([{ digest: 'unknown', count: 1 }])).toEqual([{ status: 'invalid' }]);
    expect(logged).toHaveLength(count);
    const told: KeyStoreError[] = [];
    expect(await store.directory.list((error) => told.push(error))).toEqual([]);
    expect(told.map(({ message }) => message)).toContainEqual(expect.stringContaining(entry.record.id));
    await expect(store.directory.find(entry.record.id)).rejects.toMatchObject(damaged);
  });

  test('what is met is told of too, without a check before', async () => {
    const { store, entry, logged } = await makeSpoilt('keys.mdb', (bytes) =>
      spoilRecords(bytes, (record) => record.writeUInt8((record[40] as number) ^ 1, 40)),
    );
    for (let round = 0; round < 2; round++) await store.decide([{ digest: entry.digest, count: 1 }]);
    expect(logged).toMatchObject([{ level: 'error', fields: { key: entry.record.id } }]);
  });

  test('a slot of another key, after an older copy of the keys was put back, counts as empty', async () => {
    const { store, entry } = await makeSpoilt('usage.bin', (bytes) => bytes.fill(0xee, 64, 72));
    expect((await store.directory.find(entry.record.id))?.usage).toEqual(NO_USAGE);
    expect((await store.decide([{ digest: entry.digest, count: 3 }]))[0]).toMatchObject({
      before: { used: 0 },
      allowedCount: 3,
    });
  });
});

test('hundreds of keys made at once each have a slot of their own', async () => {
  const store = await openStore(folders.make());
  const entries = await Promise.all(Array.from({ length: 250 }, () => addKey(store)));
  await store.decide(entries.map(({ digest }, index) => ({ digest, count: index + 1 })));
  const counts = (await store.directory.list()).map(({ usage }) => usage.months.get('2024-02') ?? 0);
  expect(counts.sort((one, other) => one - other)).toEqual(entries.map((_, index) => index + 1));
});

test('where the number of slots was lost, no key gets the slot of another', async () => {
  const store = await openStore(folders.make());
  const [first] = [await addKey(store), await addKey(store)];
  await store.decide([{ digest: first.digest, count: 5 }]);
  const slots = await store.records.get('key-usage', 'slots');
  if (slots === undefined) throw new Error('there is no number of slots');
  await store.records.write([{ delete: slots }]);
  await expect(addKey(store)).rejects.toMatchObject({ code: 'KEY_STORE_DAMAGED' });
  const folder = store.records.place;
  await store.close();
  const again = await openStore(folder);
  const third = await addKey(again);
  await again.decide([{ digest: third.digest, count: 1 }]);
  expect((await again.directory.find(first.record.id))?.usage.months.get('2024-02')).toBe(5);
});

describe('closing', () => {
  test('leaves nothing open', async () => {
    const folder = folders.make();
    const store = await openStore(folder);
    expect(countOpenFiles(folder)).toBeGreaterThan(2);
    await store.close();
    expect(countOpenFiles(folder)).toBe(0);
  });

  test('rejects, after all was closed, where the last counts could not be put on disk', async () => {
    const folder = folders.make();
    // It takes whatever is written, and the system refuses to sync it.
    symlinkSync('/dev/null', join(folder, 'usage.bin'));
    const openBefore = countOpenFiles(folder);
    const logger = createRecordingLogger();
    const store = await openEmbeddedKeyStore({ folder, findPlan, clock: () => NOON, logger });
    await addKey(store);
    const closing = store.close();
    await expect(closing).rejects.toBeInstanceOf(KeyStoreError);
    await expect(closing).rejects.toMatchObject({
      code: 'KEY_STORE_FAILED',
      message: expect.stringContaining('fsync'),
    });
    expect(logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: expect.stringContaining('the latest counts may not be on disk') },
    ]);
    expect(countOpenFiles(folder)).toBe(openBefore);
    expect(store.close()).toBe(closing);
  });
});

describe('access', () => {
  test.each(['keys.mdb', 'usage.bin', 'turn.lock'])(
    'a folder where %s should be, or a file where a folder',
    async (name) => {
      const folder = folders.make();
      mkdirSync(join(folder, name));
      await expect(openStore(folder)).rejects.toMatchObject({ code: 'KEY_STORE_INACCESSIBLE' });
      const file = join(folder, 'file');
      writeFileSync(file, '');
      const message = expect.stringContaining('KEYS_DIR');
      await expect(openStore(join(file, 'below'))).rejects.toMatchObject({ code: 'KEY_STORE_INACCESSIBLE', message });
    },
  );

  test('a folder that this user may not write', () => {
    const parent = folders.make();
    chmodSync(parent, 0o755);
    const folder = join(parent, 'keys');
    mkdirSync(folder, { mode: 0o555 });
    // Root may write anywhere, so the other process becomes nobody first.
    const script = `
      import { openEmbeddedKeyStore } from '${BUILT}decision/embedded-key-store.js';
      if (process.getuid() === 0) process.setuid(65534);
      const [folder] = process.argv.slice(1);
      try { await openEmbeddedKeyStore({ folder, findPlan: () => {} }); } catch (error) { process.stdout.write(error.code); }`;
    const refused = runBeside(script, folder);
    expect(refused.stdout).toBe('KEY_STORE_INACCESSIBLE');
    expect(existsSync(join(folder, 'keys.mdb'))).toBe(false);
  });
});

/** How often this process has files of the folder open. */
function countOpenFiles(folder: string): number {
  const nameOf = ({ dev, ino }: Stats) => `${dev} ${ino}`;
  const files = new Set(readdirSync(folder).map((file) => nameOf(statSync(join(folder, file)))));
  const isOfFolder = (descriptor: string): boolean => {
    try {
      return files.has(nameOf(fstatSync(Number(descriptor))));
    } catch {
      // The one that the list was read through is closed by now.
      return false;
    }
  };
  return readdirSync('/dev/fd').filter(isOfFolder).length;
}
