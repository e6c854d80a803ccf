/**
 * Plans: how many requests a key may make in a calendar month, how many in a second, and how many at once. The table of
 * all plans is one JSON text, the variable PLANS, parsed here into frozen plans; a wrong text is an
 * InvalidValueError that names the plan and the field. `free` is always there: every key starts on it.
 *
 *     {"free": {"requestsPerMonth": 10000, "requestsPerSecond": 50, "burst": 100},
 *      "unlimited": {"requestsPerMonth": null, "requestsPerSecond": null, "burst": null}}
 */

import { InvalidValueError } from '../../base/errors.js';
import { createRate, type Rate } from '../../base/rate-limit.js';

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

/** Parses the JSON text of a table. */
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
  const rate = createRate({
    requestsPerSecond: parseNumber(plan, 'requestsPerSecond', requestsPerSecond, SMALLEST_RATE),
    burst: parseNumber(plan, 'burst', burst, 1),
  });
  if (rate.burst / rate.requestsPerSecond <= LONGEST_REFILL_SECONDS) return rate;
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
