/**
 * The key store in a Redis that several servers share: one server, a Sentinel group or a Cluster. RedisKeyRecords finds
 * and changes the keys, each of them one hash, see redis-script.ts. Decisions go through DecisionLanes, so that a Redis
 * that is slow or gone costs no request more than `timeoutMs`; a Cluster has a lane for each part of its slots, because
 * its nodes fail one by one.
 */

import { randomBytes } from 'node:crypto';
import type { Logger } from '../../logger.js';
import { encodeBase32 } from '../crockford-base32.js';
import { messageOf } from '../key-error.js';
import type { KeyRecord } from '../key-record.js';
import type {
  KeyEntry,
  KeyQuestion,
  KeyStore,
  KeyStoreError,
  KeyStoreHealth,
  KeyVerdict,
  Succession,
} from '../key-store.js';
import type { PlanFinder, PlanTable } from '../plan.js';
import { slotOf } from './cluster-slot.js';
import { DecisionLane, KEYS_PER_FLIGHT } from './decision-lane.js';
import type { AskedKey, DecisionPort, KeyReply } from './decision-port.js';
import { OutageMemory } from './outage-memory.js';
import type { RedisAddress } from './redis-address.js';
import { connectRedis, type RedisClient } from './redis-client.js';
import { encodeFlight, encodeQuestion, keyHash, parseReplies, receiptField } from './redis-decisions.js';
import { RedisKeyRecords } from './redis-key-records.js';
import { DECIDE_SCRIPT, PROBE_SCRIPT } from './redis-script.js';
import { logUnreadable, warnOfSettings } from './redis-settings.js';

export interface RedisKeyStoreOptions {
  readonly address: RedisAddress;
  readonly plans: PlanTable;
  readonly findPlan: PlanFinder;
  /** How long one answer of Redis is waited for. */
  readonly timeoutMs: number;
  /** How long a key that was seen good is served without Redis. */
  readonly graceMs: number;
  readonly logger: Logger;
  /** Milliseconds since 1970-01-01T00:00Z; without it, the clock of Redis decides, the same for all servers. */
  readonly clock?: () => number;
}

