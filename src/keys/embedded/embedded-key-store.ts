/**
 * The key store in a folder of this machine, which several processes share, servers and the command line among them.
 * KeyRecords keeps what is known of keys, UsageFile what is counted; only digests are in either, never a clear key.
 * Whoever reads or changes anything holds the folder's lock, so a decision is exact over all processes and sees every
 * change that was finished before it.
 *
 * Records and counts are worth a different price. A change of a record is on disk before it is confirmed and costs about
 * 2 ms. The decisions of a turn wait for no disk and cost about 10 µs, and 5 µs more for each further key. A killed process
 * loses no count; a machine that loses power loses at most the last second, when the counts are synced.
 */

import { join, resolve } from 'node:path';
import type { Logger } from '../../logger.js';
import { admit, findFault, useAfter } from '../admission.js';
import { type CalendarMonth, monthOf } from '../calendar-month.js';
import { messageOf } from '../key-error.js';
import type { KeyRecord } from '../key-record.js';
import {
  byCreatedThenId,
  type KeyEntry,
  type KeyQuestion,
  type KeyStore,
  KeyStoreError,
  type KeyStoreHealth,
  type KeyVerdict,
  type Succession,
} from '../key-store.js';
import type { PlanFinder } from '../plan.js';
import { FolderLock } from './folder-lock.js';
import { openIn, prepareKeyFolder, TURN_FILE, USAGE_FILE } from './key-folder.js';
import { type KeptKey, type KeyRecords, openKeyRecords } from './key-records.js';
import { UsageFile } from './usage-file.js';

export interface EmbeddedKeyStoreOptions {
  readonly folder: string;
  readonly findPlan: PlanFinder;
  /** Milliseconds since 1970-01-01T00:00Z. */
  readonly clock?: () => number;
  readonly logger?: Logger;
  /** Whether a folder without a store is an error; else there is a new store in it. */
  readonly mustExist?: boolean;
}

const SILENT: Logger = { info() {}, warn() {}, error() {} };
/** How long decisions wait for their turn at most, and how long changes do: longer than a busy machine stands still. */
const DECISION_WAIT_MS = 5_000;
const CHANGE_WAIT_MS = 10_000;
const SYNC_EVERY_MS = 1_000;
const LIST_CHUNK = 100;

/** Opens the store, and makes its folder if it is missing. Throws KeyStoreError. */
export function openEmbeddedKeyStore(options: EmbeddedKeyStoreOptions): KeyStore {
  const { folder, findPlan, clock = Date.now, logger = SILENT, mustExist = false } = options;
  const path = resolve(folder);
  prepareKeyFolder(path, mustExist);
  const lock = openIn(path, () => new FolderLock(join(path, TURN_FILE)));
  try {
    return lock.holdSync(CHANGE_WAIT_MS, () => {
      const files = openFiles(path, lock);
      if (!files.usage.reaches(files.records.countSlots())) {
        logger.warn({ folder: path }, 'the file of counts is missing or was cut: keys without counts begin at zero');
      }
      return new EmbeddedKeyStore(path, files, findPlan, clock, logger);
    });
  } catch (error) {
    lock.close();
    throw error;
  }
}

interface StoreFiles {
  readonly lock: FolderLock;
  readonly usage: UsageFile;
  readonly records: KeyRecords;
}

function openFiles(path: string, lock: FolderLock): StoreFiles {
  const usage = openIn(path, () => new UsageFile(join(path, USAGE_FILE)));
  try {
    return { lock, usage, records: openKeyRecords(path) };
  } catch (error) {
    usage.close();
    throw error;
  }
}

