/**
 * The tests of whole programs: `npm run test:system`. Real servers and builders are started, swapped and killed, a Redis
 * goes away, and pages are used in a browser. They are named `*.system.ts`, beside the tests of the same part, and the
 * ordinary run, which takes `*.test.ts`, knows nothing of them: they take twice as long as all others together.
 */
import { join } from 'node:path';
import { common, maxWorkers, run } from '../../jest.config.js';

const rootDir = join(import.meta.dirname, '../..');

export default {
  ...run,
  rootDir,
  maxWorkers,
  projects: [
    { ...common, rootDir, roots: ['<rootDir>/test'], testMatch: ['**/*.system.ts'] },
    {
      ...common,
      rootDir,
      displayName: 'public API of Node alone',
      roots: ['<rootDir>/test/api', '<rootDir>/test/server'],
      testMatch: ['**/*.test.ts'],
      // These test what is described and what a file holds, not how it is sent, and would double the time.
      testPathIgnorePatterns: ['description', 'damaged-snapshot', 'faults', 'node-internals', 'params'].map(
        (name) => `/${name}\\.test\\.ts$`,
      ),
      setupFiles: ['<rootDir>/test/server/public-api-only.ts'],
    },
  ],
};
