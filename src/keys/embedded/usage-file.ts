/**
 * The counts of the embedded store: one file of slots of one size, a slot for each key. A decision reads one slot and
 * writes it back, both under the folder's lock, so a slot is always whole: a killed process loses nothing, and a machine
 * that loses power at most what was written since the last sync, never the form of the file. Reading and writing a slot
 * cost about 2 µs each. What fails or is damaged is a KeyStoreError.
 *
 *     byte 0        64          576
 *     ┌────────────┬───────────┬───────────┬──
 *     │ header     │ slot 0    │ slot 1    │
 *     └────────────┴───────────┴───────────┴──
 *     header  0 magic "PPUSAGE\\0", 8 version u32 (1), 12 bytes of a slot u32 (512), then zeros
 *     slot    0 the first 8 bytes of the key's digest: a slot of another key counts as empty
 *             8 the rate limit's arrival time f64, milliseconds, fractional
 *            16 31 months of 16 bytes: month u32 (12 × year + month - 1; 0 for none), u32 zero, requests f64
 *
 * All little-endian. A month has its place by its number modulo 31, so counts of the last 31 months are kept. Example:
 * 2024-02 is month 24289, at place 16, byte 272 of the slot.
 */

import { closeSync, constants, fstatSync, fsync, openSync, readSync, writeSync } from 'node:fs';
import type { Use } from '../admission.js';
import { isRequestCount, KeyStoreError } from '../key-store.js';
import { attempt, failure } from './key-folder.js';

const MAGIC = 'PPUSAGE\0';
const VERSION = 1;
const HEADER_BYTES = 64;
const SLOT_BYTES = 512;
const ARRIVAL_OFFSET = 8;
const MONTHS_OFFSET = 16;
const MONTH_BYTES = 16;
const MONTH_COUNT = (SLOT_BYTES - MONTHS_OFFSET) / MONTH_BYTES;
const TAG_BYTES = 8;

/** Where a key's counts lie. */
export interface UsageSlot {
  readonly number: number;
  /** The first 8 bytes of the key's digest. */
  readonly tag: Buffer;
}

export function usageSlot(number: number, digest: string): UsageSlot {
  const tag = Buffer.alloc(TAG_BYTES);
  tag.write(digest, 'hex');
  return { number, tag };
}

export class UsageFile {
  readonly #fd: number;
  /** The slot at hand; each call reads it anew. */
  readonly #slot = Buffer.alloc(SLOT_BYTES);

  /**
   * Opens the file, and makes it if it is missing or empty. Throws KeyStoreError where it is no such file, and what
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

  /** What is counted of a key in a month. */
  read(slot: UsageSlot, month: string): Use {
    this.#readSlot(slot);
    const number = monthNumber(month);
    const offset = monthOffset(number);
    const isThere = this.#slot.readUInt32LE(offset) === number;
    return {
      used: isThere ? this.#readCount(offset, slot) : 0,
      arrivalMs: this.#readArrivalMs(slot),
    };
  }

  /** Writes the slot that `read` read last, changed. */
  write(slot: UsageSlot, month: string, { used, arrivalMs }: Use): void {
    this.#slot.writeDoubleLE(arrivalMs, ARRIVAL_OFFSET);
    this.#putMonth(month, used);
    this.#writeSlot(slot);
  }

