/** What the state of a server means: for how long nobody may serve, and what makes it degraded or unready. */

import { expect, test } from '@jest/globals';
import { judgeLiveness, judgeReadiness, judgeSiteReadiness, type ServerState } from '../../src/process/admin-server.js';
import type { ChannelState } from '../../src/releases/follow-channel.js';

test.each([
  [0, true],
  [59_999, true],
  [60_000, false],
  [3_600_000, false],
])('nobody has served for %i ms', (unservedMs, isGood) => {
  const forSeconds = Math.floor(unservedMs / 1_000);
  const report = unservedMs === 0 ? { status: 'ok' } : { status: 'nobody serves', forSeconds };
  expect(judgeLiveness(unservedMs)).toEqual({ isGood, report });
});

const keyStore = { kind: 'redis', state: 'ready', problem: null, errorCount: 0 } as const;
const failing = { ...keyStore, state: 'degraded', problem: 'it is gone' } as const;
const problem = { path: 'bad.snapshot', reason: 'it is rotten' };

const READY: ServerState = {
  snapshot: { release: 'one', id: 'abc', sourceDate: '2026-03-30', mapped: true },
  keyStores: [keyStore, keyStore],
  expectedCount: 2,
  servingCount: 2,
  restartCount: 0,
  swapCount: 0,
  refusedCount: 0,
  refused: null,
  damaged: null,
  channel: null,
  isStopping: false,
};

test('a server that has all it needs is ready', () => {
  expect(judgeReadiness(READY)).toEqual({
    isGood: true,
    report: {
      status: 'ready',
      snapshot: { release: 'one', id: 'abc', sourceDate: '2026-03-30' },
      refused: null,
      damaged: null,
      workers: { expected: 2, serving: 2, answering: 2 },
      keyStore,
    },
  });
});

test.each<[string, Partial<ServerState>, object]>([
  ['a snapshot that was refused', { refused: problem }, { refused: problem }],
  ['a snapshot that is damaged', { damaged: problem }, { damaged: problem }],
  ['a worker that is missing', { servingCount: 1, keyStores: [keyStore] }, { workers: { serving: 1 } }],
  ['a worker that does not answer', { keyStores: [keyStore] }, { workers: { answering: 1 } }],
  ['a key store of one worker', { keyStores: [keyStore, failing] }, { keyStore: failing }],
])('%s makes it degraded, and requests still come', (_, change, shown) => {
  const verdict = judgeReadiness({ ...READY, ...change });
  expect(verdict).toMatchObject({ isGood: true, report: { status: 'degraded', ...shown } });
});

test.each<[string, Partial<ServerState>]>([
  ['unready', { keyStores: [], servingCount: 0 }],
  ['unready', { keyStores: [] }],
  ['stopping', { isStopping: true }],
])('%s: no requests should come', (status, change) => {
  expect(judgeReadiness({ ...READY, ...change })).toMatchObject({ isGood: false, report: { status } });
});

const channel: ChannelState = {
  ...{ address: 'https://data.example/', channel: 'stable', release: 'one-abc', changedAt: '2026-03-31T00:00:00.000Z' },
  ...{ checkedAt: '2026-03-31T01:00:00.000Z', succeededAt: null, isLate: false },
  failure: { code: 'HOST_FAILED', reason: 'it is down', since: '2026-03-31T01:00:00.000Z' },
  counts: { changed: 0, unchanged: 0, skipped: 0, failed: 1 },
};
const { isLate: _, counts: __, ...shown } = channel;

test.each([
  [false, 'ready'],
  [true, 'degraded'],
])('a channel that fails, late: %s, makes server and site %s', (isLate, status) => {
  const state = { ...READY, channel: { ...channel, isLate } };
  for (const judge of [judgeReadiness, judgeSiteReadiness]) {
    const { isGood, report } = judge(state);
    expect([isGood, report]).toEqual([true, expect.objectContaining({ status, channel: shown })]);
  }
});
