/**
 * Tables of settings. A setting is one environment variable: its name, its default, and its parser. A wrong value is an
 * InvalidValueError whose message is one line with the variable, the allowed values and the found value, without the
 * password of an address. The empty string is a wrong value, not an unset variable: usually it is an unfilled template.
 */

import { InvalidValueError } from './errors.js';

export interface Setting<T> {
  readonly variable: string;
  readonly fallback: T;
  readonly allowed: string;
  /** The value, or undefined for a text that is not allowed; an InvalidValueError also says why. */
  readonly parse: (text: string) => T | undefined;
  /** Whether the value must never be shown, not even a wrong one. */
  readonly isSecret?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export type ValuesOf<Settings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never;
};

/** Reads and checks every variable of a table, into a frozen object. */
export function readSettings<Table extends Readonly<Record<string, Setting<unknown>>>>(
  table: Table,
  environment: Environment,
): ValuesOf<Table> {
  const values = Object.entries(table).map(([name, entry]) => [name, readSetting(entry, environment)]);
  return Object.freeze(Object.fromEntries(values)) as ValuesOf<Table>;
}

function readSetting(entry: Setting<unknown>, environment: Environment): unknown {
  const text = environment[entry.variable];
  if (text === undefined) return entry.fallback;
  const value = parseValue(entry, text);
  if (value !== undefined) return value;
  const found = entry.isSecret ? 'something else' : JSON.stringify(withoutUserinfo(text));
  throw new InvalidValueError(`${entry.variable} must be ${entry.allowed}; found ${found}`);
}

/**
 * The text without the user and password of an address: everything before the last "@", since the text is not valid.
 */
function withoutUserinfo(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@');
}

function parseValue(entry: Setting<unknown>, text: string): unknown {
  try {
    return entry.parse(text);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new InvalidValueError(`${entry.variable} must be ${entry.allowed}, but ${error.message}`);
  }
}

export function setting<T>(
  variable: string,
  fallback: T,
  allowed: string,
  parse: (text: string) => T | undefined,
): Setting<T> {
  return { variable, fallback, allowed, parse };
}

/** A setting that is null unless its variable is set. */
export function optionalSetting<T>(
  variable: string,
  allowed: string,
  parse: (text: string) => T | undefined,
): Setting<T | null> {
  return setting<T | null>(variable, null, allowed, parse);
}

/** An optional setting whose value is never shown. */
export function secretSetting<T>(...args: Parameters<typeof optionalSetting<T>>): Setting<T | null> {
  return { ...optionalSetting(...args), isSecret: true };
}

export function integerSettingParser(least: number, most: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  };
}

/** What the setting of a port allows, and its parser. */
export const PORT_RULE = ['an integer from 0 to 65535 (0 picks a free port)', integerSettingParser(0, 65_535)] as const;

export function parseOnOffSetting(text: string): boolean | undefined {
  return text === 'on' ? true : text === 'off' ? false : undefined;
}

export function parsePathSetting(text: string): string | undefined {
  return text.trim() === '' || text.includes('\0') ? undefined : text;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a time such as 30s, 5m or 1h. */
export function parseTimeSetting(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smh])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  // The longest time that a timer can wait.
  return milliseconds < 2 ** 31 ? milliseconds : undefined;
}

export function parseHostSetting(text: string): string | undefined {
  return /^[\w.:%-]{1,253}$/.test(text) ? text : undefined;
}
