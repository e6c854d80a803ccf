/**
 * The key store in a Redis that several servers share: one server, a Sentinel group or a Cluster. Each key is one hash,
 * see redis-script.ts, and one more hash leads from ids to digests. Decisions go through DecisionLanes, so that a Redis
 * that is slow or gone costs no request more than `timeoutMs`; a Cluster has a lane for each part of its slots, because
 * its nodes fail one by one. Changes are written where nobody else changed the key since it was read, else once more.
 */

import { randomBytes } from 'node:crypto';
import { isMonthName } from '../calendar-month.js';
import { encodeBase32 } from '../crockford-base32.js';
import { type KeyRecord, KeyRecordError, parseKeyRecord } from '../key-record.js';
import {
  byCreatedThenId,
  existingKey,
  type KeyEntry,
  type KeyQuestion,
  type KeyStore,
  KeyStoreError,
  type KeyStoreHealth,
  type KeyStoreLogger,
  type KeyVerdict,
  type Succession,
  unknownKey,
} from '../key-store.js';
import type { PlanFinder, PlanTable } from '../plan.js';
import { slotOf } from './cluster-slot.js';
import { type AskedKey, DecisionLane, type DecisionPort, type KeyReply } from './decision-lane.js';
import { OutageMemory } from './outage-memory.js';
import type { RedisAddress } from './redis-address.js';
import { connectRedis, type RedisClient } from './redis-client.js';
import { decisionKeys, encodeFlight, encodeQuestion, keyHash, parseReplies } from './redis-decisions.js';
import { DECIDE_SCRIPT, PROBE_SCRIPT, WRITE_SCRIPT } from './redis-script.js';

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

/** Id to digest. */
const IDS = 'postal-places:ids';
const ADMIN_WAIT_MS = 5_000;
const ADMIN_RETRY_MS = 20;
const CLOSE_WAIT_MS = 500;
const LIST_CHUNK = 200;
const LANES_OF_CLUSTER = 64;
const SLOTS = 16_384;
const CHANGE_ATTEMPTS = 50;
const TOLD_LIMIT = 1_000;

/** Starts to connect and returns at once; whether there is a connection shows in health and in what is asked. */
export function openRedisKeyStore(options: RedisKeyStoreOptions): KeyStore {
  return new RedisKeyStore(options, connectRedis(options.address));
}

