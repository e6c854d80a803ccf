/**
 * The key store in a folder of this machine, kept by lmdb: memory-mapped files that several processes read and write at
 * once, servers and the command line among them. Only digests, records and counts are in them, never a clear key.
 *
 * Records and counts live in two files because they are worth a different price. A change of a record is on disk before
 * it is confirmed and costs about 2 ms. A decision is one write transaction for all requests of a turn, without waiting
 * for the disk: about 6 µs, and exact over all processes, since lmdb lets one write at a time. A killed process loses no
 * count; a machine that loses power loses at most the last second, when the counts are synced.
 */

import { join, resolve } from 'node:path';
import { ABORT, type Database, open, type RootDatabase } from 'lmdb';
import { admit, findFault, useAfter } from './admission.js';
import { isMonthName, monthOf } from './calendar-month.js';
import { attempt, damagedEntry, prepareKeyFolder, RECORDS_FILE, USAGE_FILE } from './key-folder.js';
import { type KeyRecord, KeyRecordError, parseKeyRecord } from './key-record.js';
import {
  byCreatedThenId,
  existingKey,
  type KeyEntry,
  type KeyQuestion,
  type KeyStore,
  type KeyStoreHealth,
  type KeyVerdict,
  unknownKey,
} from './key-store.js';
import type { PlanFinder } from './plan.js';

export interface EmbeddedKeyStoreOptions {
  readonly folder: string;
  readonly findPlan: PlanFinder;
  /** Milliseconds since 1970-01-01T00:00Z. */
  readonly clock?: () => number;
}

const SYNC_EVERY_MS = 1_000;
const DECODED_LIMIT = 10_000;

/** lmdb has it, its type declarations don't. */
type Syncable = RootDatabase & { sync(callback: (error?: unknown) => void): void };

/** Opens the store, and makes its folder if it is missing. Throws KeyStoreError. */
export function openEmbeddedKeyStore({ folder, findPlan, clock = Date.now }: EmbeddedKeyStoreOptions): KeyStore {
  const path = resolve(folder);
  prepareKeyFolder(path);
  const recordsRoot = attempt(path, () => open({ path: join(path, RECORDS_FILE) }));
  const openRoots = [recordsRoot];
  try {
    const files = attempt(path, (): StoreFiles => {
      // Without overlapping syncs, which take a tenth of a millisecond even where nothing is synced.
      const usageRoot = open({ path: join(path, USAGE_FILE), noSync: true, overlappingSync: false }) as Syncable;
      openRoots.push(usageRoot);
      const database = (root: RootDatabase, name: string) => root.openDB<string, string>(name, { encoding: 'string' });
      return {
        recordsRoot,
        usageRoot,
        records: database(recordsRoot, 'records'),
        digests: database(recordsRoot, 'digests'),
        sealed: database(recordsRoot, 'sealed'),
        counts: database(usageRoot, 'counts'),
        arrivals: database(usageRoot, 'arrivals'),
      };
    });
    return new EmbeddedKeyStore(path, files, findPlan, clock);
  } catch (error) {
    for (const root of openRoots) void root.close();
    throw error;
  }
}

interface StoreFiles {
  readonly recordsRoot: RootDatabase;
  readonly usageRoot: Syncable;
  /** Digest to record, as JSON text. */
  readonly records: Database<string, string>;
  /** Id to digest. */
  readonly digests: Database<string, string>;
  /** Digest to sealed clear key. */
  readonly sealed: Database<string, string>;
  /** Digest and month, `<digest> 2024-02`, to the number of requests, in decimal. */
  readonly counts: Database<string, string>;
  /** Digest to the rate limit's arrival time in milliseconds, in decimal. */
  readonly arrivals: Database<string, string>;
}

