/** The bytes of the files of counts and of visitors, and what is damage in them. What they mean is in the contract of stores. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { UsageFile, type UsageSlot } from '../../../src/keys/decision/usage-file.js';
import { VisitorFile } from '../../../src/keys/decision/visitor-file.js';
import { createTemporaryFolders } from '../temporary-folders.js';
import { usageOf } from './key-store-scene.js';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

const TAG = '0011223344556677';

function slotOf(number: number): UsageSlot {
  return { number, tag: Buffer.from(TAG, 'hex') };
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

describe('the file of visitors', () => {
  const NOW = Date.parse('2024-02-15T12:00:00.000Z');
  const ADA = '0123456789abcdef';

  let visitors: VisitorFile;
  beforeEach(() => {
    path = join(folders.make(), 'visitors.bin');
    visitors = new VisitorFile(path);
  });
  afterEach(() => visitors.close());

  /** The tag of another visitor of the same set. */
  function neighbour(number: number): string {
    return `0123${(number + 1).toString(16).padStart(12, '0')}`;
  }

  test('a flood forgets the visitors that asked least', () => {
    const arrivals = visitors.arrivalsOf(0);
    arrivals.write(ADA, NOW + 1_000);
    for (let number = 0; number < 100; number++) arrivals.write(neighbour(number), NOW + number);
    expect(arrivals.read(ADA)).toBe(NOW + 1_000);
    // 15 places are left for the others, and each took that of the one that asked least.
    const kept = Array.from({ length: 100 }, (_, number) => number).filter(
      (each) => arrivals.read(neighbour(each)) > 0,
    );
    expect(kept).toEqual(Array.from({ length: 15 }, (_, at) => 85 + at));
    for (const visitor of ['0'.repeat(16), 'f'.repeat(16)]) arrivals.write(visitor, NOW);
    expect(statSync(path).size).toBe(2 * 1024 * 1024);
  });

  test('damaged bytes are visitors that are idle', () => {
    visitors.arrivalsOf(0).write(ADA, NOW);
    const bytes = readFileSync(path);
    for (const damage of [0xff, 0x7f, 0x00]) {
      writeFileSync(path, Buffer.alloc(bytes.length, damage));
      const arrivals = visitors.arrivalsOf(0);
      for (const visitor of [ADA, 'f'.repeat(16), '7f'.repeat(8)]) {
        expect(arrivals.read(visitor)).toBe(0);
        arrivals.write(visitor, NOW + 1);
        expect(arrivals.read(visitor)).toBe(NOW + 1);
      }
    }
    writeFileSync(path, '');
    expect(visitors.arrivalsOf(0).read('0'.repeat(16))).toBe(0);
  });
});