  /** All counts of a key, by the name of the month, oldest first. */
  readMonths(slot: UsageSlot): Map<string, number> {
    this.#readSlot(slot);
    const months: [string, number][] = [];
    for (let offset = MONTHS_OFFSET; offset < SLOT_BYTES; offset += MONTH_BYTES) {
      const month = this.#slot.readUInt32LE(offset);
      if (month === 0) continue;
      months.push([monthName(month), this.#readCount(offset, slot)]);
    }
    return new Map(months.sort(byName));
  }

  /** Fills a slot for a key with these counts, the newest where there are more than fit. */
  fill(slot: UsageSlot, months: ReadonlyMap<string, number>): void {
    this.#slot.fill(0);
    slot.tag.copy(this.#slot);
    for (const [month, count] of [...months].sort(byName)) this.#putMonth(month, count);
    this.#writeSlot(slot);
  }

  /** Whether the file has the slots of that many keys. */
  reaches(slotCount: number): boolean {
    return attempt(this.path, () => fstatSync(this.#fd).size >= slotOffset(slotCount));
  }

  /** Resolves when what was written until now is on disk. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fsync(this.#fd, (error) => (error === null ? resolve() : reject(failure(this.path, error))));
    });
  }

  close(): void {
    attempt(this.path, () => closeSync(this.#fd));
  }

  #checkHeader(): void {
    const header = Buffer.alloc(HEADER_BYTES);
    if (fstatSync(this.#fd).size === 0) {
      header.write(MAGIC, 'latin1');
      header.writeUInt32LE(VERSION, 8);
      header.writeUInt32LE(SLOT_BYTES, 12);
      writeSync(this.#fd, header, 0, HEADER_BYTES, 0);
      return;
    }
    const length = readSync(this.#fd, header, 0, HEADER_BYTES, 0);
    const isOurs =
      length === HEADER_BYTES &&
      header.toString('latin1', 0, MAGIC.length) === MAGIC &&
      header.readUInt32LE(8) === VERSION &&
      header.readUInt32LE(12) === SLOT_BYTES;
    if (!isOurs) throw this.#damage('is no file of counts of this version');
  }

  #readSlot({ number, tag }: UsageSlot): void {
    const length = attempt(this.path, () => readSync(this.#fd, this.#slot, 0, SLOT_BYTES, slotOffset(number)));
    // A file that was moved away begins anew, and what is missing at its end was never counted.
    if (length < SLOT_BYTES) this.#slot.fill(0, length);
    if (tag.compare(this.#slot, 0, TAG_BYTES) === 0) return;
    this.#slot.fill(0);
    tag.copy(this.#slot);
  }

  #writeSlot({ number }: UsageSlot): void {
    attempt(this.path, () => {
      const length = writeSync(this.#fd, this.#slot, 0, SLOT_BYTES, slotOffset(number));
      if (length !== SLOT_BYTES) throw new Error(`only ${length} bytes of a slot were written`);
    });
  }

  #putMonth(month: string, count: number): void {
    const number = monthNumber(month);
    const offset = monthOffset(number);
    this.#slot.writeUInt32LE(number, offset);
    this.#slot.writeUInt32LE(0, offset + 4);
    this.#slot.writeDoubleLE(count, offset + 8);
  }

  #readCount(monthOffset: number, slot: UsageSlot): number {
    const count = this.#slot.readDoubleLE(monthOffset + 8);
    if (isRequestCount(count)) return count;
    throw this.#damage(`has a count in ${describeSlot(slot)} that is none`);
  }

  #readArrivalMs(slot: UsageSlot): number {
    const arrivalMs = this.#slot.readDoubleLE(ARRIVAL_OFFSET);
    if (arrivalMs >= 0 && arrivalMs <= Number.MAX_SAFE_INTEGER) return arrivalMs;
    throw this.#damage(`has a time in ${describeSlot(slot)} that is none`);
  }

  #damage(found: string): KeyStoreError {
    const remedy = 'put a copy from your backup in its place, or move it away to start all counts anew';
    return new KeyStoreError('KEY_STORE_DAMAGED', `${this.path} ${found}`, remedy);
  }
}

function describeSlot({ number, tag }: UsageSlot): string {
  return `slot ${number}, of the key whose digest begins with ${tag.toString('hex')},`;
}

function slotOffset(slot: number): number {
  return HEADER_BYTES + slot * SLOT_BYTES;
}

function monthNumber(name: string): number {
  return 12 * Number(name.slice(0, 4)) + Number(name.slice(5)) - 1;
}

function monthName(number: number): string {
  return `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;
}

function monthOffset(number: number): number {
  return MONTHS_OFFSET + (number % MONTH_COUNT) * MONTH_BYTES;
}

function byName([one]: readonly [string, number], [other]: readonly [string, number]): number {
  return one < other ? -1 : 1;
}
