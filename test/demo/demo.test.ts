/** The demo keys of `npm start`: one of each kind, shown again as long as it is good. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { provideDemoKeys } from '../../demo/demo-keys.js';
import { readKeyConfig } from '../../src/keys/decision/key-settings.js';
import type { KeyStore } from '../../src/keys/decision/key-store.js';
import { openKeyStore } from '../../src/keys/decision/open-key-store.js';
import { changeKeyToRevoked } from '../../src/keys/key/key-changes.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { silentLogger } from '../fixtures/recording-logger.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder.remove());

const config = () => readKeyConfig({ KEYS_DIR: join(folder.path, 'keys') });
const provideDemoKey = async () => (await provideDemoKeys(config(), [])).secret;
const provideFormKey = async (...origins: string[]) => (await provideDemoKeys(config(), origins)).form;
const file = () => join(folder.path, 'keys/demo-key');

async function useStore<T>(use: (store: KeyStore) => Promise<T>): Promise<T> {
  const store = await openKeyStore(config(), silentLogger);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

test('it is made once, in a file for nobody else', async () => {
  const key = await provideDemoKey();
  expect(await provideDemoKey()).toBe(key);
  expect(readFileSync(file(), 'utf8')).toBe(`${key}\n`);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(await useStore((store) => store.directory.list())).toMatchObject([
    { record: { name: 'demo', state: 'active' } },
  ]);
});

test('one that was revoked is replaced', async () => {
  const key = await provideDemoKey();
  await useStore(async (store) => {
    for (const { record } of await store.directory.list()) await store.directory.change(record.id, changeKeyToRevoked);
  });
  const next = await provideDemoKey();
  expect(next).not.toBe(key);
  expect(await provideDemoKey()).toBe(next);
});

test('what the store does not know is not shown', async () => {
  await provideDemoKey();
  writeFileSync(file(), 'pp_unknown\n');
  expect(await provideDemoKey()).not.toBe('pp_unknown');
});

test('the key of the form is publishable, and made anew where the site has moved', async () => {
  const key = await provideFormKey('http://127.0.0.1:3001', 'http://localhost:3001');
  expect(key).toMatch(/^pp_pub_/);
  expect(await provideFormKey('http://127.0.0.1:3001')).toBe(key);
  expect((await useStore((store) => store.directory.list())).map(({ record }) => record.restrictions)).toEqual([
    undefined,
    expect.objectContaining({ origins: ['http://127.0.0.1:3001', 'http://localhost:3001'] }),
  ]);
  expect(await provideFormKey('http://127.0.0.1:4001')).not.toBe(key);
  expect(await provideFormKey()).toBeUndefined();
});
