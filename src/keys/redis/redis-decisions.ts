/**
 * Decisions by Redis: questions and answers of the decision script as its arguments and replies, in the one place that
 * knows their order. A reply is hostile until it is parsed; where it is not what the script answers, nobody knows what
 * was counted.
 */

import { messageOf } from '../../expected-error.js';
import { recordKey } from '../../records/redis/redis-record-store.js';
import type { RedisClient } from '../../storage/redis/redis-client.js';
import { REDIS_PREFIX } from '../../storage/redis/redis-keys.js';
import type { Admission, Moment } from '../admission.js';
import { monthOf } from '../calendar.js';
import { addressOfKey } from '../kept-key.js';
import type { PlanFinder, PlanTable } from '../plan.js';
import { intervalMs } from '../rate-limit.js';
import { DECIDE_SCRIPT, PROBE_SCRIPT } from './decide-script.js';
import type { AskedKey, DecisionPort, KeyReply } from './decision-port.js';
import { USAGE_PREFIX } from './redis-usage.js';

const NO_LIMIT = -1;
/** 64 bits tell keys apart, and a process has a receipt for each key that it has counted for. */
const RECEIPT_FIELD_LENGTH = 16;
/** Errors of one key's data; all others would have met any key. */
const KEY_ERRORS = /^(?:WRONGTYPE|DAMAGED|STALE)\b/;

export class RedisDecisions implements DecisionPort {
  readonly #receipts: string;
  readonly #planArgs: readonly string[];
  #hasAsked = false;

  /** `processName` is no other process's. `clock` tells milliseconds since 1970; without it, Redis's own decides. */
  constructor(
    private readonly client: RedisClient,
    processName: string,
    plans: PlanTable,
    private readonly findPlan: PlanFinder,
    private readonly clock: (() => number) | undefined,
  ) {
    this.#receipts = `${REDIS_PREFIX}:receipts:${processName}`;
    this.#planArgs = encodePlans(plans);
  }

  isReady(): boolean {
    return this.client.isReady();
  }

  whenReady(limitMs: number): Promise<void> {
    return this.client.whenReady(limitMs);
  }

  async decide(sequence: number, keys: readonly AskedKey[]): Promise<readonly KeyReply[]> {
    this.#hasAsked = true;
    const now = this.clock?.() ?? '';
    const args = [String(now), String(sequence), USAGE_PREFIX, ...this.#planArgs, ...keys.flatMap(encodeQuestion)];
    return parseReplies(await this.client.runScript(DECIDE_SCRIPT, [this.#receipts], args), keys, this.findPlan);
  }

  probe(): Promise<unknown> {
    return this.client.runScript(PROBE_SCRIPT, [`${REDIS_PREFIX}:probe`], []);
  }

  /** Removes what says which flights of this process were counted: nothing is sent again from here on. */
  async removeReceipts(): Promise<void> {
    if (this.#hasAsked) await this.client.run('DEL', this.#receipts);
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

function encodeQuestion({ digest, count, debts }: AskedKey): string[] {
  const args = [
    recordKey(addressOfKey(digest)),
    digest.slice(0, RECEIPT_FIELD_LENGTH),
    String(count),
    String(debts.length),
  ];
  for (const debt of debts) args.push(String(debt.sequence), String(debt.count), debt.day);
  return args;
}

/** Parses the script's answer to a flight of these keys; throws where it is no answer at all. */
function parseReplies(answer: unknown, keys: readonly AskedKey[], findPlan: PlanFinder): KeyReply[] {
  if (!Array.isArray(answer) || answer.length !== keys.length + 1)
    throw new Error('Redis gave no answer of our script');
  const nowMs = parseNumber(answer[0]);
  const moment = { nowMs, month: monthOf(nowMs) };
  return keys.map(({ count }, index) => parseReply(answer[index + 1], count, moment, findPlan));
}

function parseReply(reply: unknown, count: number, moment: Moment, findPlan: PlanFinder): KeyReply {
  const [standing, ...fields] = Array.isArray(reply) ? reply : [];
  if (standing === 'unknown' || standing === 'revoked' || standing === 'expired') return { standing };
  if (standing === 'error') {
    const why = String(fields[0]);
    return { standing: 'failed', why, isWide: !KEY_ERRORS.test(why) };
  }
  try {
    if (standing !== 'good') throw new Error('Redis gave no answer of our script');
    const [id, planName, used, arrival, allowed, expires, grace] = fields;
    const before = { used: parseNumber(used), arrivalMs: parseNumber(arrival) };
    const admission: Admission = {
      standing: 'good',
      keyId: String(id),
      plan: findPlan(String(planName)),
      ...moment,
      before,
      allowedCount: parseAllowed(allowed, count),
    };
    return {
      standing,
      admission,
      requestCount: count,
      expiresMs: parseInstant(expires),
      graceUntilMs: parseInstant(grace),
    };
  } catch (error) {
    return { standing: 'unsure', why: messageOf(error) };
  }
}

function parseAllowed(value: unknown, count: number): number {
  const allowed = parseNumber(value);
  if (Number.isInteger(allowed) && allowed >= 0 && allowed <= count) return allowed;
  throw new Error('Redis allowed what was not asked');
}

function parseInstant(text: unknown): number {
  return text === '' ? Number.POSITIVE_INFINITY : parseNumber(Date.parse(String(text)));
}

function parseNumber(value: unknown): number {
  const number = typeof value === 'number' ? value : Number(value);
  if (value === '' || value === null || !Number.isFinite(number)) throw new Error('Redis answered no number');
  return number;
}