class EmbeddedKeyStore implements KeyStore {
  /** Records decoded lately, each beside the text it came from; it is used only where the text is still the same. */
  readonly #decoded = new Map<string, { readonly text: string; readonly record: KeyRecord }>();
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
    try {
      const verdicts = this.#decideNow(questions);
      this.#problem = null;
      return verdicts;
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  async find(id: string): Promise<KeyEntry | undefined> {
    this.files.records.resetReadTxn();
    const found = attempt(this.path, () => this.#findById(id));
    return found && this.#entryOf(found.digest, found.record);
  }

  async list(): Promise<KeyEntry[]> {
    return this.#listRecords()
      .map(({ digest, record }) => this.#entryOf(digest, record))
      .sort(byCreatedThenId);
  }

  async create(entry: KeyEntry): Promise<void> {
    this.#changeRecords(() => this.#insert(entry));
    if (entry.usage.size > 0) this.#changeUsage(() => this.#addCounts(entry.digest, entry.usage));
  }

  async change(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord> {
    return this.#changeRecords(() => this.#update(id, change).record);
  }

  async replace(id: string, change: (record: KeyRecord) => KeyRecord, successor: KeyEntry): Promise<KeyRecord> {
    // Nothing is counted while this holds the lock of the counts, so the successor takes over every request.
    return this.#changeUsage(() => {
      const { digest, record } = this.#changeRecords(() => {
        this.#insert(successor);
        return this.#update(id, change);
      });
      this.#addCounts(successor.digest, this.#usageOf(digest));
      return record;
    });
  }

  health(): KeyStoreHealth {
    return { kind: 'embedded', state: this.#problem === null ? 'ready' : 'degraded', problem: this.#problem };
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeFiles();
    return this.#closed;
  }

  #decideNow(questions: readonly KeyQuestion[]): KeyVerdict[] {
    const nowMs = this.clock();
    const month = monthOf(nowMs).name;
    return this.#changeUsage(() => {
      // Without this, lmdb answers from the snapshot of its first read in this turn of the event loop.
      this.files.records.resetReadTxn();
      return attempt(this.path, () => questions.map((question) => this.#decideOne(question, nowMs, month)));
    });
  }

