/** The demo key of `npm start`: one key, shown again as long as it is good. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { provideDemoKey } from '../../quick-start/demo-key.js';
import { revoke } from '../../src/keys/key-changes.js';
import { readKeyConfig } from '../../src/keys/key-settings.js';
import type { KeyStore } from '../../src/keys/key-store.js';
import { openKeyStore } from '../../src/keys/open-key-store.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { silentLogger } from '../fixtures/recording-logger.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder.remove());

const config = () => readKeyConfig({ KEYS_DIR: join(folder.path, 'keys') });
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
  const key = await provideDemoKey(config());
  expect(await provideDemoKey(config())).toBe(key);
  expect(readFileSync(file(), 'utf8')).toBe(`${key}\n`);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(await useStore((store) => store.directory.list())).toMatchObject([
    { record: { name: 'demo', state: 'active' } },
  ]);
});

test('one that was revoked is replaced', async () => {
  const key = await provideDemoKey(config());
  await useStore(async (store) => {
    for (const { record } of await store.directory.list()) await store.directory.change(record.id, revoke);
  });
  const next = await provideDemoKey(config());
  expect(next).not.toBe(key);
  expect(await provideDemoKey(config())).toBe(next);
});

test('what the store does not know is not shown', async () => {
  await provideDemoKey(config());
  writeFileSync(file(), 'pp_unknown\n');
  expect(await provideDemoKey(config())).not.toBe('pp_unknown');
});
