/**
 * Eight server processes with 512 connections on one key that has 1,000 requests left: whatever the store, exactly 1,000
 * are answered and every other one is told that the quota is used up, where every fourth is a bulk request that takes
 * five of them or none.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createTogetherScene, SERVER_COUNT, type TogetherScene } from './together-scene.js';

const QUOTA = 1_000;
const LOAD = { quota: QUOTA, connectionsPerServer: 64, requestsPerConnection: 4, bulkEvery: 4, lookupsPerBulk: 5 };

let scene: TogetherScene;
beforeAll(async () => {
  scene = await createTogetherScene();
});
afterEach(() => scene.stop());
afterAll(() => scene?.clear());

test.each(['the embedded store', 'Redis'] as const)(
  '%s lets exactly as many through as are left',
  async (store) => {
    const { singles, bulks, used } = await scene.run(scene.stores[store], LOAD);
    const total = SERVER_COUNT * LOAD.connectionsPerServer * LOAD.requestsPerConnection;
    expect([singles.total, bulks.total]).toEqual([(total * 3) / 4, total / 4]);
    for (const { answered, refused, total: each } of [singles, bulks]) expect(answered + refused).toBe(each);
    // There are more single requests than the quota, so these take what is too little for a bulk request.
    expect({ answered: singles.answered + 5 * bulks.answered, used }).toEqual({ answered: QUOTA, used: QUOTA });
    expect(bulks.answered).toBeGreaterThan(0);
  },
  120_000,
);
