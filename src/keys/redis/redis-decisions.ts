/**
 * Questions and answers of the decision script as the arguments and replies of Redis: the one place that knows their
 * order. A reply is hostile until it is parsed; where it is not what the script answers, nobody knows what was counted.
 */

import type { Admission, Moment } from '../admission.js';
import { monthOf } from '../calendar-month.js';
import { messageOf } from '../key-error.js';
import type { PlanFinder, PlanTable } from '../plan.js';
import { intervalMs } from '../rate-limit.js';
import type { AskedKey, KeyReply } from './decision-port.js';

/**
 * How long the receipts of a process that was killed are kept. A receipt must outlive the outage after which its process
 * tells what was on its way when that outage began. In an outage a process serves for at most KEY_GRACE_SECONDS, which
 * is a day or less; a process that still lives and is cut off a day later is one that nobody looks after.
 */
const RECEIPT_LIFETIME_HOURS = 2 * 24;
const NO_LIMIT = -1;

/** Errors of one key's data; all others would have met any key. */
const KEY_ERRORS = /^(?:WRONGTYPE|DAMAGED|STALE)\b/;

/** Where a key's hash lies. The braces make everything of one key share a slot of a Cluster. */
export function keyHash(digest: string): string {
  return `postal-places:key:{${digest}}`;
}

/** The field of a key's hash for the receipt of the process that is called `instance`. */
export function receiptField(instance: string): string {
  return `r:${instance}`;
}

/** The part of the script's arguments that is the same for every key. `nowMs` is null for the time of Redis. */
export function encodeFlight(nowMs: number | null, sequence: number, receipt: string, plans: PlanTable): string[] {
  const args = [nowMs === null ? '' : String(nowMs), String(sequence), receipt, String(RECEIPT_LIFETIME_HOURS)];
  args.push(String(plans.size));
  for (const { name, requestsPerMonth, rate } of plans.values()) {
    args.push(name, String(requestsPerMonth ?? NO_LIMIT));
    args.push(rate === null ? '0' : String(intervalMs(rate)), String(rate?.burst ?? 0));
  }
  return args;
}

/** The part of the script's arguments for one key. */
export function encodeQuestion({ count, debts }: AskedKey): string[] {
  const args = [String(count), String(debts.length)];
  for (const debt of debts) args.push(String(debt.sequence), String(debt.count), debt.month);
  return args;
}

/** Parses the script's answer to a flight of these keys; throws where it is no answer at all. */
export function parseReplies(answer: unknown, keys: readonly AskedKey[], findPlan: PlanFinder): KeyReply[] {
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
  return text === '' ? Number.POSITIVE_INFINITY : parseNumber(text);
}

function parseNumber(value: unknown): number {
  const number = typeof value === 'number' ? value : Number(value);
  if (value === '' || value === null || !Number.isFinite(number)) throw new Error('Redis answered no number');
  return number;
}
