/**
 * The test of the benchmarks: `npm run test:bench`. It needs what they need: wrk, nginx, redis-server, PostgreSQL with PostGIS.
 */
import { common, run } from '../../jest.config.js';

export default {
  ...common,
  ...run,
  rootDir: '../..',
  roots: ['<rootDir>/test/bench'],
  testMatch: ['**/*.bench.ts'],
  testTimeout: 600_000,
};
