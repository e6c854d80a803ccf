/**
 * How much memory a build needs at its peak, estimated from the lengths of its inputs before it starts, beside what the
 * machine or the container has. The numbers are fitted to builds on 1 to 8 threads of GeoNames' releases of 2024-04 (38 MB
 * of tables) and 2026-03 (90 MB), and of some countries of these: test/build-index/memory-need.test.ts has them all. Each
 * estimate is within 20 % of the peak that was measured, but for a single small country, which takes less.
 */
import { totalmem } from 'node:os';
import { formatBytes } from '../reporting/tables.js';

/** Bytes of the program itself, before it has read anything. */
const PROGRAM_BYTES = 80e6;
/** Bytes of a thread that has little to do. */
const IDLE_THREAD_BYTES = 20e6;
/** Bytes of a thread that has much to do: mostly its young generation, see pool.ts, and garbage. */
const BUSY_THREAD_BYTES = 310e6;
/** Bytes that a thread takes for each byte of the tables that it works on, until it is busy. */
const THREAD_BYTES_PER_BYTE = 200;
/** Bytes for each byte of all tables: countries that wait for their turn to be written, and the index of the world. */
const BYTES_PER_BYTE = 5;
/** Bytes for each byte of the longest table, which a thread has in memory as a whole. */
const BYTES_PER_LARGEST_BYTE = 11;
/** Bytes for each byte of the table of cities, which is in memory all the time. */
const BYTES_PER_CITY_BYTE = 9;
/** Bytes for each byte of the table of cities where there is a table of alternate names: the names of these cities. */
const BYTES_PER_NAMED_CITY_BYTE = 13;

/** Lengths in bytes, unpacked. */
export interface InputLengths {
  /** Of the tables of the countries to build. */
  readonly tables: readonly number[];
  /** Of the table of cities; 0 where there is none. */
  readonly cities: number;
  readonly hasAlternateNames: boolean;
}

/** Bytes of memory of the whole process, about; `threadCount` 0 is the calling thread. */
export function estimateMemory({ tables, cities, hasAlternateNames }: InputLengths, threadCount: number): number {
  const threads = Math.max(threadCount, 1);
  const tableBytes = tables.reduce((sum, length) => sum + length, 0);
  const threadBytes = Math.min(BUSY_THREAD_BYTES, IDLE_THREAD_BYTES + (THREAD_BYTES_PER_BYTE * tableBytes) / threads);
  return (
    PROGRAM_BYTES +
    threads * threadBytes +
    BYTES_PER_BYTE * tableBytes +
    BYTES_PER_LARGEST_BYTE * Math.max(0, ...tables) +
    (hasAlternateNames ? BYTES_PER_NAMED_CITY_BYTE : BYTES_PER_CITY_BYTE) * cities
  );
}

/** Bytes that the machine has, or the container where that has less. */
export interface MachineMemory {
  readonly total: number;
  readonly free: number;
}

export function machineMemory(): MachineMemory {
  // 0 or more than there is where nothing limits the process.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const total = Math.min(totalmem(), limit);
  return { total, free: Math.min(total, process.availableMemory()) };
}

/** One line for people: a warning where the machine has less than the build needs. */
export function describeMemory(neededBytes: number, { total, free }: MachineMemory): string {
  const [needed, has] = [formatBytes(neededBytes), `${formatBytes(free)} of ${formatBytes(total)} are free`];
  if (neededBytes <= free) return `needs about ${needed} of memory; ${has}`;
  return (
    `warning: needs about ${needed} of memory, and ${has}: the system may end the build before it is done; ` +
    'build on a larger machine, on fewer processors (taskset), or fewer countries at a time (--countries)'
  );
}
