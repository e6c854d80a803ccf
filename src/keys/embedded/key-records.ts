/**
 * The records of the embedded store, kept by lmdb: what is known of each key, and which slot of the file of counts is
 * its own. Whoever calls this holds the folder's lock. A change is on disk when `transact` returns, which takes about
 * 2 ms; finding a key waits for no disk. What fails or is damaged is a KeyStoreError.
 */

import { join } from 'node:path';
import { ABORT, type Database, open, type RootDatabase } from 'lmdb';
import { type KeyRecord, KeyRecordError, parseKeyRecord } from '../key-record.js';
import { existingKey, type KeyEntry, unknownKey } from '../key-store.js';
import { attempt, damagedEntry, RECORDS_FILE } from './key-folder.js';
import { type UsageSlot, usageSlot } from './usage-file.js';

/** What is known of a key, and where its counts lie. */
export interface KeptKey {
  readonly digest: string;
  readonly record: KeyRecord;
  readonly slot: UsageSlot;
}

/** A key as it was decoded, beside the text it came from: it is used only where the text is still the same. */
interface DecodedKey extends KeptKey {
  readonly text: string;
}

const DECODED_LIMIT = 10_000;
const NEXT_SLOT = 'next';

/** Opens the records in the folder at `path`, makes them if they are missing, and completes those of earlier versions. */
export function openKeyRecords(path: string): KeyRecords {
  let root: RootDatabase | undefined;
  // lmdb would let everybody read what it makes.
  const umask = process.umask(0o077);
  try {
    return attempt(path, () => {
      root = open({ path: join(path, RECORDS_FILE), overlappingSync: false });
      const records = new KeyRecords(path, root);
      records.complete();
      return records;
    });
  } catch (error) {
    void root?.close();
    throw error;
  } finally {
    process.umask(umask);
  }
}

export class KeyRecords {
  /** Digest to record, as JSON text. */
  readonly #records: Database<string, string>;
  /** Id to digest. */
  readonly #digests: Database<string, string>;
  /** Digest to sealed clear key. */
  readonly #sealed: Database<string, string>;
  /** Digest to the key's slot in the file of counts, and NEXT_SLOT to the next one that is free, in decimal. */
  readonly #slots: Database<string, string>;
  readonly #decoded = new Map<string, DecodedKey>();

  constructor(
    private readonly path: string,
    private readonly root: RootDatabase,
  ) {
    const openDatabase = (name: string) => root.openDB<string, string>(name, { encoding: 'string' });
    this.#records = openDatabase('records');
    this.#digests = openDatabase('digests');
    this.#sealed = openDatabase('sealed');
    this.#slots = openDatabase('slots');
  }

