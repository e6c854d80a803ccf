/**
 * The tests of whole programs: `npm run test:system`. Real servers and builders are started, swapped and killed, a Redis
 * goes away, and pages are used in a browser. They are named `*.system.ts`, beside the tests of the same part, and the
 * ordinary run, which takes `*.test.ts`, knows nothing of them: they take twice as long as all others together.
 */
import { common, maxWorkers, run } from '../../jest.config.js';

export default {
  ...common,
  ...run,
  rootDir: '../..',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.system.ts'],
  maxWorkers,
};
