/**
 * The visitors of publishable keys in the embedded store: one file of 2 MiB, however many visitors there are. A visitor
 * has a place in one set of 16 places, which its tag tells; where all 16 are taken, the visitor that would be idle
 * soonest is forgotten, so a flood of addresses forgets the visitors that asked least, and none that is over its rate
 * while the others of its set asked less. Reading and writing a visitor take about 2 µs each, under the folder's lock.
 *
 *     byte 0        256       512
 *     ┌────────────┬─────────┬──
 *     │ set 0      │ set 1   │      8,192 sets
 *     └────────────┴─────────┴──
 *     set     16 places of 16 bytes: tag, 8 bytes; the visitor's arrival time f64, milliseconds, little-endian
 *
 * The tag of a visitor is that of its address, mixed with the number of the key's slot in the file of counts, so the
 * keys of one store have visitors of their own, and a key and its successors have the same. The set is the tag's first
 * 13 bits. What has no meaning, such as a damaged byte, is the time of a visitor who is idle: the file needs no check,
 * no backup and no sync.
 */

import { closeSync, constants, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { VisitorArrivals } from './key-decision.js';

const SET_COUNT = 8_192;
const PLACES = 16;
const VISITOR_PLACE_BYTES = 16;
const SET_BYTES = PLACES * VISITOR_PLACE_BYTES;
const VISITOR_ARRIVAL_OFFSET = 8;
/** Odd constants, so that each slot has another product: the golden ratio's 32 bits, and xxHash's second prime. */
const [HIGH_FACTOR, LOW_FACTOR] = [0x9e3779b1, 0x85ebca77];

export class VisitorFile {
  readonly #fd: number;
  readonly #set = Buffer.alloc(SET_BYTES);

  /** Opens the file; creates it if it is missing. */
  constructor(path: string) {
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    ftruncateSync(this.#fd, SET_COUNT * SET_BYTES);
  }

  /** The visitors of the key that counts in this slot. Calls must be made under the folder's lock. */
  arrivalsOf(slot: number): VisitorArrivals {
    return {
      read: (visitor) => {
        const [high, low] = tagOf(visitor, slot);
        const place = this.#placeOf(high, low);
        return place < 0 ? 0 : this.#readArrivalMs(place);
      },
      write: (visitor, arrivalMs) => {
        const [high, low] = tagOf(visitor, slot);
        const known = this.#placeOf(high, low);
        const place = known < 0 ? this.#soonestIdle() : known;
        this.#set.writeUInt32LE(high, place);
        this.#set.writeUInt32LE(low, place + 4);
        this.#set.writeDoubleLE(arrivalMs, place + VISITOR_ARRIVAL_OFFSET);
        writeSync(this.#fd, this.#set, place, VISITOR_PLACE_BYTES, setOffset(high) + place);
      },
    };
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Reads the visitor's set; where in it the visitor has a place, or -1. */
  #placeOf(high: number, low: number): number {
    readSync(this.#fd, this.#set, 0, SET_BYTES, setOffset(high));
    for (let place = 0; place < SET_BYTES; place += VISITOR_PLACE_BYTES) {
      if (this.#set.readUInt32LE(place) === high && this.#set.readUInt32LE(place + 4) === low) return place;
    }
    return -1;
  }

  #soonestIdle(): number {
    let soonest = 0;
    for (let place = VISITOR_PLACE_BYTES; place < SET_BYTES; place += VISITOR_PLACE_BYTES) {
      if (this.#readArrivalMs(place) < this.#readArrivalMs(soonest)) soonest = place;
    }
    return soonest;
  }

  #readArrivalMs(place: number): number {
    const arrivalMs = this.#set.readDoubleLE(place + VISITOR_ARRIVAL_OFFSET);
    return arrivalMs >= 0 && arrivalMs <= Number.MAX_SAFE_INTEGER ? arrivalMs : 0;
  }
}

/** `visitor` is 16 hexadecimal digits. */
function tagOf(visitor: string, slot: number): readonly [high: number, low: number] {
  const high = Number.parseInt(visitor.slice(0, 8), 16) ^ Math.imul(slot, HIGH_FACTOR);
  const low = Number.parseInt(visitor.slice(8, 16), 16) ^ Math.imul(slot, LOW_FACTOR);
  return [high >>> 0, low >>> 0];
}

function setOffset(high: number): number {
  return (high >>> 19) * SET_BYTES;
}
