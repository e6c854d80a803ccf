/**
 * The record store in a folder of this machine, which several processes share under the folder's lock. A write is on
 * disk when its promise resolves, after about 2 ms; a read does not wait for the disk. The caller opens and closes the
 * tables and the lock.
 */

import { hash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { ABORT, type Database, type Key, open, type RootDatabase } from 'lmdb';
import type { FileLock } from '../../base/file-lock.js';
import { RECORDS_FILE } from '../storage/key-folder.js';
import { damagedKeyFolderEntry } from '../storage/key-folder-error.js';
import { KeyStoreError } from '../storage/key-store-error.js';
import {
  checkRecordKind,
  checkRecordLabel,
  DamagedRecordError,
  decodeRecord,
  LABEL_BYTES_LIMIT,
  type PlannedRecord,
  type PlannedWrite,
  planRecordWrite,
  type RecordAddress,
  type RecordChange,
  type RecordStore,
  recordHeadOf,
  refusedChange,
  type StoredRecord,
  VALUE_BYTES_LIMIT,
  VERSION_LENGTH,
} from './record-store.js';

/*
 * The records in lmdb, and the only file that knows lmdb. There are four tables:
 *
 *     record:texts       "<kind>:<id>"                to the record's text, see record-store.ts
 *     record:names       "<kind>:<name>"              to the id of the record that has the name
 *     record:ends        [expiresMs, "<kind>:<id>"]   to nothing, for each record that has an end
 *     record:checksums   "<kind>:<id>"                to the record's version, the checksum of its text, and its first
 *                                                     name or nothing, for each record that has no end
 *
 * A record whose text has changed on the disk, or that is no longer where it was written, is damaged, and not missing. An
 * earlier version of this program writes no checksums: a record of another version than its checksum, or without one,
 * counts as whole if its names lead to it, and `check` adds the checksum.
 *
 * A kind contains no colon, so each key is unambiguous. lmdb orders texts by their UTF-8 bytes. A record in the tables
 * has all its names, even after it has expired; a write removes the expired records that it finds, and up to 100
 * others. The caller holds the folder's lock, which makes a failure of lmdb a KeyStoreError; so is damaged data.
 */

/** Number of hexadecimal digits of a checksum: 128 bits of SHA-256. */
const CHECKSUM_LENGTH = 32;

/** Version and checksum of a record's text. */
function checksumOf(text: string): string {
  return text.slice(0, VERSION_LENGTH) + hash('sha256', text, 'hex').slice(0, CHECKSUM_LENGTH);
}

/** The record's first name in an entry of the checksums. */
function nameIn(entry: string | undefined): string | undefined {
  return entry?.slice(VERSION_LENGTH + CHECKSUM_LENGTH) || undefined;
}

/** Some records of a kind in order. */
export interface RecordPage {
  readonly records: readonly StoredRecord[];
  readonly errors: readonly DamagedRecordError[];
  /** What to go on with; undefined after the last record. */
  readonly lastId: string | undefined;
}

const PAGE_RECORDS = 100;
/** Maximum number of expired records that a write removes: as many as a write can create. */
const SWEPT_RECORDS = 100;

/** Opens the tables in the folder at `path`, and makes them if they are missing. Called under the folder's lock. */
export function openRecordTables(path: string): RecordTables {
  let root: RootDatabase | undefined;
  // lmdb creates its files readable for all users.
  const umask = process.umask(0o077);
  try {
    root = open({ path: join(path, RECORDS_FILE), overlappingSync: false });
    return new RecordTables(path, root);
  } catch (error) {
    void root?.close();
    throw error;
  } finally {
    process.umask(umask);
  }
}

export class RecordTables {
  readonly #texts: Database<string, string>;
  readonly #names: Database<string, string>;
  readonly #ends: Database<string, [number, string]>;
  readonly #checksums: Database<string, string>;

  /** For openRecordTables. */
  constructor(
    readonly path: string,
    private readonly root: RootDatabase,
  ) {
    this.#texts = root.openDB<string, string>('record:texts', { encoding: 'string' });
    this.#names = root.openDB<string, string>('record:names', { encoding: 'string' });
    this.#ends = root.openDB<string, [number, string]>('record:ends', { encoding: 'string' });
    this.#checksums = root.openDB<string, string>('record:checksums', { encoding: 'string' });
  }

  /**
   * Reads every entry and finds it by its key, for records-check.ts. Throws where a table has another number of entries than
   * it says, or an entry is not where its key leads, or longer or shorter than any that is written.
   */
  readAll(): void {
    const tables: [table: Database<string, Key>, shortest: number, longest: number][] = [
      // Eight names, each character escaped, take less than a second value.
      [this.#texts, 1, 2 * VALUE_BYTES_LIMIT],
      [this.#names, 1, LABEL_BYTES_LIMIT],
      [this.#ends as Database<string, Key>, 0, 0],
      [this.#checksums, 1, VERSION_LENGTH + CHECKSUM_LENGTH + LABEL_BYTES_LIMIT],
    ];
    for (const [table, shortest, longest] of tables) {
      const { entryCount } = table.getStats() as { readonly entryCount: number };
      let count = 0;
      for (const { key, value } of table.getRange()) {
        // Pages that lead to each other would be read for ever.
        if (++count > entryCount) break;
        if (!table.doesExist(key)) throw new Error('an entry of it is out of order');
        // A length may lead out of the file, which ends one process and not another, as memory lies.
        if (value.length < shortest || value.length > longest) throw new Error('an entry of it has a false length');
      }
      if (count !== entryCount) throw new Error('it has another number of entries than it says');
    }
  }

  /** Makes later reads see the latest changes; otherwise lmdb keeps its earlier read transaction. */
  refresh(): void {
    this.#texts.resetReadTxn();
  }

  get(address: RecordAddress, nowMs: number): StoredRecord | undefined {
    const record = this.#read(address);
    return record && hasEnded(record, nowMs) ? undefined : record;
  }

  findByName(kind: string, name: string, nowMs: number): StoredRecord | undefined {
    const id = this.#names.get(keyOf(kind, name));
    return id === undefined ? undefined : this.get({ kind, id }, nowMs);
  }

  /** The records of a kind behind `afterId`, or from the first on. */
  list(kind: string, afterId: string | undefined, nowMs: number): RecordPage {
    const { entries, lost, lastId } = this.#readPage(kind, afterId);
    const records: StoredRecord[] = [];
    const errors: DamagedRecordError[] = [...lost];
    for (const { key, value } of entries) {
      const read = this.#decode(addressOf(key), value);
      if (read instanceof KeyStoreError) errors.push(read);
      else if (!hasEnded(read, nowMs)) records.push(read);
    }
    return { records, errors, lastId };
  }

  /** Of these records, those without an end that have no good checksum and are whole all the same: they get one. */
  check(kind: string, afterId: string | undefined): RecordPage {
    const { entries, lost, lastId } = this.#readPage(kind, afterId);
    const errors: DamagedRecordError[] = [...lost];
    const whole: [record: StoredRecord, text: string][] = [];
    for (const { key, value } of entries) {
      if (this.#checksums.get(key)?.startsWith(checksumOf(value))) continue;
      const read = this.#decode(addressOf(key), value);
      if (read instanceof KeyStoreError) errors.push(read);
      else if (read.expiresMs === null) whole.push([read, value]);
    }
    if (whole.length > 0) {
      this.#transact(() => {
        for (const [record, text] of whole) this.#putChecksum(record, text);
      });
    }
    return { records: whole.map(([record]) => record), errors, lastId };
  }

  #readPage(kind: string, afterId: string | undefined) {
    // ';' follows ':'.
    const range = { start: keyOf(kind, afterId ?? ''), exclusiveStart: true, end: `${kind};` };
    const entries = [...this.#texts.getRange({ ...range, limit: PAGE_RECORDS })];
    const last = entries.length < PAGE_RECORDS ? undefined : entries.at(-1)?.key;
    const found = new Set(entries.map(({ key }) => key));
    const lost = [...this.#checksums.getKeys({ ...range, end: last ?? range.end })].flatMap((key) =>
      found.has(key) ? [] : (this.#findLost(addressOf(key)) ?? []),
    );
    return { entries, lost, lastId: last && addressOf(last).id };
  }

  /** The write is on disk when this returns. Throws RecordError or KeyStoreError; then nothing has changed. */
  write({ changes }: PlannedWrite, nowMs: number): void {
    this.#transact(() => {
      this.#sweep(nowMs);
      for (const [index, change] of changes.entries()) {
        const found = this.#requireLiving(change, nowMs);
        if (change.head === null) {
          if (found !== undefined) throw refusedChange(change, index, 'id taken');
        } else {
          if (found === undefined || recordHeadOf(found) !== change.head) throw refusedChange(change, index, 'changed');
          if (change.outcome !== 'unchanged') this.#remove(found);
        }
      }
      for (const [index, change] of changes.entries()) {
        const { kind, outcome } = change;
        if (typeof outcome === 'string') continue;
        if (outcome.names.some((name) => this.#isTaken(kind, name, nowMs))) {
          throw refusedChange(change, index, 'name taken');
        }
        this.#put(change, outcome);
      }
    });
  }

  /** The record, unless it has expired; an expired record is removed. */
  #requireLiving(address: RecordAddress, nowMs: number): StoredRecord | undefined {
    const record = this.#read(address);
    if (record === undefined || !hasEnded(record, nowMs)) return record;
    this.#remove(record);
    return undefined;
  }

  #isTaken(kind: string, name: string, nowMs: number): boolean {
    const id = this.#names.get(keyOf(kind, name));
    return id !== undefined && this.#requireLiving({ kind, id }, nowMs) !== undefined;
  }

  #put({ kind, id }: RecordAddress, { text, names, expiresMs }: PlannedRecord): void {
    this.#texts.putSync(keyOf(kind, id), text);
    for (const name of names) this.#names.putSync(keyOf(kind, name), id);
    if (expiresMs === null) this.#putChecksum({ kind, id, names }, text);
    else this.#ends.putSync([expiresMs, keyOf(kind, id)], '');
  }

  #putChecksum({ kind, id, names }: RecordAddress & Pick<StoredRecord, 'names'>, text: string): void {
    this.#checksums.putSync(keyOf(kind, id), checksumOf(text) + (names[0] ?? ''));
  }

  #remove({ kind, id, names, expiresMs }: StoredRecord): void {
    this.#texts.removeSync(keyOf(kind, id));
    for (const name of names) this.#names.removeSync(keyOf(kind, name));
    if (expiresMs === null) this.#checksums.removeSync(keyOf(kind, id));
    else this.#ends.removeSync([expiresMs, keyOf(kind, id)]);
  }

  /** Removes the records that ended first. */
  #sweep(nowMs: number): void {
    for (const end of [...this.#ends.getKeys({ end: [nowMs, ''], limit: SWEPT_RECORDS })]) {
      const [, key] = end;
      const read = this.#decode(addressOf(key), this.#texts.get(key) ?? '');
      if (!(read instanceof KeyStoreError)) this.#remove(read);
      // A damaged record is kept for the operator, but not found again by the next sweep.
      else this.#ends.removeSync(end);
    }
  }

  /** The text of a record, also of one that has ended. Throws DamagedRecordError where the record is lost. */
  readText(address: RecordAddress): string | undefined {
    const text = this.#texts.get(keyOf(address.kind, address.id));
    const lost = text === undefined ? this.#findLost(address) : undefined;
    if (lost !== undefined) throw lost;
    return text;
  }

  /** The record with this text. Throws DamagedRecordError. */
  decode(address: RecordAddress, text: string): StoredRecord {
    const read = this.#decode(address, text);
    if (read instanceof KeyStoreError) throw read;
    return read;
  }

  async close(): Promise<void> {
    await this.root.close();
  }

  #read(address: RecordAddress): StoredRecord | undefined {
    const text = this.readText(address);
    return text === undefined ? undefined : this.decode(address, text);
  }

  #decode(address: RecordAddress, text: string): StoredRecord | DamagedRecordError {
    const record = decodeRecord(address, text);
    const entry = this.#checksums.get(keyOf(address.kind, address.id));
    const name = nameIn(entry) ?? record?.names[0];
    if (record === undefined) return this.#damaged('a record that is not valid', address, name);
    const isWhole = entry?.startsWith(record.version)
      ? entry.startsWith(checksumOf(text))
      : record.names.every((each) => this.#names.get(keyOf(address.kind, each)) === address.id);
    return isWhole ? record : this.#damaged('a record that is not as it was written', address, name);
  }

  /** Of a record without a text: the error, if it was not deleted. */
  #findLost(address: RecordAddress): DamagedRecordError | undefined {
    const { kind, id } = address;
    const entry = this.#checksums.get(keyOf(kind, id));
    if (entry === undefined) return undefined;
    const name = nameIn(entry);
    // An earlier version of this program leaves the checksum of a record that it deletes, but no name.
    if (name !== undefined && this.#names.get(keyOf(kind, name)) !== id) return undefined;
    return this.#damaged('no record where one was written', address, name);
  }

  #damaged(what: string, address: RecordAddress, name: string | undefined): DamagedRecordError {
    const found = `${what}, the ${address.kind} ${JSON.stringify(address.id)}`;
    return new DamagedRecordError(damagedKeyFolderEntry(this.path, found), address, name);
  }

  /** Runs `change` as one transaction; if `change` throws, the transaction is rolled back. */
  #transact(change: () => void): void {
    let failure: { readonly error: unknown } | undefined;
    // Not lmdb's asynchronous put: on a full disk it rejects promises that the caller can't reach.
    this.root.transactionSync(() => {
      try {
        return change();
      } catch (error) {
        failure = { error };
        return ABORT;
      }
    });
    if (failure !== undefined) throw failure.error;
  }
}