class RedisKeyStore implements KeyStore {
  readonly #lanes: readonly DecisionLane[];
  /** One for each lane: a lane settles the debts of its own keys. */
  readonly #memories: readonly OutageMemory[];
  /** Names this process in receipts. */
  readonly #instance = encodeBase32(randomBytes(10));
  /** Problems of single keys that were logged. */
  readonly #told = new Set<string>();
  #degradedCount = 0;
  #sequence = 0;
  #inspection: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly options: RedisKeyStoreOptions,
    private readonly client: RedisClient,
  ) {
    const laneCount = client.isCluster ? LANES_OF_CLUSTER : 1;
    this.#memories = Array.from({ length: laneCount }, () => new OutageMemory(options.graceMs));
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

  async find(id: string): Promise<KeyEntry | undefined> {
    const digest = await this.#digestOf(id);
    const read = digest === undefined ? undefined : await this.#read(digest);
    return read && this.#entryOf(read);
  }

  async list(): Promise<KeyEntry[]> {
    const digests = parseFields(await this.#ask('HVALS', IDS));
    const entries: KeyEntry[] = [];
    for (let at = 0; at < digests.length; at += LIST_CHUNK) {
      const found = await Promise.all(digests.slice(at, at + LIST_CHUNK).map((digest) => this.#read(digest)));
      for (const read of found) if (read !== undefined) entries.push(this.#entryOf(read));
    }
    return entries.sort(byCreatedThenId);
  }

  async create({ digest, record, sealed, usage }: KeyEntry): Promise<void> {
    // The id first: a key that nobody can list could not be revoked either.
    const isNewId = (await this.#ask('HSETNX', IDS, record.id, digest)) === 1;
    if (!isNewId && (await this.#digestOf(record.id)) !== digest) throw existingKey(record);
    const fields = encodeRecord(parseKeyRecord(record));
    if (sealed !== null) fields.push('sealed', sealed);
    for (const [month, count] of usage) fields.push(`used:${month}`, String(count));
    if (await this.#write(digest, '', fields)) return;
    // Unless another process created the very same key at the same time: then the id is that one's.
    if (isNewId && (await this.#read(digest))?.record.id !== record.id) await this.#removeId(record.id);
    throw existingKey(record);
  }

  async change(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
      const { digest, record: before, version } = await this.#readById(id);
      const record = parseKeyRecord(change(before));
      if (await this.#write(digest, version, encodeRecord(record))) return record;
    }
    throw contended(id);
  }

  async replace(id: string, succeed: (record: KeyRecord) => Succession): Promise<KeyRecord> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
      const stored = await this.#readById(id);
      const { digest, version } = stored;
      const { replaced, successor } = succeed(stored.record);
      const usage = this.#usageOf(stored);
      const record = parseKeyRecord(replaced);
      // First of all: a key that was replaced by nothing would leave its owner with none.
      await this.create({ ...successor, usage });
      if (await this.#write(digest, version, encodeRecord(record))) {
        await this.#takeOver(digest, successor.digest, usage);
        return record;
      }
      await this.#remove(successor);
    }
    throw contended(id);
  }

  health(): KeyStoreHealth {
    const { client } = this;
    const degraded = this.#lanes.map((lane) => lane.problem()).find((problem) => problem !== null);
    // What a lane met first matters less than why there is still no connection.
    const problem = client.isReady() ? (degraded ?? null) : (client.lastProblem() ?? 'there is no connection yet');
    return { kind: 'redis', state: problem === null ? 'ready' : 'degraded', problem };
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

  /** A command of the command line, which can wait for a connection. */
  #ask(command: string, ...args: string[]): Promise<unknown> {
    return this.#whenConnected(() => this.client.run(command, ...args));
  }

  /** Sends once there is a connection, and again where the connection was lost before anything was sent. */
  async #whenConnected(send: () => Promise<unknown>): Promise<unknown> {
    const deadlineMs = performance.now() + ADMIN_WAIT_MS;
    for (;;) {
      await this.client.whenReady(Math.max(0, deadlineMs - performance.now()));
      try {
        return await send();
      } catch (error) {
        const wasSent = !(error instanceof KeyStoreError && error.code === 'KEY_STORE_INACCESSIBLE');
        if (wasSent || performance.now() >= deadlineMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, ADMIN_RETRY_MS));
      }
    }
  }

  async #digestOf(id: string): Promise<string | undefined> {
    const digest = await this.#ask('HGET', IDS, id);
    return typeof digest === 'string' ? digest : undefined;
  }

  async #read(digest: string): Promise<StoredKey | undefined> {
    const texts = parseFields(
      await this.#ask('HGETALL', keyHash(digest)).catch((error) => this.#explain(digest, error)),
    );
    if (texts.length === 0) return undefined;
    const fields = new Map<string, string>();
    for (let at = 0; at + 1 < texts.length; at += 2) fields.set(String(texts[at]), String(texts[at + 1]));
    return { digest, fields, record: this.#decodeRecord(digest, fields), version: fields.get('version') ?? '' };
  }

  #entryOf(stored: StoredKey): KeyEntry {
    const { digest, record, fields } = stored;
    return { digest, record, sealed: fields.get('sealed') ?? null, usage: this.#usageOf(stored) };
  }

  #usageOf({ digest, fields }: StoredKey): Map<string, number> {
    const usage = [...fields].filter(([field]) => field.startsWith('used:')).sort();
    return new Map(usage.map(([field, count]) => this.#decodeCount(digest, field.slice('used:'.length), count)));
  }

  #explain(digest: string, error: unknown): never {
    if (messageOf(error).includes('WRONGTYPE')) throw this.#damaged(digest, 'something that is no key');
    throw error;
  }

  async #readById(id: string): Promise<StoredKey> {
    const digest = await this.#digestOf(id);
    const read = digest === undefined ? undefined : await this.#read(digest);
    if (read === undefined) throw unknownKey(id);
    return read;
  }

  /** Adds to the successor what its predecessor counted while they were changed; it has the rest already. */
  async #takeOver(predecessor: string, successor: string, taken: ReadonlyMap<string, number>): Promise<void> {
    const read = await this.#read(predecessor);
    for (const [month, count] of read === undefined ? [] : this.#usageOf(read)) {
      const missing = count - (taken.get(month) ?? 0);
      if (missing > 0) await this.#ask('HINCRBY', keyHash(successor), `used:${month}`, String(missing));
    }
  }

  async #write(digest: string, version: string, fields: readonly string[]): Promise<boolean> {
    const args = [version, ...fields];
    return (await this.#whenConnected(() => this.client.runScript(WRITE_SCRIPT, [keyHash(digest)], args))) === 1;
  }

  async #remove({ digest, record }: KeyEntry): Promise<void> {
    await this.#ask('DEL', keyHash(digest));
    await this.#removeId(record.id);
  }

  async #removeId(id: string): Promise<void> {
    await this.#ask('HDEL', IDS, id);
  }

  #decodeRecord(digest: string, fields: ReadonlyMap<string, string>): KeyRecord {
    const instant = (field: string): string | null => {
      const text = fields.get(field) ?? '';
      return text === '' ? null : new Date(Number(text)).toISOString();
    };
    try {
      return parseKeyRecord({
        id: fields.get('id'),
        name: fields.get('name'),
        plan: fields.get('plan'),
        created: instant('created'),
        expires: instant('expires'),
        state: fields.get('state'),
        replacedBy: fields.get('replacedBy') || null,
        graceUntil: instant('graceUntil'),
      });
    } catch (error) {
      if (!(error instanceof KeyRecordError || error instanceof RangeError)) throw error;
      throw this.#damaged(digest, `a record that is not valid (${error.message})`);
    }
  }

  #decodeCount(digest: string, month: string, text: string): [month: string, count: number] {
    if (isMonthName(month) && /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)))
      return [month, Number(text)];
    throw this.#damaged(digest, `a count that is none (${JSON.stringify(`${month} ${text}`.slice(0, 40))})`);
  }

  #damaged(digest: string, found: string): KeyStoreError {
    const where = `${this.client.description} at ${keyHash(digest)}`;
    return new KeyStoreError('KEY_STORE_DAMAGED', `${where} holds ${found}`, 'restore it from a backup, or delete it');
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
    const what = `${digest} ${problem}`;
    if (this.#told.has(what)) return;
    if (this.#told.size >= TOLD_LIMIT) this.#told.clear();
    this.#told.add(what);
    this.options.logger.error({ store: this.client.description, key: keyHash(digest), problem }, 'trouble with a key');
  }
}

/** A key's hash as it was read. What is counted is decoded only where it is wanted. */
interface StoredKey {
  readonly digest: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly record: KeyRecord;
  /** Of the record: what a change names to be sure that nobody else changed it. */
  readonly version: string;
}

function contended(id: string): KeyStoreError {
  return new KeyStoreError('KEY_STORE_FAILED', `${id} is changed by others all the time`, 'try again');
}

function encodeRecord({ id, name, plan, created, expires, state, replacedBy, graceUntil }: KeyRecord): string[] {
  const instant = (text: string | null): string => (text === null ? '' : String(Date.parse(text)));
  return Object.entries({
    id,
    name,
    plan,
    created: instant(created),
    expires: instant(expires),
    state,
    replacedBy: replacedBy ?? '',
    graceUntil: instant(graceUntil),
  }).flat();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function parseFields(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}
