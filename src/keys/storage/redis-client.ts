/**
 * The connection to a single Redis, a Sentinel group or a Cluster, and the only file that uses ioredis. Each command is
 * sent once: nothing is queued without a connection, and nothing is sent again after a connection was lost, so the
 * caller knows whether a reply can still come. The client reconnects for ever, within a second. Its errors are
 * KeyStoreErrors that contain the server's message but never the arguments of a command, which may be a password.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextRound, setTimeout as wait } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { messageOf } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { KeyStoreError, type KeyStoreErrorCode, otherVersion, STORE_VERSION } from './key-store-error.js';
import { describeRedisAddress, type RedisAddress } from './redis-address.js';

export interface RedisClient {
  /** The address without its password. */
  readonly description: string;
  isReady(): boolean;
  /** The last error of the connection, or null. */
  lastProblem(): string | null;
  /** Resolves when there is a connection. Rejects with KeyStoreError after `limitMs`. */
  whenReady(limitMs: number): Promise<void>;
  /** Calls `listener` whenever a connection becomes ready. */
  onReady(listener: () => void): void;
  /** Runs one command. Rejects with KeyStoreError. */
  run(command: string, ...args: string[]): Promise<unknown>;
  /** Runs a script, by its digest where the server has it. Rejects with KeyStoreError. */
  runScript(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  close(): void;
}

const LONGEST_RETRY_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const SILENCE_LIMIT_MS = 2_000;
const NOT_SENT = "Stream isn't writeable";
const LOST = /^(?:Reached the max retries|Connection is closed)/;

export function connectRedis(address: RedisAddress): RedisClient {
  return new IoredisClient(address, address.kind === 'cluster' ? createCluster(address) : createRedis(address));
}

class IoredisClient implements RedisClient {
  readonly description: string;
  readonly #scripts = new Map<string, string>();
  #problem: string | null = null;
  #isClosed = false;

  constructor(
    address: RedisAddress,
    private readonly client: Redis | Cluster,
  ) {
    this.description = describeRedisAddress(address);
    for (const event of ['error', 'node error']) {
      client.on(event, (error: unknown) => {
        this.#problem = messageOf(error);
      });
    }
    // Under Sentinels, ioredis sometimes gives up after a connection that failed during its setup.
    client.on('end', () => {
      if (!this.#isClosed) setTimeout(() => this.#connectAgain(), LONGEST_RETRY_MS).unref();
    });
  }

  isReady(): boolean {
    return this.client.status === 'ready';
  }

  lastProblem(): string | null {
    return this.#problem;
  }

  whenReady(limitMs: number): Promise<void> {
    if (this.isReady()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const onReady = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.client.off('ready', onReady);
        reject(this.#unreachable());
      }, limitMs);
      this.client.once('ready', onReady);
    });
  }

  onReady(listener: () => void): void {
    this.client.on('ready', listener);
  }

  run(command: string, ...args: string[]): Promise<unknown> {
    return this.#guard(() => this.client.call(command, args));
  }

  runScript(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    let name = this.#scripts.get(script);
    if (name === undefined) {
      name = `postalPlaces${this.#scripts.size}`;
      this.client.defineCommand(name, { lua: script });
      this.#scripts.set(script, name);
    }
    const commands = this.client as unknown as Record<string, (...all: (string | number)[]) => Promise<unknown>>;
    const method = name;
    return this.#guard(() => commands[method]?.(keys.length, ...keys, ...args));
  }

  close(): void {
    this.#isClosed = true;
    this.client.disconnect();
  }

  #connectAgain(): void {
    if (this.#isClosed || this.client.status !== 'end') return;
    this.client.connect().catch((error: unknown) => {
      this.#problem = messageOf(error);
    });
  }

  async #guard(send: () => Promise<unknown> | undefined): Promise<unknown> {
    if (!this.isReady()) throw this.#unreachable();
    try {
      return await send();
    } catch (error) {
      // ioredis calls a connection ready a little longer than it can be written to. The command was not sent.
      if (messageOf(error).startsWith(NOT_SENT)) throw this.#unreachable();
      if (LOST.test(messageOf(error))) throw this.#lost();
      throw this.#refused(messageOf(error));
    }
  }

  #refused(why: string): KeyStoreError {
    if (why.startsWith('WRONGTYPE')) {
      const remedy = 'restore that key of Redis from a backup, or delete it';
      return new KeyStoreError('KEY_STORE_DAMAGED', `${this.description} holds something of another kind`, remedy);
    }
    // The error of our own scripts.
    const [, version] = /^VERSION (\S+)/.exec(why) ?? [];
    if (version !== undefined) return otherVersion(this.description, version);
    const remedy = 'look at its logs, its memory and the network between';
    return new KeyStoreError('KEY_STORE_FAILED', `${this.description} failed (${why})`, remedy);
  }

  /** The command may have been executed. */
  #lost(): KeyStoreError {
    const remedy = 'look whether that Redis runs, and at the network between';
    return new KeyStoreError('KEY_STORE_UNSURE', `the connection to ${this.description} was lost`, remedy);
  }

  #unreachable(): KeyStoreError {
    const found = `${this.description} is not reachable (${this.#problem ?? 'no answer yet'})`;
    return new KeyStoreError('KEY_STORE_INACCESSIBLE', found, 'look at its address, and whether that Redis runs');
  }
}

