/**
 * The key store in a folder of this machine, which several processes share, servers and the command line among them.
 * lmdb keeps the records, UsageFile what is counted; only digests are in either, never a clear key. Whoever changes
 * anything holds the folder's lock, so a decision is exact over all processes and sees every change that was finished
 * before it.
 *
 * Records and counts are worth a different price. A change of a record is on disk before it is confirmed and costs about
 * 2 ms. The decisions of a turn wait for no disk and cost about 10 µs, and 5 µs more for each further key. A killed process
 * loses no count; a machine that loses power loses at most the last second, when the counts are synced.
 */

import { join, resolve } from 'node:path';
import { ABORT, type Database, open, type RootDatabase } from 'lmdb';
import { admit, findFault, useAfter } from '../admission.js';
import { type CalendarMonth, monthOf } from '../calendar-month.js';
import { type KeyRecord, KeyRecordError, parseKeyRecord } from '../key-record.js';
import {
  byCreatedThenId,
  existingKey,
  type KeyEntry,
  type KeyQuestion,
  type KeyStore,
  KeyStoreError,
  type KeyStoreHealth,
  type KeyStoreLogger,
  type KeyVerdict,
  type Succession,
  unknownKey,
} from '../key-store.js';
import type { PlanFinder } from '../plan.js';
import { FolderLock } from './folder-lock.js';
import { attempt, damagedEntry, openIn, prepareKeyFolder, RECORDS_FILE, TURN_FILE, USAGE_FILE } from './key-folder.js';
import { UsageFile, type UsageSlot, usageSlot } from './usage-file.js';

export interface EmbeddedKeyStoreOptions {
  readonly folder: string;
  readonly findPlan: PlanFinder;
  /** Milliseconds since 1970-01-01T00:00Z. */
  readonly clock?: () => number;
  readonly logger?: KeyStoreLogger;
  /** Whether a folder without a store is an error; else there is a new store in it. */
  readonly mustExist?: boolean;
}

const SILENT: KeyStoreLogger = { info() {}, warn() {}, error() {} };
/** How long decisions wait for their turn at most, and how long changes do: longer than a busy machine stands still. */
const DECISION_WAIT_MS = 5_000;
const CHANGE_WAIT_MS = 10_000;
const SYNC_EVERY_MS = 1_000;
const DECODED_LIMIT = 10_000;
const LIST_CHUNK = 100;
const NEXT_SLOT = 'next';

/** Opens the store, and makes its folder if it is missing. Throws KeyStoreError. */
export function openEmbeddedKeyStore(options: EmbeddedKeyStoreOptions): KeyStore {
  const { folder, findPlan, clock = Date.now, logger = SILENT, mustExist = false } = options;
  const path = resolve(folder);
  prepareKeyFolder(path, mustExist);
  const lock = openIn(path, () => new FolderLock(join(path, TURN_FILE)));
  try {
    return lock.holdSync(CHANGE_WAIT_MS, () => {
      const files = openFiles(path, lock);
      attempt(path, () => completeRecords(files));
      if (!files.usage.reaches(Number(files.slots.get(NEXT_SLOT)))) {
        logger.warn({ folder: path }, 'the file of counts is missing or was cut: keys without counts begin at zero');
      }
      return new EmbeddedKeyStore(path, files, findPlan, clock);
    });
  } catch (error) {
    lock.close();
    throw error;
  }
}

interface StoreFiles {
  readonly lock: FolderLock;
  readonly usage: UsageFile;
  readonly root: RootDatabase;
  /** Digest to record, as JSON text. */
  readonly records: Database<string, string>;
  /** Id to digest. */
  readonly digests: Database<string, string>;
  /** Digest to sealed clear key. */
  readonly sealed: Database<string, string>;
  /** Digest to the key's slot in the file of counts, and NEXT_SLOT to the next one that is free, in decimal. */
  readonly slots: Database<string, string>;
}

function openFiles(path: string, lock: FolderLock): StoreFiles {
  const usage = openIn(path, () => new UsageFile(join(path, USAGE_FILE)));
  let root: RootDatabase | undefined;
  // lmdb would let everybody read what it makes.
  const umask = process.umask(0o077);
  try {
    return attempt(path, () => {
      const opened = open({ path: join(path, RECORDS_FILE), overlappingSync: false });
      root = opened;
      const database = (name: string) => opened.openDB<string, string>(name, { encoding: 'string' });
      return {
        lock,
        usage,
        root,
        records: database('records'),
        digests: database('digests'),
        sealed: database('sealed'),
        slots: database('slots'),
      };
    });
  } catch (error) {
    usage.close();
    void root?.close();
    throw error;
  } finally {
    process.umask(umask);
  }
}

