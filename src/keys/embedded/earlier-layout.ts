/**
 * The layout of the embedded store before keys became records, to be carried over. lmdb's file had four tables, and the
 * file of counts had version 1:
 *
 *     records   digest to the key's record, as JSON       digests   id to digest
 *     sealed    digest to the sealed clear key            slots     digest to slot, and `next`, in decimal
 *
 * Before that there was the first table alone, of records without `graceUntil`; nothing was counted.
 *
 *     header    as in usage-file.ts, version 1, slots of 512 bytes
 *     slot      0 the first 8 bytes of the key's digest, 8 arrival time f64,
 *              16 31 months of 16 bytes: month u32 (12 × year + month - 1; 0 for none), u32 zero, requests f64
 */

import { chownSync, closeSync, existsSync, fstatSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncPath } from '../../platform/sync-path.js';
import type { RecordTables } from '../../records/embedded/record-tables.js';
import { damagedEntry, USAGE_FILE } from '../../storage/embedded/key-folder.js';
import type { KeyStoreError } from '../../storage/key-store-error.js';
import { monthOfNumber } from '../calendar.js';
import type { KeptKey } from '../kept-key.js';
import { KeyRecordError, parseKeyRecord } from '../key-record.js';
import { isRequestCount } from '../usage.js';
import {
  ARRIVAL_OFFSET,
  damagedUsage,
  HEADER_BYTES,
  MAGIC,
  slotOf,
  TAG_BYTES,
  UsageFile,
  usageIdOf,
} from './usage-file.js';

const VERSION = 1;
const SLOT_BYTES = 512;
const MONTHS_OFFSET = 16;
const MONTH_BYTES = 16;
const COUNT_OFFSET = 8;
const NEXT_SLOT = 'next';

interface EarlierKeys {
  readonly keys: readonly KeptKey[];
  readonly slotCount: number;
}

/** The keys of that layout, none where there is no such store; `onDamaged` is told of those that are left out. */
export function readEarlierKeys(tables: RecordTables, onDamaged: (error: KeyStoreError) => void): EarlierKeys {
  const [sealed, slots] = [tables.readOtherTable('sealed'), tables.readOtherTable('slots')];
  const keys: KeptKey[] = [];
  let slotCount = Number(slots.get(NEXT_SLOT) ?? 0);
  for (const [digest, text] of tables.readOtherTable('records')) {
    try {
      const record = parseKeyRecord({ graceUntil: null, ...JSON.parse(text) });
      const slot = slotOf(Number(slots.get(digest) ?? slotCount++), digest);
      if (!Number.isSafeInteger(slot.number)) throw new KeyRecordError(null, 'it has no place among the counts');
      keys.push({ digest, record, sealed: sealed.get(digest) ?? null, usageId: usageIdOf(slot) });
    } catch (error) {
      if (!(error instanceof KeyRecordError || error instanceof SyntaxError)) throw error;
      const found = `a key of an earlier version that is not valid (${error.message}), under the digest ${digest}`;
      onDamaged(damagedEntry(tables.path, found, error));
    }
  }
  return { keys, slotCount };
}

/**
 * Replaces a file of counts of version 1 in the folder, if there is one, while the folder is locked. Slots keep their
 * numbers; `onDamaged` is told of counts that are no numbers, which are lost. Throws what node:fs throws.
 */
export function replaceEarlierCounts(folder: string, onDamaged: (error: KeyStoreError) => void): void {
  const path = join(folder, USAGE_FILE);
  if (!existsSync(path)) return;
  const temporary = `${path}.new`;
  const fd = openSync(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(fd, header, 0, HEADER_BYTES, 0);
    if (header.toString('latin1', 0, MAGIC.length) !== MAGIC || header.readUInt32LE(8) !== VERSION) return;
    rmSync(temporary, { force: true });
    copyCounts(fd, temporary, (found) => onDamaged(damagedUsage(path, found)));
    // Run by root, the key program must not take the file from the server's user.
    const { uid, gid } = fstatSync(fd);
    if (process.getuid?.() === 0) chownSync(temporary, uid, gid);
    syncPath(temporary);
    renameSync(temporary, path);
    syncPath(folder);
  } finally {
    rmSync(temporary, { force: true });
    closeSync(fd);
  }
}

function copyCounts(fd: number, path: string, onDamaged: (found: string) => void): void {
  const file = new UsageFile(path);
  const slot = Buffer.alloc(SLOT_BYTES);
  try {
    for (
      let number = 0;
      readSync(fd, slot, 0, SLOT_BYTES, HEADER_BYTES + number * SLOT_BYTES) === SLOT_BYTES;
      number++
    ) {
      const tag = Buffer.from(slot.subarray(0, TAG_BYTES));
      const arrivalMs = slot.readDoubleLE(ARRIVAL_OFFSET);
      const months = new Map<string, number>();
      for (let offset = MONTHS_OFFSET; offset < SLOT_BYTES; offset += MONTH_BYTES) {
        const [month, count] = [slot.readUInt32LE(offset), slot.readDoubleLE(offset + COUNT_OFFSET)];
        if (month === 0) continue;
        if (isRequestCount(count)) months.set(monthOfNumber(month), count);
        else onDamaged(`has a count in slot ${number} that is none`);
      }
      file.begin({ number, tag }, { months, days: new Map() }, arrivalMs >= 0 ? arrivalMs : 0);
    }
  } finally {
    file.close();
  }
}
