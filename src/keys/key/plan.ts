/**
 * Plans: how many requests a key may make in a calendar month, how many in a second, and how many at once. The table of
 * all plans is one JSON text, the variable PLANS, parsed here into frozen plans; a wrong text is an
 * InvalidValueError that names the plan and the field. `free` is always there: every key starts on it.
 *
 *     {"free": {"requestsPerMonth": 10000, "requestsPerSecond": 50, "burst": 100},
 *      "unlimited": {"requestsPerMonth": null, "requestsPerSecond": null, "burst": null}}
 */

import { InvalidValueError } from '../../base/errors.js';
import type { Rate } from '../../base/rate-limit.js';
import type { KeyStoreError } from '../storage/key-store-error.js';

export interface Plan {
  readonly name: string;
  /** Requests that are answered in one calendar month; null for no limit. */
  readonly requestsPerMonth: number | null;
  /** How often, and how many at once; null for no limit. */
  readonly rate: Rate | null;
}

/** All plans by name. */
export type PlanTable = ReadonlyMap<string, Plan>;

export const FREE_PLAN = 'free';

const NAME_FORM = /^[a-z][a-z0-9-]{0,31}$/;
const FIELDS = ['requestsPerMonth', 'requestsPerSecond', 'burst'];
/** Far above any real plan, and small enough for every computation with it to be exact. */
const LARGEST = 1e12;
const SMALLEST_RATE = 1e-6;
const LARGEST_RATE = 1e6;
/** Maximum number of seconds that an idle key needs until its whole burst is back: a leap year. */
const LONGEST_REFILL_SECONDS = 366 * 86_400;

/** The default of PLANS. */
export const DEFAULT_PLANS: PlanTable = parsePlans(
  '{"free": {"requestsPerMonth": 10000, "requestsPerSecond": 50, "burst": 100}}',
);

/** Whether the text can be a plan's name: 1 to 32 characters of a-z, 0-9 and "-", the first a letter. */
export function isPlanName(text: unknown): text is string {
  return typeof text === 'string' && NAME_FORM.test(text);
}

/** Parses the JSON text of a table. Throws InvalidValueError. */
export function parsePlans(text: string): PlanTable {
  const plans = new Map(Object.entries(parseObject(text)).map(([name, value]) => [name, parsePlan(name, value)]));
  if (!plans.has(FREE_PLAN))
    throw new InvalidValueError(`it must have the plan "${FREE_PLAN}", on which every key starts`);
  return plans;
}

/** The plan that a key has by the name in its record. */
export type PlanFinder = (name: string) => Plan;

/**
 * Finds plans in a table. A name that the table does not have, because PLANS was changed under the keys, gives the plan
 * `free`, so that the key still works. `onUnknown` is called once for each such name.
 */
