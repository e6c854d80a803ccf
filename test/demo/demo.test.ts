/** The demo keys of `npm start`: one of each kind, shown again as long as it is good. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { provideDemoKeys } from '../../demo/demo-keys.js';
import { startSiteProcess } from '../../demo/site-process.js';
import { revoke } from '../../src/keys/key-record.js';
import { openKeyStore, readKeyConfig } from '../../src/keys/key-settings.js';
import type { KeyStore } from '../../src/keys/key-store.js';
import {
  buildFixtureSnapshot,
  createTemporaryFolder,
  type FixtureSnapshot,
  type TemporaryFolder,
} from '../fixtures/fixture-snapshot.js';
import { childrenOf, isRunning } from '../fixtures/program.js';
import { createRecordingLogger, silentLogger } from '../fixtures/recording-logger.js';

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
    for (const { record } of await store.directory.list()) await store.directory.change(record.id, revoke);
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

describe('npm start that is ended while the site hangs', () => {
  /** Milliseconds that a site has to stop: no more than a test waits, as this site never stops. */
  const STOP_LIMIT_MS = 200;

  let fixture: FixtureSnapshot;
  beforeAll(async () => {
    fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
  });
  afterAll(() => fixture.cleanup());

  test('a site that hangs when it should stop is killed', async () => {
    const before = childrenOf(process.pid);
    const environment = { PATH: process.env.PATH, SITE_PORT: '0', SNAPSHOT: fixture.path, ACCOUNTS: 'off' };
    const logger = createRecordingLogger();
    const site = await startSiteProcess({ ...environment, LOG_LEVEL: 'silent' }, STOP_LIMIT_MS, logger);
    const [pid = 0, ...others] = childrenOf(process.pid).filter((child) => !before.includes(child));
    expect(others).toEqual([]);
    process.kill(pid, 'SIGSTOP');
    await site.close();
    expect(isRunning(pid)).toBe(false);
    // It was stopped, so no other one takes its place.
    expect(logger.lines).toEqual([]);
  });
});
