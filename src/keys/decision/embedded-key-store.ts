/**
 * The key store in a folder of this machine, which several processes share, servers and the command line among them.
 * Keys are records in lmdb, counts a file of slots; only digests are in either, never a clear key. A process that reads
 * or changes anything holds the folder's lock, so a decision is exact over all processes and sees every finished change.
 * A change of a record is on disk before it is confirmed and costs about 2 ms. Decisions wait for no disk and cost about
 * 10 µs, and 5 µs more for each further key: a killed process loses no count, a power failure at most those of the last
 * second.
 */

import { join, resolve } from 'node:path';
import { errorMessageOf, InvalidValueError } from '../../base/errors.js';
import type { FileLock } from '../../base/file-lock.js';
import type { Logger } from '../../base/logger.js';
import { RecencyMap } from '../../base/recency-map.js';
import { dayOf, monthOf } from '../key/calendar.js';
import { KeyDirectory } from '../key/key-directory.js';
import type { KeyRecord } from '../key/key-record.js';
import { findBadKeyStatus } from '../key/key-status.js';
import type { PlanFinder } from '../key/plan.js';
import { addressOfKey, decodeStoredKey, KEY_KIND } from '../key/stored-key.js';
import { EmbeddedRecordStore, openRecordTables, type RecordTables } from '../records/embedded-record-store.js';
import { DamagedRecordError, type StoredRecord } from '../records/record-store.js';
import { requireSoundRecords } from '../records/records-check.js';
import { openFolderLock, prepareKeyFolder, USAGE_FILE, VISITORS_FILE } from '../storage/key-folder.js';
import { damagedKeyFolderEntry, orInaccessibleKeyFolder } from '../storage/key-folder-error.js';
import { isKeyStoreDamage, type KeyStoreError, orKeyStoreDamage } from '../storage/key-store-error.js';
import { EmbeddedUsage } from './embedded-usage.js';
import {
  decideKeyCheck,
  type GoodKey,
  type KeyCheck,
  type KeyDecision,
  type Moment,
  useAfterDecision,
  type VisitorArrivals,
} from './key-decision.js';
import type { KeyStore, KeyStoreHealth, OpenOptions } from './key-store.js';
import { parseUsageId, UsageFile, type UsageSlot } from './usage-file.js';
import { VisitorFile } from './visitor-file.js';

export interface EmbeddedKeyStoreOptions extends OpenOptions {
  readonly folder: string;
  readonly findPlan: PlanFinder;
  /** Milliseconds since 1970-01-01T00:00Z. */
  readonly clock?: () => number;
  readonly logger?: Logger;
}

const SILENT: Logger = { info() {}, warn() {}, error() {} };
/**
 * Milliseconds for which a batch of decisions waits for the lock: longer than a busy machine stands still. A request
 * may wait for one batch before its own, so twice as long at the worst.
 */
const DECISION_WAIT_MS = 2_500;
const CHANGE_WAIT_MS = 10_000;
const SYNC_EVERY_MS = 1_000;

/** Opens the store, and makes its folder if it is missing. */
export async function openEmbeddedKeyStore(options: EmbeddedKeyStoreOptions): Promise<KeyStore> {
  const { folder, findPlan, clock = Date.now, logger = SILENT, mustExist = false, isChecked = false } = options;
  const path = resolve(folder);
  prepareKeyFolder(path, mustExist);
  if (!isChecked) await requireSoundRecords(path);
  const lock = openFolderLock(path);
  let files: StoreFiles;
  try {
    files = await lock.hold(CHANGE_WAIT_MS, () => openFiles(path, lock));
  } catch (error) {
    lock.close();
    throw error;
  }
  const records = new EmbeddedRecordStore(files.tables, lock, clock);
  const usage = new EmbeddedUsage(records, lock, files.usage);
  const store = new EmbeddedKeyStore(path, files, records, usage, findPlan, clock, logger, isChecked);
  try {
    if (!(await usage.prepare())) {
      logger.warn({ folder: path }, 'the file of counts is missing or was cut: keys without counts begin at zero');
    }
    return store;
  } catch (error) {
    // `close` logs its own failure; the first error matters more.
    await store.close().catch(() => {});
    throw error;
  }
}

