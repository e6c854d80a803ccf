/**
 * The key store in a Redis that several servers share: one server, a Sentinel group or a Cluster. Keys are records;
 * decisions go through a BatchingClient, so that a Redis that is slow or gone costs no request more than `timeoutMs`.
 */

import { messageOf } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { KeyDecision } from './key-decision.js';
import { KeyDirectory } from './key-directory.js';
import { addressOfKey } from './key-record.js';
import type { KeyCheck, KeyStore, KeyStoreHealth } from './key-store.js';
import type { PlanFinder, PlanTable } from './plan.js';
import { RedisRecordStore, recordKey } from './records/redis-record-store.js';
import { DecideCall, KeyMemory, type KeyReply, RedisUsage, type SentKey } from './redis-decision.js';
import type { RedisAddress } from './storage/redis-address.js';
import { connectRedis, inTime, type RedisClient, warnOfSettingsWhenReady } from './storage/redis-client.js';

/* The log lines of the key store in Redis, and how many problems it had. */

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

/*
 * Sends batches of checks to Redis, each as one call of the decision script, and decides from memory while Redis can't
 * be asked. One batch is on its way at a time, so a key's counts reach Redis in order, and it holds a bounded number of
 * keys, so that it stops neither Redis nor this process. When a batch has no reply `timeoutMs` after it was sent, or
 * the connection is lost, or Redis refuses to write, the client is degraded and decides from KeyMemory at once, until a
 * probe that writes succeeds. Usage that it allowed meanwhile is sent along with the next batches.
 *
 *     ready      decide ─► batch ─► replies
 *     degraded   decide ─► memory           probe every 100 ms ─► success ─► ready, unreconciled usage first
 */

export interface BatchingOptions {
  readonly plans: PlanTable;
  readonly findPlan: PlanFinder;
  /** Milliseconds to wait for a reply of Redis. */
  readonly timeoutMs: number;
  /** Milliseconds for which a key that was good is served without Redis. */
  readonly graceMs: number;
  readonly logger: Logger;
  /** Milliseconds since 1970-01-01T00:00Z; without it, the clock of Redis decides, the same for all servers. */
  readonly clock?: () => number;
}

/** Maximum number of keys in a batch: with UNRECONCILED_PER_BATCH, a batch takes about 10 ms of Redis's time. */
const KEYS_PER_BATCH = 400;
/** Maximum number of keys in a batch of which only unreconciled usage is sent. */
const UNRECONCILED_PER_BATCH = 100;
const PROBE_EVERY_MS = 100;
/** Pause before usage is sent again that Redis did not take, because its keys are damaged or lost. */
const STUCK_USAGE_PAUSE_MS = 1_000;
/** How long a closing client waits for Redis to take unreconciled usage, and then to remove its receipts. */
const CLOSE_WAIT_MS = 500;
const CLEANING_WAIT_MS = 1_000;

