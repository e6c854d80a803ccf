/**
 * Calls the decision script: encodes checks as its arguments and parses its replies, in the only file that knows their
 * order. A malformed reply rejects the batch: it is unknown which requests were counted.
 */

import { randomBytes } from 'node:crypto';
import { encodeBase32 } from './api-key.js';
import {
  type Admission,
  admit,
  admitCallers,
  type Caller,
  type CallerOutcome,
  intervalMs,
  type KeyDecision,
  type Moment,
  type PublishableAdmission,
  useAfter,
  type VisitorArrivals,
} from './key-decision.js';
import { addressOfKey } from './key-record.js';
import type { KeyCheck } from './key-store.js';
import {
  dayOf,
  isDayName,
  isMonthName,
  isRequestCount,
  keepLatest,
  monthOf,
  type PlanFinder,
  type PlanTable,
  type UsageCounts,
  type UsageLedger,
} from './plan.js';
import { recordKey } from './records/redis-record-store.js';
import { CALLER_STATUSES, DECIDE_SCRIPT, PROBE_SCRIPT } from './redis-scripts.js';
import { parseRestrictions, type Restrictions } from './restrictions.js';
import { isDamage, KeyStoreError } from './storage/key-store-error.js';
import { fieldsIn, REDIS_PREFIX, type RedisClient } from './storage/redis-client.js';
import { untilRead } from './storage/redis-waiting.js';

/* The ledger of the store in Redis: a hash for each usage id, see decide-script.ts. */

export const USAGE_PREFIX = `${REDIS_PREFIX}:usage:`;
const ID_BYTES = 8;
const ARRIVAL = 'arrival';

export class RedisUsage implements UsageLedger {
  constructor(private readonly client: RedisClient) {}

  async begin(_digest: string, counts: UsageCounts): Promise<string> {
    const usageId = randomBytes(ID_BYTES).toString('hex');
    const { months, days } = keepLatest(counts);
    const fields = [...months, ...days].flatMap(([name, count]) => [name, String(count)]);
    if (fields.length > 0) await this.#ask('HSET', USAGE_PREFIX + usageId, ...fields);
    return usageId;
  }

  read(usageIds: readonly string[]): Promise<(UsageCounts | KeyStoreError)[]> {
    return Promise.all(
      usageIds.map((usageId) =>
        this.#read(usageId).catch((error: unknown) => {
          if (isDamage(error)) return error;
          throw error;
        }),
      ),
    );
  }

  async #read(usageId: string): Promise<UsageCounts> {
    const reply = await this.#ask('HGETALL', USAGE_PREFIX + usageId);
    const [months, days] = [new Map<string, number>(), new Map<string, number>()];
    for (const [name, text] of fieldsIn(reply)) {
      if (name === ARRIVAL) continue;
      const counts = isMonthName(name) ? months : isDayName(name) ? days : undefined;
      if (counts === undefined || !/^\d{1,16}$/.test(text) || !isRequestCount(Number(text))) {
        const found = `${this.client.description} at ${USAGE_PREFIX}${usageId} holds a count that is none`;
        const what = JSON.stringify(`${name} ${text}`.slice(0, 40));
        throw new KeyStoreError('KEY_STORE_DAMAGED', `${found} (${what})`, 'restore it from a backup, or delete it');
      }
      counts.set(name, Number(text));
    }
    return keepLatest({ months, days });
  }

  /** Also for what begins counts: they are no key's yet. */
  #ask(command: string, ...args: string[]): Promise<unknown> {
    return untilRead(this.client, () => this.client.run(command, ...args));
  }
}

/** An admission by the store. */
export type SeenAdmission = (Admission | PublishableAdmission) & {
  /** The first instant at which the key, or its grace as a replaced key, is over; Infinity for never. */
  readonly goodUntilMs: number;
};

/** Requests that were allowed without the store, or without knowing whether it counted them. */
export interface Usage {
  /** Of the batch in which the requests were sent, or a number of its own. */
  readonly sequence: number;
  /** The day on which the requests were allowed, as calendar.ts names days. */
  readonly day: string;
  /** In units: a bulk request is as many as it has lookups. */
  readonly count: number;
}

