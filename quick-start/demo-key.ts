/**
 * The demo key of a fresh checkout. A key store knows no clear keys, so the demo key is kept in a file of the private
 * folder as well: each start shows the same key, as long as the store lets it in.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey, digestApiKey } from '../src/keys/api-key.js';
import { findFault } from '../src/keys/key-decision.js';
import { createKeyRecord } from '../src/keys/key-record.js';
import type { KeyStoreConfig } from '../src/keys/key-settings.js';
import type { KeyStore } from '../src/keys/key-store.js';
import { openKeyStore } from '../src/keys/open-key-store.js';
import { NO_USAGE } from '../src/keys/usage.js';
import type { Logger } from '../src/logger.js';

/** The server, which opens the store next, logs the same troubles. */
const SILENT: Logger = { info() {}, warn() {}, error() {} };

/** The clear demo key: the one of the file where the store lets it in, else a new one. */
export async function provideDemoKey(config: KeyStoreConfig): Promise<string> {
  // The embedded store and Redis have a demo key each.
  const file = join(config.keysDirectory, config.redis === null ? 'demo-key' : 'demo-key-redis');
  const store = await openKeyStore(config, SILENT);
  try {
    const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    if (await isGood(known, store)) return known;
    const key = createApiKey();
    const record = createKeyRecord('demo', new Date());
    await store.directory.create({ digest: digestApiKey(key), record, sealed: null, usage: NO_USAGE });
    mkdirSync(config.keysDirectory, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    return key;
  } finally {
    await store.close();
  }
}

async function isGood(key: string, store: KeyStore): Promise<boolean> {
  const digest = digestApiKey(key);
  // A damaged key is not the demo key, and is told of by the server.
  const entry = (await store.directory.list(() => {})).find((entry) => entry.digest === digest);
  return entry !== undefined && findFault(entry.record, Date.now()) === undefined;
}
