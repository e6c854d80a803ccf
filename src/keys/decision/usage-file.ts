/**
 * The counts of the embedded store: one file of slots of equal size. A decision reads and writes one slot under the
 * folder's lock, so a slot is always whole: a killed process loses nothing, and a power failure loses at most the
 * counts since the last sync. Reading and writing a slot take about 2 µs each. Damaged data is a KeyStoreError; what
 * node:fs throws becomes one in the folder's lock.
 *
 *     byte 0        64          1120
 *     ┌────────────┬───────────┬───────────┬──
 *     │ header     │ slot 0    │ slot 1    │
 *     └────────────┴───────────┴───────────┴──
 *     header  0 magic "PPUSAGE\0", 8 version of the store u32 (2), 12 bytes of a slot u32 (1056), then zeros
 *     slot    0 tag, 8 bytes of the key's digest: a slot of another key counts as empty
 *             8 the rate limit's arrival time f64, milliseconds, fractional
 *            16 24 months of 12 bytes: month u32 (12 × year + month - 1; 0 for none), requests f64
 *           304 62 days of 12 bytes: day u32 (days since 1970-01-01; 0 for none), requests f64; then zeros
 *
 * All little-endian. A month has its place by its number modulo 24, a day by its number modulo 62, until another one
 * needs the place. Example: 2024-02 is month 24289, at place 1, byte 28 of the slot. Since each place says whose it is,
 * no count is lost, and no quota begins anew, while a clock is wrong for a moment.
 */

import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFile } from '../../base/durable-files.js';
import { dayNumber, dayOfNumber, monthNumber, monthOfNumber } from '../key/calendar.js';
import {
  DAYS_KEPT,
  isRequestCount,
  keepLatestUsageCounts,
  MONTHS_KEPT,
  type UsageCounts,
} from '../key/usage-counts.js';
import { USAGE_HEADER_BYTES } from '../storage/key-folder.js';
import { keyFolderFailure } from '../storage/key-folder-error.js';
import { KeyStoreError, otherKeyStoreVersion, STORE_VERSION } from '../storage/key-store-error.js';
import type { Use } from './key-decision.js';

const MAGIC = 'PPUSAGE\0';
const SLOT_BYTES = 1056;
const ARRIVAL_OFFSET = 8;
const PLACE_BYTES = 12;
const COUNT_OFFSET = 4;
const TAG_BYTES = 8;
const ID_FORM = /^(\d{1,9})-([0-9a-f]{16})$/;

/** Counts of months or days, each at its number modulo `length`. */
interface Ring {
  readonly offset: number;
  readonly length: number;
  /** The last number whose name has a year of four digits. */
  readonly lastNumber: number;
}

const MONTHS: Ring = { offset: 16, length: MONTHS_KEPT, lastNumber: monthNumber('9999-12') };
const DAYS: Ring = {
  offset: MONTHS.offset + MONTHS_KEPT * PLACE_BYTES,
  length: DAYS_KEPT,
  lastNumber: dayNumber('9999-12-31'),
};

/** Where a key's counts lie, and what says that they are its own: the first 8 bytes of the digest of its first key. */
export interface UsageSlot {
  readonly number: number;
  readonly tag: Buffer;
}

/** The slot of this number for a new key. */
export function slotOf(number: number, digest: string): UsageSlot {
  const tag = Buffer.alloc(TAG_BYTES);
  tag.write(digest, 'hex');
  return { number, tag };
}

/** The id of a slot, as the record of a key holds it: number and tag, `12-35fde9382d67692f`. */
export function usageSlotId({ number, tag }: UsageSlot): string {
  return `${number}-${tag.toString('hex')}`;
}

/** The slot with this id, or undefined where the text is no id. */
export function parseUsageId(id: string): UsageSlot | undefined {
  const [, number, tag] = ID_FORM.exec(id) ?? [];
  return number === undefined || tag === undefined
    ? undefined
    : { number: Number(number), tag: Buffer.from(tag, 'hex') };
}

export class UsageFile {
  readonly #fd: number;
  /** The slot at hand; each call reads it anew. */
  readonly #slot = Buffer.alloc(SLOT_BYTES);

