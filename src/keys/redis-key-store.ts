/**
 * The key store in a Redis that several servers share: one server, a Sentinel group or a Cluster. Keys are records, and
 * Redis decides and counts. While it can't be asked, this process decides from memory: it serves keys that Redis called
 * good within `graceMs`, within their rate and what was left of their quota, and counts nothing. A Redis that is slow or
 * gone costs no call of `decide` more than `timeoutMs`.
 *
 *     ready      decide ─► Redis       no reply in time, no connection, can't write ─► degraded
 *     degraded   decide ─► memory      probe every 100 ms ─► success ─► ready
 */

import { messageOf } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { admit, admitCallers, type KeyDecision, useAfter, type VisitorArrivals } from './key-decision.js';
import { KeyDirectory } from './key-directory.js';
import { addressOfKey } from './key-record.js';
import type { KeyCheck, KeyStore, KeyStoreHealth } from './key-store.js';
import { monthOf, type PlanFinder, type PlanTable } from './plan.js';
import { RedisRecordStore, recordKey } from './records/redis-record-store.js';
import { DecideCall, type KeyReply, RedisUsage, type SeenAdmission } from './redis-decision.js';
import { KeyStoreError } from './storage/key-store-error.js';
import type { RedisAddress } from './storage/redis-address.js';
import { connectRedis, inTime, type RedisClient, warnOfSettingsWhenReady } from './storage/redis-client.js';

/** The last known state of a good key. Instants are of this process's clock. */
interface SeenKey {
  readonly admission: SeenAdmission;
  readonly seenMs: number;
  month: string;
  used: number;
  arrivalMs: number;
}

/** Maximum number of keys that are remembered as good, some 400 bytes each, and as revoked. */
const KEYS_LIMIT = 100_000;
/** Maximum number of visitors that are remembered in an outage, some 150 bytes each. */
const VISITORS_LIMIT = 20_000;
const LOST = 'the store no longer knows keys that were good: it has lost keys';

/**
 * What a process remembers of keys for outages. A key that was seen revoked stays revoked, even if Redis has lost that.
 * A key that was good and is missing in Redis is lost, since no command removes keys: it is decided from memory. While
 * any key is lost, an unknown key may be lost too, so its decision is unavailable.
 */
export class KeyMemory {
  readonly #seen = new Map<string, SeenKey>();
  readonly #revoked = new Set<string>();
  readonly #lost = new Set<string>();
  /** By the id of the key and the visitor. Every visitor starts anew when an outage begins. */
  readonly #visitors = new Map<string, number>();

  constructor(private readonly graceMs: number) {}

  /** Whether the store recently called the key good. */
  wasSeen(digest: string): boolean {
    return this.#seen.has(digest);
  }

  lostCount(): number {
    return this.#lost.size;
  }

