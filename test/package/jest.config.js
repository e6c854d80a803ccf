/**
 * The checks of the package: `npm run test:package`. They are named `*.package.ts`, so the ordinary run, which takes
 * `*.test.ts`, knows nothing of them: they take minutes. One file runs at a time, since countries are compiled with a
 * low priority, which comes to little where other tests use both cores.
 */
import { common, run } from '../../jest.config.js';

export default {
  ...common,
  ...run,
  rootDir: '../..',
  roots: ['<rootDir>/test/package'],
  testMatch: ['**/*.package.ts'],
  maxWorkers: 1,
  testTimeout: 300_000,
};
