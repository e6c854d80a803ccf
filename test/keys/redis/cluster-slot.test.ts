/** The slot of a hash tag, held against the specification of Redis Cluster and against a real server. */

import { expect, test } from '@jest/globals';
import { createApiKey, digestApiKey } from '../../../src/keys/api-key.js';
import { slotOf } from '../../../src/keys/redis/cluster-slot.js';
import { startRedis } from '../../fixtures/redis-server.js';

test('the worked example', () => {
  expect(slotOf('123456789')).toBe(0x31c3);
  expect(slotOf('')).toBe(0);
});

test('a server says the same of digests', async () => {
  const redis = await startRedis({ args: ['--cluster-enabled', 'yes'] });
  try {
    for (let round = 0; round < 20; round++) {
      const digest = digestApiKey(createApiKey());
      expect(Number(await redis.command('CLUSTER', 'KEYSLOT', `postal-places:key:{${digest}}`))).toBe(slotOf(digest));
    }
  } finally {
    await redis.stop();
  }
});
