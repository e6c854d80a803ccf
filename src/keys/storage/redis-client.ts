/**
 * The connection to a single Redis, a Sentinel group or a Cluster, and the only file that uses ioredis. Each command is
 * sent once: nothing is queued without a connection, and nothing is sent again after a connection was lost, so the
 * caller knows whether a reply can still come. The client reconnects for ever, within a second. Its errors are
 * KeyStoreErrors that contain the server's message but never the arguments of a command, which may be a password.
 */

import { Cluster, Redis } from 'ioredis';
import { errorMessageOf } from '../../base/errors.js';
import { KeyStoreError, otherKeyStoreVersion } from './key-store-error.js';
import { describeRedisAddress, type RedisAddress } from './redis-address.js';

const LONGEST_RETRY_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const SILENCE_LIMIT_MS = 2_000;
const NOT_SENT = "Stream isn't writeable";
const LOST = /^(?:Reached the max retries|Connection is closed)/;

export class RedisClient {
  /** The address without its password. */
  readonly description: string;
  private readonly client: Redis | Cluster;
  readonly #scripts = new Map<string, string>();
  #problem: string | null = null;
  #isClosed = false;

  /** Starts to connect. */
  constructor(address: RedisAddress) {
    this.description = describeRedisAddress(address);
    const client = address.kind === 'cluster' ? createCluster(address) : createRedis(address);
    this.client = client;
    // Each call that waits for a connection listens, for a bounded time.
    client.setMaxListeners(0);
    for (const event of ['error', 'node error']) {
      client.on(event, (error: unknown) => {
        this.#problem = errorMessageOf(error);
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

  /** The last error of the connection, or null. */
  lastProblem(): string | null {
    return this.#problem;
  }

  /** Resolves when there is a connection. Rejects with KeyStoreError after `limitMs`. */
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

  /** Calls `listener` whenever a connection becomes ready. */
  onReady(listener: () => void): void {
    this.client.on('ready', listener);
  }

  /** Runs one command. */
  run(command: string, ...args: string[]): Promise<unknown> {
    return this.#guard(() => this.client.call(command, args));
  }

  /** Runs a script, by its digest where the server has it. */
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
      this.#problem = errorMessageOf(error);
    });
  }

  async #guard(send: () => Promise<unknown> | undefined): Promise<unknown> {
    if (!this.isReady()) throw this.#unreachable();
    try {
      return await send();
    } catch (error) {
      // ioredis calls a connection ready a little longer than it can be written to. The command was not sent.
      if (errorMessageOf(error).startsWith(NOT_SENT)) throw this.#unreachable();
      if (LOST.test(errorMessageOf(error))) throw this.#lost();
      throw this.#refused(errorMessageOf(error));
    }
  }

  #refused(why: string): KeyStoreError {
    if (why.startsWith('WRONGTYPE')) {
      const remedy = 'restore that key of Redis from a backup, or delete it';
      return new KeyStoreError('KEY_STORE_DAMAGED', `${this.description} holds something of another kind`, remedy);
    }
    // The error of our own scripts.
    const [, version] = /^VERSION (\S+)/.exec(why) ?? [];
    if (version !== undefined) return otherKeyStoreVersion(this.description, version);
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
