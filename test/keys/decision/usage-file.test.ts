/** The file of counts: its bytes, and that a slot is its key's alone. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UsageFile, type UsageSlot } from '../../../src/keys/decision/usage-file.js';
import { VisitorFile } from '../../../src/keys/decision/visitor-file.js';
import { NO_USAGE } from '../../../src/keys/key/usage-counts.js';
import { usageOf } from './key-store-scene.js';
import { createTemporaryFolders } from '../temporary-folders.js';

fc.configureGlobal({ seed: 20240229 });

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

const TAG = '0011223344556677';
const OTHER = 'ff11223344556677';

function slotOf(number: number, tag = TAG): UsageSlot {
  return { number, tag: Buffer.from(tag, 'hex') };
}

let path: string;
let file: UsageFile;
beforeEach(() => {
  path = join(folders.make(), 'usage.bin');
  file = new UsageFile(path);
});
afterEach(() => file.close());

test('the bytes are those of the worked example', () => {
  file.begin(slotOf(1), usageOf({ '2024-01': 5 }));
  file.read(slotOf(1), '2024-02');
  file.write(slotOf(1), '2024-02-29', { used: 777, arrivalMs: 1_708_000_000_000.5 }, 7);
  const bytes = readFileSync(path);
  expect(bytes).toHaveLength(64 + 2 * 1056);
  expect(bytes.subarray(0, 16).toString('hex')).toBe('50505553414745000200000020040000');
  const slot = bytes.subarray(64 + 1056);
  expect(slot.subarray(0, 8).toString('hex')).toBe('0011223344556677');
  expect(slot.readDoubleLE(8)).toBe(1_708_000_000_000.5);
  expect([slot.readUInt32LE(16), slot.readDoubleLE(20)]).toEqual([24_288, 5]);
  expect([slot.readUInt32LE(28), slot.readDoubleLE(32)]).toEqual([24_289, 777]);
  const day = Date.UTC(2024, 1, 29) / 86_400_000;
  const place = 304 + (day % 62) * 12;
  expect([slot.readUInt32LE(place), slot.readDoubleLE(place + 4)]).toEqual([day, 7]);
  expect(bytes.subarray(64, 64 + 1056).every((byte) => byte === 0)).toBe(true);
});

test("a slot that was never written, or is another key's, is empty", () => {
  expect(file.read(slotOf(9), '2024-02')).toEqual({ used: 0, arrivalMs: 0 });
  file.begin(slotOf(3, OTHER), usageOf({ '2024-02': 5 }));
  expect(file.read(slotOf(3), '2024-02')).toEqual({ used: 0, arrivalMs: 0 });
  expect(file.readCounts(slotOf(3))).toEqual(NO_USAGE);
  expect(file.readCounts(slotOf(3, OTHER))).toEqual(usageOf({ '2024-02': 5 }));
});

test('a clock that is years off for a moment takes no count away', () => {
  file.begin(slotOf(0), usageOf({ '2026-10': 3, '2026-11': 10 }, { '2026-11-21': 10 }));
  for (const day of ['2030-03-01', '2000-05-01']) {
    expect(file.read(slotOf(0), day.slice(0, 7)).used).toBe(0);
    file.write(slotOf(0), day, { used: 1, arrivalMs: 0 }, 1);
  }
  expect(file.read(slotOf(0), '2026-11').used).toBe(10);
  file.write(slotOf(0), '2026-11-22', { used: 12, arrivalMs: 0 }, 2);
  expect(file.readCounts(slotOf(0))).toEqual(
    usageOf(
      { '2000-05': 1, '2026-10': 3, '2026-11': 12, '2030-03': 1 },
      { '2000-05-01': 1, '2026-11-21': 10, '2026-11-22': 2, '2030-03-01': 1 },
    ),
  );
});

test.each([
  ['a month', 16],
  ['a day', 304],
])('%s in the file that can not stand there is damage', (_, place) => {
  file.begin(slotOf(0), usageOf({ '2024-01': 1 }, { '2024-01-31': 1 }));
  const bytes = readFileSync(path);
  for (const number of [0xffff_ffff, bytes.readUInt32LE(64 + place) + 1, 5]) {
    bytes.writeUInt32LE(number, 64 + place);
    writeFileSync(path, bytes);
    expect(() => file.readCounts(slotOf(0))).toThrow('has a date in slot 0');
  }
});

test.each([1.5, -1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])('%d in the file is no count', (count) => {
  file.begin(slotOf(0), usageOf({ '2024-02': 1 }));
  const bytes = readFileSync(path);
  bytes.writeDoubleLE(count, 64 + 28 + 4);
  writeFileSync(path, bytes);
  const damaged = expect.objectContaining({ code: 'KEY_STORE_DAMAGED', message: expect.stringContaining(TAG) });
  expect(() => file.read(slotOf(0), '2024-02')).toThrow(damaged);
  expect(() => file.readCounts(slotOf(0))).toThrow(damaged);
  expect(file.read(slotOf(0), '2024-03').used).toBe(0);
});

test.each([-0.5, 2 ** 54, Number.NaN, Number.POSITIVE_INFINITY])('%d in the file is no arrival time', (arrivalMs) => {
  file.read(slotOf(0), '2024-02');
  file.write(slotOf(0), '2024-02-29', { used: 1, arrivalMs }, 1);
  expect(() => file.read(slotOf(0), '2024-02')).toThrow('has a time in slot 0');
  expect(file.readCounts(slotOf(0))).toEqual(usageOf({ '2024-02': 1 }, { '2024-02-29': 1 }));
});

test('what was counted is read, whatever slots and days, also by another opening of the file', () => {
  const anyCount = fc.record({
    slot: fc.nat(20),
    day: fc.integer({ min: 18_000, max: 19_000 }).map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10)),
    count: fc.integer({ min: 1, max: 1e9 }),
    arrivalMs: fc.nat(2 ** 41),
  });
  fc.assert(
    fc.property(fc.array(anyCount, { maxLength: 60 }), (counts) => {
      const other = new UsageFile(path);
      for (let slot = 0; slot <= 20; slot++) file.begin(slotOf(slot), NO_USAGE);
      const model = new Map<number, { day: string; count: number }[]>();
      const arrivals = new Map<number, number>();
      // Days come in their order, as they do.
      for (const { slot, day, count, arrivalMs } of counts.sort((one, next) => (one.day < next.day ? -1 : 1))) {
        const { used } = file.read(slotOf(slot), day.slice(0, 7));
        file.write(slotOf(slot), day, { used: used + count, arrivalMs }, count);
        model.set(slot, [...(model.get(slot) ?? []), { day, count }]);
        arrivals.set(slot, arrivalMs);
      }
      for (const [slot, counted] of model) {
        const { months, days } = other.readCounts(slotOf(slot));
        // Each place has what was counted there last.
        const dayPlace = (day: string) => (Date.parse(day) / 86_400_000) % 62;
        const monthPlace = (month: string) => (12 * Number(month.slice(0, 4)) + Number(month.slice(5)) - 1) % 24;
        expect(Object.fromEntries(days)).toEqual(
          lastAt(
            sumBy(counted, ({ day }) => day),
            dayPlace,
          ),
        );
        expect(Object.fromEntries(months)).toEqual(
          lastAt(
            sumBy(counted, ({ day }) => day.slice(0, 7)),
            monthPlace,
          ),
        );
        const latest = counted.at(-1)?.day ?? '';
        expect(other.read(slotOf(slot), latest.slice(0, 7)).arrivalMs).toBe(arrivals.get(slot));
      }
      other.close();
    }),
  );
});

function sumBy(
  counted: readonly { day: string; count: number }[],
  nameOf: (counted: { day: string }) => string,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const one of counted) sums[nameOf(one)] = (sums[nameOf(one)] ?? 0) + one.count;
  return sums;
}

/** Of sums by name, in order, the last of each place. */
function lastAt(sums: Record<string, number>, placeOf: (name: string) => number): Record<string, number> {
  const last = new Map(Object.entries(sums).map((sum) => [placeOf(sum[0]), sum]));
  return Object.fromEntries(last.values());
}

