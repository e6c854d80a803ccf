/**
 * The key store in a folder of this machine, which several processes share, servers and the command line among them.
 * Keys are records in lmdb, counts a file of slots; only digests are in either, never a clear key. A process that reads
 * or changes anything holds the folder's lock, so a decision is exact over all processes and sees every change that was
 * finished before it.
 *
 * Records and counts are worth a different price. A change of a record is on disk before it is confirmed and costs
 * about 2 ms. Decisions wait for no disk and cost about 10 µs, and 5 µs more for each further key. A killed process
 * loses no count; a machine that loses power loses at most the last second, when the counts are synced.
 */

import { join, resolve } from 'node:path';
import { messageOf } from '../../expected-error.js';
import type { Logger } from '../../logger.js';
import type { FileLock } from '../../platform/file-lock.js';
import { EmbeddedRecordStore } from '../../records/embedded/embedded-record-store.js';
import { openRecordTables, type RecordTables } from '../../records/embedded/record-tables.js';
import type { RecordStore } from '../../records/record-store.js';
import {
  damagedEntry,
  openFolderLock,
  orInaccessible,
  prepareKeyFolder,
  requireSoundRecords,
  USAGE_FILE,
  VISITORS_FILE,
} from '../../storage/embedded/key-folder.js';
import { KeyStoreError } from '../../storage/key-store-error.js';
import { dayOf, monthOf } from '../calendar.js';
import { admitCallers, type VisitorArrivals } from '../caller-decision.js';
import type { KeyDecision } from '../key-decision.js';
import { type Admission, admit, findFault, type Moment, type PublishableAdmission, useAfter } from '../key-decision.js';
import { KeyDirectory } from '../key-directory.js';
import type { KeyCheck, KeyStore, KeyStoreHealth, OpenOptions } from '../key-store.js';
import type { PlanFinder } from '../plan.js';
import { KEY_KIND } from '../stored-key.js';
import { EmbeddedUsage, orDamage } from './embedded-usage.js';
import { type FoundKey, FoundKeys } from './found-keys.js';
import { parseUsageId, UsageFile } from './usage-file.js';
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

/** Opens the store, and makes its folder if it is missing. Rejects with KeyStoreError. */
export async function openEmbeddedKeyStore(options: EmbeddedKeyStoreOptions): Promise<KeyStore> {
  const { folder, findPlan, clock = Date.now, logger = SILENT, mustExist = false, isChecked = false } = options;
  const path = resolve(folder);
  prepareKeyFolder(path, mustExist);
  const lock = openFolderLock(path);
  let files: StoreFiles;
  try {
    if (!isChecked) await requireSoundRecords(path, lock, CHANGE_WAIT_MS);
    files = await lock.hold(CHANGE_WAIT_MS, () => openFiles(path, lock));
  } catch (error) {
    lock.close();
    throw error;
  }
  const records = new EmbeddedRecordStore(files.tables, lock, clock);
  const usage = new EmbeddedUsage(records, lock, files.usage);
  const store = new EmbeddedKeyStore(path, files, records, usage, findPlan, clock, logger);
  try {
    const slotCount = await prepareSlots(records, usage);
    if (!(await lock.hold(CHANGE_WAIT_MS, () => files.usage.reach(slotCount)))) {
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
  const usage = orInaccessible(path, () => new UsageFile(join(path, USAGE_FILE)));
  try {
    return { lock, usage, tables: openRecordTables(path) };
  } catch (error) {
    usage.close();
    throw error;
  }
}

/** How many slots are given away. Where that number was lost, no slot of a key is given away once more. */
async function prepareSlots(records: RecordStore, usage: EmbeddedUsage): Promise<number> {
  const slotCount = await usage.countSlots();
  if (slotCount !== undefined) return slotCount;
  // A damaged key is reported when it is read.
  const keys = await records.list(KEY_KIND, () => {});
  const slots = keys.map(({ value }) => parseUsageId(String(value.usage)));
  const firstFree = slots.reduce((count, slot) => Math.max(count, (slot?.number ?? -1) + 1), 0);
  await usage.prepare(firstFree);
  return firstFree;
}

class EmbeddedKeyStore implements KeyStore {
  readonly directory: KeyDirectory;
  readonly #keys: FoundKeys;
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
    readonly records: RecordStore,
    usage: EmbeddedUsage,
    private readonly findPlan: PlanFinder,
    private readonly clock: () => number,
    private readonly logger: Logger,
  ) {
    this.directory = new KeyDirectory(records, usage);
    this.#keys = new FoundKeys(files.tables);
    this.#syncTimer = setInterval(() => void this.#sync(), SYNC_EVERY_MS).unref();
  }

  async decide(checks: readonly KeyCheck[]): Promise<readonly KeyDecision[]> {
    const { lock, tables } = this.files;
    try {
      const nowMs = this.clock();
      const moment = { nowMs, month: monthOf(nowMs), day: dayOf(nowMs) };
      const found = await lock.hold(DECISION_WAIT_MS, () => {
        tables.refresh();
        return checks.map((check) => orDamage(() => this.#decideOne(check, moment)));
      });
      const damage = found.find((decision) => decision instanceof KeyStoreError);
      if (damage === undefined) this.#problem = null;
      else this.#noteProblem(damage.message);
      return found.map((decision) =>
        decision instanceof KeyStoreError ? { status: 'unavailable', cause: decision } : decision,
      );
    } catch (error) {
      this.#noteProblem(messageOf(error));
      throw error;
    }
  }

  wasSeen(digest: string): boolean {
    return this.#keys.has(digest);
  }

  /** The embedded store has no settings. */
  inspect(): void {}

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

  #decideOne(check: KeyCheck, moment: Moment & { readonly day: string }): KeyDecision {
    const { usage } = this.files;
    const found = this.#keys.find(check.digest);
    if (found === undefined) return { status: 'invalid' };
    const { record, slot } = found;
    const fault = findFault(record, moment.nowMs);
    if (fault !== undefined) return { status: fault, origins: record.restrictions?.origins };
    const admission = this.#admit(found, check, moment);
    const units = admission.allowedCount * admission.cost;
    if (units > 0) {
      usage.write(slot, moment.day, useAfter(admission, check.count), units);
      this.#hasUnsynced = true;
    }
    return admission;
  }

  #admit({ record, slot }: FoundKey, check: KeyCheck, moment: Moment): Admission | PublishableAdmission {
    const { id: keyId, restrictions } = record;
    const { count, cost, callers } = check;
    // A record that lost its restrictions must not free the key.
    if ((restrictions === undefined) !== (callers === undefined)) {
      throw damagedEntry(this.path, `the key ${keyId} as one of the other kind, secret or publishable`);
    }
    const plan = this.findPlan(record.plan);
    const before = this.files.usage.read(slot, moment.month.name);
    if (restrictions === undefined || callers === undefined) return admit(keyId, plan, before, moment, count, cost);
    return admitCallers({ keyId, plan, restrictions, before }, moment, callers, this.#visitorsOf(slot.number));
  }

  #visitorsOf(slotNumber: number): VisitorArrivals {
    this.#visitors ??= new VisitorFile(join(this.path, VISITORS_FILE));
    return this.#visitors.arrivalsOf(slotNumber);
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
        const fields = { folder: this.path, problem: messageOf(error) };
        this.logger.error(fields, 'closing the key store failed: the latest counts may not be on disk');
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
