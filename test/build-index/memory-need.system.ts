/** What a build says of the memory that it needs: beside what builds were measured to take, and what a machine has. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeMemory, estimateMemory, machineMemory } from '../../build-index/building/memory-need.js';
import { createTemporaryFolder, fileTextOf, type TemporaryFolder, writeRelease } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { runProgram } from '../fixtures/program.js';

const MB = 1e6;

/** Megabytes: of all tables, of the longest, of the table of cities; and the peak, as the build measured it itself. */
const MEASURED: readonly [
  what: string,
  threads: number,
  tables: number,
  longest: number,
  cities: number,
  peak: number,
][] = [
  ['the release of 2026-03', 1, 89.58, 17.02, 0, 910],
  ['the release of 2026-03', 2, 89.58, 17.02, 0, 1378],
  ['the release of 2026-03', 4, 89.58, 17.02, 0, 1888],
  ['the release of 2026-03', 8, 89.58, 17.02, 0, 3213],
  ['the release of 2026-03 with cities500', 2, 89.58, 17.02, 33.61, 1616],
  ['the release of 2024-04', 1, 37.96, 3.24, 0, 635],
  ['the release of 2024-04', 2, 37.96, 3.24, 0, 935],
  ['the release of 2024-04', 4, 37.96, 3.24, 0, 1387],
  ['Portugal', 1, 17.02, 17.02, 0, 660],
  ['Portugal', 2, 17.02, 17.02, 0, 956],
  ['the United States and Singapore', 2, 8.49, 5.86, 0, 796],
  ['eleven countries with cities15000', 2, 8.92, 2.63, 7.72, 758],
  ['44,261 rows of two countries with their cities', 1, 2.39, 2.22, 1.43, 509],
  ['44,261 rows of two countries with their cities', 2, 2.39, 2.22, 1.43, 580],
  ['Liechtenstein', 1, 0, 0, 0, 105],
  ['Liechtenstein', 2, 0, 0, 0, 123],
  ['Liechtenstein with cities15000', 2, 0, 0, 7.72, 203],
  ['Liechtenstein with cities500', 2, 0, 0, 33.61, 438],
];

test.each(MEASURED)('%s on %i threads', (_, threads, tables, longest, cities, peak) => {
  // The other tables are of some length that none is longer than.
  const others = Array.from({ length: 100 }, () => ((tables - longest) * MB) / 100);
  const lengths = { tables: [longest * MB, ...others], cities: cities * MB, hasAlternateNames: false };
  const share = estimateMemory(lengths, threads) / (peak * MB);
  expect(share).toBeGreaterThan(0.8);
  expect(share).toBeLessThan(1.2);
});

test('a table of alternate names adds the names of the cities', () => {
  const lengths = { tables: [], cities: 33.61 * MB };
  const [without, withNames] = [false, true].map((hasAlternateNames) =>
    estimateMemory({ ...lengths, hasAlternateNames }, 2),
  ) as [number, number];
  // Measured with the 890,950 names that the rows of cities500 have: 575 MB for 438.
  expect((withNames - without) / MB).toBeCloseTo(134, 0);
});

describe('what is said', () => {
  test('a machine that has enough', () => {
    expect(describeMemory(1.2e9, { total: 8e9, free: 1.3e9 })).toBe(
      'needs about 1.2 GB of memory; 1.3 GB of 8.0 GB are free',
    );
  });

  test('a machine that has less', () => {
    expect(describeMemory(1.2e9, { total: 8e9, free: 1.1e9 })).toMatch(
      /^warning: needs about 1\.2 GB of memory, and 1\.1 GB of 8\.0 GB are free: the system may kill the build/,
    );
  });

  test('this machine has some memory, some of it free', () => {
    const { total, free } = machineMemory();
    expect(Number.isFinite(total)).toBe(true);
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThanOrEqual(total);
  });
});

describe('the program', () => {
  let folder: TemporaryFolder;
  beforeAll(() => {
    folder = createTemporaryFolder();
    writeRelease(join(folder.path, 'release'), { AD: HAND_MADE_ROWS.AD ?? [] });
  });
  afterAll(() => folder.remove());
  const build = (env: NodeJS.ProcessEnv = {}) =>
    runProgram(['build', join(folder.path, 'release'), '--out', join(folder.path, 'x.snapshot'), '--json'], env);

  test('says what it needs before it builds, and reports it', () => {
    const { exitCode, stdout, stderr } = build();
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^needs about [\d.]+ MB of memory; [\d.]+ [MGT]B of [\d.]+ [MGT]B are free\nbuilding …\n/);
    const { neededMemoryBytes } = JSON.parse(stdout);
    const bytes = Buffer.byteLength(fileTextOf('AD', HAND_MADE_ROWS.AD ?? []));
    const estimates = [1, 2, 4, 8, 16].map((threads) =>
      estimateMemory({ tables: [bytes], cities: 0, hasAlternateNames: false }, threads),
    );
    expect(neededMemoryBytes).toBeGreaterThanOrEqual(Math.min(...estimates));
    expect(neededMemoryBytes).toBeLessThanOrEqual(Math.max(...estimates));
  });

  test('warns in a container that has less, and builds all the same', () => {
    const limit = 'data:text/javascript,process.constrainedMemory=()=>64e6';
    const { exitCode, stderr } = build({ NODE_OPTIONS: `--import=${limit}` });
    expect(stderr).toMatch(/^warning: needs about [\d.]+ MB of memory, and 64\.0 MB of 64\.0 MB are free: /);
    expect(exitCode).toBe(0);
  });
});
