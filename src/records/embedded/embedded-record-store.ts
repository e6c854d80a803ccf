/**
 * The record store in a folder of this machine, which several processes share under the folder's lock. A write is on
 * disk when its promise resolves, after about 2 ms; a read does not wait for the disk. The caller opens and closes the
 * tables and the lock.
 */

import { setImmediate as nextRound } from 'node:timers/promises';
import type { FileLock } from '../../platform/file-lock.js';
import type { KeyStoreError } from '../../storage/key-store-error.js';
import { planWrite } from '../planned-write.js';
import { checkKind, checkLabel } from '../record-bounds.js';
import type { RecordChange, RecordStore, StoredRecord } from '../record-store.js';
import type { RecordTables } from './record-tables.js';

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
    checkKind(kind);
    checkLabel('id', id);
    return this.#underLock((nowMs) => this.tables.get({ kind, id }, nowMs));
  }

  async findByName(kind: string, name: string): Promise<StoredRecord | undefined> {
    checkKind(kind);
    checkLabel('name', name);
    return this.#underLock((nowMs) => this.tables.findByName(kind, name, nowMs));
  }

  async list(kind: string, onDamaged?: (error: KeyStoreError) => void): Promise<StoredRecord[]> {
    checkKind(kind);
    const listed: StoredRecord[] = [];
    let afterId: string | undefined;
    do {
      const after = afterId;
      const { records, errors, lastId } = await this.#underLock((nowMs) => this.tables.list(kind, after, nowMs));
      for (const error of errors) {
        if (onDamaged === undefined) throw error;
        onDamaged(error);
      }
      listed.push(...records);
      afterId = lastId;
      // A free lock is taken synchronously: without this pause the list would block the event loop.
      await nextRound();
    } while (afterId !== undefined);
    return listed;
  }

  async write(changes: readonly RecordChange[]): Promise<string> {
    const planned = planWrite(changes);
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
