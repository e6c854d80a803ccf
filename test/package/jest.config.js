/**
 * The check of the package: `npm run test:package`. It is named `*.package.ts`, so the ordinary run, which takes
 * `*.test.ts`, knows nothing of it: packing and installing take half a minute.
 */
import { common, run } from '../../jest.config.js';

export default {
  ...common,
  ...run,
  rootDir: '../..',
  roots: ['<rootDir>/test/package'],
  testMatch: ['**/*.package.ts'],
  testTimeout: 300_000,
};
