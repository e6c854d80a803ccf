/** Liveness: how long nobody may serve before everything is to be started again. */
import { expect, test } from '@jest/globals';
import { livenessOf } from '../../src/serving/standing.js';

test.each([
  [0, true],
  [59_999, true],
  [60_000, false],
  [3_600_000, false],
])('nobody has served for %i ms', (unservedMs, isAlive) => {
  const lastMs = 12_345;
  const { report, ...liveness } = livenessOf({ lastServedMs: () => lastMs }, lastMs + unservedMs);
  expect(liveness).toEqual({ isAlive });
  expect(report).toEqual(isAlive ? { status: 'ok' } : { status: 'nobody serves', forSeconds: unservedMs / 1_000 });
});

test('who serves is alive', () => {
  expect(livenessOf({ lastServedMs: () => performance.now() })).toMatchObject({ isAlive: true });
});