const CLOSE_WAIT_MS = 500;
/** How long receipts are taken away when the store closes: about 100,000 of them in this time. */
const CLEANING_WAIT_MS = 1_000;
const CLEANING_CHUNK = 500;
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
  /** This process's name is as short as 40 random bits are: it stands in the hash of each key that it has counted for. */
  readonly #receipt = receiptField(encodeBase32(randomBytes(5)));
  /** Problems of single keys that were logged. */
  readonly #told = new Set<string>();
  #degradedCount = 0;
  #lossCount = 0;
  #errorCount = 0;
  #sequence = 0;
  #mustInspect = false;
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
        onKeysLost: () => this.#logKeysLost(),
        onKeysFound: () => this.#logKeysFound(),
        onKeyProblem: (digest: string, problem: string) => this.#logKeyProblem(digest, problem),
      },
      nextSequence: () => ++this.#sequence,
      clock: options.clock ?? Date.now,
      timeoutMs: options.timeoutMs,
    };
    this.#lanes = this.#memories.map((memory) => new DecisionLane({ ...laneOptions, memory }));
    client.onChange(() => {
      this.#inspectWhereReady();
      for (const lane of this.#lanes) lane.onConnectionChange();
    });
  }

  async decide(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]> {
    return (await Promise.all(this.#ask(questions))).flat();
  }

  #ask(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]>[] {
    const [first] = this.#lanes;
    if (first === undefined || this.#lanes.length > 1) {
      return questions.map((question) => this.#laneOf(question.digest).ask([question]));
    }
    const answers: Promise<readonly KeyVerdict[]>[] = [];
    for (let at = 0; at < questions.length; at += KEYS_PER_FLIGHT) {
      answers.push(first.ask(questions.slice(at, at + KEYS_PER_FLIGHT)));
    }
    return answers;
  }

  knows(digest: string): boolean {
    return this.#memories[this.#laneIndexOf(digest)]?.knows(digest) ?? false;
  }

  inspect(): void {
    this.#mustInspect = true;
    this.#inspectWhereReady();
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
    const outage = client.isReady() ? (degraded ?? null) : (client.lastProblem() ?? 'there is no connection yet');
    const lostCount = this.#sumOf((memory) => memory.lostCount());
    const problem = outage ?? (lostCount > 0 ? `the store has lost keys: ${lostCount} that were good` : null);
    return { kind: 'redis', state: problem === null ? 'ready' : 'degraded', problem, errorCount: this.#errorCount };
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeLanes();
    return this.#closed;
  }

  #laneOf(digest: string): DecisionLane {
    return this.#lanes[this.#laneIndexOf(digest)] as DecisionLane;
  }

  #laneIndexOf(digest: string): number {
    return this.#lanes.length === 1 ? 0 : Math.floor((slotOf(digest) * this.#lanes.length) / SLOTS);
  }

  #sumOf(countOf: (memory: OutageMemory) => number): number {
    return this.#memories.reduce((sum, memory) => sum + countOf(memory), 0);
  }

  #createPort(): DecisionPort {
    const { client } = this;
    return {
      isReady: () => client.isReady(),
      decide: async (sequence, keys) => {
        const { plans, findPlan, clock } = this.options;
        const flight = encodeFlight(clock?.() ?? null, sequence, this.#receipt, plans);
        const run = async (group: readonly AskedKey[]) => {
          const names = group.map(({ digest }) => keyHash(digest));
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
    const owedCount = this.#sumOf((memory) => memory.debtCount());
    if (owedCount > 0) {
      this.options.logger.error(
        { requests: owedCount },
        'requests that were served without the key store stay uncounted',
      );
    }
    if (this.#degradedCount === 0) await this.#removeReceipts();
    this.client.close();
  }

  /** Nothing is sent again from here on. What is not reached in time goes as the receipts of a killed process do. */
  async #removeReceipts(): Promise<void> {
    const deadlineMs = performance.now() + CLEANING_WAIT_MS;
    const digests = this.#memories.flatMap((memory) => [...memory.digests()]);
    for (let at = 0; at < digests.length && this.client.isReady(); at += CLEANING_CHUNK) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return;
      const chunk = digests.slice(at, at + CLEANING_CHUNK);
      const removed = Promise.allSettled(
        chunk.map((digest) => this.client.run('HDEL', keyHash(digest), this.#receipt)),
      );
      await Promise.race([removed, new Promise((resolve) => setTimeout(resolve, leftMs).unref())]);
    }
  }

  #inspectWhereReady(): void {
    if (!this.#mustInspect || !this.client.isReady()) return;
    this.#mustInspect = false;
    void warnOfSettings(this.client, this.options.logger).catch((error) => {
      // In an outage, another time.
      this.#mustInspect = !this.client.isReady();
      if (!this.#mustInspect) logUnreadable(this.client, this.options.logger, messageOf(error));
    });
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
    const owedCount = this.#sumOf((memory) => memory.debtCount());
    const fields = { store: this.client.description, outageMs: Math.round(outageMs), requestsToCount: owedCount };
    this.options.logger.info(fields, 'the key store answers again');
  }

  /** Lanes lose keys one by one too. */
  #logKeysLost(): void {
    this.#errorCount++;
    if (this.#lossCount++ > 0) return;
    const fields = { store: this.client.description, graceSeconds: this.options.graceMs / 1000 };
    this.options.logger.error(fields, 'the key store has lost keys that were good: import them again from a backup');
  }

  #logKeysFound(): void {
    if (--this.#lossCount > 0) return;
    this.options.logger.info({ store: this.client.description }, 'the key store knows the lost keys again');
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
