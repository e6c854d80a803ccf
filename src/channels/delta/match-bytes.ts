/**
 * Finds the bytes of a segment in the base: at the cursor, or behind it by as many bytes as are replaced, and otherwise
 * where a table finds their first SEED_BYTES. Greedy, as LZ4 is. Time: linear.
 */
import type { DeltaWriter } from './delta-writer.js';

/** Length of what the table is asked for, in bytes: shorter matches cost as much as the bytes themselves. */
const SEED_BYTES = 8;
/** Maximum number of positions in the table: 2 million, in 16 MiB. Longer bases have them at greater distances. */
const MAX_ENTRIES = 1 << 21;

/** Writes the steps of `target`, with the cursor at `start` in `base`, both in bytes. */
export function matchBytes(target: Buffer, base: Buffer, start: number, writer: DeltaWriter): void {
  let [done, cursor] = [0, start];
  let seeds: SeedTable | undefined;
  while (done < target.length) {
    const copied = matchingLength(target, done, base, cursor);
    writer.copy(copied);
    done += copied;
    cursor += copied;
    if (done === target.length) return;
    seeds ??= new SeedTable(base);
    let [next, found] = findNext(target, done, base, cursor, seeds);
    while (next > done && found > 0 && target[next - 1] === base[found - 1]) {
      next--;
      found--;
    }
    const literals = target.subarray(done, next);
    // Replacing moves the cursor on without a step of its own.
    if (found === cursor + literals.length) writer.replace(literals);
    else {
      writer.insert(literals);
      writer.move(found - cursor);
    }
    done = next;
    cursor = found;
  }
}

/** Where the next bytes of the target lie that the base has, and where the base has them; else the target's end. */
function findNext(target: Buffer, done: number, base: Buffer, cursor: number, seeds: SeedTable): [number, number] {
  const last = target.length - SEED_BYTES;
  for (let next = done; next <= last; next++) {
    if (next > done) {
      if (isSeedAt(target, next, base, cursor + next - done)) return [next, cursor + next - done];
      if (isSeedAt(target, next, base, cursor)) return [next, cursor];
    }
    const found = seeds.find(target, next);
    if (found !== undefined) return [next, found];
  }
  return [target.length, cursor];
}

function matchingLength(target: Buffer, start: number, base: Buffer, baseStart: number): number {
  const most = Math.min(target.length - start, base.length - baseStart);
  let length = 0;
  while (length < most && target[start + length] === base[baseStart + length]) length++;
  return length;
}

function isSeedAt(target: Buffer, at: number, base: Buffer, baseAt: number): boolean {
  if (baseAt + SEED_BYTES > base.length) return false;
  for (let index = 0; index < SEED_BYTES; index++) {
    if (target[at + index] !== base[baseAt + index]) return false;
  }
  return true;
}

/** The positions of bytes of the base by their hash; of equal ones the first. */
class SeedTable {
  /** Position plus one; 0 where there is none. */
  readonly #entries: Uint32Array;
  readonly #shift: number;

  constructor(private readonly base: Buffer) {
    let distance = 4;
    while (base.length / distance > MAX_ENTRIES) distance *= 2;
    const bits = Math.max(4, 33 - Math.clz32(base.length / distance));
    this.#shift = 32 - bits;
    this.#entries = new Uint32Array(1 << bits);
    for (let at = 0; at + SEED_BYTES <= base.length; at += distance) {
      const entry = this.#hash(base, at);
      if (this.#entries[entry] === 0) this.#entries[entry] = at + 1;
    }
  }

  find(target: Buffer, at: number): number | undefined {
    const found = (this.#entries[this.#hash(target, at)] as number) - 1;
    return found >= 0 && isSeedAt(target, at, this.base, found) ? found : undefined;
  }

  #hash(bytes: Buffer, at: number): number {
    const low = readNumber(bytes, at);
    const high = readNumber(bytes, at + 4);
    const mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b);
    return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> this.#shift;
  }
}

/** As readInt32LE, without its checks. */
function readNumber(bytes: Buffer, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}
