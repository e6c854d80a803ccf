/**
 * The key store in a Redis that several servers share: one server, a Sentinel group or a Cluster. Keys are records, and
 * Redis decides and counts; a Redis that is slow or gone costs no call of `decide` more than `timeoutMs`. While it can't
 * be asked, this process decides from memory: it serves keys that Redis called good within `graceMs`, within its share of
 * their rate and the rest of their quota, and counts nothing.
 *
 *     ready      decide ─► Redis       no reply in time, no connection, can't write ─► degraded
 *     degraded   decide ─► memory      probe every 100 ms ─► success ─► ready
 *
 * A key that was seen revoked stays revoked, even if Redis has lost that. A key that was good and is missing in Redis is
 * lost, since no command removes keys: it is decided from memory, and unknown keys are unavailable meanwhile, since they
 * may be lost too. A key whose data are damaged is decided from memory as well.
 */

import { errorMessageOf } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { oncePer } from '../../base/once-per.js';
import { shareOfRate } from '../../base/rate-limit.js';
import { RecencyMap } from '../../base/recency-map.js';
import { monthOf } from '../key/calendar.js';
import { KeyDirectory } from '../key/key-directory.js';
import type { Plan, PlanFinder, PlanTable } from '../key/plan.js';
import type { Restrictions } from '../key/restrictions.js';
import { addressOfKey } from '../key/stored-key.js';
import { shareOfVisitorRate } from '../key/visitor-rate.js';
import { RedisRecordStore, recordKey } from '../records/redis-record-store.js';
import { KeyStoreError } from '../storage/key-store-error.js';
import type { RedisAddress } from '../storage/redis-address.js';
import { RedisClient } from '../storage/redis-client.js';
import { warnOfSettingsWhenReady } from '../storage/redis-settings.js';
import { waitForReply } from '../storage/redis-wait.js';
import {
  decideKeyCheck,
  type GoodKey,
  type KeyCheck,
  type KeyDecision,
  type Use,
  useAfterDecision,
} from './key-decision.js';
import type { KeyStore, KeyStoreHealth } from './key-store.js';
import { DecideCall, type KeyReply, type SeenAdmission } from './redis-decision.js';
import { RedisUsage } from './redis-usage.js';

/** A key that was good when Redis was last asked. Instants are of this process's clock. */
interface SeenKey extends GoodKey {
  readonly goodUntilMs: number;
  readonly seenMs: number;
  readonly month: string;
  readonly use: Use;
}

/** Maximum number of keys that are remembered as good, some 530 bytes each with those of the batcher, and as revoked. */
const KEYS_LIMIT = 100_000;
/** Maximum number of visitors that are remembered in an outage, some 150 bytes each. */
const VISITORS_LIMIT = 20_000;
/** Maximum number of problems of single keys that are remembered, so that each is logged once. */
const KEY_PROBLEMS_LIMIT = 1_000;
const PROBE_EVERY_MS = 100;
/** Milliseconds since a lost key was last asked for, after which none is taken to be lost any more. */
const LOST_MS = 60_000;
const LOST = 'the store no longer knows keys that were good: it has lost keys';
const REVOCATION_LOST = 'the store has forgotten that this key was revoked; revoke it again';
const REVOKED: KeyDecision = Object.freeze({ status: 'revoked' });

export interface RedisDecisionOptions {
  readonly plans: PlanTable;
  readonly findPlan: PlanFinder;
  /** Milliseconds to wait for a reply of Redis. */
  readonly timeoutMs: number;
  /** Milliseconds for which a key that was good is served without Redis. */
  readonly graceMs: number;
  /** The number of processes that decide from memory beside each other. Default: 1. */
  readonly workers?: number | undefined;
  readonly logger: Logger;
  /** Milliseconds since 1970-01-01T00:00Z; without it, the clock of Redis decides, the same for all servers. */
  readonly clock?: () => number;
}

/** Starts to connect and returns at once; whether there is a connection shows in health and in decisions. */
export function openRedisKeyStore(options: RedisDecisionOptions & { readonly address: RedisAddress }): KeyStore {
  return new RedisKeyStore(new RedisClient(options.address), options);
}

