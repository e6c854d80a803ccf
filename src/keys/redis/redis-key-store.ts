/**
 * The key store in a Redis that several servers share: one server, a Sentinel group or a Cluster. RedisKeyRecords finds
 * and changes the keys, each of them one hash, see redis-script.ts. Decisions go through DecisionLanes, so that a Redis
 * that is slow or gone costs no request more than `timeoutMs`; a Cluster has a lane for each part of its slots, because
 * its nodes fail one by one.
 */

import { randomBytes } from 'node:crypto';
import { encodeBase32 } from '../crockford-base32.js';
import { messageOf } from '../key-error.js';
import type { KeyRecord } from '../key-record.js';
import type {
  KeyEntry,
  KeyQuestion,
  KeyStore,
  KeyStoreError,
  KeyStoreHealth,
  KeyStoreLogger,
  KeyVerdict,
  Succession,
} from '../key-store.js';
import type { PlanFinder, PlanTable } from '../plan.js';
import { slotOf } from './cluster-slot.js';
import { DecisionLane } from './decision-lane.js';
import type { AskedKey, DecisionPort, KeyReply } from './decision-port.js';
import { OutageMemory } from './outage-memory.js';
import type { RedisAddress } from './redis-address.js';
import { connectRedis, type RedisClient } from './redis-client.js';
import { decisionKeys, encodeFlight, encodeQuestion, keyHash, parseReplies } from './redis-decisions.js';
import { RedisKeyRecords } from './redis-key-records.js';
import { DECIDE_SCRIPT, PROBE_SCRIPT } from './redis-script.js';

export interface RedisKeyStoreOptions {
  readonly address: RedisAddress;
  readonly plans: PlanTable;
  readonly findPlan: PlanFinder;
  /** How long a request waits for Redis at most. */
  readonly timeoutMs: number;
  /** How long a key that was seen good is served without Redis. */
  readonly graceMs: number;
  readonly logger: KeyStoreLogger;
  /** Milliseconds since 1970-01-01T00:00Z; without it, the clock of Redis decides, the same for all servers. */
  readonly clock?: () => number;
}

const CLOSE_WAIT_MS = 500;
/** Keys that a process remembers for an outage, about 400 bytes each. */
const REMEMBERED_LIMIT = 100_000;
const LANES_OF_CLUSTER = 64;
const SLOTS = 16_384;
const TOLD_LIMIT = 1_000;

/** Starts to connect and returns at once; whether there is a connection shows in health and in what is asked. */
export function openRedisKeyStore(options: RedisKeyStoreOptions): KeyStore {
  return new RedisKeyStore(options, connectRedis(options.address));
}

