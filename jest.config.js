/** Jest runs the TypeScript sources as native ES modules; swc only strips the types. */
import { availableParallelism } from 'node:os';

/** What every run has: this one, and those of the folders of test that have a jest.config.js. */
export const common = {
  testEnvironment: '<rootDir>/test/fast-globals-environment.js',
  extensionsToTreatAsEsm: ['.ts'],
  // What most imports are is looked for first.
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { sourceMaps: true, jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } },
    ],
  },
};

/** The same of the whole run, which a project can't set. */
export const run = {
  reporters: ['default', '<rootDir>/test/summary-reporter.js'],
  testTimeout: 120_000,
  // Milliseconds until a worker that does not end is killed and said to leak. Jest's 500 are too few: the memory of a worker
  // that leaves nothing open, up to 630 MB, can take longer to be freed beside other load.
  workerGracefulExitTimeout: 10_000,
};

/** Many tests wait for processes, disks and clocks: two more workers than cores fill that time. */
export const maxWorkers = availableParallelism() + 2;

export default { ...common, ...run, maxWorkers, roots: ['<rootDir>/test'], testMatch: ['**/*.test.ts'] };
