/** The file of counts: its bytes, and that a slot is its key's alone. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UsageFile, usageSlot } from '../../../src/keys/embedded/usage-file.js';
import { createTemporaryFolders } from '../temporary-folders.js';

fc.configureGlobal({ seed: 20240229 });

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

const DIGEST = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const OTHER = 'ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';

let path: string;
let file: UsageFile;
beforeEach(() => {
  path = join(folders.make(), 'usage.bin');
  file = new UsageFile(path);
});
afterEach(() => file.close());

test('the bytes are those of the worked example', () => {
  file.fill(usageSlot(1, DIGEST), new Map());
  file.read(usageSlot(1, DIGEST), '2024-02');
  file.write(usageSlot(1, DIGEST), '2024-02', { used: 777, arrivalMs: 1_708_000_000_000.5 });
  const bytes = readFileSync(path);
  expect(bytes).toHaveLength(64 + 2 * 512);
  expect(bytes.subarray(0, 16).toString('hex')).toBe('50505553414745000100000000020000');
  const slot = bytes.subarray(64 + 512);
  expect(slot.subarray(0, 8).toString('hex')).toBe('0011223344556677');
  expect(slot.readDoubleLE(8)).toBe(1_708_000_000_000.5);
  expect([slot.readUInt32LE(272), slot.readUInt32LE(276), slot.readDoubleLE(280)]).toEqual([24_289, 0, 777]);
  expect(bytes.subarray(64, 64 + 512).every((byte) => byte === 0)).toBe(true);
});

test("a slot that was never written, or is another key's, is empty", () => {
  expect(file.read(usageSlot(9, DIGEST), '2024-02')).toEqual({ used: 0, arrivalMs: 0 });
  file.fill(usageSlot(3, OTHER), new Map([['2024-02', 5]]));
  expect(file.read(usageSlot(3, DIGEST), '2024-02')).toEqual({ used: 0, arrivalMs: 0 });
  expect(file.readMonths(usageSlot(3, DIGEST))).toEqual(new Map());
  expect(file.readMonths(usageSlot(3, OTHER))).toEqual(new Map([['2024-02', 5]]));
});

test('a new month begins at zero and the old ones stay, up to 31', () => {
  file.fill(usageSlot(0, DIGEST), new Map());
  const names = Array.from({ length: 40 }, (_, index) => new Date(Date.UTC(2023, index)).toISOString().slice(0, 7));
  for (const [index, name] of names.entries()) {
    expect(file.read(usageSlot(0, DIGEST), name).used).toBe(0);
    file.write(usageSlot(0, DIGEST), name, { used: index + 1, arrivalMs: 0 });
  }
  expect([...file.readMonths(usageSlot(0, DIGEST))]).toEqual(
    names.map((name, index) => [name, index + 1] as const).slice(-31),
  );
});

test.each([1.5, -1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])('%d in the file is no count', (count) => {
  file.fill(usageSlot(0, DIGEST), new Map([['2024-02', 0]]));
  const bytes = readFileSync(path);
  bytes.writeDoubleLE(count, 64 + 280);
  writeFileSync(path, bytes);
  const damaged = expect.objectContaining({
    code: 'KEY_STORE_DAMAGED',
    message: expect.stringContaining(DIGEST.slice(0, 16)),
  });
  expect(() => file.read(usageSlot(0, DIGEST), '2024-02')).toThrow(damaged);
  expect(() => file.readMonths(usageSlot(0, DIGEST))).toThrow(damaged);
  expect(file.read(usageSlot(0, DIGEST), '2024-03').used).toBe(0);
});

test.each([-0.5, 2 ** 54, Number.NaN, Number.POSITIVE_INFINITY])('%d in the file is no arrival time', (arrivalMs) => {
  file.read(usageSlot(0, DIGEST), '2024-02');
  file.write(usageSlot(0, DIGEST), '2024-02', { used: 1, arrivalMs });
  expect(() => file.read(usageSlot(0, DIGEST), '2024-02')).toThrow('has a time in slot 0');
  expect(file.readMonths(usageSlot(0, DIGEST))).toEqual(new Map([['2024-02', 1]]));
});

test('what was written is read, whatever slots and months, also by another opening of the file', () => {
  const anyMonth = fc.integer({ min: 2020 * 12, max: 2022 * 12 + 6 }).map((number) => {
    return `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`;
  });
  const anyWrite = fc.record({ slot: fc.nat(20), month: anyMonth, used: fc.nat(1e9), arrivalMs: fc.nat(2 ** 41) });
  fc.assert(
    fc.property(fc.array(anyWrite, { maxLength: 60 }), (writes) => {
      const expected = new Map<number, Map<string, number>>();
      const arrivals = new Map<number, number>();
      const other = new UsageFile(path);
      for (let slot = 0; slot <= 20; slot++) file.fill(usageSlot(slot, DIGEST), new Map());
      for (const { slot, month, used, arrivalMs } of writes) {
        file.read(usageSlot(slot, DIGEST), month);
        file.write(usageSlot(slot, DIGEST), month, { used, arrivalMs });
        expected.set(slot, (expected.get(slot) ?? new Map<string, number>()).set(month, used));
        arrivals.set(slot, arrivalMs);
      }
      for (const [slot, months] of expected) {
        expect(new Map([...other.readMonths(usageSlot(slot, DIGEST))])).toEqual(new Map([...months].sort()));
        const [month] = [...months.keys()];
        expect(other.read(usageSlot(slot, DIGEST), month as string).arrivalMs).toBe(arrivals.get(slot));
      }
      other.close();
    }),
  );
});
