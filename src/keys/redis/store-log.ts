/** The log lines of the key store in Redis, and how many problems it had. */

import type { Logger } from '../../logger.js';
import { recordKey } from '../../records/redis/redis-record-store.js';
import type { RedisClient } from '../../storage/redis/redis-client.js';
import { addressOfKey } from '../stored-key.js';

/** Maximum number of problems of single keys that are remembered, so that each is logged once. */
const KEY_PROBLEMS_LIMIT = 1_000;

export class StoreLog {
  readonly #keyProblems = new Set<string>();
  #errorCount = 0;

  constructor(
    private readonly client: RedisClient,
    private readonly graceMs: number,
    private readonly logger: Logger,
  ) {}

  get errorCount(): number {
    return this.#errorCount;
  }

  outageBegan(problem: string): void {
    this.#errorCount++;
    const why = this.client.isReady() ? problem : (this.client.lastProblem() ?? problem);
    const fields = { ...this.#fields(), problem: why, graceSeconds: this.graceMs / 1000 };
    const message = 'the key store does not answer: keys seen good lately are served from memory, others refused';
    this.logger.warn(fields, message);
  }

  outageEnded(outageMs: number, requestsToCount: number): void {
    const fields = { ...this.#fields(), outageMs: Math.round(outageMs), requestsToCount };
    this.logger.info(fields, 'the key store answers again');
  }

  keysLost(): void {
    this.#errorCount++;
    const fields = { ...this.#fields(), graceSeconds: this.graceMs / 1000 };
    this.logger.error(fields, 'the key store has lost keys that were good: import them again from a backup');
  }

  keysFound(): void {
    this.logger.info(this.#fields(), 'the key store knows the lost keys again');
  }

  /** Logs each problem of a key once: a damaged key would fill the log. */
  keyProblem(digest: string, problem: string): void {
    this.#errorCount++;
    const what = `${digest} ${problem}`;
    if (this.#keyProblems.has(what)) return;
    if (this.#keyProblems.size >= KEY_PROBLEMS_LIMIT) this.#keyProblems.clear();
    this.#keyProblems.add(what);
    const key = recordKey(addressOfKey(digest));
    this.logger.error({ ...this.#fields(), key, problem }, 'could not check a key');
  }

  requestsUncounted(requests: number): void {
    this.logger.error({ requests }, 'requests that were served without the key store stay uncounted');
  }

  receiptsLeft(problem: string): void {
    const fields = { ...this.#fields(), problem };
    this.logger.info(fields, 'the receipts of this process stay in the key store for two days');
  }

  #fields(): { readonly store: string } {
    return { store: this.client.description };
  }
}
