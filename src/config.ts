/**
 * The environment of the server, read once at start into a frozen Config. Every variable is one line of the table:
 * its name, its default, and the rule that turns text into a value. A wrong value is a ConfigError whose message is
 * one line that names the variable, what is allowed and what was found. A variable set to the empty string is a wrong
 * value, not an unset one: it is nearly always a template that nobody filled in.
 */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { KeyError } from './keys/key-error.js';
import { DEFAULT_PLANS, type PlanTable, parsePlans } from './keys/plan.js';
import { parseRedisAddress, type RedisAddress } from './keys/redis/redis-address.js';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Setting<T> {
  readonly variable: string;
  readonly fallback: T;
  readonly allowed: string;
  /** Whether the value must not be shown, not even where it is wrong. */
  readonly isSecret?: boolean;
  /** The value, or undefined where the text is not allowed. */
  readonly parse: (text: string) => T | undefined;
}

/** pino's levels, loudest last. */
const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

const ONE_DAY_SECONDS = 86_400;
const MAX_WORKERS = 256;

/** What the key program reads too. */
const keySettings = {
  keysDirectory: setting('KEYS_DIR', './var/keys', 'the path of the key store folder', parsePath),
  redis: secret<RedisAddress | null>('REDIS_URL', null, 'an address such as redis://host:6379/0', parseRedisAddress),
  redisTimeoutMs: setting('REDIS_TIMEOUT_MS', 250, 'an integer from 1 to 60000', integer(1, 60_000)),
  keyGraceSeconds: setting(
    'KEY_GRACE_SECONDS',
    300,
    `an integer from 0 to ${ONE_DAY_SECONDS}`,
    integer(0, ONE_DAY_SECONDS),
  ),
  keySecret: secret<string | null>('KEY_SECRET', null, 'a text of 32 characters or more', (text) =>
    text.length >= 32 ? text : undefined,
  ),
  plans: setting<PlanTable>('PLANS', DEFAULT_PLANS, 'a JSON object of plans', parsePlans),
};

const settings = {
  host: setting('HOST', '127.0.0.1', 'a host name or an IP address', parseHost),
  port: setting('PORT', 3000, 'an integer from 0 to 65535 (0 picks a free port)', integer(0, 65_535)),
  adminHost: setting('ADMIN_HOST', '127.0.0.1', 'a host name or an IP address', parseHost),
  adminPort: setting<number | null>(
    'ADMIN_PORT',
    null,
    'an integer from 0 to 65535 (0 picks a free port)',
    integer(0, 65_535),
  ),
  snapshotSource: setting(
    'SNAPSHOT',
    './var/places.snapshot',
    'the path of a snapshot file, or of a folder of published ones',
    parsePath,
  ),
  workers: setting('WORKERS', 1, `auto or an integer from 1 to ${MAX_WORKERS}`, (text) =>
    text === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : integer(1, MAX_WORKERS)(text),
  ),
  maxConnections: setting('MAX_CONNECTIONS', 10_000, 'an integer from 1 to 1000000', integer(1, 1_000_000)),
  trustedProxies: setting<readonly string[]>(
    'TRUST_PROXY',
    [],
    'addresses or subnets of proxies with commas between them, or loopback, linklocal or uniquelocal',
    parseSubnets,
  ),
  ...keySettings,
  drainSeconds: setting('DRAIN_SECONDS', 10, 'an integer from 1 to 3600', integer(1, 3_600)),
  logLevel: setting<LogLevel>('LOG_LEVEL', 'info', `one of ${LOG_LEVELS.join(', ')}`, (text) =>
    LOG_LEVELS.find((level) => level === text),
  ),
  accessLogShare: setting('ACCESS_LOG', 0, 'the share of requests to log, from 0 to 1', (text) =>
    /^(?:0|1|0?\.\d{1,6}|1\.0{1,6})$/.test(text) ? Number(text) : undefined,
  ),
};

type Environment = Readonly<Record<string, string | undefined>>;

type ValuesOf<Settings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never;
};

export type Config = ValuesOf<typeof settings>;
export type KeyConfig = ValuesOf<typeof keySettings>;

/** Reads and checks every variable of the table. Throws ConfigError on the first wrong value. */
export function readConfig(environment: Environment): Config {
  return readSettings(settings, environment) as Config;
}

/** Reads and checks the variables that concern keys. Throws ConfigError on the first wrong value. */
export function readKeyConfig(environment: Environment): KeyConfig {
  return readSettings(keySettings, environment) as KeyConfig;
}

function readSettings(table: Readonly<Record<string, Setting<unknown>>>, environment: Environment): object {
  const values = Object.entries(table).map(([name, entry]) => [name, readSetting(entry, environment)]);
  return Object.freeze(Object.fromEntries(values));
}

function readSetting(entry: Setting<unknown>, environment: Environment): unknown {
  const text = environment[entry.variable];
  if (text === undefined) return entry.fallback;
  const value = parseValue(entry, text);
  if (value !== undefined) return value;
  const found = entry.isSecret ? 'something else' : JSON.stringify(text);
  throw new ConfigError(`${entry.variable} must be ${entry.allowed}; found ${found}`);
}

function parseValue(entry: Setting<unknown>, text: string): unknown {
  try {
    return entry.parse(text);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    throw new ConfigError(`${entry.variable} must be ${entry.allowed}, but ${error.message}`);
  }
}

function setting<T>(
  variable: string,
  fallback: T,
  allowed: string,
  parse: (text: string) => T | undefined,
): Setting<T> {
  return { variable, fallback, allowed, parse };
}

/** A setting whose value is never shown. */
function secret<T>(variable: string, fallback: T, allowed: string, parse: (text: string) => T | undefined): Setting<T> {
  return { variable, fallback, allowed, isSecret: true, parse };
}

function integer(least: number, most: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  };
}

function parseHost(text: string): string | undefined {
  return /^[\w.:%-]{1,253}$/.test(text) ? text : undefined;
}

function parsePath(text: string): string | undefined {
  return text.trim() === '' || text.includes('\0') ? undefined : text;
}

/** What Express calls trust proxy: names of its own for three kinds of subnets beside addresses. */
function parseSubnets(text: string): string[] | undefined {
  const subnets = text.split(',').map((subnet) => subnet.trim());
  return subnets.every((subnet) => /^(?:loopback|linklocal|uniquelocal)$/.test(subnet) || isSubnet(subnet))
    ? subnets
    : undefined;
}

function isSubnet(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const isRange = bits === undefined || integer(1, version === 4 ? 32 : 128)(bits) !== undefined;
  return version !== 0 && isRange && rest.length === 0;
}
