/** What the state of a server means: for how long nobody may serve, and what makes it degraded or unready. */
import { expect, test } from '@jest/globals';
import { judgeLiveness, judgeReadiness, type ServerState } from '../../src/admin/server-state.js';

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
  snapshot: { release: 'one', id: 'abc', mapped: true },
  keyStores: [keyStore, keyStore],
  expectedCount: 2,
  servingCount: 2,
  restartCount: 0,
  swapCount: 0,
  refusedCount: 0,
  refused: null,
  damaged: null,
  isStopping: false,
};

test('a server that has all it needs is ready', () => {
  expect(judgeReadiness(READY)).toEqual({
    isGood: true,
    report: {
      status: 'ready',
      snapshot: { release: 'one', id: 'abc' },
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
