/** What a key's holder is told of its limits: on every answer to a good key, and nowhere else. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { pushRateLimitHeaders, retryAfterSeconds } from '../../src/api/http/rate-limit-headers.js';
import { createRate } from '../../src/base/rate-limit.js';
import { GOOD_KEY, limitsAfter, PLAN, startServer, type TestServer } from './harness.js';

let running: TestServer;
beforeAll(async () => {
  running = await startServer();
});
afterAll(() => running.close());

const get = (url: string, key: string) => request(running.server).get(url).set('x-api-key', key);

const POLICY = '"burst";q=10;w=20, "month";q=1000;w=2505600';
// 12 hours are left of 29 February.
const UNTIL_MARCH = 43_200;

function headersOf(...limits: Parameters<typeof limitsAfter>): string[] {
  const headers: string[] = [];
  pushRateLimitHeaders(headers, limitsAfter(...limits));
  return headers;
}

describe('an answer to a good key', () => {
  test.each([
    ['a success', '/v1/countries', 200],
    ['a wrong parameter', '/v1/countries?hasPostcodes=perhaps', 400],
    ['something unknown', '/v1/countries/XX', 404],
    ['a defect of ours', '/v1/countries/YY', 500],
  ])('%s says what the plan allows and what is left', async (_, url, status) => {
    const response = await get(url, GOOD_KEY);
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'ratelimit-policy': POLICY,
      ratelimit: `"burst";r=9;t=2, "month";r=999;t=${UNTIL_MARCH}`,
    });
    expect(response.headers).not.toHaveProperty('retry-after');
  });

  test('so does 304', async () => {
    const { headers } = await get('/v1/countries', GOOD_KEY);
    const response = await get('/v1/countries', GOOD_KEY).set('if-none-match', headers.etag as string);
    expect(response.status).toBe(304);
    expect(response.headers['ratelimit-policy']).toBe(POLICY);
  });

  test('over the rate: 429, when to come again, and nothing left of the burst', async () => {
    const response = await get('/v1/countries', 'hasty-key');
    expect([response.status, response.body.error.code]).toEqual([429, 'SERVICE_RATE_LIMITED']);
    expect(response.headers).toMatchObject({
      'retry-after': '2',
      'ratelimit-policy': POLICY,
      ratelimit: `"burst";r=0;t=2, "month";r=993;t=${UNTIL_MARCH}`,
      'cache-control': 'no-store',
    });
  });

  test('over the quota: 429 until the next month', async () => {
    const response = await get('/v1/countries', 'spent-key');
    expect([response.status, response.body.error.code]).toEqual([429, 'SERVICE_QUOTA_EXCEEDED']);
    expect(response.headers).toMatchObject({
      'retry-after': String(UNTIL_MARCH),
      ratelimit: `"burst";r=10, "month";r=0;t=${UNTIL_MARCH}`,
    });
  });
});

test.each(['', 'unknown-key', 'revoked-key', 'expired-key'])('nothing is told to "%s"', async (key) => {
  const response = await get('/v1/countries', key);
  expect(response.status).toBe(401);
  expect(Object.keys(response.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
});

test('neither where there is no such route', async () => {
  const response = await get('/v1/nothing', GOOD_KEY);
  expect(response.status).toBe(404);
  expect(response.headers).not.toHaveProperty('ratelimit');
});

describe('plans with fewer limits', () => {
  test('no limit at all has no headers', () => {
    expect(headersOf(5, 0, { name: 'all', requestsPerMonth: null, rate: null })).toEqual([]);
  });

  test('a quota alone', () => {
    expect(headersOf(5, 0, { ...PLAN, rate: null })).toEqual([
      'ratelimit-policy',
      '"month";q=1000;w=2505600',
      'ratelimit',
      `"month";r=995;t=${UNTIL_MARCH}`,
    ]);
  });

  test('a rate alone', () => {
    expect(headersOf(5, 1_000, { ...PLAN, requestsPerMonth: null })).toEqual([
      'ratelimit-policy',
      '"burst";q=10;w=20',
      'ratelimit',
      '"burst";r=9;t=1',
    ]);
  });

  test('more used than the quota, after the plan was made smaller, is nothing left', () => {
    expect(headersOf(5000, 0)[3]).toContain('"month";r=0;');
  });
});

describe('Retry-After', () => {
  test('is at least a second and never too short', () => {
    const quick = { ...PLAN, rate: createRate({ requestsPerSecond: 50, burst: 2 }) };
    expect(retryAfterSeconds('rate-limited', limitsAfter(0, 40, quick))).toBe(1);
    expect(retryAfterSeconds('rate-limited', limitsAfter(0, 18_100))).toBe(1);
    expect(retryAfterSeconds('rate-limited', limitsAfter(0, 19_001))).toBe(2);
    expect(retryAfterSeconds('rate-limited', limitsAfter(0, 20_000))).toBe(2);
    expect(retryAfterSeconds('rate-limited', limitsAfter(0, 20_000), 10)).toBe(20);
    expect(retryAfterSeconds('rate-limited', limitsAfter(0, 6_000), 8)).toBe(2);
  });
});
