/**
 * Four server processes with 512 connections on one key that has 1,000 requests left: whatever the store, exactly 1,000
 * are answered and every other one is told that the quota is used up, where every fourth is a bulk request that takes
 * five of them or none.
 */
import { expect } from '@jest/globals';
import { testTogether } from './together-scene.js';

const QUOTA = 1_000;
const SERVERS = { serverCount: 4, connectionsPerServer: 128 };
const LOAD = { quota: QUOTA, ...SERVERS, requestsPerConnection: 4, bulkEvery: 4, lookupsPerBulk: 5 };

testTogether(
  'lets exactly as many through as are left',
  LOAD,
  ({ singles, bulks, used }) => {
    const total = LOAD.serverCount * LOAD.connectionsPerServer * LOAD.requestsPerConnection;
    expect([singles.total, bulks.total]).toEqual([(total * 3) / 4, total / 4]);
    for (const { answered, refused, total: each } of [singles, bulks]) expect(answered + refused).toBe(each);
    // There are more single requests than the quota, so these take what is too little for a bulk request.
    expect({ answered: singles.answered + 5 * bulks.answered, used }).toEqual({ answered: QUOTA, used: QUOTA });
    expect(bulks.answered).toBeGreaterThan(0);
  },
  120_000,
);
