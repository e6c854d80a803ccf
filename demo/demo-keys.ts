/**
 * The demo keys of a fresh checkout: a secret one to try calls, and a publishable one for the form in the site's documents.
 * A key store knows no clear keys, so each is kept in a file of the private folder as well: each start shows the same
 * keys, as long as the store lets them in.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FORM_OPERATIONS } from '../src/api/description/key-operations.js';
import { replaceFile } from '../src/base/durable-files.js';
import type { Logger } from '../src/base/logger.js';
import { makeFolder } from '../src/base/make-folder.js';
import type { KeyStoreConfig } from '../src/keys/decision/key-settings.js';
import type { KeyStore } from '../src/keys/decision/key-store.js';
import { openKeyStore } from '../src/keys/decision/open-key-store.js';
import { createApiKey, digestApiKey } from '../src/keys/key/api-key.js';
import { createKeyRecord, type KeyRecord } from '../src/keys/key/key-record.js';
import { findBadKeyStatus } from '../src/keys/key/key-status.js';
import { allowsOrigin } from '../src/keys/key/origin.js';
import { NO_USAGE } from '../src/keys/key/usage-counts.js';
import { DEFAULT_VISITOR_RATE } from '../src/keys/key/visitor-rate.js';

export interface DemoKeys {
  readonly secret: string;
  /** Undefined where the site's origins are not known. */
  readonly form: string | undefined;
}

/** The server, which opens the store next, logs the same troubles. */
const SILENT: Logger = { info() {}, warn() {}, error() {} };

/** The clear demo keys: those of the files where the store lets them in, else new ones. `siteOrigins` may be empty. */
export async function provideDemoKeys(config: KeyStoreConfig, siteOrigins: readonly string[]): Promise<DemoKeys> {
  // The embedded store and Redis have demo keys each.
  const fileOf = (name: string): string => join(config.keysDirectory, config.redis === null ? name : `${name}-redis`);
  const store = await openKeyStore(config, SILENT);
  try {
    const secret = await provideKey(store, fileOf('demo-key'), createKeyRecord('demo', new Date()));
    if (siteOrigins.length === 0) return { secret, form: undefined };
    const restrictions = { origins: siteOrigins, operations: FORM_OPERATIONS, visitorRate: DEFAULT_VISITOR_RATE };
    const record = createKeyRecord('demo form', new Date(), { restrictions });
    return { secret, form: await provideKey(store, fileOf('demo-form-key'), record) };
  } finally {
    await store.close();
  }
}

/** The key of the file if it is good for what `wanted` is for, else a new one with that record. */
async function provideKey(store: KeyStore, file: string, wanted: KeyRecord): Promise<string> {
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (await isGood(known, store, wanted)) return known;
  const key = createApiKey(wanted.restrictions !== undefined);
  await store.directory.create({ digest: digestApiKey(key), record: wanted, sealed: null, usage: NO_USAGE });
  makeFolder(dirname(file), 0o700);
  replaceFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

async function isGood(key: string, store: KeyStore, wanted: KeyRecord): Promise<boolean> {
  const digest = digestApiKey(key);
  // A damaged key is not the demo key, and is told of by the server.
  const entry = (await store.directory.list(() => {})).find((entry) => entry.digest === digest);
  if (entry === undefined || findBadKeyStatus(entry.record, Date.now()) !== undefined) return false;
  const origins = entry.record.restrictions?.origins ?? [];
  return (wanted.restrictions?.origins ?? []).every((origin) => allowsOrigin(origins, origin));
}
