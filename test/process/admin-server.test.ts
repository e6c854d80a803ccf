/** The operators' server: what it is asked and answers, and that it answers nothing else. */

import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { FORMAT_VERSION } from '../../src/core/snapshot/sections.js';
import { adminVersionReport, createAdminServer } from '../../src/process/admin/admin-server.js';
import { createMetricsPage } from '../../src/process/admin/metrics.js';
import {
  judgeLiveness,
  judgeReadiness,
  judgeSiteReadiness,
  type ServerState,
} from '../../src/process/admin/server-state.js';
import type { ChannelState } from '../../src/releases/fetching/channel-follower.js';

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

const CHANNEL: ChannelState = {
  ...{ address: 'https://data.example/', channel: 'stable', release: 'one-abc', changedAt: '2026-03-31T00:00:00.000Z' },
  ...{ checkedAt: '1970-01-01T00:01:00.500Z', succeededAt: '1970-01-01T00:00:30.000Z', isLate: true },
  failure: { code: 'NO_SPACE', reason: 'no', since: '1970-01-01T00:01:00.000Z' },
  counts: { changed: 1, unchanged: 2, skipped: 3, failed: 4 },
};

describe('the server', () => {
  let isAlive = true;
  let isReady = true;
  let metrics = async (): Promise<string> => 'requests_total 3\n';
  const server = createAdminServer(
    {
      liveness: () => ({ isGood: isAlive, report: { status: isAlive ? 'ok' : 'nobody serves' } }),
      readiness: async () => ({ isGood: isReady, report: { status: isReady ? 'ready' : 'stopping' } }),
      metrics: () => metrics(),
      version: { version: '1.2.3' },
    },
    'Admin.Internal',
  );
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test('/healthz says by its status whether the process should go on', async () => {
    const response = await request(server).get('/healthz');
    expect([response.status, response.body]).toEqual([200, { status: 'ok' }]);
    expect(response.headers['cache-control']).toBe('no-store');
    isAlive = false;
    const later = await request(server).get('/healthz');
    expect([later.status, later.body]).toEqual([503, { status: 'nobody serves' }]);
    isAlive = true;
  });

  test('/readyz says how things are, and by its status whether requests should be sent here', async () => {
    const response = await request(server).get('/readyz?verbose');
    expect([response.status, response.body]).toEqual([200, { status: 'ready' }]);
    isReady = false;
    const later = await request(server).get('/readyz');
    expect([later.status, later.body]).toEqual([503, { status: 'stopping' }]);
  });

  test('/version', async () => {
    expect((await request(server).get('/version')).body).toEqual({ version: '1.2.3' });
    expect(adminVersionReport()).toMatchObject({ snapshotFormat: FORMAT_VERSION });
  });

  test('/metrics is text for Prometheus', async () => {
    const response = await request(server).get('/metrics');
    expect([response.status, response.text]).toEqual([200, 'requests_total 3\n']);
    expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  test('a failing endpoint is a response 500, and the process lives on', async () => {
    metrics = async () => Promise.reject(new Error('no worker answers'));
    const response = await request(server).get('/metrics');
    expect([response.status, response.body]).toEqual([500, { status: 'failed', problem: 'no worker answers' }]);
  });

  test.each(['/', '/metricz', '/__proto__', '/constructor', '//healthz'])('%s is no question', async (path) => {
    expect((await request(server).get(path)).status).toBe(404);
  });

  test('HEAD has no body, other methods are refused', async () => {
    const head = await request(server).head('/healthz');
    expect([head.status, head.text]).toEqual([200, undefined]);
    const post = await request(server).post('/healthz').send({});
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  test.each([
    '127.0.0.1:9090',
    '127.8.9.1',
    '[::1]:9090',
    '10.42.0.7:9090',
    'localhost:9090',
    'LOCALHOST',
    'admin.internal:1',
  ])('Host %s is served', async (host) => {
    expect((await request(server).get('/version').set('host', host)).status).toBe(200);
  });

  test.each([
    'rebound.example',
    'localhost.rebound.example:9090',
    '127.0.0.1.rebound.example',
    'evil:9090',
    '[evil]',
    '',
  ])('Host "%s" gets nothing, from no path', async (host) => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/version', '/']) {
      const { status, body } = await request(server).get(path).set('host', host);
      expect([status, body]).toEqual([421, { status: 'misdirected', problem: expect.any(String) }]);
    }
  });

  test('a probe of HTTP/1.0 needs no Host', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.end('GET /healthz HTTP/1.0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.[01] 200 /);
  });
});

describe('what the state of a server means', () => {
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

  test.each([
    [false, 'ready'],
    [true, 'degraded'],
  ])('a channel that fails, late: %s, makes server and site %s', (isLate, status) => {
    const state = { ...READY, channel: { ...CHANNEL, isLate } };
    const { isLate: _, counts: __, ...shown } = CHANNEL;
    for (const judge of [judgeReadiness, judgeSiteReadiness]) {
      const { isGood, report } = judge(state);
      expect([isGood, report]).toEqual([true, expect.objectContaining({ status, channel: shown })]);
    }
  });
});

describe('what /metrics says of the data and of the channel that they come from', () => {
  /** The samples of the metrics whose names begin so, as one page after the other has them. */
  async function samples(prefix: string, ...states: ServerState[]): Promise<string[]> {
    let state = READY;
    const page = createMetricsPage(
      async () => state,
      async () => [],
    );
    let text = '';
    for (state of states) text = await page();
    return [...text.matchAll(/^postal_places_(.*)$/gm)].flatMap(([, line = '']) =>
      line.startsWith(prefix) ? line : [],
    );
  }

  test('the date of the data, in seconds; none where it is unknown', async () => {
    const date = Date.UTC(2026, 2, 30) / 1_000;
    expect(await samples('snapshot_data', READY)).toEqual([`snapshot_data_timestamp_seconds{release="one"} ${date}`]);
    const unknown = { ...READY, snapshot: { ...READY.snapshot, sourceDate: null } };
    expect(await samples('snapshot_data', READY, unknown)).toEqual([]);
  });

  test('a channel that fails', async () => {
    expect(await samples('channel_', { ...READY, channel: CHANNEL })).toEqual([
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
    const good = { ...READY, channel: { ...CHANNEL, failure: null, isLate: false } };
    const later = await samples('channel_', { ...READY, channel: CHANNEL }, good);
    expect(later).toContain('channel_late{channel="stable"} 0');
    expect(later.filter((line) => line.startsWith('channel_failing'))).toEqual([]);
    expect(await samples('channel_', READY)).toEqual([]);
  });
});
