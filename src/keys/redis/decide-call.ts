/**
 * Calls the decision script: encodes checks as its arguments and parses its replies, in the only file that knows their
 * order. A malformed reply rejects the batch: it is unknown which requests were counted.
 */

import { randomBytes } from 'node:crypto';
import { recordKey } from '../../records/redis/redis-record-store.js';
import type { RedisClient } from '../../storage/redis/redis-client.js';
import { REDIS_PREFIX } from '../../storage/redis/redis-keys.js';
import { monthOf } from '../calendar.js';
import { encodeBase32 } from '../crockford-base32.js';
import type { Admission, Caller, CallerOutcome, Moment, PublishableAdmission } from '../key-decision.js';
import type { KeyCheck } from '../key-store.js';
import type { PlanFinder, PlanTable } from '../plan.js';
import { intervalMs } from '../rate-limit.js';
import { parseRestrictions, type Restrictions } from '../restrictions.js';
import { addressOfKey } from '../stored-key.js';
import { CALLER_STATUSES } from './caller-script.js';
import { DECIDE_SCRIPT, PROBE_SCRIPT } from './decide-script.js';
import { USAGE_PREFIX } from './redis-usage.js';

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