class EmbeddedKeyStore implements KeyStore {
  readonly #syncTimer: NodeJS.Timeout;
  #hasUnsynced = false;
  #problem: string | null = null;
  #errorCount = 0;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly path: string,
    private readonly files: StoreFiles,
    private readonly findPlan: PlanFinder,
    private readonly clock: () => number,
    private readonly logger: Logger,
  ) {
    this.#syncTimer = setInterval(() => void this.#sync(), SYNC_EVERY_MS).unref();
  }

  async decide(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]> {
    const nowMs = this.clock();
    const month = monthOf(nowMs);
    try {
      const decideAll = () => questions.map((question) => orDamage(() => this.#decideOne(question, nowMs, month)));
      const found = await this.#inTurn(DECISION_WAIT_MS, decideAll);
      const damage = found.find((verdict) => verdict instanceof KeyStoreError);
      if (damage === undefined) this.#problem = null;
      else this.#noteProblem(damage.message);
      return found.map((verdict) =>
        verdict instanceof KeyStoreError ? { standing: 'unavailable', cause: verdict } : verdict,
      );
    } catch (error) {
      this.#noteProblem(messageOf(error));
      throw error;
    }
  }

  knows(digest: string): boolean {
    return this.files.records.knows(digest);
  }

  /** Nothing is to be set. */
  inspect(): void {}

  async find(id: string): Promise<KeyEntry | undefined> {
    return this.#inTurn(CHANGE_WAIT_MS, () => {
      const found = this.files.records.findById(id);
      return found && this.#entryOf(found);
    });
  }

  async list(onDamaged?: (error: KeyStoreError) => void): Promise<KeyEntry[]> {
    const { records } = this.files;
    const digests = await this.#inTurn(CHANGE_WAIT_MS, () => records.listDigests());
    const entries: KeyEntry[] = [];
    // A turn for a few at a time: requests wait for their own meanwhile.
    for (let at = 0; at < digests.length; at += LIST_CHUNK) {
      const chunk = digests.slice(at, at + LIST_CHUNK);
      const readAll = () => chunk.map((digest) => orDamage(() => this.#entryOf(records.require(digest))));
      for (const entry of await this.#inTurn(CHANGE_WAIT_MS, readAll)) {
        if (!(entry instanceof KeyStoreError)) entries.push(entry);
        else if (onDamaged === undefined) throw entry;
        else onDamaged(entry);
      }
    }
    return entries.sort(byCreatedThenId);
  }

  async create(entry: KeyEntry): Promise<void> {
    await this.#changeRecords(() => this.#insert(entry, entry.usage));
  }

  async change(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord> {
    return this.#changeRecords((records) => {
      const { digest, record } = records.requireById(id);
      return records.put(digest, change(record));
    });
  }

  async replace(id: string, succeed: (record: KeyRecord) => Succession): Promise<KeyRecord> {
    return this.#changeRecords((records) => {
      const { digest, record, slot } = records.requireById(id);
      const { replaced, successor } = succeed(record);
      // Nothing is counted meanwhile, so the successor takes over every request.
      this.#insert(successor, this.files.usage.readMonths(slot));
      return records.put(digest, replaced);
    });
  }

  health(): KeyStoreHealth {
    const state = this.#problem === null ? 'ready' : 'degraded';
    return { kind: 'embedded', state, problem: this.#problem, errorCount: this.#errorCount };
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeFiles();
    return this.#closed;
  }

  #noteProblem(problem: string): void {
    this.#problem = problem;
    this.#errorCount++;
  }

  /** Runs `work` while no other process changes anything, with its view of the records up to date. */
  #inTurn<T>(limitMs: number, work: () => T): Promise<T> {
    const { lock, records } = this.files;
    return lock.hold(limitMs, () => {
      records.refresh();
      return work();
    });
  }

  /** Runs a change of records as one transaction; when it resolves, the change is on disk. */
  #changeRecords<T>(change: (records: KeyRecords) => T): Promise<T> {
    const { records } = this.files;
    return this.#inTurn(CHANGE_WAIT_MS, () => records.transact(() => change(records)));
  }

  #decideOne({ digest, count }: KeyQuestion, nowMs: number, month: CalendarMonth): KeyVerdict {
    const { records, usage } = this.files;
    const found = records.find(digest);
    if (found === undefined) return { standing: 'unknown' };
    const { record, slot } = found;
    const standing = findFault(record, nowMs);
    if (standing !== undefined) return { standing };
    const before = usage.read(slot, month.name);
    const admission = admit(record.id, this.findPlan(record.plan), before, { nowMs, month }, count);
    if (admission.allowedCount > 0) {
      usage.write(slot, month.name, useAfter(admission, count));
      this.#hasUnsynced = true;
    }
    return admission;
  }

  #entryOf({ digest, record, slot }: KeptKey): KeyEntry {
    const { records, usage } = this.files;
    return { digest, record, sealed: records.findSealed(digest) ?? null, usage: usage.readMonths(slot) };
  }

  #insert(entry: KeyEntry, counts: ReadonlyMap<string, number>): void {
    const slot = this.files.records.insert(entry);
    // Not part of the transaction; should that fail, the slot is the next key's and is filled anew.
    this.files.usage.fill(slot, counts);
    this.#hasUnsynced = true;
  }

  async #sync(): Promise<void> {
    if (!this.#hasUnsynced) return;
    this.#hasUnsynced = false;
    try {
      await this.files.usage.sync();
    } catch (error) {
      this.#hasUnsynced = true;
      this.#noteProblem(messageOf(error));
    }
  }

  async #closeFiles(): Promise<void> {
    clearInterval(this.#syncTimer);
    const { usage, records, lock } = this.files;
    const steps = [
      () => usage.sync(),
      // In turn too, or not at all: what the last of several processes does to lmdb's locks must not meet the first of
      // the next.
      () => lock.hold(CHANGE_WAIT_MS, () => records.close()),
      () => usage.close(),
      () => lock.close(),
    ];
    const failures: unknown[] = [];
    // Whatever fails, the rest is closed all the same.
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
        const fields = { folder: this.path, problem: messageOf(error) };
        this.logger.error(fields, 'closing the key store failed: the latest counts may not be on disk');
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** What the call returns, or the error where it found damaged data: those of one key spoil no other. */
function orDamage<T>(call: () => T): T | KeyStoreError {
  try {
    return call();
  } catch (error) {
    if (error instanceof KeyStoreError && error.code === 'KEY_STORE_DAMAGED') return error;
    throw error;
  }
}
