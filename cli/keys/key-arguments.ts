/**
 * Parses the arguments of `keys` and the values of its options. An InvalidValueError says what is allowed and never what
 * was found: that may be a clear key, pasted where an id belongs.
 */

import { CommanderError, Option } from 'commander';
import { InvalidValueError } from '../../src/base/errors.js';
import { EXIT } from '../../src/base/exit-code.js';
import { AccountError } from '../../src/keys/accounts/account-error.js';
import { isAccountId } from '../../src/keys/accounts/account-record.js';
import { parseEmailAddress } from '../../src/keys/accounts/email-address.js';
import { isKeyId } from '../../src/keys/key/key-record.js';
import { parseOrigin } from '../../src/keys/key/origin.js';
import type { PlanTable } from '../../src/keys/key/plan.js';

const DATE_FORM = /^\d{4}-\d\d-\d\d$/;
const TIME_FORM =
  /^(\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(?:Z|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)$/;
const DURATION_FORM = /^(\d{1,8})([smhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_GRACE_MS = 366 * 86_400_000;

/** Wrong usage, to whose message the program adds the help to read. commander's own message would repeat the value. */
export function wrongUsage(message: string): CommanderError {
  return new CommanderError(EXIT.wrongUsage, 'keys.wrongUsage', message);
}

/** The same parser, which throws an InvalidValueError as wrong usage. */
export function toKeyArgumentParser<Value, Rest extends unknown[]>(
  parse: (text: string, ...rest: Rest) => Value,
): (text: string, ...rest: Rest) => Value {
  return (text, ...rest) => {
    try {
      return parse(text, ...rest);
    } catch (error) {
      throw error instanceof InvalidValueError ? wrongUsage(error.message) : error;
    }
  };
}

/** An option whose value `parse` reads. */
export function optionWithArgument<Value>(
  flags: string,
  description: string,
  parse: (text: string, earlier?: Value) => Value,
): Option {
  return new Option(flags, description).argParser<Value>(toKeyArgumentParser(parse));
}

export function parseKeyId(text: string): string {
  if (isKeyId(text)) return text;
  throw new InvalidValueError('a key is named by its id, "key_" and 12 characters of base32; keys list shows all ids');
}

export function parseAccountIdArgument(text: string): string {
  if (isAccountId(text)) return text;
  throw new InvalidValueError(
    'an account is named by its id, "acct_" and 12 characters of base32; keys accounts shows all ids',
  );
}

/** An account's id, or an address as accounts have it. */
export function parseAccountNameArgument(text: string): string {
  if (isAccountId(text)) return text;
  try {
    return parseEmailAddress(text);
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    const message = 'an account is named by its id, "acct_" and 12 characters of base32, or by its e-mail address';
    throw new InvalidValueError(message, { cause: error });
  }
}

/** A time with its zone, or a date for its first instant in UTC, as an instant of a key record. */
export function parseTimeArgument(text: string): string {
  const [, local = '', hours = '+00', minutes = '00'] =
    TIME_FORM.exec(DATE_FORM.test(text) ? `${text}T00:00Z` : text) ?? refuseTime();
  const date = text.slice(0, 10);
  const day = new Date(`${date}T00:00Z`);
  // Date takes 30 February for 2 March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) refuseTime();
  const instant = new Date(`${local}${hours}:${minutes}`).toISOString();
  // A zone can carry the first and the last day out of the years that have four digits.
  return /^\d{4}-/.test(instant) ? instant : refuseTime();
}

function refuseTime(): never {
  throw new InvalidValueError(
    'a time must be a date such as 2027-01-01, or a date and a time with its zone such as 2027-01-01T09:30:00+01:00',
  );
}

/** Milliseconds. */
export function parseDurationArgument(text: string): number {
  const [, count = '', unit = ''] = DURATION_FORM.exec(text) ?? [];
  const durationMs = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (durationMs <= LONGEST_GRACE_MS) return durationMs;
  throw new InvalidValueError(
    'a duration must be a number of s, m, h or d such as 90s, 15m, 24h or 7d, and at most 366d',
  );
}

/** The option's text, which the configuration checks once the command is known to be whole. */
export function parseStoreOption(text: string): string {
  if (text.trim() !== '' && !text.includes('\0')) return text;
  throw new InvalidValueError('--store must be a folder, or the address of a Redis as in REDIS_URL');
}

/** Each use of --origin, and each of several with commas, in the form that browsers send. */
export function parseOriginOption(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, ...text.split(',').map((origin) => parseOrigin(origin.trim()))];
}

/** The names of --only as they are; createRestrictions checks them. */
export function parseOnlyOption(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

/** Throws InvalidValueError unless the table has the plan. */
export function requirePlan(plans: PlanTable, name: string): void {
  if (plans.has(name)) return;
  throw new InvalidValueError(`there is no such plan; PLANS has ${[...plans.keys()].join(', ')}`);
}