class RedisKeyStore implements KeyStore {
  readonly #records: RedisKeyRecords;
  readonly #lanes: readonly DecisionLane[];
  /** One for each lane: a lane settles the debts of its own keys. */
  readonly #memories: readonly OutageMemory[];
  /** Names this process in receipts. */
  readonly #instance = encodeBase32(randomBytes(10));
  /** Problems of single keys that were logged. */
  readonly #told = new Set<string>();
  #degradedCount = 0;
  #errorCount = 0;
  #sequence = 0;
  #inspection: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly options: RedisKeyStoreOptions,
    private readonly client: RedisClient,
  ) {
    this.#records = new RedisKeyRecords(client, options.logger);
    const laneCount = client.isCluster ? LANES_OF_CLUSTER : 1;
    const rememberedCount = Math.ceil(REMEMBERED_LIMIT / laneCount);
    this.#memories = Array.from({ length: laneCount }, () => new OutageMemory(options.graceMs, rememberedCount));
    const laneOptions = {
      port: this.#createPort(),
      listener: {
        onDegraded: (problem: string) => this.#logDegraded(problem),
        onRecovered: (outageMs: number) => this.#logRecovered(outageMs),
        onKeyProblem: (digest: string, problem: string) => this.#logKeyProblem(digest, problem),
      },
      nextSequence: () => ++this.#sequence,
      clock: options.clock ?? Date.now,
      timeoutMs: options.timeoutMs,
    };
    this.#lanes = this.#memories.map((memory) => new DecisionLane({ ...laneOptions, memory }));
    client.onChange(() => {
      for (const lane of this.#lanes) lane.onConnectionChange();
    });
  }

  async decide(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]> {
    if (this.client.isReady()) this.#inspection ??= this.#inspect();
    const [first] = this.#lanes;
    if (this.#lanes.length === 1 && first !== undefined) return first.ask(questions);
    const verdicts = await Promise.all(questions.map((question) => this.#laneOf(question.digest).ask([question])));
    return verdicts.flat();
  }

  find(id: string): Promise<KeyEntry | undefined> {
    return this.#records.find(id);
  }

  list(onDamaged?: (error: KeyStoreError) => void): Promise<KeyEntry[]> {
    return this.#records.list(onDamaged);
  }

  create(entry: KeyEntry): Promise<void> {
    return this.#records.create(entry);
  }

  change(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord> {
    return this.#records.change(id, change);
  }

  replace(id: string, succeed: (record: KeyRecord) => Succession): Promise<KeyRecord> {
    return this.#records.replace(id, succeed);
  }

  health(): KeyStoreHealth {
    const { client } = this;
    const degraded = this.#lanes.map((lane) => lane.problem()).find((problem) => problem !== null);
    // What a lane met first matters less than why there is still no connection.
    const problem = client.isReady() ? (degraded ?? null) : (client.lastProblem() ?? 'there is no connection yet');
    return { kind: 'redis', state: problem === null ? 'ready' : 'degraded', problem, errorCount: this.#errorCount };
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeLanes();
    return this.#closed;
  }

  #laneOf(digest: string): DecisionLane {
    const index = Math.floor((slotOf(digest) * this.#lanes.length) / SLOTS);
    return this.#lanes[index] as DecisionLane;
  }

  #createPort(): DecisionPort {
    const { client } = this;
    return {
      isReady: () => client.isReady(),
      decide: async (sequence, keys) => {
        const { plans, findPlan, clock } = this.options;
        const flight = encodeFlight(clock?.() ?? null, sequence, plans);
        const run = async (group: readonly AskedKey[]) => {
          const names = group.flatMap(({ digest }) => decisionKeys(digest, this.#instance));
          const answer = await client.runScript(DECIDE_SCRIPT, names, [...flight, ...group.flatMap(encodeQuestion)]);
          return parseReplies(answer, group, findPlan);
        };
        // Keys of different slots can't share a script of a Cluster.
        if (!client.isCluster) return run(keys);
        const replies = keys.map((key) =>
          run([key]).catch((error): KeyReply[] => [{ standing: 'unsure', why: messageOf(error) }]),
        );
        return (await Promise.all(replies)).flat();
      },
      probe: (digest) => client.runScript(PROBE_SCRIPT, [`${keyHash(digest)}:probe`], []),
    };
  }

  async #closeLanes(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close(CLOSE_WAIT_MS)));
    const owedCount = this.#memories.reduce((count, memory) => count + memory.debtCount(), 0);
    if (owedCount > 0) {
      this.options.logger.error(
        { requests: owedCount },
        'requests that were served without the key store stay uncounted',
      );
    }
    this.client.close();
  }

  /** Warns, once, of settings of Redis under which keys or counts get lost. */
  async #inspect(): Promise<void> {
    const { logger } = this.options;
    const store = this.client.description;
    try {
      const persistence = String(await this.client.run('INFO', 'persistence'));
      if (persistence.includes('aof_enabled:0')) {
        logger.warn(
          { store },
          'this Redis keeps no append-only file: when it ends, it loses the latest keys and counts',
        );
      }
      const [, policy = 'noeviction'] =
        /maxmemory_policy:(\S+)/.exec(String(await this.client.run('INFO', 'memory'))) ?? [];
      if (policy !== 'noeviction') {
        logger.warn(
          { store, policy },
          'this Redis may throw keys away when it is full: set maxmemory-policy noeviction',
        );
      }
    } catch (error) {
      // In an outage, another time.
      if (this.health().state === 'degraded') this.#inspection = undefined;
      else logger.info({ store, problem: messageOf(error) }, 'the settings of this Redis can not be looked at');
    }
  }

  /** Lanes fail one by one; the operator hears of the first and of the last. */
  #logDegraded(problem: string): void {
    this.#errorCount++;
    if (this.#degradedCount++ > 0) return;
    const { logger, graceMs } = this.options;
    const reason = this.client.isReady() ? problem : (this.client.lastProblem() ?? problem);
    const fields = { store: this.client.description, problem: reason, graceSeconds: graceMs / 1000 };
    logger.warn(fields, 'the key store does not answer: keys seen good lately are served from memory, others refused');
  }

  #logRecovered(outageMs: number): void {
    if (--this.#degradedCount > 0) return;
    const owedCount = this.#memories.reduce((count, memory) => count + memory.debtCount(), 0);
    const fields = { store: this.client.description, outageMs: Math.round(outageMs), requestsToCount: owedCount };
    this.options.logger.info(fields, 'the key store answers again');
  }

  /** Each problem of a key once: a damaged key would fill the log. */
  #logKeyProblem(digest: string, problem: string): void {
    this.#errorCount++;
    const what = `${digest} ${problem}`;
    if (this.#told.has(what)) return;
    if (this.#told.size >= TOLD_LIMIT) this.#told.clear();
    this.#told.add(what);
    this.options.logger.error({ store: this.client.description, key: keyHash(digest), problem }, 'trouble with a key');
  }
}