/** One key of a batch, with the unreconciled usage that is sent along. `count` is 0 where only that is sent. */
export interface SentKey extends KeyCheck {
  readonly usages: readonly Usage[];
}

export type KeyReply =
  | SeenAdmission
  | { readonly status: 'invalid' | 'revoked' | 'expired'; readonly origins?: readonly string[] | undefined }
  /** This key was neither decided nor counted. `isWide`: the store could not have done it for another key either. */
  | { readonly status: 'failed'; readonly why: string; readonly isWide: boolean };

/** The start of the keys in Redis that hold visitors, see caller-script.ts. */
const VISITORS_PREFIX = `${REDIS_PREFIX}:visitors:`;
const PROCESS_NAME_BYTES = 5;
const NO_LIMIT = -1;
const NO_CALLERS: readonly Caller[] = [];
/** Number of hexadecimal digits of a digest that identify a key in the receipts: 64 bits are unique in any store. */
const RECEIPT_FIELD_LENGTH = 16;
/** Errors of one key's data; all others would have met any key. */
const KEY_ERRORS = /^(?:WRONGTYPE|DAMAGED|STALE)\b/;

/** The decision script, called under a name that is unique to this process. */
export class DecideCall {
  readonly #receipts = `${REDIS_PREFIX}:receipts:${encodeBase32(randomBytes(PROCESS_NAME_BYTES))}`;
  readonly #planArgs: readonly string[];

  /** `clock` returns milliseconds since 1970; without it, Redis uses its own clock. */
  constructor(
    private readonly client: RedisClient,
    plans: PlanTable,
    private readonly findPlan: PlanFinder,
    private readonly clock: (() => number) | undefined,
  ) {
    this.#planArgs = encodePlans(plans);
  }

