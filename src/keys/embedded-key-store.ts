/**
 * The key store in a folder of this machine, kept by lmdb: one memory-mapped file that several processes read and
 * write at once, the server and the command line among them. Every lookup sees what any process committed before it,
 * and a created key is on disk before `create` resolves. Only digests and records are in the file, never a clear key.
 * A lookup costs about 1 µs and waits for nobody; `create` blocks the process for one write to disk. The folder is
 * readable by its owner alone.
 */

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { findDataFileDamage } from './data-file-check.js';
import { type KeyRecord, KeyRecordError, parseKeyRecord } from './key-record.js';
import { type KeyStore, KeyStoreError } from './key-store.js';

const DATA_FILE = 'keys.mdb';
const LOCK_FILE = 'keys.mdb-lock';
/** Digest to record, the record as JSON text. */
const RECORDS = 'records';
const DECODED_LIMIT = 10_000;

/** Opens the store in `folder`, and makes the folder, for its owner alone, if it is missing. Throws KeyStoreError. */
export function openEmbeddedKeyStore(folder: string): KeyStore {
  const path = resolve(folder);
  prepareFolder(path);
  checkDataFile(join(path, DATA_FILE));
  const root = attempt(path, () => open({ path: join(path, DATA_FILE) }));
  try {
    const records = attempt(path, () => root.openDB<string, string>(RECORDS, { encoding: 'string' }));
    return new EmbeddedKeyStore(path, root, records);
  } catch (error) {
    void root.close();
    throw error;
  }
}

class EmbeddedKeyStore implements KeyStore {
  /** Records decoded lately, each beside the text it came from; it is used only where the text is still the same. */
  readonly #decoded = new Map<string, { readonly text: string; readonly record: KeyRecord }>();
  #closed: Promise<void> | undefined;

  constructor(
    private readonly path: string,
    private readonly root: RootDatabase,
    private readonly records: Database<string, string>,
  ) {}

  findByDigest(digest: string): KeyRecord | undefined {
    // Without this, lmdb answers from the snapshot of its first read in this turn of the event loop.
    this.records.resetReadTxn();
    const text = attempt(this.path, () => this.records.get(digest));
    if (text === undefined) return undefined;
    const known = this.#decoded.get(digest);
    if (known?.text === text) return known.record;
    const record = this.#decode(text);
    if (this.#decoded.size >= DECODED_LIMIT) this.#decoded.clear();
    this.#decoded.set(digest, { text, record });
    return record;
  }

  list(): KeyRecord[] {
    this.records.resetReadTxn();
    const texts = attempt(this.path, () => [...this.records.getRange()].map((entry) => entry.value));
    return texts.map((text) => this.#decode(text)).sort(byCreatedThenId);
  }

  async create(digest: string, record: KeyRecord): Promise<void> {
    const text = JSON.stringify(parseKeyRecord(record));
    // Not lmdb's asynchronous put: when the disk is full, that rejects promises a caller has no hold of.
    const isNew = attempt(this.path, () =>
      this.records.transactionSync(() => {
        if (this.records.doesExist(digest)) return false;
        this.records.putSync(digest, text);
        return true;
      }),
    );
    if (!isNew) throw new KeyStoreError('KEY_EXISTS', `${this.path} already holds this key`, 'create another key');
  }

  close(): Promise<void> {
    this.#closed ??= this.root.close();
    return this.#closed;
  }

  #decode(text: string): KeyRecord {
    try {
      return parseKeyRecord(JSON.parse(text));
    } catch (error) {
      if (!(error instanceof KeyRecordError || error instanceof SyntaxError)) throw error;
      throw damage(this.path, `holds a record that is not valid (${error.message})`, error);
    }
  }
}

function byCreatedThenId(one: KeyRecord, other: KeyRecord): number {
  if (one.created !== other.created) return one.created < other.created ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

function prepareFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Not recursive: on some pseudo file systems Node would try for ever.
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const file of [DATA_FILE, LOCK_FILE]) {
      if (existsSync(join(path, file))) accessSync(join(path, file), constants.R_OK | constants.W_OK);
    }
  } catch (error) {
    throw inaccessible(path, error);
  }
}

function checkDataFile(file: string): void {
  if (!existsSync(file)) return;
  let found: string | undefined;
  try {
    found = findDataFileDamage(file);
  } catch (error) {
    throw inaccessible(file, error);
  }
  if (found !== undefined) throw damage(file, `can't be used, ${found}`);
}

/** Runs one call of lmdb; what it throws becomes a KeyStoreError. */
function attempt<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw failure(path, error);
  }
}

function failure(path: string, error: unknown): KeyStoreError {
  const remedy = 'look for a full disk or a failing device, then try again';
  return new KeyStoreError('KEY_STORE_FAILED', `the key store ${path} failed (${messageOf(error)})`, remedy, error);
}

function inaccessible(path: string, error: unknown): KeyStoreError {
  const found = `the key store ${path} is not accessible (${messageOf(error)})`;
  const remedy = 'KEYS_DIR must be a folder that the user of this process, the same as the server, may write';
  return new KeyStoreError('KEY_STORE_INACCESSIBLE', found, remedy, error);
}

function damage(path: string, found: string, cause?: unknown): KeyStoreError {
  const remedy = 'put a copy from your backup in its place, or move it away to start without keys';
  return new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${path} ${found}`, remedy, cause);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