  /** At most `limit` lost keys, those first that were asked for longest ago. */
  listLost(limit: number): string[] {
    return [...this.#lost].slice(0, limit);
  }

  /** The decision by the store's reply, or from memory where the store has not decided. */
  receive(check: KeyCheck, reply: KeyReply, nowMs: number): KeyDecision {
    const { digest } = check;
    if (reply.status === 'failed') return this.decide(check, nowMs, reply.why);
    if (reply.status === 'invalid' && this.#seen.has(digest)) {
      this.#lost.delete(digest);
      this.#lost.add(digest);
      return this.decide(check, nowMs, LOST);
    }
    if (reply.status === 'revoked') {
      this.#forget(digest);
      addLatest(this.#revoked, digest);
    } else if (this.#revoked.has(digest) && reply.status !== 'expired') return { status: 'revoked' };
    else if (reply.status === 'good' || reply.status === 'publishable') this.#remember(check, reply, nowMs);
    else if (reply.status === 'invalid' && this.#lost.size > 0) return unavailable(LOST);
    else this.#forget(digest);
    return reply;
  }

  /** The decision without the store. The allowed requests move the key's rate and quota in this memory only. */
  decide({ digest, count, cost, callers }: KeyCheck, nowMs: number, why: string): KeyDecision {
    const seen = this.#seen.get(digest);
    if (seen === undefined || nowMs - seen.seenMs > this.graceMs || nowMs >= seen.admission.goodUntilMs) {
      return unavailable(why);
    }
    const { keyId, plan } = seen.admission;
    const month = monthOf(nowMs);
    const before = { used: seen.month === month.name ? seen.used : 0, arrivalMs: seen.arrivalMs };
    const admission =
      seen.admission.status === 'publishable' && callers !== undefined
        ? admitCallers({ ...seen.admission, before }, { nowMs, month }, callers, this.#visitorsOf(keyId))
        : admit(keyId, plan, before, { nowMs, month }, count, cost);
    Object.assign(seen, { month: month.name, ...useAfter(admission, count) });
    return admission;
  }

  /** `nowMs` is of this process's clock, which may differ from the store's. */
  #remember({ digest, count }: KeyCheck, admission: SeenAdmission, nowMs: number): void {
    const { used, arrivalMs } = useAfter(admission, count);
    // Deleted first, so that the map's order is the order in which keys were last seen.
    this.#forget(digest);
    const arrivalHereMs = nowMs + (arrivalMs - admission.nowMs);
    const last = { month: admission.month.name, used, arrivalMs: arrivalHereMs };
    this.#seen.set(digest, { admission, seenMs: nowMs, ...last });
    if (this.#seen.size > KEYS_LIMIT) this.#forget(firstOf(this.#seen));
  }

  #forget(digest: string): void {
    this.#seen.delete(digest);
    this.#lost.delete(digest);
  }

  #visitorsOf(keyId: string): VisitorArrivals {
    return {
      read: (visitor) => this.#visitors.get(keyId + visitor) ?? 0,
      write: (visitor, arrivalMs) => {
        this.#visitors.set(keyId + visitor, arrivalMs);
        if (this.#visitors.size > VISITORS_LIMIT) this.#visitors.delete(firstOf(this.#visitors));
      },
    };
  }
}

function addLatest(digests: Set<string>, digest: string): void {
  digests.add(digest);
  if (digests.size > KEYS_LIMIT) digests.delete(firstOf(digests));
}

/** The oldest entry of a collection that is not empty. */
function firstOf(collection: Map<string, unknown> | Set<string>): string {
  const [oldest] = collection.keys();
  return oldest as string;
}

function unavailable(why: string): KeyDecision {
  const remedy = 'look at Redis and its address';
  return {
    status: 'unavailable',
    cause: new KeyStoreError('KEY_STORE_FAILED', `the key store can't decide (${why})`, remedy),
  };
}

export interface RedisDecisionOptions {
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

/** Maximum number of keys in a call of the script: it takes about 10 ms of Redis's time. */
const KEYS_PER_CALL = 500;
/** Maximum number of calls that are sent together: 100 ms of Redis's time. */
const CALLS_AT_ONCE = 10;
const TOO_MANY = 'more keys wait than it can be asked for in time';
const PROBE_EVERY_MS = 100;
/** Pause before lost keys are looked for again. */
const LOST_EVERY_MS = 1_000;
/** Maximum number of problems of single keys that are remembered, so that each is logged once. */
const KEY_PROBLEMS_LIMIT = 1_000;

export class RedisDecisions {
  readonly #memory: KeyMemory;
  readonly #script: DecideCall;
  readonly #keyProblems = new Set<string>();
  #errorCount = 0;
  #hasAsked = false;
  /** Why Redis can't be asked, or null. */
  #problem: string | null = null;
  #degradedSinceMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly client: RedisClient,
    private readonly options: RedisDecisionOptions,
  ) {
    this.#memory = new KeyMemory(options.graceMs);
    this.#script = new DecideCall(client, options.plans, options.findPlan, options.clock);
    client.onChange(() => {
      if (this.#hasAsked && !client.isReady()) this.#degrade('the connection was lost');
    });
  }

  /** One decision for each check. Redis gets all calls at once; those that it answers too late are decided from memory. */
  async decide(checks: readonly KeyCheck[]): Promise<readonly KeyDecision[]> {
    // Before the first connection checks wait for it: it is usually made within milliseconds.
    if (this.#problem === null && !this.client.isReady()) {
      await this.client.whenReady(this.options.timeoutMs).catch(() => this.#degrade('there is no connection'));
    }
    const calls: (Promise<readonly KeyDecision[]> | readonly KeyDecision[])[] = [];
    for (let at = 0; at < checks.length; at += KEYS_PER_CALL) {
      const part = checks.slice(at, at + KEYS_PER_CALL);
      calls.push(calls.length < CALLS_AT_ONCE ? this.#ask(part, at > 0) : this.#decideFromMemory(part, TOO_MANY));
    }
    return (await Promise.all(calls)).flat();
  }

  wasSeen(digest: string): boolean {
    return this.#memory.wasSeen(digest);
  }

  health(): KeyStoreHealth {
    // The problem that began the outage matters less than why there is still no connection.
    const outage = this.client.isReady() ? this.#problem : (this.client.lastProblem() ?? 'there is no connection yet');
    const lostCount = this.#memory.lostCount();
    const problem = outage ?? (lostCount > 0 ? `the store has lost keys: ${lostCount} that were good` : null);
    return { kind: 'redis', state: problem === null ? 'ready' : 'degraded', problem, errorCount: this.#errorCount };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** One call of the script. `isFurther`: it waits in Redis behind another call, so a late reply is no outage. */
  async #ask(checks: readonly KeyCheck[], isFurther = false): Promise<readonly KeyDecision[]> {
    if (this.#problem !== null) return this.#decideFromMemory(checks, this.#problem);
    const { timeoutMs } = this.options;
    const late = new Error(`no answer within ${timeoutMs} ms`);
    this.#hasAsked = true;
    try {
      return this.#receive(checks, await inTime(this.#script.decide(checks), timeoutMs, () => late));
    } catch (error) {
      // Redis may have counted the requests: nothing is sent again.
      if (error !== late || !isFurther) this.#degrade(messageOf(error));
      return this.#decideFromMemory(checks, messageOf(error));
    }
  }

  #receive(checks: readonly KeyCheck[], replies: readonly KeyReply[]): KeyDecision[] {
    const nowMs = this.#nowMs();
    const lostBefore = this.#memory.lostCount();
    const decisions = checks.map((check, index) => {
      const reply = replies[index] as KeyReply;
      const decision = this.#memory.receive(check, reply, nowMs);
      if (reply.status === 'failed' && reply.isWide) this.#degrade(reply.why);
      else if (reply.status === 'failed') this.#logKeyProblem(check.digest, reply.why);
      else if (decision.status === 'revoked' && (reply.status === 'good' || reply.status === 'publishable')) {
        this.#logKeyProblem(check.digest, 'the store has forgotten that this key was revoked; revoke it again');
      }
      return decision;
    });
    const lostCount = this.#memory.lostCount();
    const fields = { store: this.client.description };
    if (lostCount > 0 && lostBefore === 0) {
      this.#errorCount++;
      const message = 'the key store has lost keys that were good: import them again from a backup';
      this.options.logger.error({ ...fields, graceSeconds: this.options.graceMs / 1000 }, message);
      if (this.#problem === null) this.#lookIn(LOST_EVERY_MS);
    }
    if (lostCount === 0 && lostBefore > 0) this.options.logger.info(fields, 'the key store knows the lost keys again');
    return decisions;
  }

  #decideFromMemory(checks: readonly KeyCheck[], why: string): KeyDecision[] {
    const nowMs = this.#nowMs();
    return checks.map((check) => this.#memory.decide(check, nowMs, why));
  }

  #nowMs(): number {
    return this.options.clock?.() ?? Date.now();
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
    this.#lookIn(PROBE_EVERY_MS);
  }

  #lookIn(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(), delayMs).unref();
  }

  /** Looks whether an outage is over, or whether lost keys are back; again until both is so. */
  async #look(): Promise<void> {
    const lostBefore = this.#memory.lostCount();
    if (this.#problem !== null) await this.#probe();
    else {
      const lost = this.#memory.listLost(KEYS_PER_CALL).map((digest) => ({ digest, count: 0 }));
      await this.#ask(lost);
    }
    const lostCount = this.#memory.lostCount();
    if (this.#problem !== null) this.#lookIn(PROBE_EVERY_MS);
    else if (lostCount > 0) this.#lookIn(lostCount < lostBefore ? 0 : LOST_EVERY_MS);
  }

  async #probe(): Promise<void> {
    if (!this.client.isReady()) return;
    try {
      await this.#script.probe();
    } catch (error) {
      this.#problem = messageOf(error);
      return;
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
    if (this.#keyProblems.size >= KEY_PROBLEMS_LIMIT) this.#keyProblems.clear();
    this.#keyProblems.add(what);
    const key = recordKey(addressOfKey(digest));
    this.options.logger.error({ store: this.client.description, key, problem }, 'could not check a key');
  }
}

export interface RedisKeyStoreOptions extends RedisDecisionOptions {
  readonly address: RedisAddress;
}

/** Starts to connect and returns at once; whether there is a connection shows in health and in decisions. */
export function openRedisKeyStore(options: RedisKeyStoreOptions): KeyStore {
  const client = connectRedis(options.address);
  const records = new RedisRecordStore(client);
  const decisions = new RedisDecisions(client, options);
  return {
    directory: new KeyDirectory(records, new RedisUsage(client)),
    records,
    decide: (checks) => decisions.decide(checks),
    wasSeen: (digest) => decisions.wasSeen(digest),
    inspect: () => warnOfSettingsWhenReady(client, options.logger),
    health: () => decisions.health(),
    async close() {
      decisions.close();
      client.close();
    },
  };
}
