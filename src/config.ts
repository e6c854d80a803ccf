/**
 * The environment of the server, read once at start into a frozen Config. Every variable is one line of the table:
 * its name, its default, and the rule that turns text into a value. A wrong value is a ConfigError whose message is
 * one line that names the variable, what is allowed and what was found. A variable set to the empty string is a wrong
 * value, not an unset one: it is nearly always a template that nobody filled in.
 */

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Setting<T> {
  readonly variable: string;
  readonly fallback: T;
  readonly allowed: string;
  /** The value, or undefined where the text is not allowed. */
  readonly parse: (text: string) => T | undefined;
}

/** Also what the key program takes. */
export const DEFAULT_KEYS_DIR = './var/keys';

/** pino's levels, loudest last. */
const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

const settings = {
  host: setting('HOST', '127.0.0.1', 'a host name or an IP address', (text) =>
    /^[\w.:%-]{1,253}$/.test(text) ? text : undefined,
  ),
  port: setting('PORT', 3000, 'an integer from 0 to 65535 (0 picks a free port)', (text) =>
    /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined,
  ),
  snapshotFile: setting('SNAPSHOT', './var/places.snapshot', 'the path of a snapshot file', parsePath),
  keysDirectory: setting('KEYS_DIR', DEFAULT_KEYS_DIR, 'the path of the key store folder', parsePath),
  logLevel: setting<LogLevel>('LOG_LEVEL', 'info', `one of ${LOG_LEVELS.join(', ')}`, (text) =>
    LOG_LEVELS.find((level) => level === text),
  ),
};

export type Config = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T> ? T : never;
};

/** Reads and checks every variable of the table. Throws ConfigError on the first wrong value. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const values = Object.entries(settings).map(([name, entry]) => [name, readSetting(entry, environment)]);
  return Object.freeze(Object.fromEntries(values)) as Config;
}

function readSetting(entry: Setting<unknown>, environment: Readonly<Record<string, string | undefined>>): unknown {
  const text = environment[entry.variable];
  if (text === undefined) return entry.fallback;
  const value = entry.parse(text);
  if (value !== undefined) return value;
  throw new ConfigError(`${entry.variable} must be ${entry.allowed}; found ${JSON.stringify(text)}`);
}

function setting<T>(
  variable: string,
  fallback: T,
  allowed: string,
  parse: (text: string) => T | undefined,
): Setting<T> {
  return { variable, fallback, allowed, parse };
}

function parsePath(text: string): string | undefined {
  return text.trim() === '' || text.includes('\0') ? undefined : text;
}
