/**
 * The key store in a Redis that several servers share: one server, a Sentinel group or a Cluster. Keys are records;
 * decisions go through a DecisionLane, so that a Redis that is slow or gone costs no request more than `timeoutMs`.
 */

import { randomBytes } from 'node:crypto';
import { messageOf } from '../../expected-error.js';
import type { Logger } from '../../logger.js';
import type { RecordStore } from '../../records/record-store.js';
import { RedisRecordStore } from '../../records/redis/redis-record-store.js';
import type { RedisAddress } from '../../storage/redis/redis-address.js';
import { connectRedis, type RedisClient } from '../../storage/redis/redis-client.js';
import { logUnreadable, warnOfSettings } from '../../storage/redis/redis-settings.js';
import { encodeBase32 } from '../crockford-base32.js';
import { KeyDirectory } from '../key-directory.js';
import type { KeyQuestion, KeyStore, KeyStoreHealth, KeyVerdict } from '../key-store.js';
import type { PlanFinder, PlanTable } from '../plan.js';
import { afterCarryOver } from './carried-client.js';
import { DecisionLane } from './decision-lane.js';
import { carryOverFromRedis } from './earlier-layout.js';
import { OutageLog } from './outage-log.js';
import { OutageMemory } from './outage-memory.js';
import { RedisDecisions } from './redis-decisions.js';
import { RedisUsage } from './redis-usage.js';

export interface RedisKeyStoreOptions {
  readonly address: RedisAddress;
  readonly plans: PlanTable;
  readonly findPlan: PlanFinder;
  /** How long one answer of Redis is waited for. */
  readonly timeoutMs: number;
  /** How long a key that was seen good is served without Redis. */
  readonly graceMs: number;
  readonly logger: Logger;
  /** Milliseconds since 1970-01-01T00:00Z; without it, the clock of Redis decides, the same for all servers. */
  readonly clock?: () => number;
}

const CLOSE_WAIT_MS = 500;
/** How long the receipts' removal is waited for when the store closes. */
const CLEANING_WAIT_MS = 1_000;
/** Keys that a process remembers for an outage, about 400 bytes each. */
const REMEMBERED_LIMIT = 100_000;
const PROCESS_NAME_BYTES = 5;

/** Starts to connect and returns at once; whether there is a connection shows in health and in what is asked. */
export function openRedisKeyStore(options: RedisKeyStoreOptions): KeyStore {
  return new RedisKeyStore(options, connectRedis(options.address));
}

class RedisKeyStore implements KeyStore {
  readonly directory: KeyDirectory;
  readonly records: RecordStore;
  readonly #memory: OutageMemory;
  readonly #log: OutageLog;
  readonly #decisions: RedisDecisions;
  readonly #lane: DecisionLane;
  #mustInspect = false;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly options: RedisKeyStoreOptions,
    private readonly connection: RedisClient,
  ) {
    const { plans, findPlan, timeoutMs, graceMs, logger, clock } = options;
    const client = afterCarryOver(connection, () =>
      carryOverFromRedis(connection, new RedisRecordStore(connection), logger),
    );
    this.records = new RedisRecordStore(client);
    this.directory = new KeyDirectory(this.records, new RedisUsage(client));
    this.#memory = new OutageMemory(graceMs, REMEMBERED_LIMIT);
    this.#log = new OutageLog(connection, this.#memory, graceMs, logger);
    const processName = encodeBase32(randomBytes(PROCESS_NAME_BYTES));
    this.#decisions = new RedisDecisions(client, processName, plans, findPlan, clock);
    this.#lane = new DecisionLane({
      port: this.#decisions,
      memory: this.#memory,
      listener: this.#log,
      clock: clock ?? Date.now,
      timeoutMs,
    });
    connection.onChange(() => {
      this.#inspectWhereReady();
      this.#lane.onConnectionChange();
    });
  }

  decide(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]> {
    return this.#lane.decide(questions);
  }

  knows(digest: string): boolean {
    return this.#memory.knows(digest);
  }

  inspect(): void {
    this.#mustInspect = true;
    this.#inspectWhereReady();
  }

  health(): KeyStoreHealth {
    const { connection } = this;
    const lostCount = this.#memory.lostCount();
    // What the lane met first matters less than why there is still no connection.
    const outage = connection.isReady()
      ? this.#lane.problem()
      : (connection.lastProblem() ?? 'there is no connection yet');
    const problem = outage ?? (lostCount > 0 ? `the store has lost keys: ${lostCount} that were good` : null);
    const state = problem === null ? 'ready' : 'degraded';
    return { kind: 'redis', state, problem, errorCount: this.#log.errorCount };
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeLane();
    return this.#closed;
  }

  async #closeLane(): Promise<void> {
    const { logger } = this.options;
    await this.#lane.close(CLOSE_WAIT_MS);
    const requests = this.#memory.debtCount();
    if (requests > 0) logger.error({ requests }, 'requests that were served without the key store stay uncounted');
    if (this.#lane.problem() === null && this.connection.isReady()) await this.#removeReceipts();
    this.connection.close();
  }

  /** Receipts that are not removed in time go as those of a killed process do. */
  async #removeReceipts(): Promise<void> {
    const limit = new Promise((resolve) => setTimeout(resolve, CLEANING_WAIT_MS).unref());
    const removed = this.#decisions.removeReceipts().catch((error) => {
      const fields = { store: this.connection.description, problem: messageOf(error) };
      this.options.logger.info(fields, 'the receipts of this process stay in the key store for two days');
    });
    await Promise.race([removed, limit]);
  }

  #inspectWhereReady(): void {
    if (!this.#mustInspect || !this.connection.isReady()) return;
    this.#mustInspect = false;
    void warnOfSettings(this.connection, this.options.logger).catch((error) => {
      // In an outage, another time.
      this.#mustInspect = !this.connection.isReady();
      if (!this.#mustInspect) logUnreadable(this.connection, this.options.logger, messageOf(error));
    });
  }
}