  /** One reply for each key. Rejects if it is unknown what Redis did. */
  async decide(sequence: number, keys: readonly SentKey[]): Promise<readonly KeyReply[]> {
    const args = [String(this.clock?.() ?? ''), String(sequence), USAGE_PREFIX, VISITORS_PREFIX, ...this.#planArgs];
    for (const key of keys) pushKey(args, key);
    const replies = await this.client.runScript(DECIDE_SCRIPT, [this.#receipts], args);
    if (!Array.isArray(replies) || replies.length !== keys.length + 1) throw notOurs();
    const nowMs = parseNumber(replies[0]);
    const moment = { nowMs, month: monthOf(nowMs) };
    return keys.map((key, index) => parseReply(replies[index + 1], key, moment, this.findPlan));
  }

  /** A harmless write, to test whether Redis accepts writes. */
  probe(): Promise<unknown> {
    return this.client.runScript(PROBE_SCRIPT, [`${REDIS_PREFIX}:probe`], []);
  }

  /** After this, no batch may be sent again. */
  removeReceipts(): Promise<unknown> {
    return this.client.run('DEL', this.#receipts);
  }
}

function encodePlans(plans: PlanTable): string[] {
  const args = [String(plans.size)];
  for (const { name, requestsPerMonth, rate } of plans.values()) {
    args.push(name, String(requestsPerMonth ?? NO_LIMIT));
    args.push(rate === null ? '0' : String(intervalMs(rate)), String(rate?.burst ?? 0));
  }
  return args;
}

function pushKey(args: string[], { digest, count, cost = 1, usages, callers = NO_CALLERS }: SentKey): void {
  args.push(recordKey(addressOfKey(digest)), digest.slice(0, RECEIPT_FIELD_LENGTH), String(count), String(cost));
  args.push(String(usages.length));
  for (const usage of usages) args.push(String(usage.sequence), String(usage.count), usage.day);
  args.push(String(callers.length));
  for (const { origin, operation, visitor } of callers) args.push(origin, operation, visitor);
}

function parseReply(
  reply: unknown,
  { count, cost = 1, callers = NO_CALLERS }: KeyCheck,
  { nowMs, month }: Moment,
  findPlan: PlanFinder,
): KeyReply {
  if (!Array.isArray(reply)) throw notOurs();
  const status: unknown = reply[0];
  if (status === 'invalid') return { status };
  if (status === 'revoked' || status === 'expired') {
    return { status, origins: reply[1] === undefined ? undefined : restrictionsIn(reply[1]).origins };
  }
  if (status === 'error') {
    const why = String(reply[1]);
    return { status: 'failed', why, isWide: !KEY_ERRORS.test(why) };
  }
  if (status !== 'good') throw notOurs();
  const [, id, planName, used, arrival, allowed, expires, grace, restrictions, outcomes] = reply;
  const allowedCount = parseNumber(allowed);
  if (!Number.isInteger(allowedCount) || allowedCount < 0 || allowedCount > count) throw notOurs();
  const admission = {
    status,
    keyId: String(id),
    plan: findPlan(String(planName)),
    nowMs,
    month,
    before: { used: parseNumber(used), arrivalMs: parseNumber(arrival) },
    allowedCount,
    cost,
    goodUntilMs: Math.min(parseInstant(expires), parseInstant(grace)),
  } as const;
  if (restrictions === undefined) return admission;
  if (!Array.isArray(outcomes) || outcomes.length !== callers.length) throw notOurs();
  const ofCallers = { restrictions: restrictionsIn(restrictions), outcomes: outcomes.map(parseOutcome) };
  return { ...admission, status: 'publishable', cost: 1, ...ofCallers };
}

function parseOutcome(outcome: unknown): CallerOutcome {
  const [number, arrival] = Array.isArray(outcome) ? outcome : [];
  const status = CALLER_STATUSES[number - 1];
  if (status === undefined) throw notOurs();
  return { status, visitorArrivalMs: arrival === '' ? 0 : parseNumber(arrival) };
}

/** Restrictions by their JSON, as the script writes it. */
const knownRestrictions = new Map<string, Restrictions>();
/** Maximum number of restrictions that are remembered, some 1 kB each, so that a reply need not parse them. */
const RESTRICTIONS_LIMIT = 1_000;

function restrictionsIn(json: unknown): Restrictions {
  const text = String(json);
  const known = knownRestrictions.get(text);
  if (known !== undefined) return known;
  if (knownRestrictions.size >= RESTRICTIONS_LIMIT) knownRestrictions.clear();
  const restrictions = parseRestrictions(JSON.parse(text));
  knownRestrictions.set(text, restrictions);
  return restrictions;
}

function parseInstant(text: unknown): number {
  return text === '' ? Number.POSITIVE_INFINITY : parseNumber(Date.parse(String(text)));
}

function parseNumber(value: unknown): number {
  const number = typeof value === 'number' ? value : Number(value);
  if (value === '' || value === null || !Number.isFinite(number)) throw notOurs();
  return number;
}

function notOurs(): Error {
  return new Error('Redis gave no reply of our script');
}

/*
 * The visitors of publishable keys that a server process admitted while the store could not be asked. Each process knows
 * only its own, and every visitor starts anew when an outage begins.
 */

/** Maximum number of visitors, some 150 bytes each; those that came first are forgotten first. */
const VISITORS_LIMIT = 20_000;

export class VisitorMemory {
  readonly #arrivals = new Map<string, number>();

  of(keyId: string): VisitorArrivals {
    return {
      read: (visitor) => this.#arrivals.get(keyId + visitor) ?? 0,
      write: (visitor, arrivalMs) => {
        this.#arrivals.set(keyId + visitor, arrivalMs);
        const [first] = this.#arrivals.keys();
        if (this.#arrivals.size > VISITORS_LIMIT && first !== undefined) this.#arrivals.delete(first);
      },
    };
  }
}

/*
 * The memory of a server process for outages of the store: the keys that the store called good, and their use. For
 * `graceMs` after the store last called a key good, the memory decides by the same rule as the store, up to the quota
 * that was left. Requests that it allows are unreconciled usage, kept until the store confirms that it counted them.
 *
 * A key that was seen revoked stays revoked, even if the store has lost it. A key that was good and is missing in the
 * store is lost, since no command removes keys: it is decided from memory, and sent again with the unreconciled usage,
 * until the store has it again. While any key is lost, an unknown key may be lost too, so its decision is unavailable.
 * An entry takes about 400 bytes; above KEYS_LIMIT the keys seen longest ago are dropped, unreconciled usage never.
 */

/**
 * `sentCount` is the number of batches in which the store may have received the usage; at 0 the usage may still grow.
 */
type OpenUsage = { -readonly [Field in keyof Usage]: Usage[Field] } & { sentCount: number };

/** The last known state of a good key. Instants are of this process's clock. */
interface SeenKey {
  readonly keyId: string;
  readonly plan: Admission['plan'];
  readonly goodUntilMs: number;
  readonly seenMs: number;
  /** Of a publishable key. */
  readonly restrictions: Restrictions | undefined;
  month: string;
  used: number;
  arrivalMs: number;
}

/** Maximum number of keys that are remembered as good, and as revoked. */
const KEYS_LIMIT = 100_000;
const NO_USAGES: readonly Usage[] = [];
const LOST = 'the store no longer knows keys that were good: it has lost keys';

export class KeyMemory {
  readonly #seen = new Map<string, SeenKey>();
  readonly #revoked = new Set<string>();
  /** Each lost key is in #seen, and in #unreconciled so that it is sent again. */
  readonly #lost = new Set<string>();
  readonly #unreconciled = new Map<string, readonly OpenUsage[]>();
  readonly #visitors = new VisitorMemory();
  #sequence = 0;

  constructor(private readonly graceMs: number) {}

  /** The number of a batch, or of usage without a batch; ascending. */
  nextSequence(): number {
    return ++this.#sequence;
  }

  /** Whether the store recently called the key good. */
  wasSeen(digest: string): boolean {
    return this.#seen.has(digest);
  }

  lostCount(): number {
    return this.#lost.size;
  }

  /** How many keys have unreconciled usage or are lost. */
  unreconciledKeyCount(): number {
    return this.#unreconciled.size;
  }

  /** How many requests are unreconciled in all, each lookup of a bulk request as one. */
  unreconciledCount(): number {
    let count = 0;
    for (const usages of this.#unreconciled.values()) for (const usage of usages) count += usage.count;
    return count;
  }

  /** The digests of keys with unreconciled usage, at most `limit`; other keys come first the next time. */
  nextUnreconciled(limit: number): string[] {
    const next: string[] = [];
    for (const digest of this.#unreconciled.keys()) {
      if (next.length === limit) break;
      next.push(digest);
    }
    for (const digest of next) {
      const usages = this.#unreconciled.get(digest) ?? [];
      this.#unreconciled.delete(digest);
      this.#unreconciled.set(digest, usages);
    }
    return next;
  }

  /** The check as it is sent, with the key's unreconciled usage, that of the lowest sequence first. */
  send(check: KeyCheck): SentKey {
    const open = this.#unreconciled.get(check.digest);
    if (open === undefined) return { ...check, usages: NO_USAGES };
    for (const usage of open) usage.sentCount++;
    return { ...check, usages: open.toSorted((one, other) => one.sequence - other.sequence) };
  }

  /** The decision by the store's reply, or from memory where the store has done nothing for the key. */
  receive(key: SentKey, reply: KeyReply, nowMs: number): KeyDecision {
    const { digest } = key;
    if (reply.status === 'failed') return this.#decideUntouched(key, nowMs, reply.why);
    if (reply.status === 'invalid' && this.#seen.has(digest)) {
      this.#lost.add(digest);
      if (!this.#unreconciled.has(digest)) this.#unreconciled.set(digest, []);
      return this.#decideUntouched(key, nowMs, LOST);
    }
    this.#reconcile(key);
    if (reply.status === 'revoked') this.#revoke(digest);
    else if (this.#revoked.has(digest) && reply.status !== 'expired') return { status: 'revoked' };
    else if (reply.status === 'good' || reply.status === 'publishable') this.#remember(key, reply, nowMs);
    else if (reply.status === 'invalid' && this.#lost.size > 0) return unavailable(LOST);
    else this.#forget(digest);
    return reply;
  }

  /**
   * The decision without the store: an admission if the key was recently good. The allowed requests are unreconciled.
   * `sentAs` is the sequence of a batch that the store may have counted; then a usage of 0 is kept too, to correct the
   * store's count.
   */
  decide(check: KeyCheck, nowMs: number, why: string, sentAs?: number): KeyDecision {
    if (check.count === 0) return unavailable(why);
    const { digest } = check;
    const admission = this.#admit(check, nowMs);
    const units = admission === undefined ? 0 : admission.allowedCount * admission.cost;
    const day = dayOf(nowMs);
    const usages = this.#unreconciled.get(digest) ?? [];
    const open = sentAs === undefined && usages.find((usage) => usage.sentCount === 0 && usage.day === day);
    if (open) open.count += units;
    else if (sentAs !== undefined || units > 0) {
      const [sequence, sentCount] = sentAs === undefined ? [this.nextSequence(), 0] : [sentAs, 1];
      this.#unreconciled.set(digest, [...usages, { sequence, day, count: units, sentCount }]);
    }
    return admission ?? unavailable(why);
  }

  /** The store has certainly not taken the usages. The requests get a sequence that no batch has had. */
  #decideUntouched(key: SentKey, nowMs: number, why: string): KeyDecision {
    for (const usage of this.#unreconciled.get(key.digest) ?? []) if (key.usages.includes(usage)) usage.sentCount--;
    return this.decide(key, nowMs, why);
  }

  /** The store has taken the usages. */
  #reconcile({ digest, usages }: SentKey): void {
    const open = this.#unreconciled.get(digest);
    if (open === undefined) return;
    const left = open.filter((usage) => !usages.includes(usage));
    if (left.length === 0) this.#unreconciled.delete(digest);
    else this.#unreconciled.set(digest, left);
  }

  /** `nowMs` is of this process's clock, which may differ from the store's. */
  #remember({ digest, count }: SentKey, admission: SeenAdmission, nowMs: number): void {
    const { keyId, plan, month, goodUntilMs } = admission;
    const { used, arrivalMs } = useAfter(admission, count);
    // Deleted first, so that the map's order is the order in which keys were last seen.
    this.#forget(digest);
    const arrivalHereMs = nowMs + (arrivalMs - admission.nowMs);
    const restrictions = admission.status === 'publishable' ? admission.restrictions : undefined;
    const last = { month: month.name, used, arrivalMs: arrivalHereMs };
    this.#seen.set(digest, { keyId, plan, goodUntilMs, seenMs: nowMs, restrictions, ...last });
    if (this.#seen.size > KEYS_LIMIT) this.#forget(first(this.#seen));
  }

  #forget(digest: string): void {
    this.#seen.delete(digest);
    this.#lost.delete(digest);
  }

  #revoke(digest: string): void {
    this.#forget(digest);
    this.#revoked.add(digest);
    if (this.#revoked.size > KEYS_LIMIT) this.#revoked.delete(first(this.#revoked));
  }

  #admit({ digest, count, cost, callers }: KeyCheck, nowMs: number): Admission | PublishableAdmission | undefined {
    const seen = this.#seen.get(digest);
    if (seen === undefined || nowMs - seen.seenMs > this.graceMs || nowMs >= seen.goodUntilMs) return undefined;
    const month = monthOf(nowMs);
    const before = { used: seen.month === month.name ? seen.used : 0, arrivalMs: seen.arrivalMs };
    const { keyId, plan, restrictions } = seen;
    const admission =
      restrictions === undefined || callers === undefined
        ? admit(keyId, plan, before, { nowMs, month }, count, cost)
        : admitCallers({ keyId, plan, restrictions, before }, { nowMs, month }, callers, this.#visitors.of(keyId));
    Object.assign(seen, { month: month.name, ...useAfter(admission, count) });
    return admission;
  }
}

function unavailable(why: string): KeyDecision {
  const cause = new KeyStoreError(
    'KEY_STORE_FAILED',
    `the key store can't decide (${why})`,
    'look at Redis and its address',
  );
  return { status: 'unavailable', cause };
}

/** The oldest key of a collection that is not empty. */
function first(collection: Map<string, unknown> | Set<string>): string {
  const [oldest] = collection.keys();
  return oldest as string;
}