interface StoreFiles {
  readonly lock: FileLock;
  readonly usage: UsageFile;
  readonly tables: RecordTables;
}

function openFiles(path: string, lock: FileLock): StoreFiles {
  const usage = orInaccessibleKeyFolder(path, () => new UsageFile(join(path, USAGE_FILE)));
  try {
    return { lock, usage, tables: openRecordTables(path) };
  } catch (error) {
    usage.close();
    throw error;
  }
}

interface FoundKey extends GoodKey {
  readonly record: KeyRecord;
  readonly slot: UsageSlot;
}

/** Maximum number of keys whose records stay parsed, some 1.5 kB each. */
const FOUND_LIMIT = 10_000;
/** Maximum number of damaged keys that are remembered, so that each is logged once. */
const DAMAGED_LIMIT = 1_000;

class EmbeddedKeyStore implements KeyStore {
  readonly directory: KeyDirectory;
  /** By digest, beside the text that the key was parsed from: it is good while the store holds that text. */
  readonly #found = new RecencyMap<string, { readonly text: string; readonly key: FoundKey }>(FOUND_LIMIT);
  /** By digest. */
  readonly #damaged = new RecencyMap<string, true>(DAMAGED_LIMIT);
  readonly #closing = new AbortController();
  #checking: Promise<void> | undefined;
  readonly #syncTimer: NodeJS.Timeout;
  #hasUnsynced = false;
  #problem: string | null = null;
  #errorCount = 0;
  #closed: Promise<void> | undefined;
  /** Opened with the first request of a publishable key. */
  #visitors: VisitorFile | undefined;

  constructor(
    private readonly path: string,
    private readonly files: StoreFiles,
    readonly records: EmbeddedRecordStore,
    usage: EmbeddedUsage,
    private readonly findPlan: PlanFinder,
    private readonly clock: () => number,
    private readonly logger: Logger,
    private readonly isChecked: boolean,
  ) {
    this.directory = new KeyDirectory(records, usage);
    this.#syncTimer = setInterval(() => void this.#sync(), SYNC_EVERY_MS).unref();
  }

  async decide(checks: readonly KeyCheck[]): Promise<readonly KeyDecision[]> {
    const nowMs = this.clock();
    const moment = { nowMs, month: monthOf(nowMs), day: dayOf(nowMs) };
    const decisions: KeyDecision[] = [];
    let damage: string | null = null;
    try {
      await this.files.lock.hold(DECISION_WAIT_MS, () => {
        this.files.tables.refresh();
        for (const check of checks) {
          const decision = this.#decideOne(check, moment);
          decisions.push(decision);
          if (decision.status === 'unavailable') damage = errorMessageOf(decision.cause);
        }
      });
    } catch (error) {
      this.#noteProblem(errorMessageOf(error));
      throw error;
    }
    if (damage === null) this.#problem = null;
    else this.#noteProblem(damage);
    return decisions;
  }

  /** The embedded store has no settings. */
  inspect(): void {
    if (!this.isChecked) this.#checking = this.#checkKeys();
  }

  health(): KeyStoreHealth {
    const state = this.#problem === null ? 'ready' : 'degraded';
    return { kind: 'embedded', state, problem: this.#problem, errorCount: this.#errorCount };
  }

  close(): Promise<void> {
    this.#closing.abort();
    this.#closed ??= this.#closeFiles();
    return this.#closed;
  }

  #noteProblem(problem: string): void {
    this.#problem = problem;
    this.#errorCount++;
  }