function createRedis(address: RedisAddress): Redis {
  const { kind, tls, username, password, sentinelPassword, hosts, masterName, database } = address;
  const [first] = hosts;
  const common = { ...commonOptions(username, password, tls, kind === 'sentinel'), db: database, retryStrategy };
  if (kind === 'single') return new Redis({ ...common, ...(first && { host: first.host, port: first.port }) });
  return new Redis({
    ...common,
    sentinels: hosts.map(({ host, port }) => ({ host, port })),
    name: masterName,
    ...(sentinelPassword !== null && { sentinelPassword }),
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: SILENCE_LIMIT_MS,
    enableTLSForSentinelMode: tls,
    failoverDetector: true,
    ...(tls && { sentinelTLS: {} }),
  });
}

function createCluster({ tls, username, password, hosts }: RedisAddress): Cluster {
  return new Cluster(
    hosts.map(({ host, port }) => ({ host, port })),
    {
      clusterRetryStrategy: retryStrategy,
      enableOfflineQueue: false,
      redisOptions: commonOptions(username, password, tls, false),
      // A lost node is not waited for here: the caller decides from memory meanwhile. A call whose connection ends may
      // have run already, so it is not sent again: its requests would be counted twice.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 50,
      maxRedirections: 5,
      slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
      slotsRefreshInterval: 5_000,
    },
  );
}

function commonOptions(username: string | null, password: string | null, tls: boolean, isSentinel: boolean) {
  return {
    // Every server since Redis 5 speaks it.
    protocol: 2 as const,
    connectionName: 'postal-places',
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Gives up a connection on which something was asked and nothing came for so long, also while it is made.
    socketTimeout: SILENCE_LIMIT_MS,
    // It asks for INFO, which a user may lack; a server that is still loading says so itself. Under Sentinels it is
    // also what refuses a server that is no master any more.
    enableReadyCheck: isSentinel,
    // A master that became a replica after a failover: look for the new one.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    ...(tls && { tls: {} }),
  };
}

function retryStrategy(attempt: number): number {
  return Math.min(attempt * 50, LONGEST_RETRY_MS);
}

/**
 * The start of every key of ours in Redis, so that a user of Redis may be limited to `postal-places:*`. The braces are
 * the hash tag: all that is ours shares one slot of a Cluster, so that one script can read and change any of it.
 */
export const REDIS_PREFIX = 'postal-places:{records}';

/* Limits the time to wait for a reply of Redis. */

