/**
 * 100,000 lookups and the quota: eight server processes with 128 connections on one key whose quota is 100,000, which
 * bulk requests of 200 lookups and single requests ask for together; in both stores the quota is exact to the request.
 */
import { expect } from '@jest/globals';
import { testTogether } from '../keys/decision/together-scene.js';

const QUOTA = 100_000;
const LOOKUPS = 200;
/** 1,024 bulk requests ask for twice the quota, and 3,072 single requests for far more than a bulk request leaves over. */
const LOAD = {
  quota: QUOTA,
  serverCount: 8,
  connectionsPerServer: 16,
  requestsPerConnection: 32,
  bulkEvery: 4,
  lookupsPerBulk: LOOKUPS,
};

testTogether(
  'answers 100,000 lookups and not one more',
  LOAD,
  ({ singles, bulks, used }) => {
    expect(singles.total + bulks.total).toBe(LOAD.serverCount * LOAD.connectionsPerServer * LOAD.requestsPerConnection);
    for (const { answered, refused, total } of [singles, bulks]) expect(answered + refused).toBe(total);
    const answered = singles.answered + LOOKUPS * bulks.answered;
    expect(used).toBe(answered);
    expect(answered).toBeLessThanOrEqual(QUOTA);
    // What is left is too little for a bulk request, and no single request was refused for it.
    expect(QUOTA - answered).toBeLessThan(LOOKUPS);
    if (answered < QUOTA) expect(singles.refused).toBe(0);
  },
  600_000,
);
