/**
 * The soaks: `npm run test:soak`. They are named `*.soak.ts`, so the ordinary run, which takes `*.test.ts`, knows nothing
 * of them. One process runs them one after the other, because what they measure has the machine to itself.
 */
import { common, run } from '../../jest.config.js';

export default {
  ...common,
  ...run,
  rootDir: '../..',
  roots: ['<rootDir>/test/soak'],
  testMatch: ['**/*.soak.ts'],
  maxWorkers: 1,
  testTimeout: 600_000,
};