export class RedisKeyStore implements KeyStore {
  readonly records: RedisRecordStore;
  readonly directory: KeyDirectory;
  readonly #script: DecideCall;
  /** The plan as far as this process alone decides. */
  readonly #shareOf: (plan: Plan) => Plan;
  /** The same of the restrictions of a publishable key, and so of its visitors' rate. */
  readonly #restrictionsShareOf: (restrictions: Restrictions) => Restrictions;
  readonly #seen = new RecencyMap<string, SeenKey>(KEYS_LIMIT);
  readonly #revoked = new RecencyMap<string, true>(KEYS_LIMIT);
  /** By the id of the key and the visitor. */
  readonly #visitors = new RecencyMap<string, number>(VISITORS_LIMIT);
  readonly #keyProblems = new RecencyMap<string, true>(KEY_PROBLEMS_LIMIT);
  #errorCount = 0;
  #wasConnected = false;
  /** Why Redis can't be asked, or null. */
  #problem: string | null = null;
  #degradedSinceMs = 0;
  /** When a lost key was last asked for. */
  #lostMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly client: RedisClient,
    private readonly options: RedisDecisionOptions,
  ) {
    this.records = new RedisRecordStore(client);
    this.directory = new KeyDirectory(this.records, new RedisUsage(client));
    this.#script = new DecideCall(client, options.plans, options.findPlan, options.clock);
    const { workers = 1 } = options;
    this.#shareOf = oncePer((plan) => ({ ...plan, rate: plan.rate && shareOfRate(plan.rate, workers) }));
    this.#restrictionsShareOf = oncePer((restrictions) => ({
      ...restrictions,
      visitorRate: shareOfVisitorRate(restrictions.visitorRate, workers),
    }));
  }

  async decide(checks: readonly KeyCheck[]): Promise<readonly KeyDecision[]> {
    const replies = this.#problem === null ? await this.#ask(checks) : undefined;
    const why = this.#problem ?? 'the store is closed';
    return checks.map((check, index) =>
      replies === undefined ? this.#decideFromMemory(check, why) : this.#receive(check, replies[index] as KeyReply),
    );
  }

  inspect(): void {
    warnOfSettingsWhenReady(this.client, this.options.logger);
  }

  health(): KeyStoreHealth {
    // The problem that began the outage matters less than why there is still no connection.
    const outage = this.client.isReady() ? this.#problem : (this.client.lastProblem() ?? 'there is no connection yet');
    const problem = outage ?? (this.#hasLost() ? LOST : null);
    return { kind: 'redis', state: problem === null ? 'ready' : 'degraded', problem, errorCount: this.#errorCount };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.client.close();
  }

  /** The replies of Redis, or undefined where this began an outage. */
  async #ask(checks: readonly KeyCheck[]): Promise<readonly KeyReply[] | undefined> {
    const { timeoutMs } = this.options;
    const startMs = performance.now();
    try {
      // The first connection is usually made within milliseconds. One that was lost is not waited for.
      await this.client.whenReady(this.#wasConnected ? 0 : timeoutMs);
      this.#wasConnected = true;
      const leftMs = timeoutMs - (performance.now() - startMs);
      return await waitForReply(
        this.#script.decide(checks),
        leftMs,
        () => new Error(`no answer within ${timeoutMs} ms`),
      );
    } catch (error) {
      // Redis may have counted the requests: nothing is sent again.
      this.#degrade(errorMessageOf(error));
      return undefined;
    }
  }

  #receive(check: KeyCheck, reply: KeyReply): KeyDecision {
    const { digest } = check;
    switch (reply.status) {
      case 'failed':
        if (reply.isWide) this.#degrade(reply.why);
        else this.#logKeyProblem(digest, reply.why);
        return this.#decideFromMemory(check, reply.why);
      case 'invalid':
        if (this.#revoked.has(digest)) return REVOKED;
        if (!this.#seen.has(digest)) return this.#hasLost() ? unavailable(LOST) : reply;
        this.#noteLost();
        return this.#decideFromMemory(check, LOST);
      case 'revoked':
        this.#revoked.set(digest, true);
        this.#seen.delete(digest);
        return reply;
      case 'expired':
        this.#seen.delete(digest);
        return reply;
    }
    if (this.#revoked.has(digest)) {
      this.#logKeyProblem(digest, REVOCATION_LOST);
      return REVOKED;
    }
    this.#remember(check, reply);
    return reply;
  }

  /** Nothing of the requests themselves is remembered: the outcomes of a publishable key may be hundreds. */
  #remember({ digest, count }: KeyCheck, admission: SeenAdmission): void {
    const { keyId, plan, month, goodUntilMs, nowMs } = admission;
    const restrictions = admission.status === 'publishable' ? admission.restrictions : undefined;
    const seenMs = this.#nowMs();
    const { used, arrivalMs } = useAfterDecision(admission, count);
    // The clock of the store may differ from ours.
    const use = { used, arrivalMs: seenMs + (arrivalMs - nowMs) };
    this.#seen.set(digest, { keyId, plan, restrictions, goodUntilMs, seenMs, month: month.name, use });
  }

  /** The decision without the store. The allowed requests move the key's rate and quota in this memory only. */
  #decideFromMemory(check: KeyCheck, why: string): KeyDecision {
    const nowMs = this.#nowMs();
    const seen = this.#seen.get(check.digest);
    if (seen === undefined || nowMs - seen.seenMs > this.options.graceMs || nowMs >= seen.goodUntilMs) {
      return unavailable(why);
    }
    const month = monthOf(nowMs);
    const before = seen.month === month.name ? seen.use : { ...seen.use, used: 0 };
    const restrictions = seen.restrictions && this.#restrictionsShareOf(seen.restrictions);
    const key = { ...seen, plan: this.#shareOf(seen.plan), restrictions };
    const admission = decideKeyCheck(key, before, { nowMs, month }, check, () => ({
      read: (visitor) => this.#visitors.get(seen.keyId + visitor) ?? 0,
      write: (visitor, arrivalMs) => this.#visitors.set(seen.keyId + visitor, arrivalMs),
    }));
    this.#seen.set(check.digest, { ...seen, month: month.name, use: useAfterDecision(admission, check.count) });
    return { ...admission, wholePlan: seen.plan };
  }

  #nowMs(): number {
    return this.options.clock?.() ?? Date.now();
  }

  #hasLost(): boolean {
    return this.#nowMs() - this.#lostMs < LOST_MS;
  }

  #noteLost(): void {
    if (!this.#hasLost()) {
      this.#errorCount++;
      const fields = { store: this.client.description, graceSeconds: this.options.graceMs / 1000 };
      const message = 'the key store has lost keys that were good: import them again from a backup';
      this.options.logger.error(fields, message);
    }
    this.#lostMs = this.#nowMs();
  }

  #degrade(problem: string): void {
    if (this.#problem !== null || this.#isClosed) return;
    this.#problem = problem;
    this.#degradedSinceMs = performance.now();
    this.#errorCount++;
    const why = this.client.isReady() ? problem : (this.client.lastProblem() ?? problem);
    const fields = { store: this.client.description, problem: why, graceSeconds: this.options.graceMs / 1000 };
    const message = 'the key store does not answer: keys seen good lately are served from memory, others refused';
    this.options.logger.warn(fields, message);
    this.#probeLater();
  }

  #probeLater(): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#probe(), PROBE_EVERY_MS).unref();
  }

  /** Looks whether an outage is over, again until it is. */
  async #probe(): Promise<void> {
    if (!this.client.isReady()) return this.#probeLater();
    try {
      await this.#script.probe();
    } catch (error) {
      this.#problem = errorMessageOf(error);
      return this.#probeLater();
    }
    this.#problem = null;
    const outageMs = Math.round(performance.now() - this.#degradedSinceMs);
    this.options.logger.info({ store: this.client.description, outageMs }, 'the key store answers again');
  }

  /** Logs each problem of a key once: a damaged key would fill the log. */
  #logKeyProblem(digest: string, problem: string): void {
    this.#errorCount++;
    const what = `${digest} ${problem}`;
    if (this.#keyProblems.has(what)) return;
    this.#keyProblems.set(what, true);
    const key = recordKey(addressOfKey(digest));
    this.options.logger.error({ store: this.client.description, key, problem }, 'could not check a key');
  }
}

function unavailable(why: string): KeyDecision {
  const found = `the key store can't decide (${why})`;
  return {
    status: 'unavailable',
    cause: new KeyStoreError('KEY_STORE_FAILED', found, 'look at Redis and its address'),
  };
}
