/** What `/metrics` says of the data and of the channel that they come from. */

import { expect, test } from '@jest/globals';
import type { ServerState } from '../../src/process/admin-server.js';
import { createMetricsPage } from '../../src/process/metrics.js';
import type { ChannelState } from '../../src/releases/follow-channel.js';

const STATE: ServerState = {
  ...{ keyStores: [], expectedCount: 1, servingCount: 1, restartCount: 0, swapCount: 0, refusedCount: 0 },
  ...{ refused: null, damaged: null, channel: null, isStopping: false },
  snapshot: { release: 'one', id: 'abc', sourceDate: '2026-03-30', mapped: true },
};
const CHANNEL: ChannelState = {
  ...{ address: 'https://data.example/', channel: 'stable', release: 'one-abc', changedAt: '2026-03-31T00:00:00.000Z' },
  ...{ checkedAt: '1970-01-01T00:01:00.500Z', succeededAt: '1970-01-01T00:00:30.000Z', isLate: true },
  failure: { code: 'NO_SPACE', reason: 'no', since: '1970-01-01T00:01:00.000Z' },
  counts: { changed: 1, unchanged: 2, skipped: 3, failed: 4 },
};

/** The samples of the metrics whose names begin so, as one page after the other has them. */
async function samples(prefix: string, ...states: ServerState[]): Promise<string[]> {
  let state = STATE;
  const page = createMetricsPage(
    async () => state,
    async () => [],
  );
  let text = '';
  for (state of states) text = await page();
  return [...text.matchAll(/^postal_places_(.*)$/gm)].flatMap(([, line = '']) => (line.startsWith(prefix) ? line : []));
}

test('the date of the data, in seconds; none where it is unknown', async () => {
  const date = Date.UTC(2026, 2, 30) / 1_000;
  expect(await samples('snapshot_data', STATE)).toEqual([`snapshot_data_timestamp_seconds{release="one"} ${date}`]);
  const unknown = { ...STATE, snapshot: { ...STATE.snapshot, sourceDate: null } };
  expect(await samples('snapshot_data', STATE, unknown)).toEqual([]);
});

test('a channel that fails', async () => {
  expect(await samples('channel_', { ...STATE, channel: CHANNEL })).toEqual([
    'channel_checked_timestamp_seconds{channel="stable"} 60.5',
    'channel_succeeded_timestamp_seconds{channel="stable"} 30',
    'channel_failing{channel="stable",code="NO_SPACE"} 1',
    'channel_late{channel="stable"} 1',
    'channel_pulls_total{channel="stable",outcome="changed"} 1',
    'channel_pulls_total{channel="stable",outcome="unchanged"} 2',
    'channel_pulls_total{channel="stable",outcome="skipped"} 3',
    'channel_pulls_total{channel="stable",outcome="failed"} 4',
  ]);
});

test('a failure that is over is gone, and without a channel there is nothing', async () => {
  const good = { ...STATE, channel: { ...CHANNEL, failure: null, isLate: false } };
  const later = await samples('channel_', { ...STATE, channel: CHANNEL }, good);
  expect(later).toContain('channel_late{channel="stable"} 0');
  expect(later.filter((line) => line.startsWith('channel_failing'))).toEqual([]);
  expect(await samples('channel_', STATE)).toEqual([]);
});
