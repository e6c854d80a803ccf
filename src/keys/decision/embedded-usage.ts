/** The ledger of the embedded store: slots of its file of counts, which are given to new keys one after the other. */

import type { FileLock } from '../../base/file-lock.js';
import { KEY_KIND } from '../key/stored-key.js';
import type { UsageCounts, UsageLedger } from '../key/usage-counts.js';
import {
  createRecordIfMissing,
  type RecordContent,
  type RecordStore,
  type StoredRecord,
  untilRecordsUnchanged,
} from '../records/record-store.js';
import { damagedKeyFolderEntry } from '../storage/key-folder-error.js';
import { type KeyStoreError, orKeyStoreDamage } from '../storage/key-store-error.js';
import { parseUsageId, slotOf, type UsageFile, type UsageSlot, usageSlotId } from './usage-file.js';

const WAIT_MS = 10_000;
/** The record with the number of assigned slots: no slot is assigned twice, even if the file is lost. */
const SLOTS = { kind: 'key-usage', id: 'slots' };

export class EmbeddedUsage implements UsageLedger {
  #lastTaken = Promise.resolve(0);

  constructor(
    private readonly records: RecordStore,
    private readonly lock: FileLock,
    private readonly file: UsageFile,
  ) {}

  async begin(digest: string, counts: UsageCounts): Promise<string> {
    // One after the other: many that want the next slot at once would refuse each other.
    this.#lastTaken = this.#lastTaken.then(
      () => this.#takeSlot(),
      () => this.#takeSlot(),
    );
    const slot = slotOf(await this.#lastTaken, digest);
    await this.lock.hold(WAIT_MS, () => this.file.begin(slot, counts));
    // The key that is made next is on disk before it is confirmed, and so are its counts.
    if (counts.months.size + counts.days.size > 0) await this.file.sync();
    return usageSlotId(slot);
  }

  read(usageIds: readonly string[]): Promise<(UsageCounts | KeyStoreError)[]> {
    return this.lock.hold(WAIT_MS, () =>
      usageIds.map((id) => orKeyStoreDamage(() => this.file.readCounts(this.#slotOf(id)))),
    );
  }

  /**
   * Makes room for the slots that are given away, and begins to count slots in a new store. Resolves with whether the
   * file had that room already. Where the number of slots was lost, no slot of a key is given away once more.
   */
  async prepare(): Promise<boolean> {
    const stored = await this.records.get(SLOTS.kind, SLOTS.id);
    const slotCount = stored === undefined ? await this.#beginSlots() : this.#countIn(stored);
    return await this.lock.hold(WAIT_MS, () => this.file.reach(slotCount));
  }

  async #beginSlots(): Promise<number> {
    // A damaged key is reported when it is read.
    const keys = await this.records.list(KEY_KIND, () => {});
    const numbers = keys.map(({ value }) => parseUsageId(String(value.usage))?.number ?? -1);
    const firstFree = numbers.reduce((count, number) => Math.max(count, number + 1), 0);
    // Another process may be faster.
    await createRecordIfMissing(this.records, { ...SLOTS, ...contentOf(firstFree) });
    return firstFree;
  }

  #slotOf(usageId: string): UsageSlot {
    const slot = parseUsageId(usageId);
    if (slot === undefined) throw damagedKeyFolderEntry(this.records.place, 'a key that has no place among the counts');
    return slot;
  }

  #takeSlot(): Promise<number> {
    return untilRecordsUnchanged(async () => {
      const stored = await this.records.get(SLOTS.kind, SLOTS.id);
      if (stored === undefined) throw damagedKeyFolderEntry(this.records.place, 'no number of slots');
      const number = this.#countIn(stored);
      await this.records.write([{ change: stored, to: contentOf(number + 1) }]);
      return number;
    });
  }

  #countIn({ value: { count } }: StoredRecord): number {
    if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number;
    throw damagedKeyFolderEntry(this.records.place, 'a number of slots that is none');
  }
}

function contentOf(count: number): RecordContent {
  return { value: { count }, names: [], expiresMs: null };
}