export function createPlanFinder(plans: PlanTable, onUnknown: (name: string) => void = () => {}): PlanFinder {
  const free = plans.get(FREE_PLAN) as Plan;
  const unknown = new Set<string>();
  return (name) => {
    const plan = plans.get(name);
    if (plan !== undefined) return plan;
    if (!unknown.has(name)) {
      unknown.add(name);
      onUnknown(name);
    }
    return free;
  };
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidValueError(`it is not JSON (${(error as Error).message.replaceAll(/\s+/g, ' ')})`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new InvalidValueError('it must be an object that gives each plan by its name');
}

function parsePlan(name: string, value: unknown): Plan {
  if (!isPlanName(name)) {
    throw new InvalidValueError(
      `${JSON.stringify(name)} is no plan name: 1 to 32 of a-z, 0-9 and "-", the first a letter`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidValueError(`the plan ${name} must be an object with ${FIELDS.join(', ')}`);
  }
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    throw new InvalidValueError(`the plan ${name} has an unknown field ${JSON.stringify(unknown)}`);
  const { requestsPerMonth, requestsPerSecond, burst } = value as Record<string, unknown>;
  if ((requestsPerSecond === null) !== (burst === null)) {
    throw new InvalidValueError(`the plan ${name} must have both requestsPerSecond and burst, or null for both`);
  }
  return Object.freeze({
    name,
    requestsPerMonth: requestsPerMonth === null ? null : parseNumber(name, 'requestsPerMonth', requestsPerMonth, 0),
    rate: requestsPerSecond === null ? null : parseRate(name, requestsPerSecond, burst),
  });
}

function parseRate(plan: string, requestsPerSecond: unknown, burst: unknown): Rate {
  const rate = {
    requestsPerSecond: parseNumber(plan, 'requestsPerSecond', requestsPerSecond, SMALLEST_RATE),
    burst: parseNumber(plan, 'burst', burst, 1),
  };
  if (rate.burst / rate.requestsPerSecond <= LONGEST_REFILL_SECONDS) return Object.freeze(rate);
  throw new InvalidValueError(`burst of the plan ${plan} must be what requestsPerSecond gives in 366 days, or less`);
}

function parseNumber(plan: string, field: string, value: unknown, least: number): number {
  const isWhole = field !== 'requestsPerSecond';
  const most = isWhole ? LARGEST : LARGEST_RATE;
  if (typeof value === 'number' && value >= least && value <= most && (!isWhole || Number.isInteger(value))) {
    return value;
  }
  const kind = isWhole ? 'an integer' : 'a number';
  throw new InvalidValueError(
    `${field} of the plan ${plan} must be ${kind} from ${least} to ${most}, or null for no limit`,
  );
}

/*
 * The counts of a key's requests: by calendar month for the quota, and by calendar day for charts. The counts of the
 * last 24 months and 62 days in which the key was used are kept. The successor of a key continues its counts.
 */

export const MONTHS_KEPT = 24;
export const DAYS_KEPT = 62;

/** By the names of months and days, ascending; a month or a day without any request may be missing. */
export interface UsageCounts {
  readonly months: ReadonlyMap<string, number>;
  readonly days: ReadonlyMap<string, number>;
}

export const NO_USAGE: UsageCounts = { months: new Map(), days: new Map() };

/** Where a store keeps counts, each key's under an id that the record of the key holds. */
export interface UsageLedger {
  /** Makes a place for the counts of a new key and resolves with its id. Rejects with KeyStoreError. */
  begin(digest: string, counts: UsageCounts): Promise<string>;
  /** The counts under each id, or KeyStoreError where they are damaged. Rejects with KeyStoreError. */
  read(usageIds: readonly string[]): Promise<readonly (UsageCounts | KeyStoreError)[]>;
}

/** Whether the value can be a number of requests counted. */
export function isRequestCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Counts in order, no more than are kept, without zeros. */
export function keepLatest({ months, days }: UsageCounts): UsageCounts {
  return { months: latestOf(months, MONTHS_KEPT), days: latestOf(days, DAYS_KEPT) };
}

function latestOf(counts: ReadonlyMap<string, number>, keptCount: number): Map<string, number> {
  const sorted = [...counts].filter(([, count]) => count > 0).sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(sorted.slice(-keptCount));
}

/*
 * The calendar month and the calendar day, in UTC, that an instant falls into: what quotas and charts are counted by. A
 * month lasts from its first instant, 00:00:00.000 on the 1st, to the first instant of the next; it has 28 to 31 days
 * as the Gregorian calendar says. Instants are milliseconds since 1970-01-01T00:00Z, of the years 1000 to 9999.
 */

export interface CalendarMonth {
  /** Year and month as ISO 8601 writes them, `2024-02`. Names sort as their months do. */
  readonly name: string;
  /** The month's first millisecond since 1970-01-01T00:00Z. */
  readonly startMs: number;
  /** The next month's first millisecond. */
  readonly endMs: number;
}

const DAY_MS = 86_400_000;
const MONTH_FORM = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const DAY_FORM = /^\d{4}-\d\d-\d\d$/;
const FIRST_MONTH = '1970-01';
const MONTH_NAME_LENGTH = 7;

export function monthOf(nowMs: number): CalendarMonth {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return {
    name: now.toISOString().slice(0, MONTH_NAME_LENGTH),
    startMs: Date.UTC(year, month),
    endMs: Date.UTC(year, month + 1),
  };
}

/** The name of the day as ISO 8601 writes it, `2024-02-29`. It begins with the name of its month. */
export function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

/** Whether the text is the name of a month from 1970 on. */
export function isMonthName(text: string): boolean {
  return MONTH_FORM.test(text) && text >= FIRST_MONTH;
}

/** Whether the text is the name of a day after the first of 1970. */
export function isDayName(text: string): boolean {
  const startMs = DAY_FORM.test(text) ? Date.parse(text) : Number.NaN;
  // Date takes 30 February for 2 March.
  return startMs > 0 && dayOf(startMs) === text;
}

/** How many months there are from the year 0 to this one: consecutive months have consecutive numbers. */
export function monthNumber(name: string): number {
  return 12 * Number(name.slice(0, 4)) + Number(name.slice(5)) - 1;
}

export function monthOfNumber(number: number): string {
  return `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;
}

/** How many days there are from 1970-01-01 to this one. */
export function dayNumber(name: string): number {
  return Date.parse(name) / DAY_MS;
}

export function dayOfNumber(number: number): string {
  return dayOf(number * DAY_MS);
}