  async #checkKeys(): Promise<void> {
    try {
      for await (const { records, errors } of this.records.check(KEY_KIND, this.#closing.signal)) {
        const decoded = records.map((stored) => orKeyStoreDamage(() => this.#decode(stored)));
        for (const error of [...errors, ...decoded.filter((each) => each instanceof DamagedRecordError)]) {
          this.#logDamage(error.address.id, error);
          this.#noteProblem(errorMessageOf(error));
        }
      }
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#noteProblem(errorMessageOf(error));
    }
  }

  /** Logs each damaged key once, by its id where that is known. */
  #logDamage(digest: string, error: KeyStoreError): void {
    if (this.#damaged.has(digest)) return;
    this.#damaged.set(digest, true);
    const id = error instanceof DamagedRecordError ? error.recordName : this.#found.get(digest)?.key.keyId;
    this.logger.error({ store: this.path, key: id ?? digest, problem: errorMessageOf(error) }, 'could not check a key');
  }

  /** Damage of one key must not affect other keys. */
  #decideOne(check: KeyCheck, moment: Moment & { readonly day: string }): KeyDecision {
    try {
      const key = this.#find(check.digest);
      if (key === undefined) return { status: 'invalid' };
      const fault = findBadKeyStatus(key.record, moment.nowMs);
      if (fault !== undefined) return { status: fault, origins: key.restrictions?.origins };
      // A record that lost its restrictions must not free the key.
      if ((key.restrictions === undefined) !== (check.callers === undefined)) {
        throw damagedKeyFolderEntry(this.path, `the key ${key.keyId} as one of the other kind, secret or publishable`);
      }
      const before = this.files.usage.read(key.slot, moment.month.name);
      const admission = decideKeyCheck(key, before, moment, check, () => this.#visitorsOf(key.slot));
      const units = admission.allowedCount * admission.cost;
      if (units > 0) {
        this.files.usage.write(key.slot, moment.day, useAfterDecision(admission, check.count), units);
        this.#hasUnsynced = true;
      }
      return admission;
    } catch (error) {
      if (!isKeyStoreDamage(error)) throw error;
      this.#logDamage(check.digest, error);
      return { status: 'unavailable', cause: error };
    }
  }

  #find(digest: string): FoundKey | undefined {
    const address = addressOfKey(digest);
    const text = this.files.tables.readText(address);
    if (text === undefined) return undefined;
    const known = this.#found.get(digest);
    if (known?.text === text) return known.key;
    const { record, slot } = this.#decode(this.files.tables.decode(address, text));
    const { id: keyId, plan, restrictions } = record;
    const key = { record, slot, keyId, plan: this.findPlan(plan), restrictions };
    this.#found.set(digest, { text, key });
    return key;
  }

  #decode(stored: StoredRecord): Pick<FoundKey, 'record' | 'slot'> {
    try {
      const { record, usageId } = decodeStoredKey(stored);
      const slot = parseUsageId(usageId);
      if (slot === undefined) throw new InvalidValueError('it has no place among the counts');
      return { record, slot };
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      const found = `a record that is not valid (${error.message}), under the digest ${stored.id}`;
      throw new DamagedRecordError(damagedKeyFolderEntry(this.path, found, error), stored, stored.names[0]);
    }
  }

  #visitorsOf({ number }: UsageSlot): VisitorArrivals {
    this.#visitors ??= new VisitorFile(join(this.path, VISITORS_FILE));
    return this.#visitors.arrivalsOf(number);
  }

  async #sync(): Promise<void> {
    if (!this.#hasUnsynced) return;
    this.#hasUnsynced = false;
    try {
      await this.files.usage.sync();
    } catch (error) {
      this.#hasUnsynced = true;
      this.#noteProblem(errorMessageOf(error));
    }
  }

  async #closeFiles(): Promise<void> {
    clearInterval(this.#syncTimer);
    await this.#checking;
    const { usage, tables, lock } = this.files;
    const steps = [
      () => usage.sync(),
      // Under the lock: the last process that closes lmdb must not race with a process that opens it.
      () => lock.hold(CHANGE_WAIT_MS, () => tables.close()),
      () => usage.close(),
      () => this.#visitors?.close(),
      () => lock.close(),
    ];
    const failures: unknown[] = [];
    // After a failure the other steps still run.
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
        const fields = { folder: this.path, problem: errorMessageOf(error) };
        this.logger.error(fields, 'closing the key store failed: the latest counts may not be on disk');
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
