/**
 * What each command of `keys` gets and gives. Its context is the configuration, the time, and a key store that is open only while it is used. Warnings
 * of the store go to stderr, its info lines nowhere: stdout is for the command's output.
 */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Option } from 'commander';
import { InvalidValueError } from '../../src/base/errors.js';
import type { Logger } from '../../src/base/logger.js';
import { type KeyConfig, readKeyConfig } from '../../src/keys/decision/key-settings.js';
import type { KeyStore } from '../../src/keys/decision/key-store.js';
import { openKeyStore } from '../../src/keys/decision/open-key-store.js';
import { describeRedisAddress, parseRedisAddress } from '../../src/keys/storage/redis-address.js';
import { type Surroundings, stderrLine } from '../program/program-io.js';

/** The output of a command: text, or with --json one JSON object. */
export interface CommandOutput {
  readonly text: string;
  readonly json: object;
}

/** A command of `keys`, as it stands in the tables of commands. */
export interface KeysCommand {
  /** The command's name and its arguments, which keys-command.ts knows. */
  readonly usage: string;
  readonly description: string;
  /** What may stand behind `postal-places keys`. The ids stand for those that `list` and `accounts` show. */
  readonly examples: readonly string[];
  /** Besides --store and --json. */
  readonly options?: readonly Option[];
  /** `options` and `args` are parsed. */
  run(context: CommandContext, options: object, ...args: string[]): Promise<CommandOutput>;
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
  /** The bytes of a file, or of the standard input for `-`. */
  readBytes(path: string): Promise<Uint8Array>;
}

/** `store` is the value of --store, which overrides REDIS_URL and KEYS_DIR. */
export function createCommandContext(
  store: string | undefined,
  onLeftOut: () => void,
  { env, clock, writeError, readInput = () => buffer(process.stdin), openStore = openKeyStore }: Surroundings,
): CommandContext {
  const config = readKeyConfig(store === undefined ? env : { ...env, ...variablesOf(store) });
  const write = (fields: object, message: string): void => {
    const problem = 'problem' in fields ? `: ${fields.problem}` : '';
    writeError(stderrLine(message + problem));
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
    writeError(stderrLine(why.message));
    onLeftOut();
  };
  return {
    config,
    nowMs: clock(),
    storeName: config.redis === null ? resolve(config.keysDirectory) : describeRedisAddress(config.redis),
    useStore: async (use) => useAndClose(await openStore(config, logger, { mustExist: true }), use, onLeftOut),
    makeStore: async (use) => useAndClose(await openStore(config, logger), use, onLeftOut),
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
