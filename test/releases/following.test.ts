/** What a follower keeps as the state of its channel: whose pull did the work, what failed since when, and what is late. */

import { afterEach, expect, jest, test } from '@jest/globals';
import { ChannelError } from '../../src/releases/channel/channel-error.js';
import { ChannelFollower } from '../../src/releases/fetching/channel-follower.js';
import type { PullReport } from '../../src/releases/fetching/pull.js';
import { createRecordingLogger } from '../fixtures/recording-logger.js';

afterEach(() => {
  jest.useRealTimers();
});

const REPORT: PullReport = {
  ...{ channel: 'stable', release: 'one-0123456789abcdef', sequence: 7, changedAt: '2026-03-30T00:00:00.000Z' },
  ...{ changed: false, isInService: true, bytesFetched: 0, changesBytesFetched: 0 },
};
const NAMES = { address: 'https://data.example/', channel: 'stable' };

/** A follower whose pulls have these outcomes, one after the other. */
function follow(...outcomes: (PullReport | Error)[]) {
  const logger = createRecordingLogger();
  const pull = jest.fn(async (_: AbortSignal) => {
    const outcome = outcomes.shift() ?? REPORT;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  return { logger, pull, follower: new ChannelFollower(NAMES, pull, logger) };
}

const failing = (code: 'HOST_FAILED' | 'PULL_RUNNING', found = 'it is down'): ChannelError =>
  new ChannelError(code, found, 'wait');

test('each outcome is counted, and the state is that of the last pull', async () => {
  const { follower } = follow({ ...REPORT, changed: true }, REPORT, failing('HOST_FAILED'));
  expect(follower.state).toMatchObject({ ...NAMES, release: null, checkedAt: null, failure: null, isLate: false });
  expect([await follower.pullOnce(), await follower.pullOnce()]).toEqual(['changed', 'unchanged']);
  const { release, changedAt } = REPORT;
  const good = follower.state;
  expect(good).toMatchObject({ release, changedAt, checkedAt: good.succeededAt, failure: null });
  expect(await follower.pullOnce()).toBe('failed');
  expect(follower.state).toMatchObject({ release, succeededAt: good.succeededAt, failure: { code: 'HOST_FAILED' } });
  expect(follower.state.counts).toEqual({ changed: 1, unchanged: 1, skipped: 0, failed: 1 });
});

test('a pull of another process of the machine is no failure', async () => {
  const { follower, logger } = follow(failing('PULL_RUNNING'));
  expect(await follower.pullOnce()).toBe('skipped');
  expect(follower.state).toMatchObject({ failure: null, checkedAt: null, counts: { skipped: 1, failed: 0 } });
  expect(logger.lines).toEqual([]);
});

test('failures in a row have the time of the first, and are logged where the reason is another', async () => {
  const down = failing('HOST_FAILED');
  const { follower, logger } = follow(down, down, failing('HOST_FAILED', 'it\nstalls'), REPORT, down);
  await follower.pullOnce();
  const since = follower.state.failure?.since;
  await follower.pullOnce();
  await follower.pullOnce();
  expect(follower.state.failure).toEqual({ code: 'HOST_FAILED', reason: 'HOST_FAILED: it stalls; wait', since });
  await follower.pullOnce();
  await follower.pullOnce();
  expect(logger.lines.map(({ level }) => level)).toEqual(['error', 'error', 'info', 'error']);
});

test('two who ask at once wait for one pull, and a pull after a stop does nothing', async () => {
  const { follower, pull } = follow();
  expect(await Promise.all([follower.pullOnce(), follower.pullOnce()])).toEqual(['unchanged', 'unchanged']);
  expect(pull).toHaveBeenCalledTimes(1);
  await follower.stop();
  expect(await follower.pullOnce()).toBe('stopped');
  expect(pull).toHaveBeenCalledTimes(1);
});

test('a stop ends the pull under way, which is no failure', async () => {
  const logger = createRecordingLogger();
  const untilAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
  const follower = new ChannelFollower(NAMES, untilAborted, logger);
  follower.follow(300_000);
  const pulled = follower.pullOnce();
  await follower.stop();
  expect([await pulled, follower.state.failure, logger.lines]).toEqual(['stopped', null, []]);
});

test.each([
  [300_000, 3_600_000],
  [7_200_000, 21_600_000],
])('with an interval of %i ms, nothing that succeeded for %i ms is late', async (intervalMs, lateMs) => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  const { follower } = follow();
  follower.follow(intervalMs, 2 ** 30);
  jest.advanceTimersByTime(lateMs - 1);
  expect(follower.state.isLate).toBe(false);
  jest.advanceTimersByTime(2);
  expect(follower.state.isLate).toBe(true);
  await follower.pullOnce();
  expect(follower.state.isLate).toBe(false);
  await follower.stop();
});
