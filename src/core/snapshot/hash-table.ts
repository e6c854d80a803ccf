/**
 * FNV-1a, 32 bits (Fowler, Noll, Vo; RFC 9923), and the snapshot's hash tables, which hash bytes with it. The tables
 * are open-addressed with linear probing, a power of two in size and at most half full, so a probe ends after a few
 * steps; a slot holds the entry's number plus one, and 0 where it is empty.
 */

import { structureError } from './snapshot-error.js';

/** The hash of nothing. */
export const FNV_OFFSET_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The hash of what `hash` is the hash of, and one more byte, or another small number. */
export function addToHash(hash: number, value: number): number {
  return Math.imul(hash ^ value, FNV_PRIME);
}

/** FNV-1a of the bytes, mixed once more so that the low bits, which choose the slot, depend on all of them. */
export function hashBytes(bytes: Uint8Array): number {
  let hash = FNV_OFFSET_BASIS;
  for (let index = 0; index < bytes.length; index++) hash = addToHash(hash, bytes[index] as number);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** hashBytes of the UTF-8 form of `text`. */
export function hashText(text: string): number {
  let hash = FNV_OFFSET_BASIS;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return hashBytes(Buffer.from(text, 'utf8'));
    hash = addToHash(hash, unit);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** How many slots a table for `entryCount` entries has. */
export function slotCountFor(entryCount: number): number {
  let slotCount = 2;
  while (slotCount < entryCount * 2) slotCount *= 2;
  return slotCount;
}

/** Puts every entry into a fresh slot table. `hashOf` gives entry i's hash. */
export function buildSlots(entryCount: number, hashOf: (entry: number) => number): Uint32Array {
  const slots = new Uint32Array(slotCountFor(entryCount));
  const mask = slots.length - 1;
  for (let entry = 0; entry < entryCount; entry++) {
    let slot = hashOf(entry) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = entry + 1;
  }
  return slots;
}

/**
 * Tables of the world have sequences of up to 31 slots; an entry that needs more than this is not found by `verify`.
 */
const MAX_PROBES = 1024;

/** Calls `visit` with each entry of the probe sequence of `hash`, until it returns true or an empty slot ends it. */
export function probeSlots(slots: Uint32Array, hash: number, visit: (entry: number) => boolean): void {
  const mask = slots.length - 1;
  let slot = hash & mask;
  // A damaged table may have no empty slot.
  const most = Math.min(slots.length, MAX_PROBES);
  for (let step = 0; step < most; step++) {
    const value = slots[slot] as number;
    if (value === 0 || visit(value - 1)) return;
    slot = (slot + 1) & mask;
  }
}

/** Refuses slots that are not a table for `entryCount` entries. */
export function checkSlotCount(slots: Uint32Array, entryCount: number, where: string): void {
  if (slots.length !== slotCountFor(entryCount)) {
    throw structureError(where, `${slotCountFor(entryCount)} slots for ${entryCount} entries`, `${slots.length}`);
  }
}