function keyOf(kind: string, label: string): string {
  return `${kind}:${label}`;
}

function addressOf(key: string): RecordAddress {
  const colon = key.indexOf(':');
  return { kind: key.slice(0, colon), id: key.slice(colon + 1) };
}

function hasEnded({ expiresMs }: StoredRecord, nowMs: number): boolean {
  return expiresMs !== null && nowMs > expiresMs;
}

/** Maximum wait for the lock in milliseconds: longer than a busy machine stands still. */
const WAIT_MS = 10_000;

export class EmbeddedRecordStore implements RecordStore {
  /** `clock` returns milliseconds since 1970. */
  constructor(
    private readonly tables: RecordTables,
    private readonly lock: FileLock,
    private readonly clock: () => number = Date.now,
  ) {}

  get place(): string {
    return this.tables.path;
  }

  async get(kind: string, id: string): Promise<StoredRecord | undefined> {
    checkRecordKind(kind);
    checkRecordLabel('id', id);
    return this.#underLock((nowMs) => this.tables.get({ kind, id }, nowMs));
  }

  async findByName(kind: string, name: string): Promise<StoredRecord | undefined> {
    checkRecordKind(kind);
    checkRecordLabel('name', name);
    return this.#underLock((nowMs) => this.tables.findByName(kind, name, nowMs));
  }