  /** Within a write transaction of the counts. */
  #decideOne({ digest, count }: KeyQuestion, nowMs: number, month: string): KeyVerdict {
    const record = this.#recordOf(digest);
    if (record === undefined) return { standing: 'unknown' };
    const standing = findFault(record, nowMs);
    if (standing !== undefined) return { standing };
    const { counts, arrivals } = this.files;
    const countKey = `${digest} ${month}`;
    const before = {
      used: this.#parseNumber(counts.get(countKey) ?? '0'),
      arrivalMs: this.#parseNumber(arrivals.get(digest) ?? '0'),
    };
    const admission = admit(record.id, this.findPlan(record.plan), before, nowMs, count);
    if (admission.allowedCount > 0) {
      const after = useAfter(admission, count);
      counts.putSync(countKey, String(after.used));
      if (after.arrivalMs !== before.arrivalMs) arrivals.putSync(digest, after.arrivalMs.toFixed(10));
    }
    return admission;
  }

  #recordOf(digest: string): KeyRecord | undefined {
    const text = this.files.records.get(digest);
    if (text === undefined) return undefined;
    const known = this.#decoded.get(digest);
    if (known?.text === text) return known.record;
    const record = this.#decode(text);
    if (this.#decoded.size >= DECODED_LIMIT) this.#decoded.clear();
    this.#decoded.set(digest, { text, record });
    return record;
  }

  #listRecords(): { readonly digest: string; readonly record: KeyRecord }[] {
    this.files.records.resetReadTxn();
    const entries = attempt(this.path, () => [...this.files.records.getRange()]);
    return entries.map(({ key, value }) => ({ digest: key, record: this.#decode(value) }));
  }

  #findById(id: string): { readonly digest: string; readonly record: KeyRecord } | undefined {
    const digest = this.files.digests.get(id);
    const record = digest === undefined ? undefined : this.#recordOf(digest);
    return digest === undefined || record === undefined ? undefined : { digest, record };
  }

  #entryOf(digest: string, record: KeyRecord): KeyEntry {
    const sealed = attempt(this.path, () => this.files.sealed.get(digest)) ?? null;
    return { digest, record, sealed, usage: this.#usageOf(digest) };
  }

  #usageOf(digest: string): ReadonlyMap<string, number> {
    this.files.counts.resetReadTxn();
    const range = { start: `${digest} `, end: `${digest} ~` };
    const entries = attempt(this.path, () => [...this.files.counts.getRange(range)]);
    return new Map(
      entries.map(({ key, value }) => [this.#parseMonth(key.slice(digest.length + 1)), this.#parseNumber(value)]),
    );
  }

  /** Runs a change of records as one transaction; when it returns, the change is on disk. */
  #changeRecords<T>(change: () => T): T {
    // Not lmdb's asynchronous put: when the disk is full, that rejects promises a caller has no hold of.
    return this.#transact(this.files.recordsRoot, change);
  }

  /** Runs a change of counts as one transaction; the disk has it within SYNC_EVERY_MS. */
  #changeUsage<T>(change: () => T): T {
    const result = this.#transact(this.files.usageRoot, change);
    this.#hasUnsynced = true;
    return result;
  }

  #transact<T>(root: RootDatabase, change: () => T): T {
    let failure: unknown;
    const result = attempt(this.path, () =>
      root.transactionSync(() => {
        try {
          return change();
        } catch (error) {
          failure = error;
          return ABORT;
        }
      }),
    );
    // Thrown as it was: what lmdb throws inside a change is caught where it is called.
    if (failure !== undefined) throw failure;
    return result as T;
  }

  /** Within a write transaction of the records. */
  #insert({ digest, record, sealed }: KeyEntry): void {
    const { records, digests, sealed: sealedKeys } = this.files;
    attempt(this.path, () => {
      if (records.doesExist(digest) || digests.doesExist(record.id)) throw existingKey(record);
      records.putSync(digest, JSON.stringify(parseKeyRecord(record)));
      digests.putSync(record.id, digest);
      if (sealed !== null) sealedKeys.putSync(digest, sealed);
    });
  }

  /** Within a write transaction of the records. */
  #update(
    id: string,
    change: (record: KeyRecord) => KeyRecord,
  ): { readonly digest: string; readonly record: KeyRecord } {
    const found = attempt(this.path, () => this.#findById(id));
    if (found === undefined) throw unknownKey(id);
    const record = parseKeyRecord(change(found.record));
    attempt(this.path, () => this.files.records.putSync(found.digest, JSON.stringify(record)));
    return { digest: found.digest, record };
  }

  /** Within a write transaction of the counts. */
  #addCounts(digest: string, usage: ReadonlyMap<string, number>): void {
    const { counts } = this.files;
    attempt(this.path, () => {
      for (const [month, count] of usage) {
        const key = `${digest} ${month}`;
        counts.putSync(key, String(this.#parseNumber(counts.get(key) ?? '0') + count));
      }
    });
  }

  #sync(): void {
    if (!this.#hasUnsynced) return;
    this.#hasUnsynced = false;
    this.files.usageRoot.sync((error) => {
      if (!error) return;
      this.#hasUnsynced = true;
      this.#problem = String(error);
    });
  }

  async #closeFiles(): Promise<void> {
    clearInterval(this.#syncTimer);
    const { usageRoot, recordsRoot } = this.files;
    if (this.#hasUnsynced) await new Promise<void>((done) => usageRoot.sync(() => done()));
    await usageRoot.close();
    await recordsRoot.close();
  }

  #decode(text: string): KeyRecord {
    try {
      return parseKeyRecord(JSON.parse(text));
    } catch (error) {
      if (!(error instanceof KeyRecordError || error instanceof SyntaxError)) throw error;
      throw damagedEntry(this.path, `a record that is not valid (${error.message})`, error);
    }
  }

  #parseNumber(text: string): number {
    if (/^\d{1,16}(?:\.\d{1,10})?$/.test(text)) return Number(text);
    throw damagedEntry(this.path, `a count that is no number (${JSON.stringify(text.slice(0, 40))})`);
  }

  #parseMonth(text: string): string {
    if (isMonthName(text)) return text;
    throw damagedEntry(this.path, `a count of no month (${JSON.stringify(text.slice(0, 40))})`);
  }
}
