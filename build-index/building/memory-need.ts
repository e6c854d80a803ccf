/**
 * Estimates the peak memory of a build from the lengths of its inputs, and compares it with the memory of the machine
 * or the container. The factors are fitted to builds on 1 to 8 threads of GeoNames' releases of 2024-04 (38 MB of
 * tables) and 2026-03 (90 MB), and of some of their countries: test/build-index/memory-need.system.ts lists them. Each
 * estimate is within 20 % of the measured peak, except for a single small country, which needs less.
 */

import { totalmem } from 'node:os';
import { formatBytes } from '../reporting/printing.js';

/** Memory of the program itself before it reads an input, in bytes. */
const PROGRAM_BYTES = 80e6;
/** Memory of an idle thread, in bytes. */
const IDLE_THREAD_BYTES = 20e6;
/** Maximum memory of a busy thread, in bytes: mostly its young generation, see pool.ts, and garbage. */
const BUSY_THREAD_BYTES = 310e6;
/** Memory of a thread per byte of the tables that it processes, in bytes, up to BUSY_THREAD_BYTES. */
const THREAD_BYTES_PER_BYTE = 200;
/** Memory per byte of all tables, in bytes: finished countries that wait to be written, and the index of the world. */
const BYTES_PER_BYTE = 5;
/** Memory per byte of the longest table, in bytes: one thread holds the whole country. */
const BYTES_PER_LARGEST_BYTE = 11;
/** Memory per byte of the table of cities, in bytes: it stays in memory. */
const BYTES_PER_CITY_BYTE = 9;
/** The same with a table of alternate names, whose names of these cities stay in memory too. */
const BYTES_PER_NAMED_CITY_BYTE = 13;

/** Memory per byte of all tables of full codes, in bytes: GB's, of 129 MB, takes 180 MB. */
const BYTES_PER_FULL_BYTE = 1.4;

/** Unpacked lengths, in bytes. */
export interface InputLengths {
  /** The lengths of the tables of the countries to build. */
  readonly tables: readonly number[];
  /** The length of their tables of full codes together; 0 without one. */
  readonly fullCodes?: number;
  /** The length of the table of cities; 0 without one. */
  readonly cities: number;
  readonly hasAlternateNames: boolean;
}

/** Estimated memory of the whole process, in bytes; a `threadCount` of 0 means the calling thread only. */
export function estimateMemory(
  { tables, fullCodes = 0, cities, hasAlternateNames }: InputLengths,
  threadCount: number,
): number {
  const threads = Math.max(threadCount, 1);
  const tableBytes = tables.reduce((sum, length) => sum + length, 0);
  const threadBytes = Math.min(BUSY_THREAD_BYTES, IDLE_THREAD_BYTES + (THREAD_BYTES_PER_BYTE * tableBytes) / threads);
  return (
    PROGRAM_BYTES +
    threads * threadBytes +
    BYTES_PER_BYTE * tableBytes +
    BYTES_PER_LARGEST_BYTE * Math.max(0, ...tables) +
    BYTES_PER_FULL_BYTE * fullCodes +
    (hasAlternateNames ? BYTES_PER_NAMED_CITY_BYTE : BYTES_PER_CITY_BYTE) * cities
  );
}

/** Memory of the machine or, if smaller, of the container, in bytes. */
export interface MachineMemory {
  readonly total: number;
  readonly free: number;
}

export function machineMemory(): MachineMemory {
  // 0, or more than the machine has, if nothing limits the process.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const total = Math.min(totalmem(), limit);
  return { total, free: Math.min(total, process.availableMemory()) };
}

/** One line for people: a warning if the machine has less memory than the build needs. */
export function describeMemory(neededBytes: number, { total, free }: MachineMemory): string {
  const [needed, has] = [formatBytes(neededBytes), `${formatBytes(free)} of ${formatBytes(total)} are free`];
  if (neededBytes <= free) return `needs about ${needed} of memory; ${has}`;
  return (
    `warning: needs about ${needed} of memory, and ${has}: the system may kill the build; ` +
    'build on a larger machine, on fewer processors (taskset), or fewer countries at a time (--countries)'
  );
}