export class BatchingClient {
  readonly #memory: KeyMemory;
  readonly #script: DecideCall;
  readonly #log: StoreLog;
  /** Resolves when the last batch has its decisions; undefined if no batch is pending. */
  #sending: Promise<unknown> | undefined;
  /** Whether a batch or a probe has no reply yet, even after its timeout. */
  #isBusy = false;
  #hasAsked = false;
  #problem: string | null = null;
  #degradedSinceMs = 0;
  /** Whether Redis accepted none of the usage sent last; no usage is sent until the pause is over. */
  #isUsageStuck = false;
  #retryTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly client: RedisClient,
    private readonly options: BatchingOptions,
  ) {
    this.#memory = new KeyMemory(options.graceMs);
    this.#log = new StoreLog(client, options.graceMs, options.logger);
    this.#script = new DecideCall(client, options.plans, options.findPlan, options.clock);
    client.onChange(() => this.#onConnectionChange());
  }

  /** One decision for each check. Checks beyond the first batch are decided from memory after `timeoutMs`. */
  async decide(checks: readonly KeyCheck[]): Promise<readonly KeyDecision[]> {
    await this.#awaitConnection();
    const startMs = performance.now();
    const decisions: KeyDecision[] = [];
    for (let at = 0; at < checks.length; at += KEYS_PER_BATCH) {
      const batch = checks.slice(at, at + KEYS_PER_BATCH);
      while (this.#sending !== undefined && this.#problem === null) await this.#sending;
      const isLate = at > 0 && performance.now() - startMs > this.options.timeoutMs;
      const problem = this.#problem ?? (isLate ? 'more keys wait than it can be asked for in time' : null);
      if (problem !== null) decisions.push(...this.#decideFromMemory(batch, problem));
      else decisions.push(...(await this.#send(batch)).slice(0, batch.length));
    }
    return decisions;
  }

  wasSeen(digest: string): boolean {
    return this.#memory.wasSeen(digest);
  }

  health(): KeyStoreHealth {
    // The problem that began the outage matters less than why there is still no connection.
    const outage = this.client.isReady() ? this.#problem : (this.client.lastProblem() ?? 'there is no connection yet');
    const lostCount = this.#memory.lostCount();
    const problem = outage ?? (lostCount > 0 ? `the store has lost keys: ${lostCount} that were good` : null);
    return { kind: 'redis', state: problem === null ? 'ready' : 'degraded', problem, errorCount: this.#log.errorCount };
  }

  /** Sends the unreconciled usage, as far as Redis answers soon, and removes the receipts. */
  async close(): Promise<void> {
    const deadlineMs = performance.now() + CLOSE_WAIT_MS;
    while ((this.#isBusy || this.#memory.unreconciledKeyCount() > 0) && performance.now() < deadlineMs) {
      this.#isUsageStuck = false;
      this.#sendUsage();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    const requests = this.#memory.unreconciledCount();
    if (requests > 0) this.#log.requestsUncounted(requests);
    if (!this.#hasAsked || this.#problem !== null || !this.client.isReady()) return;
    // Receipts that are not removed in time go as those of a killed process do.
    const removed = inTime(this.#script.removeReceipts(), CLEANING_WAIT_MS, () => new Error('no answer in time'));
    await removed.catch((error) => this.#log.receiptsLeft(messageOf(error)));
  }

  /** Before the first connection checks wait for it: it is usually made within milliseconds. */
  async #awaitConnection(): Promise<void> {
    if (this.#problem !== null || this.client.isReady()) return;
    if (this.#hasAsked) this.#degrade('the connection was lost');
    else await this.client.whenReady(this.options.timeoutMs).catch(() => this.#degrade('there is no connection'));
  }

  #onConnectionChange(): void {
    if (this.#isClosed) return;
    if (this.client.isReady()) this.#sendUsage();
    else if (this.#hasAsked) this.#degrade('the connection was lost');
  }

  /** The decisions on these checks, followed by those on keys of which only unreconciled usage is sent along. */
  #send(checks: readonly KeyCheck[]): Promise<readonly KeyDecision[]> {
    const keys = checks.map((check) => this.#memory.send(check));
    const waiting = this.#isUsageStuck ? [] : this.#memory.nextUnreconciled(UNRECONCILED_PER_BATCH);
    if (waiting.length > 0) {
      const checked = new Set(checks.map(({ digest }) => digest));
      const others = waiting.filter((digest) => !checked.has(digest));
      keys.push(...others.map((digest) => this.#memory.send({ digest, count: 0 })));
    }
    const sending = this.#exchange(keys, waiting.length > 0).finally(() => {
      this.#sending = undefined;
    });
    this.#sending = sending;
    return sending;
  }

  async #exchange(keys: readonly SentKey[], hasUsage: boolean): Promise<readonly KeyDecision[]> {
    const { timeoutMs } = this.options;
    const sequence = this.#memory.nextSequence();
    const unreconciledBefore = this.#memory.unreconciledKeyCount();
    this.#isBusy = true;
    this.#hasAsked = true;
    const replies = this.#script.decide(sequence, keys).finally(() => {
      this.#isBusy = false;
      setImmediate(() => this.#sendUsage());
    });
    const decisions = await inTime(replies, timeoutMs, () => new Error(`no answer within ${timeoutMs} ms`)).then(
      (received) => this.#receive(keys, received),
      (error: unknown) => {
        // Redis may have counted the batch.
        this.#degrade(messageOf(error));
        return this.#decideFromMemory(keys, messageOf(error), sequence);
      },
    );
    // Without this pause, usage that Redis does not take would be sent again and again.
    if (hasUsage && this.#memory.unreconciledKeyCount() >= unreconciledBefore) {
      this.#isUsageStuck = true;
      if (this.#problem === null) this.#retryIn(STUCK_USAGE_PAUSE_MS);
    }
    return decisions;
  }

  #receive(keys: readonly SentKey[], replies: readonly KeyReply[]): KeyDecision[] {
    const nowMs = this.#nowMs();
    const lostBefore = this.#memory.lostCount();
    let problem: string | undefined;
    const decisions = keys.map((key, index) => {
      const reply = replies[index] as KeyReply;
      const decision = this.#memory.receive(key, reply, nowMs);
      if (reply.status === 'failed' && reply.isWide) problem ??= reply.why;
      else if (reply.status === 'failed') this.#log.keyProblem(key.digest, reply.why);
      else if (reply.status === 'good' && decision.status === 'revoked') {
        this.#log.keyProblem(key.digest, 'the store has forgotten that this key was revoked; revoke it again');
      }
      return decision;
    });
    const lostCount = this.#memory.lostCount();
    if (lostCount > 0 && lostBefore === 0) this.#log.keysLost();
    if (lostCount === 0 && lostBefore > 0) this.#log.keysFound();
    if (problem !== undefined) this.#degrade(problem);
    return decisions;
  }

  #decideFromMemory(checks: readonly KeyCheck[], why: string, sentAs?: number): KeyDecision[] {
    const nowMs = this.#nowMs();
    return checks.map((check) => this.#memory.decide(check, nowMs, why, sentAs));
  }

  #nowMs(): number {
    return this.options.clock?.() ?? Date.now();
  }

  /** Sends unreconciled usage without checks, if no batch is pending. */
  #sendUsage(): void {
    const isReady = this.client.isReady() && this.#problem === null && !this.#isUsageStuck && !this.#isBusy;
    if (isReady && this.#memory.unreconciledKeyCount() > 0) void this.#send([]);
  }

  #degrade(problem: string): void {
    const isNew = this.#problem === null;
    this.#problem = problem;
    if (!isNew) return;
    this.#degradedSinceMs = performance.now();
    this.#log.outageBegan(problem);
    this.#retryIn(PROBE_EVERY_MS);
  }

  #retryIn(delayMs: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.#retry(), delayMs).unref();
  }

  /** Probes while the client is degraded, else sends usage that Redis did not take. */
  async #retry(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#problem !== null) {
      this.#retryIn(PROBE_EVERY_MS);
      // A batch or probe on its way comes back, or fails when its connection is given up.
      if (this.#isBusy || !this.client.isReady() || !(await this.#probe())) return;
      clearTimeout(this.#retryTimer);
    }
    this.#isUsageStuck = false;
    this.#sendUsage();
  }

  async #probe(): Promise<boolean> {
    this.#isBusy = true;
    try {
      await this.#script.probe();
    } catch (error) {
      this.#problem = messageOf(error);
      return false;
    } finally {
      this.#isBusy = false;
    }
    this.#problem = null;
    this.#hasAsked = true;
    this.#log.outageEnded(performance.now() - this.#degradedSinceMs, this.#memory.unreconciledCount());
    return true;
  }
}

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
