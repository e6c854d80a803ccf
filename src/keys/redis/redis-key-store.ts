/**
 * The key store in a Redis that several servers share: one server, a Sentinel group or a Cluster. Keys are records;
 * decisions go through a BatchingClient, so that a Redis that is slow or gone costs no request more than `timeoutMs`.
 */

import { RedisRecordStore } from '../../records/redis/redis-record-store.js';
import type { RedisAddress } from '../../storage/redis/redis-address.js';
import { connectRedis } from '../../storage/redis/redis-client.js';
import { warnOfSettingsWhenReady } from '../../storage/redis/redis-settings.js';
import { KeyDirectory } from '../key-directory.js';
import type { KeyStore } from '../key-store.js';
import { BatchingClient, type BatchingOptions } from './batching-client.js';
import { RedisUsage } from './redis-usage.js';

export interface RedisKeyStoreOptions extends BatchingOptions {
  readonly address: RedisAddress;
}

/** Starts to connect and returns at once; whether there is a connection shows in health and in decisions. */
export function openRedisKeyStore(options: RedisKeyStoreOptions): KeyStore {
  const client = connectRedis(options.address);
  const records = new RedisRecordStore(client);
  const batches = new BatchingClient(client, options);
  let closed: Promise<void> | undefined;
  return {
    directory: new KeyDirectory(records, new RedisUsage(client)),
    records,
    decide: (checks) => batches.decide(checks),
    wasSeen: (digest) => batches.wasSeen(digest),
    inspect: () => warnOfSettingsWhenReady(client, options.logger),
    health: () => batches.health(),
    close() {
      closed ??= batches.close().finally(() => client.close());
      return closed;
    },
  };
}
