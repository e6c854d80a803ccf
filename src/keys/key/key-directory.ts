/**
 * The directory of API keys: finds, lists, creates and changes them as records of either kind of key store. Creating or
 * replacing a key, with its successor, is one atomic write.
 */

import { InvalidValueError } from '../../base/errors.js';
import {
  DamagedRecordError,
  type RecordChange,
  RecordError,
  type RecordStore,
  type StoredRecord,
  untilRecordsUnchanged,
} from '../records/record-store.js';
import { isKeyStoreDamage, KeyStoreError } from '../storage/key-store-error.js';
import { KeyError } from './key-error.js';
import { isKeyId, type KeyRecord } from './key-record.js';
import type { NewKey } from './key-seal.js';
import { addressOfKey, decodeStoredKey, encodeStoredKey, KEY_KIND, type StoredKey } from './stored-key.js';
import type { UsageCounts, UsageLedger } from './usage-counts.js';

/** All stored data of one key. */
export interface KeyEntry extends NewKey {
  readonly usage: UsageCounts;
}

/** The new record of a replaced key, and its successor. */
export interface Succession {
  readonly replaced: KeyRecord;
  readonly successor: NewKey;
}

/** Number of keys whose counts are read at a time, so that requests wait for no more than these. */
const LIST_CHUNK = 100;

export class KeyDirectory {
  constructor(
    private readonly records: RecordStore,
    private readonly usage: UsageLedger,
  ) {}

  /** The key with this id, or undefined. */
  async find(id: string): Promise<KeyEntry | undefined> {
    const stored = await this.#findStored(id);
    if (stored === undefined) return undefined;
    const [entry] = await this.#addUsage([this.#decode(stored)]);
    if (entry instanceof KeyStoreError) throw entry;
    return entry;
  }

  /**
   * All keys by creation time, then id. With `onDamaged`, a damaged key is reported there
   * and left out.
   */
  async list(onDamaged?: (error: KeyStoreError) => void): Promise<KeyEntry[]> {
    const tell = (error: unknown): void => {
      if (onDamaged === undefined || !isKeyStoreDamage(error)) throw error;
      onDamaged(withKeyId(error));
    };
    const kept: StoredKey[] = [];
    for (const stored of await this.records.list(KEY_KIND, onDamaged && tell)) {
      try {
        kept.push(this.#decode(stored));
      } catch (error) {
        tell(error);
      }
    }
    const entries: KeyEntry[] = [];
    for (let at = 0; at < kept.length; at += LIST_CHUNK) {
      for (const entry of await this.#addUsage(kept.slice(at, at + LIST_CHUNK))) {
        if (entry instanceof KeyStoreError) tell(entry);
        else entries.push(entry);
      }
    }
    return entries.sort((one, other) => byCreatedThenId(one.record, other.record));
  }

  /** Stores a new key. Rejects with KeyStoreError, and KeyError KEY_EXISTS. */
  async create(entry: KeyEntry): Promise<void> {
    const create = await this.prepareCreate(entry);
    await this.records.write([create]).catch((error) => {
      throw isTaken(error) ? existingKey(entry) : error;
    });
  }

  /**
   * Changes a key's record by the function `change`, repeatedly if another process changes it first, and resolves with
   * the new record. Rejects with KeyStoreError, KeyError KEY_UNKNOWN, and the errors of `change`.
   */
  change(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord> {
    return untilRecordsUnchanged(async () => {
      const planned = await this.prepareChange(id, change);
      await this.records.write([planned.change]);
      return planned.record;
    });
  }

  /**
   * Changes a key's record likewise and creates its successor, which continues its counts. Rejects with
   * KeyError KEY_EXISTS too.
   */
  replace(id: string, succeed: (record: KeyRecord) => Succession): Promise<KeyRecord> {
    return untilRecordsUnchanged(async () => {
      const { replaced, successor, changes } = await this.prepareReplace(id, succeed);
      await this.records.write(changes).catch((error) => {
        if (isTaken(error)) throw existingKey(successor);
        throw isUnsure(error) ? perhapsReplaced(error, id, successor) : error;
      });
      return replaced;
    });
  }

  /** The change that creates a key, for a larger write. Rejects like `create`. */
  async prepareCreate({ usage, ...key }: KeyEntry): Promise<RecordChange> {
    await this.#requireNew(key);
    const usageId = await this.usage.begin(key.digest, usage);
    return { create: { ...addressOfKey(key.digest), ...encodeStoredKey({ ...key, usageId }) } };
  }

  /** The change of a key's record, for a larger write; the write fails if the key has changed by then. */
  async prepareChange(
    id: string,
    change: (record: KeyRecord) => KeyRecord,
  ): Promise<{ readonly record: KeyRecord; readonly change: RecordChange }> {
    const { stored, key } = await this.#require(id);
    const record = change(key.record);
    return { record, change: { change: stored, to: encodeStoredKey({ ...key, record }) } };
  }

  /** The changes that replace a key, likewise. */
  async prepareReplace(
    id: string,
    succeed: (record: KeyRecord) => Succession,
  ): Promise<Succession & { readonly changes: readonly RecordChange[] }> {
    const { stored, key } = await this.#require(id);
    const succession = succeed(key.record);
    const { digest, record, sealed } = succession.successor;
    const content = encodeStoredKey({ record, sealed, usageId: key.usageId });
    const to = encodeStoredKey({ ...key, record: succession.replaced });
    return { ...succession, changes: [{ change: stored, to }, { create: { ...addressOfKey(digest), ...content } }] };
  }

  async #findStored(id: string): Promise<StoredRecord | undefined> {
    return isKeyId(id) ? this.records.findByName(KEY_KIND, id) : undefined;
  }

  async #require(id: string): Promise<{ readonly stored: StoredRecord; readonly key: StoredKey }> {
    const stored = await this.#findStored(id);
    if (stored === undefined) throw unknownKey(id);
    return { stored, key: this.#decode(stored) };
  }

  /** Checked before a usage slot is taken: most keys of an import may exist already. */
  async #requireNew(key: NewKey): Promise<void> {
    const isThere =
      (await this.records.get(KEY_KIND, key.digest)) ?? (await this.records.findByName(KEY_KIND, key.record.id));
    if (isThere !== undefined) throw existingKey(key);
  }

