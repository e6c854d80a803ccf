/**
 * The records in a folder of this machine, beside the API keys and under the same lock, which several processes share.
 * A process that reads or changes anything holds that lock, for the reason in folder-lock.ts. A write is on disk when it
 * resolves, which takes about 2 ms; reading waits for no disk. The file and the
 * lock are opened and closed by their owner.
 */

import { setImmediate as nextRound } from 'node:timers/promises';
import type { FolderLock } from '../../keys/embedded/folder-lock.js';
import type { KeyStoreError } from '../../keys/key-store.js';
import { planWrite } from '../planned-write.js';
import { checkKind, checkLabel } from '../record-bounds.js';
import type { RecordChange, RecordStore, StoredRecord } from '../record-store.js';
import type { RecordTables } from './record-tables.js';

/** How long a turn is waited for at most: longer than a busy machine stands still. */
const WAIT_MS = 10_000;

export class EmbeddedRecordStore implements RecordStore {
  /** `clock` tells milliseconds since 1970. */
  constructor(
    private readonly tables: RecordTables,
    private readonly lock: FolderLock,
    private readonly clock: () => number = Date.now,
  ) {}

  async get(kind: string, id: string): Promise<StoredRecord | undefined> {
    checkKind(kind);
    checkLabel('id', id);
    return this.#inTurn((nowMs) => this.tables.get({ kind, id }, nowMs));
  }

  async findByName(kind: string, name: string): Promise<StoredRecord | undefined> {
    checkKind(kind);
    checkLabel('name', name);
    return this.#inTurn((nowMs) => this.tables.findByName(kind, name, nowMs));
  }

  async list(kind: string, onDamaged?: (error: KeyStoreError) => void): Promise<StoredRecord[]> {
    checkKind(kind);
    const listed: StoredRecord[] = [];
    let afterId: string | undefined;
    do {
      const after = afterId;
      const { records, errors, lastId } = await this.#inTurn((nowMs) => this.tables.list(kind, after, nowMs));
      for (const error of errors) {
        if (onDamaged === undefined) throw error;
        onDamaged(error);
      }
      listed.push(...records);
      afterId = lastId;
      // A free lock is taken at once: without a pause, nothing else of this process would have its turn.
      await nextRound();
    } while (afterId !== undefined);
    return listed;
  }

  async write(changes: readonly RecordChange[]): Promise<string> {
    const planned = planWrite(changes);
    await this.#inTurn((nowMs) => this.tables.write(planned, nowMs));
    return planned.version;
  }

  /** Runs `work` while no other process changes anything, with its view of the records up to date. */
  #inTurn<T>(work: (nowMs: number) => T): Promise<T> {
    return this.lock.hold(WAIT_MS, () => {
      this.tables.refresh();
      return work(this.clock());
    });
  }
}