  async list(kind: string, onDamaged?: (error: DamagedRecordError) => void): Promise<StoredRecord[]> {
    checkRecordKind(kind);
    const listed: StoredRecord[] = [];
    for await (const { records, errors } of this.#pages((afterId, nowMs) => this.tables.list(kind, afterId, nowMs))) {
      for (const error of errors) {
        if (onDamaged === undefined) throw error;
        onDamaged(error);
      }
      listed.push(...records);
    }
    return listed;
  }

  /** Checks the records of a kind, until `signal`. The pages have the records that get a checksum now. */
  check(kind: string, signal: AbortSignal): AsyncIterable<RecordPage> {
    const none: RecordPage = { records: [], errors: [], lastId: undefined };
    return this.#pages((afterId) => (signal.aborted ? none : this.tables.check(kind, afterId)));
  }

  async *#pages(read: (afterId: string | undefined, nowMs: number) => RecordPage): AsyncGenerator<RecordPage> {
    let afterId: string | undefined;
    do {
      const after = afterId;
      const page = await this.#underLock((nowMs) => read(after, nowMs));
      yield page;
      afterId = page.lastId;
      // A free lock is taken synchronously: without this pause the list would block the event loop.
      await nextRound();
    } while (afterId !== undefined);
  }

  async write(changes: readonly RecordChange[]): Promise<string> {
    const planned = planRecordWrite(changes);
    await this.#underLock((nowMs) => this.tables.write(planned, nowMs));
    return planned.version;
  }

  /** Runs `work` while no other process changes anything, with its view of the records up to date. */
  #underLock<T>(work: (nowMs: number) => T): Promise<T> {
    return this.lock.hold(WAIT_MS, () => {
      this.tables.refresh();
      return work(this.clock());
    });
  }
}
