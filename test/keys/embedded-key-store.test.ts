/**
 * The embedded store: the contract, then what is its own: its folder, other processes, and damage of every kind that
 * must be an error and not the end of the process. The other processes run the built program, which `npm test` builds.
 */

import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { createApiKey, digestApiKey } from '../../src/keys/api-key.js';
import { findDataFileDamage } from '../../src/keys/data-file-check.js';
import { openEmbeddedKeyStore } from '../../src/keys/embedded-key-store.js';
import { createKeyRecord } from '../../src/keys/key-record.js';
import { type KeyStore, KeyStoreError } from '../../src/keys/key-store.js';
import { createKeyGate } from '../../src/keys/store-key-gate.js';
import { describeKeyStore } from './key-store-contract.js';
import { createTemporaryFolders } from './temporary-folders.js';

const PROGRAM = fileURLToPath(new URL('../../dist/src/keys/cli.js', import.meta.url));
const BUILT_STORE = new URL('../../dist/src/keys/embedded-key-store.js', import.meta.url).href;
const BUILT_RECORD = new URL('../../dist/src/keys/key-record.js', import.meta.url).href;

const folders = createTemporaryFolders();
const opened: KeyStore[] = [];
afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
afterAll(() => folders.clear());

function openStore(folder: string): KeyStore {
  const store = openEmbeddedKeyStore(folder);
  opened.push(store);
  return store;
}

let contractFolder: string;
describeKeyStore(
  'the embedded store',
  () => {
    contractFolder = folders.make();
    return openEmbeddedKeyStore(contractFolder);
  },
  () => openEmbeddedKeyStore(contractFolder),
);

describe('its folder', () => {
  test('is made for its owner alone, with what is missing above it', () => {
    const folder = join(folders.make(), 'var', 'keys');
    openStore(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('holds digests, never a clear key', async () => {
    const folder = folders.make();
    const store = openStore(folder);
    const key = createApiKey();
    await store.create(digestApiKey(key), createKeyRecord('whose', new Date(0)));
    const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file)));
    expect(bytes.some((content) => content.includes(digestApiKey(key)))).toBe(true);
    expect(bytes.some((content) => content.includes(key.slice(3, 20)))).toBe(false);
  });
});

describe('with other processes', () => {
  test('a key made by another process is good at once, even in the same turn of the event loop', () => {
    const folder = folders.make();
    const gate = createKeyGate(openStore(folder));
    expect(gate.check(createApiKey())).toEqual({ allowed: false, reason: 'invalid' });
    const made = spawnSync(process.execPath, [PROGRAM, 'create', '--name', 'other', '--json', '--keys-dir', folder]);
    const { id, key } = JSON.parse(made.stdout.toString());
    expect(gate.check(key)).toEqual({ allowed: true, keyId: id });
  });

  test('a key made here is seen by another process', async () => {
    const folder = folders.make();
    const record = createKeyRecord('here', new Date(0));
    await openStore(folder).create(digestApiKey(createApiKey()), record);
    const listed = spawnSync(process.execPath, [PROGRAM, 'list', '--json', '--keys-dir', folder]);
    expect(JSON.parse(listed.stdout.toString())).toEqual({ keys: [record] });
  });

  test('three processes write thousands of keys at once and none is lost', async () => {
    const folder = folders.make();
    const store = openStore(folder);
    const script = `
      import { openEmbeddedKeyStore } from '${BUILT_STORE}';
      import { createKeyRecord } from '${BUILT_RECORD}';
      const [folder, mark] = process.argv.slice(1);
      const store = openEmbeddedKeyStore(folder);
      for (let round = 0; round < 20; round++) {
        await Promise.all(Array.from({ length: 100 }, (_, index) =>
          store.create(mark + '-' + round + '-' + index, createKeyRecord(mark, new Date(0)))));
      }
      await store.close();`;
    const run = promisify(execFile);
    const others = ['a', 'b'].map((mark) =>
      run(process.execPath, ['--input-type=module', '--eval', script, folder, mark]),
    );
    for (let index = 0; index < 200; index++) await store.create(`here-${index}`, createKeyRecord('here', new Date(0)));
    await Promise.all(others);
    expect(store.list()).toHaveLength(4_200);
    expect(store.findByDigest('a-19-99')).toMatchObject({ name: 'a' });
    expect(store.findByDigest('b-0-0')).toMatchObject({ name: 'b' });
  });

  test('what was created outlives a process that is killed', async () => {
    const folder = folders.make();
    const script = `
      import { openEmbeddedKeyStore } from '${BUILT_STORE}';
      import { createKeyRecord } from '${BUILT_RECORD}';
      const store = openEmbeddedKeyStore(process.argv[1]);
      await store.create('digest', createKeyRecord('killed', new Date(0)));
      process.kill(process.pid, 'SIGKILL');`;
    const killed = spawnSync(process.execPath, ['--input-type=module', '--eval', script, folder]);
    expect(killed.signal).toBe('SIGKILL');
    expect(openStore(folder).findByDigest('digest')).toMatchObject({ name: 'killed' });
  });
});