/** The reply, or after `limitMs` the error of `tooLate`. A later reply is dropped. */
export async function inTime<T>(answer: Promise<T>, limitMs: number, tooLate: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(async () => {
      // If the event loop was blocked, replies that have arrived are read first.
      await nextRound();
      reject(tooLate());
    }, limitMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/* Parses replies of Redis. A reply that is not a list counts as an empty list. */

/** The texts of a list. */
export function textsIn(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/** The fields of a hash, by name, as HGETALL answers: names and values in turn. */
export function fieldsIn(reply: unknown): Map<string, string> {
  const texts = textsIn(reply);
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < texts.length; at += 2) fields.set(texts[at] as string, texts[at + 1] as string);
  return fields;
}

/* Logs settings of Redis that can lose data, and settings that can't be read. */

/** Checks the settings at the first connection; repeats the check if the connection is lost before the reply. */
export function warnOfSettingsWhenReady(client: RedisClient, logger: Logger): void {
  let hasLooked = false;
  const look = (): void => {
    if (hasLooked) return;
    hasLooked = true;
    void warnOfSettings(client, logger).catch((error) => {
      hasLooked = client.isReady();
      if (hasLooked) logUnreadable(client, logger, messageOf(error));
    });
  };
  client.onReady(look);
  if (client.isReady()) look();
}

async function warnOfSettings(client: RedisClient, logger: Logger): Promise<void> {
  const store = client.description;
  const persistence = String(await client.run('INFO', 'persistence'));
  if (persistence.includes('aof_enabled:0')) {
    logger.warn({ store }, 'this Redis keeps no append-only file: when it ends, it loses the latest keys and counts');
  }
  const [, policy] = /maxmemory_policy:(\S+)/.exec(String(await client.run('INFO', 'memory'))) ?? [];
  if (policy === undefined) {
    logUnreadable(client, logger, 'INFO names no maxmemory_policy');
  } else if (policy !== 'noeviction') {
    // The "volatile" policies evict keys with an expiry: sessions, and the visitors of publishable keys.
    logger.warn({ store, policy }, 'this Redis may throw keys away when it is full: set maxmemory-policy noeviction');
  }
}

function logUnreadable(client: RedisClient, logger: Logger, problem: string): void {
  logger.info({ store: client.description, problem }, 'the settings of this Redis can not be looked at');
}

/* The version of the store in Redis: a key of its own, which the first write of a record sets. */

export const VERSION_KEY = `${REDIS_PREFIX}:version`;

/**
 * The first lines of each script: where the store has another version, the script ends with the error VERSION.
 *
 * `read_texts` reads keys that the script did not name. While a Cluster moves their slot, some of them may be on
 * another node, and one that is not here would look like one that is nowhere. Read together with KEYS[1] they make
 * Redis notice; the script then ends with TRYAGAIN, and the client asks again.
 */
export const REQUIRE_VERSION = `
local function read_texts(...)
  local texts = redis.pcall('MGET', KEYS[1], ...)
  if not texts.err then
    table.remove(texts, 1)
  elseif string.find(texts.err, 'non local key', 1, true) then
    texts = redis.error_reply('TRYAGAIN the slot of the keys is being moved')
  end
  return texts
end
local version = read_texts('${VERSION_KEY}')
if version.err then return version end
if version[1] and version[1] ~= '${STORE_VERSION}' then return redis.error_reply('VERSION ' .. version[1]) end
`;

/*
 * Repeats a command to Redis until it is answered: for changes, account pages and `postal-places keys`, never for a
 * request of the API. A request to an account page has a budget of time that it waits for Redis, over all its commands:
 * if Redis stops or slows down in the middle of a request, the error page still comes in time. Only time spent on Redis
 * counts. Code that runs without a budget waits as long as `untilAnswered` says.
 */

export interface WaitLimits {
  /** Milliseconds for one answer. */
  readonly answerMs: number;
  /** Milliseconds for all answers of a request together. */
  readonly requestMs: number;
}

export class WaitBudget {
  #spentMs = 0;
  #waitingCount = 0;
  #waitingSinceMs = 0;

  constructor(private readonly limits: WaitLimits) {}

  /** Runs `wait` with its maximum time in milliseconds. Time of concurrent waits counts once. */
  async spend<T>(wait: (limitMs: number) => Promise<T>): Promise<T> {
    const startMs = performance.now();
    if (this.#waitingCount++ === 0) this.#waitingSinceMs = startMs;
    const { answerMs, requestMs } = this.limits;
    const leftMs = requestMs - this.#spentMs - (startMs - this.#waitingSinceMs);
    try {
      return await wait(Math.max(0, Math.min(answerMs, leftMs)));
    } finally {
      if (--this.#waitingCount === 0) this.#spentMs += performance.now() - this.#waitingSinceMs;
    }
  }
}

const budgets = new AsyncLocalStorage<WaitBudget>();

/** The budget of the current request. */
export function currentBudget(): WaitBudget | undefined {
  return budgets.getStore();
}

/** Runs a request within these limits. */
export function withinLimits<T>(limits: WaitLimits, run: () => T): T {
  return budgets.run(new WaitBudget(limits), run);
}

const WAIT_MS = 5_000;
const RETRY_MS = 20;

/**
 * Sends when there is a connection, and again if the connection was lost, for five seconds or within the budget of the
 * current request. The command must be idempotent. Rejects with KeyStoreError, with KEY_STORE_UNSURE
 * if the command may have been executed.
 */
export async function untilAnswered(client: RedisClient, send: () => Promise<unknown>): Promise<unknown> {
  const ask = (limitMs: number): Promise<unknown> => askFor(limitMs, client, send);
  return await (currentBudget()?.spend(ask) ?? ask(WAIT_MS));
}

/** The same for a command that only reads, so that KEY_STORE_UNSURE can't occur. */
export async function untilRead(client: RedisClient, send: () => Promise<unknown>): Promise<unknown> {
  return await untilAnswered(client, send).catch((error: unknown) => {
    if (!(error instanceof KeyStoreError && error.code === 'KEY_STORE_UNSURE')) throw error;
    throw new KeyStoreError('KEY_STORE_INACCESSIBLE', error.found, error.remedy, error);
  });
}

async function askFor(limitMs: number, client: RedisClient, send: () => Promise<unknown>): Promise<unknown> {
  if (limitMs === 0) throw tooLate('KEY_STORE_INACCESSIBLE', client);
  const deadlineMs = performance.now() + limitMs;
  let unsure: KeyStoreError | undefined;
  for (;;) {
    try {
      await client.whenReady(Math.max(0, deadlineMs - performance.now()));
      return await inTime(send(), deadlineMs - performance.now(), () => tooLate('KEY_STORE_UNSURE', client));
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
      if (error.code === 'KEY_STORE_UNSURE') unsure = error;
      // If a repeated command fails, an earlier attempt may have been executed.
      else if (error.code !== 'KEY_STORE_INACCESSIBLE') throw unsure ?? error;
      if (performance.now() + RETRY_MS >= deadlineMs) throw unsure ?? error;
      await wait(RETRY_MS);
    }
  }
}

function tooLate(code: KeyStoreErrorCode, { description }: RedisClient): KeyStoreError {
  const remedy = 'look whether that Redis runs, at the network between, and at REDIS_TIMEOUT_MS';
  return new KeyStoreError(code, `${description} did not answer in time`, remedy);
}
