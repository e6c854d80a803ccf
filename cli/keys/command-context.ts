/**
 * The context of a command: the configuration, the time, and a key store that is open only while it is used. Warnings
 * of the store go to stderr, its info lines nowhere: stdout is for the command's output.
 */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { CommanderError } from 'commander';
import { InvalidValueError } from '../../src/base/errors.js';
import { EXIT } from '../../src/base/exit-code.js';
import type { Logger } from '../../src/base/logger.js';
import { isKeyId } from '../../src/keys/key-record.js';
import { type KeyConfig, openKeyStore, readKeyConfig } from '../../src/keys/key-settings.js';
import type { KeyStore } from '../../src/keys/key-store.js';
import type { PlanTable } from '../../src/keys/plan.js';
import { parseOrigin } from '../../src/keys/restrictions.js';
import { describeRedisAddress, parseRedisAddress } from '../../src/keys/storage/redis-address.js';
import { errorLine, type Surroundings } from '../surroundings.js';

/** The output of a command: text, or with --json one JSON object. */
export interface CommandOutput {
  readonly text: string;
  readonly json: object;
}

export interface CommandContext {
  readonly config: KeyConfig;
  readonly nowMs: number;
  /** For people: the whole path of the folder, or the address of the Redis without a password. */
  readonly storeName: string;
  /** Opens the store, uses it and closes it. Rejects with KeyStoreError, and with what the function throws. */
  useStore<T>(use: (store: KeyStore) => Promise<T>): Promise<T>;
  /**
   * The same for a command that may create the store; other commands must not take a wrong folder for an empty store.
   */
  makeStore<T>(use: (store: KeyStore) => Promise<T>): Promise<T>;
  /** Reports a key or an account that the command leaves out, on stderr; the exit status is then 1. */
  readonly leaveOut: (why: Error) => void;
  /** The bytes of a file, or of the standard input for `-`. Rejects with InvalidValueError. */
  readBytes(path: string): Promise<Uint8Array>;
}

/** `store` is the value of --store, which overrides REDIS_URL and KEYS_DIR. Throws InvalidValueError. */
export function createCommandContext(
  store: string | undefined,
  onLeftOut: () => void,
  { env, clock, writeError, readInput = () => buffer(process.stdin) }: Surroundings,
): CommandContext {
  const config = readKeyConfig(store === undefined ? env : { ...env, ...variablesOf(store) });
  const write = (fields: object, message: string): void => {
    const problem = 'problem' in fields ? `: ${fields.problem}` : '';
    writeError(errorLine(message + problem));
  };
  const logger: Logger = {
    info() {},
    warn: write,
    error(fields, message) {
      write(fields, message);
      // Something was left out that should be in the answer.
      if ('problem' in fields) onLeftOut();
    },
  };
  const leaveOut = (why: Error): void => {
    writeError(errorLine(why.message));
    onLeftOut();
  };
  return {
    config,
    nowMs: clock(),
    storeName: config.redis === null ? resolve(config.keysDirectory) : describeRedisAddress(config.redis),
    useStore: async (use) => useAndClose(await openKeyStore(config, logger, { mustExist: true }), use, onLeftOut),
    makeStore: async (use) => useAndClose(await openKeyStore(config, logger), use, onLeftOut),
    leaveOut,
    async readBytes(path) {
      try {
        return path === '-' ? await readInput() : await readFile(path);
      } catch (error) {
        throw new InvalidValueError(`the file can't be read (${(error as Error).message})`, { cause: error });
      }
    },
  };
}

/** A store that fails to close logs that; the output is still printed, since it may contain a new key. */
async function useAndClose<T>(
  store: KeyStore,
  use: (store: KeyStore) => Promise<T>,
  onCloseFailed: () => void,
): Promise<T> {
  try {
    return await use(store);
  } finally {
    await store.close().catch(onCloseFailed);
  }
}

/** The variables that choose this store. */
function variablesOf(store: string): Record<string, string | undefined> {
  if (!/^redis[\w-]*:|:\/\//i.test(store)) return { KEYS_DIR: store, REDIS_URL: undefined };
  try {
    parseRedisAddress(store);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new InvalidValueError(`--store must be an address such as redis://host:6379/0, but ${error.message}`);
  }
  return { REDIS_URL: store };
}

/*
 * Parses the arguments of commands and options. An InvalidValueError says what is allowed and never what was found:
 * that may be a clear key, pasted where an id belongs.
 */

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
export function refusing<Value, Rest extends unknown[]>(
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

export function parseKeyId(text: string): string {
  if (isKeyId(text)) return text;
  throw new InvalidValueError('a key is named by its id, "key_" and 12 characters of base32; keys list shows all ids');
}

/** A time with its zone, or a date for its first instant in UTC, as an instant of a key record. */
export function parseTime(text: string): string {
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
export function parseDuration(text: string): number {
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