describe('damage', () => {
  async function makeDataFile(): Promise<{ folder: string; file: string; bytes: Buffer }> {
    const folder = folders.make();
    const store = openEmbeddedKeyStore(folder);
    const keys = Array.from({ length: 200 }, () => digestApiKey(createApiKey()));
    await Promise.all(keys.map((digest) => store.create(digest, createKeyRecord('one of many', new Date(0)))));
    await store.close();
    const file = join(folder, 'keys.mdb');
    return { folder, file, bytes: readFileSync(file) };
  }

  function expectDamaged(folder: string): void {
    expect(catchError(() => openStore(folder))).toMatchObject({ name: 'KeyStoreError', code: 'KEY_STORE_DAMAGED' });
  }

  test('a sound file passes, and so does an empty one', async () => {
    const { folder, file } = await makeDataFile();
    expect(findDataFileDamage(file)).toBeUndefined();
    expect(openStore(folder).list()).toHaveLength(200);
    const empty = folders.make();
    writeFileSync(join(empty, 'keys.mdb'), '');
    expect(openStore(empty).list()).toEqual([]);
  });

  test.each([1, 27, 143, 144, 2_048, 4_096, 4_200, 8_191, 8_192])('a file cut to %i bytes', async (length) => {
    const { folder, file, bytes } = await makeDataFile();
    writeFileSync(file, bytes.subarray(0, length));
    expectDamaged(folder);
  });

  test.each([
    ['other bytes', (bytes: Buffer) => bytes.fill(7)],
    ['zeros', (bytes: Buffer) => bytes.fill(0)],
    ['another version', (bytes: Buffer) => bytes.fill(9, 28, 29)],
    ['an impossible page size', (bytes: Buffer) => bytes.fill(0xff, 48, 52)],
    ['a page size that is no power of two', (bytes: Buffer) => bytes.fill(0x11, 48, 49)],
    ['a second meta page of zeros', (bytes: Buffer) => bytes.fill(0, 4_096, 8_192)],
  ])('a file with %s', async (_, spoil) => {
    const { folder, file, bytes } = await makeDataFile();
    writeFileSync(file, spoil(bytes));
    expectDamaged(folder);
  });

  test('a record that no store of ours wrote is an error, not a missing key', async () => {
    const { folder, file, bytes } = await makeDataFile();
    const text = bytes.toString('latin1').replaceAll('"state":"active"', '"state":"actine"');
    writeFileSync(file, text, 'latin1');
    const store = openStore(folder);
    expect(catchError(() => store.list())).toMatchObject({ name: 'KeyStoreError', code: 'KEY_STORE_DAMAGED' });
    expect(store.findByDigest('unknown')).toBeUndefined();
  });
});

describe('access', () => {
  test('a file where the folder should be', () => {
    const path = join(folders.make(), 'file');
    writeFileSync(path, '');
    for (const folder of [path, join(path, 'below')]) {
      const error = catchError(() => openStore(folder));
      expect(error).toBeInstanceOf(KeyStoreError);
      expect(error).toMatchObject({ code: 'KEY_STORE_INACCESSIBLE' });
      expect((error as Error).message).toContain('KEYS_DIR');
    }
  });

  test('a folder where the data file should be', () => {
    const folder = folders.make();
    mkdirSync(join(folder, 'keys.mdb'));
    expect(catchError(() => openStore(folder))).toMatchObject({ code: 'KEY_STORE_INACCESSIBLE' });
  });

  test('a folder that this user may not write', () => {
    const parent = folders.make();
    chmodSync(parent, 0o755);
    const folder = join(parent, 'keys');
    mkdirSync(folder, { mode: 0o555 });
    // Root may write anywhere, so the other process becomes nobody first.
    const script = `
      import { openEmbeddedKeyStore } from '${BUILT_STORE}';
      if (process.getuid() === 0) process.setuid(65534);
      try { openEmbeddedKeyStore(process.argv[1]); } catch (error) { process.stdout.write(error.code); }`;
    const refused = spawnSync(process.execPath, ['--input-type=module', '--eval', script, folder]);
    expect(refused.stdout.toString()).toBe('KEY_STORE_INACCESSIBLE');
    expect(existsSync(join(folder, 'keys.mdb'))).toBe(false);
  });
});

function catchError(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
