/** What the log tells of a lane's outages and of trouble with keys, and how often there was any. */

import type { Logger } from '../../logger.js';
import { recordKey } from '../../records/redis/redis-record-store.js';
import type { RedisClient } from '../../storage/redis/redis-client.js';
import { addressOfKey } from '../kept-key.js';
import type { LaneListener } from './decision-lane.js';
import type { OutageMemory } from './outage-memory.js';

const TOLD_LIMIT = 1_000;

export class OutageLog implements LaneListener {
  /** Problems of single keys that were logged. */
  readonly #told = new Set<string>();
  #errorCount = 0;

  constructor(
    private readonly client: RedisClient,
    private readonly memory: OutageMemory,
    private readonly graceMs: number,
    private readonly logger: Logger,
  ) {}

  get errorCount(): number {
    return this.#errorCount;
  }

  onDegraded(problem: string): void {
    this.#errorCount++;
    const reason = this.client.isReady() ? problem : (this.client.lastProblem() ?? problem);
    const fields = { store: this.client.description, problem: reason, graceSeconds: this.graceMs / 1000 };
    this.logger.warn(
      fields,
      'the key store does not answer: keys seen good lately are served from memory, others refused',
    );
  }

  onRecovered(outageMs: number): void {
    const requestsToCount = this.memory.debtCount();
    const fields = { store: this.client.description, outageMs: Math.round(outageMs), requestsToCount };
    this.logger.info(fields, 'the key store answers again');
  }

  onKeysLost(): void {
    this.#errorCount++;
    const fields = { store: this.client.description, graceSeconds: this.graceMs / 1000 };
    this.logger.error(fields, 'the key store has lost keys that were good: import them again from a backup');
  }

  onKeysFound(): void {
    this.logger.info({ store: this.client.description }, 'the key store knows the lost keys again');
  }

  /** Each problem of a key once: a damaged key would fill the log. */
  onKeyProblem(digest: string, problem: string): void {
    this.#errorCount++;
    const what = `${digest} ${problem}`;
    if (this.#told.has(what)) return;
    if (this.#told.size >= TOLD_LIMIT) this.#told.clear();
    this.#told.add(what);
    const key = recordKey(addressOfKey(digest));
    this.logger.error({ store: this.client.description, key, problem }, 'trouble with a key');
  }
}