/** Completes what an earlier version wrote, which neither counted nor knew a time of grace. */
function completeRecords({ root, records, digests, slots }: StoreFiles): void {
  if (slots.doesExist(NEXT_SLOT)) return;
  root.transactionSync(() => {
    const entries = [...records.getRange()];
    for (const [slot, { key: digest, value }] of entries.entries()) {
      const record = parseKeyRecord({ graceUntil: null, ...JSON.parse(value) });
      records.putSync(digest, JSON.stringify(record));
      digests.putSync(record.id, digest);
      slots.putSync(digest, String(slot));
    }
    slots.putSync(NEXT_SLOT, String(entries.length));
  });
}

/** A record as it was decoded, beside the text it came from: it is used only where the text is still the same. */
interface DecodedRecord {
  readonly text: string;
  readonly record: KeyRecord;
  readonly slot: UsageSlot;
}

interface FoundRecord {
  readonly digest: string;
  readonly record: KeyRecord;
}

class EmbeddedKeyStore implements KeyStore {
  readonly #decoded = new Map<string, DecodedRecord>();
  readonly #syncTimer: NodeJS.Timeout;
  #hasUnsynced = false;
  #problem: string | null = null;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly path: string,
    private readonly files: StoreFiles,
    private readonly findPlan: PlanFinder,
    private readonly clock: () => number,
  ) {
    this.#syncTimer = setInterval(() => this.#sync(), SYNC_EVERY_MS).unref();
  }

  async decide(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]> {
    const nowMs = this.clock();
    const month = monthOf(nowMs);
    try {
      const decideAll = () => questions.map((question) => this.#decideSafely(question, nowMs, month));
      const verdicts = await this.#inTurn(DECISION_WAIT_MS, decideAll);
      const damaged = verdicts.find((verdict) => verdict.standing === 'unavailable');
      this.#problem = damaged?.standing === 'unavailable' ? damaged.cause.message : null;
      return verdicts;
    } catch (error) {
      this.#problem = (error as Error).message;
      throw error;
    }
  }

  async find(id: string): Promise<KeyEntry | undefined> {
    return this.#inTurn(CHANGE_WAIT_MS, () => {
      const found = this.#findById(id);
      return found && this.#entryOf(found);
    });
  }

  async list(): Promise<KeyEntry[]> {
    const digests = await this.#inTurn(CHANGE_WAIT_MS, () => [...this.files.records.getKeys()]);
    const entries: KeyEntry[] = [];
    // A turn for a few at a time: requests wait for their own meanwhile.
    for (let at = 0; at < digests.length; at += LIST_CHUNK) {
      const chunk = digests.slice(at, at + LIST_CHUNK);
      const entriesOf = () => chunk.map((digest) => this.#entryOf({ digest, record: this.#require(digest).record }));
      entries.push(...(await this.#inTurn(CHANGE_WAIT_MS, entriesOf)));
    }
    return entries.sort(byCreatedThenId);
  }

  async create(entry: KeyEntry): Promise<void> {
    await this.#changeRecords(() => this.#insert(entry, entry.usage));
  }

  async change(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord> {
    return this.#changeRecords(() => {
      const { digest, record } = this.#requireId(id);
      return this.#put(digest, change(record));
    });
  }

  async replace(id: string, succeed: (record: KeyRecord) => Succession): Promise<KeyRecord> {
    return this.#changeRecords(() => {
      const found = this.#requireId(id);
      const { replaced, successor } = succeed(found.record);
      // Nothing is counted meanwhile, so the successor takes over every request.
      this.#insert(successor, this.#usageOf(found.digest));
      return this.#put(found.digest, replaced);
    });
  }

  health(): KeyStoreHealth {
    return { kind: 'embedded', state: this.#problem === null ? 'ready' : 'degraded', problem: this.#problem };
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeFiles();
    return this.#closed;
  }

  /** Runs `work` while no other process changes anything, with its view of the records up to date. */
  async #inTurn<T>(limitMs: number, work: () => T): Promise<T> {
    return this.files.lock.hold(limitMs, () =>
      attempt(this.path, () => {
        // Without this, lmdb answers from the snapshot of its first read in this turn of the event loop.
        this.files.records.resetReadTxn();
        return work();
      }),
    );
  }

  /** Runs a change of records as one transaction; when it resolves, the change is on disk. */
  async #changeRecords<T>(change: () => T): Promise<T> {
    let failure: unknown;
    const result = await this.#inTurn(CHANGE_WAIT_MS, () =>
      // Not lmdb's asynchronous put: when the disk is full, that rejects promises a caller has no hold of.
      this.files.root.transactionSync(() => {
        try {
          return change();
        } catch (error) {
          failure = error;
          return ABORT;
        }
      }),
    );
    // Thrown as it was: what lmdb throws inside a change became a KeyStoreError where it was called.
    if (failure !== undefined) throw failure;
    return result as T;
  }

  /** A key whose data are damaged spoils no other. */
  #decideSafely(question: KeyQuestion, nowMs: number, month: CalendarMonth): KeyVerdict {
    try {
      return this.#decideOne(question, nowMs, month);
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
      return { standing: 'unavailable', cause: error };
    }
  }

  #decideOne({ digest, count }: KeyQuestion, nowMs: number, month: CalendarMonth): KeyVerdict {
    const found = this.#find(digest);
    if (found === undefined) return { standing: 'unknown' };
    const { record, slot } = found;
    const standing = findFault(record, nowMs);
    if (standing !== undefined) return { standing };
    const { usage } = this.files;
    const before = usage.read(slot, month.name);
    const admission = admit(record.id, this.findPlan(record.plan), before, { nowMs, month }, count);
    if (admission.allowedCount > 0) {
      usage.write(slot, month.name, useAfter(admission, count));
      this.#hasUnsynced = true;
    }
    return admission;
  }

  #find(digest: string): DecodedRecord | undefined {
    const text = this.files.records.get(digest);
    if (text === undefined) return undefined;
    const known = this.#decoded.get(digest);
    if (known?.text === text) return known;
    const decoded = { text, record: this.#decode(text), slot: known?.slot ?? this.#slotOf(digest) };
    if (this.#decoded.size >= DECODED_LIMIT) this.#decoded.clear();
    this.#decoded.set(digest, decoded);
    return decoded;
  }

  #require(digest: string): DecodedRecord {
    const found = this.#find(digest);
    if (found === undefined) throw damagedEntry(this.path, 'an id of a key that is not there');
    return found;
  }

  #slotOf(digest: string): UsageSlot {
    const text = this.files.slots.get(digest) ?? '';
    if (/^\d{1,9}$/.test(text)) return usageSlot(Number(text), digest);
    throw damagedEntry(this.path, 'a key that has no place among the counts');
  }

  #findById(id: string): FoundRecord | undefined {
    const digest = this.files.digests.get(id);
    return digest === undefined ? undefined : { digest, record: this.#require(digest).record };
  }

  #requireId(id: string): FoundRecord {
    const found = attempt(this.path, () => this.#findById(id));
    if (found === undefined) throw unknownKey(id);
    return found;
  }

  #entryOf({ digest, record }: FoundRecord): KeyEntry {
    return { digest, record, sealed: this.files.sealed.get(digest) ?? null, usage: this.#usageOf(digest) };
  }

  #usageOf(digest: string): Map<string, number> {
    return attempt(this.path, () => this.files.usage.readMonths(this.#require(digest).slot));
  }

  #insert({ digest, record, sealed }: KeyEntry, counts: ReadonlyMap<string, number>): void {
    const { records, digests, sealed: sealedKeys, slots, usage } = this.files;
    attempt(this.path, () => {
      if (records.doesExist(digest) || digests.doesExist(record.id)) throw existingKey(record);
      const slot = Number(slots.get(NEXT_SLOT));
      records.putSync(digest, JSON.stringify(parseKeyRecord(record)));
      digests.putSync(record.id, digest);
      slots.putSync(digest, String(slot));
      slots.putSync(NEXT_SLOT, String(slot + 1));
      if (sealed !== null) sealedKeys.putSync(digest, sealed);
      // Not part of the transaction; should that fail, the slot is the next key's and is filled anew.
      usage.fill(usageSlot(slot, digest), counts);
    });
    this.#hasUnsynced = true;
  }

  #put(digest: string, changed: KeyRecord): KeyRecord {
    const record = parseKeyRecord(changed);
    attempt(this.path, () => this.files.records.putSync(digest, JSON.stringify(record)));
    return record;
  }

  #sync(): void {
    if (!this.#hasUnsynced) return;
    this.#hasUnsynced = false;
    this.files.usage.sync((error) => {
      if (error === null) return;
      this.#hasUnsynced = true;
      this.#problem = error.message;
    });
  }

  async #closeFiles(): Promise<void> {
    clearInterval(this.#syncTimer);
    const { usage, root, lock } = this.files;
    await new Promise<void>((done) => usage.sync(() => done()));
    // In turn too: what the last of several processes does to lmdb's locks must not meet the first of the next.
    try {
      await lock.hold(CHANGE_WAIT_MS, () => root.close());
    } finally {
      usage.close();
      lock.close();
    }
  }

  #decode(text: string): KeyRecord {
    try {
      return parseKeyRecord(JSON.parse(text));
    } catch (error) {
      if (!(error instanceof KeyRecordError || error instanceof SyntaxError)) throw error;
      throw damagedEntry(this.path, `a record that is not valid (${error.message})`, error);
    }
  }
}
