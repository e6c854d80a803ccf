/** The Redis store of records keeps the contract, with one server and with a Cluster. */

import { RedisRecordStore } from '../../src/keys/records/redis-record-store.js';
import { parseRedisAddress } from '../../src/keys/storage/redis-address.js';
import { connectRedis } from '../../src/keys/storage/redis-client.js';
import { startRedisCluster } from '../fixtures/redis-groups.js';
import { startRedis } from '../fixtures/redis-server.js';
import { describeRecords } from './record-contract.js';
import type { OpenedRecords } from './record-scene.js';

async function openOn(redis: { readonly url: string; stop(): Promise<void> }): Promise<OpenedRecords> {
  const clients = [connectRedis(parseRedisAddress(redis.url)), connectRedis(parseRedisAddress(redis.url))] as const;
  return {
    stores: [new RedisRecordStore(clients[0]), new RedisRecordStore(clients[1])],
    nowMs: Date.now,
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    async close() {
      for (const client of clients) client.close();
      await redis.stop();
    },
  };
}

describeRecords('the store in one Redis', async () => openOn(await startRedis()));
describeRecords('the store in a Redis Cluster', async () => openOn(await startRedisCluster()));