describe('the file of visitors', () => {
  const NOW = Date.parse('2024-02-15T12:00:00.000Z');
  const ADA = '0123456789abcdef';

  const folders = createTemporaryFolders();
  let path: string;
  let file: VisitorFile;
  beforeEach(() => {
    path = join(folders.make(), 'visitors.bin');
    file = new VisitorFile(path);
  });
  afterEach(() => file.close());
  afterAll(() => folders.clear());

  /** The tag of another visitor of the same set. */
  function neighbour(number: number): string {
    return `0123${(number + 1).toString(16).padStart(12, '0')}`;
  }

  test('a visitor is found again, by its key and tag alone, also by another process', () => {
    file.arrivalsOf(7).write(ADA, NOW + 0.5);
    const other = new VisitorFile(path);
    expect(other.arrivalsOf(7).read(ADA)).toBe(NOW + 0.5);
    expect(other.arrivalsOf(8).read(ADA)).toBe(0);
    expect(other.arrivalsOf(7).read('0123456789abcdee')).toBe(0);
    expect(other.arrivalsOf(7).read(`f${ADA.slice(1)}`)).toBe(0);
    other.arrivalsOf(7).write(ADA, NOW + 2);
    expect(file.arrivalsOf(7).read(ADA)).toBe(NOW + 2);
    other.close();
  });

  test('a flood forgets the visitors that asked least', () => {
    const arrivals = file.arrivalsOf(0);
    arrivals.write(ADA, NOW + 1_000);
    for (let number = 0; number < 100; number++) arrivals.write(neighbour(number), NOW + number);
    expect(arrivals.read(ADA)).toBe(NOW + 1_000);
    // 15 places are left for the others, and each took that of the one that asked least.
    const kept = Array.from({ length: 100 }, (_, number) => number).filter(
      (each) => arrivals.read(neighbour(each)) > 0,
    );
    expect(kept).toEqual(Array.from({ length: 15 }, (_, at) => 85 + at));
  });

  test('the file has one size, however many visitors there are', () => {
    for (let number = 0; number < 5_000; number++) {
      file.arrivalsOf(number % 3).write((number * 2_654_435_761).toString(16).padStart(16, '0').slice(-16), NOW);
    }
    expect(statSync(path).size).toBe(2 * 1024 * 1024);
  });

  test('damaged bytes are visitors that are idle', () => {
    file.arrivalsOf(0).write(ADA, NOW);
    const bytes = readFileSync(path);
    for (const damage of [0xff, 0x7f, 0x00]) {
      writeFileSync(path, Buffer.alloc(bytes.length, damage));
      const arrivals = file.arrivalsOf(0);
      for (const visitor of [ADA, 'f'.repeat(16), '7f'.repeat(8)]) {
        expect(arrivals.read(visitor)).toBe(0);
        arrivals.write(visitor, NOW + 1);
        expect(arrivals.read(visitor)).toBe(NOW + 1);
      }
    }
    writeFileSync(path, '');
    expect(file.arrivalsOf(0).read('0'.repeat(16))).toBe(0);
  });
});
