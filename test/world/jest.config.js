/**
 * The checks over whole GeoNames releases: `npm run test:world`. They are named `*.world.ts`, so the ordinary run, which
 * takes `*.test.ts`, knows nothing of them. Two releases are compiled once, before the first check; two checks run at a
 * time, each in a process of its own.
 */
import { common, run } from '../../jest.config.js';

export default {
  ...common,
  ...run,
  rootDir: '../..',
  roots: ['<rootDir>/test/world'],
  testMatch: ['**/*.world.ts'],
  globalSetup: '<rootDir>/test/world/build-releases.js',
  globalTeardown: '<rootDir>/test/world/remove-builds.js',
  maxWorkers: 2,
  testTimeout: 900_000,
};
