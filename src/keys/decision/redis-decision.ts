/**
 * Calls the decision script: encodes checks as its arguments and parses its replies. No other file beside the script
 * knows their order. A malformed reply rejects the batch: it is unknown which requests were counted.
 */

import { InvalidValueError } from '../../base/errors.js';
import { RecencyMap } from '../../base/recency-map.js';
import { monthOf } from '../key/calendar.js';
import type { PlanFinder, PlanTable } from '../key/plan.js';
import { parseRestrictions, type Restrictions } from '../key/restrictions.js';
import { addressOfKey } from '../key/stored-key.js';
import { recordKey } from '../records/redis-record-store.js';
import type { RedisClient } from '../storage/redis-client.js';
import { REDIS_PREFIX } from '../storage/redis-keyspace.js';
import {
  type Admission,
  type Caller,
  type CallerOutcome,
  type KeyCheck,
  type Moment,
  type PublishableAdmission,
  rateCostIn,
} from './key-decision.js';
import { CALLER_STATUSES, DECIDE_SCRIPT, PROBE_SCRIPT } from './redis-decision-script.js';
import { USAGE_PREFIX } from './redis-usage.js';

/** An admission by the store. */
export type SeenAdmission = (Admission | PublishableAdmission) & {
  /** The first instant at which the key, or its grace as a replaced key, is over; Infinity for never. */
  readonly goodUntilMs: number;
};

export type KeyReply =
  | SeenAdmission
  | { readonly status: 'invalid' | 'revoked' | 'expired'; readonly origins?: readonly string[] | undefined }
  /** This key was not decided, and counted only where its restrictions are damaged. `isWide`: the store could not have done it for another key either. */
  | { readonly status: 'failed'; readonly why: string; readonly isWide: boolean };

/** The start of the keys in Redis that hold visitors, see redis-decision-script.ts. */
const VISITORS_PREFIX = `${REDIS_PREFIX}:visitors:`;
const NO_LIMIT = -1;
const NO_CALLERS: readonly Caller[] = [];
/** Errors of one key's data; all others would have met any key. */
const KEY_ERRORS = /^(?:WRONGTYPE|DAMAGED)\b/;
/** Maximum number of restrictions that are remembered, some 1 kB each, so that a reply need not be parsed again. */
const RESTRICTIONS_LIMIT = 1_000;
/** Also the key that the decision script names: one in the slot of the records that its user may write. */
const PROBE_KEY = `${REDIS_PREFIX}:probe`;

export class DecideCall {
  readonly #planArgs: readonly string[];
  /** By their JSON, as the script writes it. */
  readonly #restrictions = new RecencyMap<string, Restrictions>(RESTRICTIONS_LIMIT);

  /** `clock` returns milliseconds since 1970; without it, Redis uses its own clock. */
  constructor(
    private readonly client: RedisClient,
    plans: PlanTable,
    private readonly findPlan: PlanFinder,
    private readonly clock: (() => number) | undefined,
  ) {
    this.#planArgs = encodePlans(plans);
  }

  /** One reply for each check. Rejects if it is unknown what Redis did. */
  async decide(checks: readonly KeyCheck[]): Promise<readonly KeyReply[]> {
    const args = [String(this.clock?.() ?? ''), USAGE_PREFIX, VISITORS_PREFIX, ...this.#planArgs];
    for (const check of checks) pushCheck(args, check);
    const replies = await this.client.runScript(DECIDE_SCRIPT, [PROBE_KEY], args);
    if (!Array.isArray(replies) || replies.length !== checks.length + 1) throw notOurs();
    const nowMs = parseNumber(replies[0]);
    const moment = { nowMs, month: monthOf(nowMs) };
    return checks.map((check, index) => {
      try {
        return this.#parseReply(replies[index + 1], check, moment);
      } catch (error) {
        if (!(error instanceof InvalidValueError)) throw error;
        return { status: 'failed', why: `DAMAGED restrictions: ${error.message}`, isWide: false };
      }
    });
  }

  /** A harmless write, to test whether Redis accepts writes. */
  probe(): Promise<unknown> {
    return this.client.runScript(PROBE_SCRIPT, [PROBE_KEY], []);
  }

  #parseReply(reply: unknown, check: KeyCheck, { nowMs, month }: Moment): KeyReply {
    const { count, rateCost, callers = NO_CALLERS } = check;
    if (!Array.isArray(reply)) throw notOurs();
    const status: unknown = reply[0];
    if (status === 'invalid') return { status };
    if (status === 'revoked' || status === 'expired') {
      return { status, origins: this.#originsIn(reply[1]) };
    }
    if (status === 'error') {
      const why = String(reply[1]);
      return { status: 'failed', why, isWide: !KEY_ERRORS.test(why) };
    }
    if (status !== 'good') throw notOurs();
    const [, id, planName, used, arrival, allowed, expires, grace, restrictions, outcomes] = reply;
    const allowedCount = parseNumber(allowed);
    if (!Number.isInteger(allowedCount) || allowedCount < 0 || allowedCount > count) throw notOurs();
    const plan = this.findPlan(String(planName));
    const cost = restrictions === undefined ? (check.cost ?? 1) : 1;
    const admission = {
      status,
      keyId: String(id),
      plan,
      nowMs,
      month,
      before: { used: parseNumber(used), arrivalMs: parseNumber(arrival) },
      allowedCount,
      cost,
      rateCost: rateCostIn(plan, cost, rateCost),
      goodUntilMs: Math.min(parseInstant(expires), parseInstant(grace)),
    } as const;
    if (restrictions === undefined) return admission;
    if (!Array.isArray(outcomes) || outcomes.length !== callers.length) throw notOurs();
    const ofCallers = { restrictions: this.#restrictionsIn(restrictions), outcomes: outcomes.map(parseOutcome) };
    return { ...admission, status: 'publishable', ...ofCallers };
  }

  /** Undefined where the key has none, or damaged ones: a key that is over stays over. */
  #originsIn(restrictions: unknown): readonly string[] | undefined {
    if (restrictions === undefined) return undefined;
    try {
      return this.#restrictionsIn(restrictions).origins;
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      return undefined;
    }
  }

  #restrictionsIn(json: unknown): Restrictions {
    const text = String(json);
    const known = this.#restrictions.get(text);
    if (known !== undefined) return known;
    const restrictions = parseRestrictions(JSON.parse(text));
    this.#restrictions.set(text, restrictions);
    return restrictions;
  }
}

function encodePlans(plans: PlanTable): string[] {
  const args = [String(plans.size)];
  for (const { name, requestsPerMonth, rate } of plans.values()) {
    args.push(name, String(requestsPerMonth ?? NO_LIMIT));
    args.push(String(rate?.intervalMs ?? 0), String(rate?.burst ?? 0));
  }
  return args;
}

function pushCheck(args: string[], check: KeyCheck): void {
  const { digest, count, cost = 1, rateCost = cost, callers = NO_CALLERS } = check;
  args.push(recordKey(addressOfKey(digest)), String(count), String(cost), String(rateCost), String(callers.length));
  for (const { origin, operation, visitor } of callers) args.push(origin, operation, visitor);
}

function parseOutcome(outcome: unknown): CallerOutcome {
  const [number, arrival] = Array.isArray(outcome) ? outcome : [];
  const status = CALLER_STATUSES[number - 1];
  if (status === undefined) throw notOurs();
  return { status, visitorArrivalMs: arrival === '' ? 0 : parseNumber(arrival) };
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
