/** The visitors of the embedded store: they stay through reopening, floods and damage as far as each must. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { VisitorFile } from '../../../src/keys/usage-file.js';
import { createTemporaryFolders } from '../temporary-folders.js';

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
  const kept = Array.from({ length: 100 }, (_, number) => number).filter((each) => arrivals.read(neighbour(each)) > 0);
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
