/** `npm start` that is ended while the site hangs. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startSiteProcess } from '../../demo/site-process.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { childrenOf, isRunning } from '../fixtures/program.js';
import { createRecordingLogger } from '../fixtures/recording-logger.js';

/** Milliseconds that a site has to stop: no more than a test waits, as this site never stops. */
const STOP_LIMIT_MS = 200;

let fixture: FixtureSnapshot;
beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
});
afterAll(() => fixture.cleanup());

test('a site that hangs when it should stop is killed', async () => {
  const before = childrenOf(process.pid);
  const environment = { PATH: process.env.PATH, SITE_PORT: '0', SNAPSHOT: fixture.path, ACCOUNTS: 'off' };
  const logger = createRecordingLogger();
  const site = await startSiteProcess({ ...environment, LOG_LEVEL: 'silent' }, STOP_LIMIT_MS, logger);
  const [pid = 0, ...others] = childrenOf(process.pid).filter((child) => !before.includes(child));
  expect(others).toEqual([]);
  process.kill(pid, 'SIGSTOP');
  await site.close();
  expect(isRunning(pid)).toBe(false);
  // It was stopped, so no other one takes its place.
  expect(logger.lines).toEqual([]);
});