  /**
   * Opens the file; creates it if it is missing or empty. Throws KeyStoreError if it is not a file of counts, or what
   * node:fs throws.
   */
  constructor(private readonly path: string) {
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      this.#checkHeader();
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  /** The use of a key in a month. */
  read(slot: UsageSlot, month: string): Use {
    this.#readSlot(slot);
    const arrivalMs = this.#slot.readDoubleLE(ARRIVAL_OFFSET);
    if (!(arrivalMs >= 0 && arrivalMs <= Number.MAX_SAFE_INTEGER)) {
      throw damagedUsage(this.path, `has a time in ${describeSlot(slot)} that is none`);
    }
    return { used: this.#countOf(MONTHS, monthNumber(month), slot), arrivalMs };
  }

  /** Writes the slot of the last `read` with the new use, which includes `addedCount` new requests on this day. */
  write(slot: UsageSlot, day: string, { used, arrivalMs }: Use, addedCount: number): void {
    const number = dayNumber(day);
    this.#slot.writeDoubleLE(arrivalMs, ARRIVAL_OFFSET);
    this.#put(MONTHS, monthNumber(day.slice(0, 7)), used);
    this.#put(DAYS, number, this.#countOf(DAYS, number, slot) + addedCount);
    this.#writeSlot(slot);
  }

  /** All counts of a key. */
  readCounts(slot: UsageSlot): UsageCounts {
    this.#readSlot(slot);
    return keepLatestUsageCounts({
      months: this.#countsOf(MONTHS, slot, monthOfNumber),
      days: this.#countsOf(DAYS, slot, dayOfNumber),
    });
  }

  /** Begins a slot with these counts, of a key whose rate is idle. */
  begin(slot: UsageSlot, counts: UsageCounts): void {
    const { months, days } = keepLatestUsageCounts(counts);
    this.#slot.fill(0);
    slot.tag.copy(this.#slot);
    for (const [month, count] of months) this.#put(MONTHS, monthNumber(month), count);
    for (const [day, count] of days) this.#put(DAYS, dayNumber(day), count);
    this.#writeSlot(slot);
  }

  /** Extends the file to `slotCount` slots with empty slots; returns whether it was long enough already. */
  reach(slotCount: number): boolean {
    if (slotCount === 0 || fstatSync(this.#fd).size >= slotOffset(slotCount)) return true;
    ftruncateSync(this.#fd, slotOffset(slotCount));
    return false;
  }

  /** Resolves when all earlier writes are on disk. */
  async sync(): Promise<void> {
    await syncFile(this.#fd).catch((error: unknown) => {
      throw keyFolderFailure(this.path, error);
    });
  }

  close(): void {
    closeSync(this.#fd);
  }

  #checkHeader(): void {
    const header = Buffer.alloc(USAGE_HEADER_BYTES);
    if (fstatSync(this.#fd).size === 0) {
      header.write(MAGIC, 'latin1');
      header.writeUInt32LE(STORE_VERSION, 8);
      header.writeUInt32LE(SLOT_BYTES, 12);
      writeSync(this.#fd, header, 0, USAGE_HEADER_BYTES, 0);
      return;
    }
    const length = readSync(this.#fd, header, 0, USAGE_HEADER_BYTES, 0);
    const isOurs = length === USAGE_HEADER_BYTES && header.toString('latin1', 0, MAGIC.length) === MAGIC;
    const version = header.readUInt32LE(8);
    if (isOurs && version !== STORE_VERSION) throw otherKeyStoreVersion(dirname(this.path), version);
    if (!isOurs || header.readUInt32LE(12) !== SLOT_BYTES) throw damagedUsage(this.path, 'is no file of counts');
  }

  #readSlot({ number, tag }: UsageSlot): void {
    const length = readSync(this.#fd, this.#slot, 0, SLOT_BYTES, slotOffset(number));
    // The counts of a file that was moved away start at zero, as do slots beyond its end.
    if (length < SLOT_BYTES) this.#slot.fill(0, length);
    if (tag.compare(this.#slot, 0, TAG_BYTES) === 0) return;
    this.#slot.fill(0);
    tag.copy(this.#slot);
  }

  #writeSlot({ number }: UsageSlot): void {
    const length = writeSync(this.#fd, this.#slot, 0, SLOT_BYTES, slotOffset(number));
    if (length !== SLOT_BYTES) throw new Error(`only ${length} bytes of a slot were written`);
  }

  /** The count of the month or day with this number. */
  #countOf(ring: Ring, number: number, slot: UsageSlot): number {
    const place = placeOf(ring, number);
    return this.#slot.readUInt32LE(place) === number ? this.#readCount(place, slot) : 0;
  }

  #countsOf(ring: Ring, slot: UsageSlot, nameOf: (number: number) => string): Map<string, number> {
    const counts = new Map<string, number>();
    for (let place = ring.offset; place < placeOf(ring, ring.length - 1) + PLACE_BYTES; place += PLACE_BYTES) {
      const number = this.#slot.readUInt32LE(place);
      if (number === 0) continue;
      if (number > ring.lastNumber || placeOf(ring, number) !== place) {
        throw damagedUsage(this.path, `has a date in ${describeSlot(slot)} that is none`);
      }
      counts.set(nameOf(number), this.#readCount(place, slot));
    }
    return counts;
  }

  #put(ring: Ring, number: number, count: number): void {
    const place = placeOf(ring, number);
    this.#slot.writeUInt32LE(number, place);
    this.#slot.writeDoubleLE(count, place + COUNT_OFFSET);
  }

  #readCount(place: number, slot: UsageSlot): number {
    const count = this.#slot.readDoubleLE(place + COUNT_OFFSET);
    if (isRequestCount(count)) return count;
    throw damagedUsage(this.path, `has a count in ${describeSlot(slot)} that is none`);
  }
}

function damagedUsage(path: string, found: string): KeyStoreError {
  const remedy = 'put a copy from your backup in its place, or move it away to start all counts anew';
  return new KeyStoreError('KEY_STORE_DAMAGED', `${path} ${found}`, remedy);
}

function describeSlot({ number, tag }: UsageSlot): string {
  return `slot ${number}, of the key whose digest begins with ${tag.toString('hex')},`;
}

function slotOffset(slot: number): number {
  return USAGE_HEADER_BYTES + slot * SLOT_BYTES;
}

/** Where a month or a day stands in a slot. */
function placeOf({ offset, length }: Ring, number: number): number {
  return offset + (number % length) * PLACE_BYTES;
}