  /** Completes what an earlier version wrote, which neither counted nor knew a time of grace. */
  complete(): void {
    if (this.#slots.doesExist(NEXT_SLOT)) return;
    this.transact(() => {
      const entries = [...this.#records.getRange()];
      for (const [slot, { key: digest, value }] of entries.entries()) {
        const record = this.#decode(digest, value, { graceUntil: null });
        this.#records.putSync(digest, JSON.stringify(record));
        this.#digests.putSync(record.id, digest);
        this.#slots.putSync(digest, String(slot));
      }
      this.#slots.putSync(NEXT_SLOT, String(entries.length));
    });
  }

  /** Has what is read from now on be as new as the last change; else lmdb answers as in this turn's first read. */
  refresh(): void {
    attempt(this.path, () => this.#records.resetReadTxn());
  }

  /** The digests of all keys. */
  listDigests(): string[] {
    return attempt(this.path, () => [...this.#records.getKeys()]);
  }

  find(digest: string): KeptKey | undefined {
    return attempt(this.path, () => {
      const text = this.#records.get(digest);
      if (text === undefined) return undefined;
      const known = this.#decoded.get(digest);
      if (known?.text === text) return known;
      const record = this.#decode(digest, text);
      const decoded = { digest, record, slot: known?.slot ?? this.#slotOf(digest), text };
      this.#decoded.set(digest, decoded);
      if (this.#decoded.size > DECODED_LIMIT) this.#dropOldest();
      return decoded;
    });
  }

  /** Whether the key was found lately, and was not revoked. */
  knows(digest: string): boolean {
    const known = this.#decoded.get(digest);
    return known !== undefined && known.record.state !== 'revoked';
  }

  #dropOldest(): void {
    const [oldest] = this.#decoded.keys();
    if (oldest !== undefined) this.#decoded.delete(oldest);
  }

  /** The key with a digest that the store is known to have. */
  require(digest: string): KeptKey {
    return this.find(digest) ?? this.#refuse(digest, 'an id of a key that is not there');
  }

  findById(id: string): KeptKey | undefined {
    const digest = attempt(this.path, () => this.#digests.get(id));
    return digest === undefined ? undefined : this.require(digest);
  }

  /** Throws KeyStoreError, KEY_UNKNOWN where there is no such id. */
  requireById(id: string): KeptKey {
    const found = this.findById(id);
    if (found === undefined) throw unknownKey(id);
    return found;
  }

  findSealed(digest: string): string | undefined {
    return attempt(this.path, () => this.#sealed.get(digest));
  }

  /** How many slots of the file of counts belong to keys: the first of them. */
  countSlots(): number {
    return attempt(this.path, () => Number(this.#slots.get(NEXT_SLOT)));
  }

  /**
   * Runs a change as one transaction: when this returns, it is on disk, and where `change` throws, nothing has changed.
   * Throws what `change` throws.
   */
  transact<T>(change: () => T): T {
    let failure: { readonly error: unknown } | undefined;
    const result = attempt(this.path, () =>
      // Not lmdb's asynchronous put: when the disk is full, that rejects promises a caller has no hold of.
      this.root.transactionSync(() => {
        try {
          return change();
        } catch (error) {
          failure = { error };
          return ABORT;
        }
      }),
    );
    if (failure !== undefined) throw failure.error;
    return result as T;
  }

  /** Adds a key and gives it a slot, within `transact`. Throws KeyStoreError, KEY_EXISTS where digest or id is taken. */
  insert({ digest, record, sealed }: KeyEntry): UsageSlot {
    return attempt(this.path, () => {
      if (this.#records.doesExist(digest) || this.#digests.doesExist(record.id)) throw existingKey(record);
      const slot = this.countSlots();
      this.#records.putSync(digest, JSON.stringify(parseKeyRecord(record)));
      this.#digests.putSync(record.id, digest);
      this.#slots.putSync(digest, String(slot));
      this.#slots.putSync(NEXT_SLOT, String(slot + 1));
      if (sealed !== null) this.#sealed.putSync(digest, sealed);
      return usageSlot(slot, digest);
    });
  }

  /** Gives a key another record, within `transact`, and returns it as it is kept. Throws KeyRecordError too. */
  put(digest: string, changed: KeyRecord): KeyRecord {
    const record = parseKeyRecord(changed);
    attempt(this.path, () => this.#records.putSync(digest, JSON.stringify(record)));
    return record;
  }

  async close(): Promise<void> {
    await this.root.close();
  }

  #slotOf(digest: string): UsageSlot {
    const text = this.#slots.get(digest) ?? '';
    return /^\d{1,9}$/.test(text)
      ? usageSlot(Number(text), digest)
      : this.#refuse(digest, 'a key that has no place among the counts');
  }

  /** `missing` is what an earlier version left out of its records. */
  #decode(digest: string, text: string, missing: Partial<KeyRecord> = {}): KeyRecord {
    try {
      return parseKeyRecord({ ...missing, ...JSON.parse(text) });
    } catch (error) {
      if (!(error instanceof KeyRecordError || error instanceof SyntaxError)) throw error;
      return this.#refuse(digest, `a record that is not valid (${error.message})`, error);
    }
  }

  #refuse(digest: string, found: string, cause?: KeyRecordError | SyntaxError): never {
    throw damagedEntry(this.path, `${found}, under the digest ${digest}`, cause);
  }
}