  async #addUsage(keys: readonly StoredKey[]): Promise<(KeyEntry | KeyStoreError)[]> {
    const counts = await this.usage.read(keys.map(({ usageId }) => usageId));
    return keys.map(({ digest, record, sealed }, index) => {
      const usage = counts[index] as UsageCounts | KeyStoreError;
      return usage instanceof KeyStoreError ? usage : { digest, record, sealed, usage };
    });
  }

  #decode(stored: StoredRecord): StoredKey {
    try {
      return decodeStoredKey(stored);
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      const found = `${this.records.place} holds a key that is not valid (${error.message}), under ${stored.id}`;
      throw new KeyStoreError('KEY_STORE_DAMAGED', found, 'restore it from a backup', error);
    }
  }
}

/** The id of a damaged key is told where it is known. */
function withKeyId(error: KeyStoreError): KeyStoreError {
  if (!(error instanceof DamagedRecordError) || error.recordName === undefined) return error;
  const { code, found, remedy, recordName } = error;
  return new KeyStoreError(code, `${found} (${recordName})`, remedy, error);
}

export function unknownKey(id: string): KeyError {
  return new KeyError('KEY_UNKNOWN', `there is no key ${JSON.stringify(id)}: keys list shows all keys`);
}

function existingKey({ record: { id } }: NewKey): KeyError {
  return new KeyError('KEY_EXISTS', `the store already holds the key ${id}: make another key with keys create`);
}

/** The connection was lost before the reply, and the caller does not get the successor's clear key. */
function perhapsReplaced({ found }: KeyStoreError, id: string, { record: successor }: NewKey): KeyStoreError {
  const remedy = `keys show ${id} tells; if it was, keys replace ${successor.id} too, for a key that you see`;
  return new KeyStoreError('KEY_STORE_UNSURE', `${found}, perhaps after ${id} was replaced`, remedy);
}

function isTaken(error: unknown): boolean {
  return error instanceof RecordError && error.code === 'RECORD_EXISTS';
}

function isUnsure(error: unknown): error is KeyStoreError {
  return error instanceof KeyStoreError && error.code === 'KEY_STORE_UNSURE';
}

/** The order of lists: the oldest first, those of one instant by id. Instants of the records' form sort as texts. */
export function byCreatedThenId(one: Created, other: Created): number {
  if (one.created !== other.created) return one.created < other.created ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

interface Created {
  readonly created: string;
  readonly id: string;
}
