/**
 * The records of keys in Redis, for the command line: each key is one hash, see redis-script.ts, and one more hash leads
 * from ids to digests. A change is written where nobody else changed the key since it was read, else it is made once
 * more. What was sent when a connection was lost is sent again, and counts as written where the key has it.
 */

import type { Logger } from '../../logger.js';
import { isMonthName } from '../calendar-month.js';
import { type KeyRecord, KeyRecordError, parseKeyRecord } from '../key-record.js';
import {
  byCreatedThenId,
  existingKey,
  isRequestCount,
  type KeyEntry,
  KeyStoreError,
  type Succession,
  unknownKey,
} from '../key-store.js';
import type { RedisClient } from './redis-client.js';
import { keyHash } from './redis-decisions.js';
import { WRITE_SCRIPT } from './redis-script.js';

/** A key's hash as it was read. What is counted is decoded only where it is wanted. */
interface StoredKey {
  readonly digest: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly record: KeyRecord;
  /** Of the record: what a change names to be sure that nobody else changed it. */
  readonly version: string;
}

/** Id to digest. */
const IDS = 'postal-places:ids';
const WAIT_MS = 5_000;
const RETRY_MS = 20;
const LIST_CHUNK = 200;
const CHANGE_ATTEMPTS = 50;

/** The half of a KeyStore that finds and changes records. */
export class RedisKeyRecords {
  constructor(
    private readonly client: RedisClient,
    private readonly logger: Logger,
  ) {}

  async find(id: string): Promise<KeyEntry | undefined> {
    const digest = await this.#digestOf(id);
    const read = digest === undefined ? undefined : await this.#read(digest);
    return read && this.#entryOf(read);
  }

  async list(onDamaged?: (error: KeyStoreError) => void): Promise<KeyEntry[]> {
    const digests = parseFields(await this.#ask('HVALS', IDS));
    const entries: KeyEntry[] = [];
    for (let at = 0; at < digests.length; at += LIST_CHUNK) {
      const found = await Promise.all(
        digests.slice(at, at + LIST_CHUNK).map((digest) => this.#list(digest, onDamaged)),
      );
      for (const entry of found) if (entry !== undefined) entries.push(entry);
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
      const { replaced, successor } = succeed(stored.record);
      const usage = this.#usageOf(stored);
      const record = parseKeyRecord(replaced);
      // First of all: a key that was replaced by nothing would leave its owner with none.
      await this.create({ ...successor, usage });
      if (await this.#supersede(stored, record, successor)) {
        await this.#takeOver(stored.digest, successor.digest, usage);
        return record;
      }
      await this.#remove(successor);
    }
    throw contended(id);
  }

  /** Writes the record of a replaced key; where that certainly failed, its successor is not left behind. */
  async #supersede({ digest, version }: StoredKey, record: KeyRecord, successor: KeyEntry): Promise<boolean> {
    try {
      return await this.#write(digest, version, encodeRecord(record));
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
      if (error.code === 'KEY_STORE_UNSURE') {
        const remedy = `show ${record.id} tells; if it was, replace ${successor.record.id} too, for a key that you see`;
        throw new KeyStoreError('KEY_STORE_UNSURE', `${error.found}, perhaps after ${record.id} was replaced`, remedy);
      }
      await this.#remove(successor);
      throw error;
    }
  }

  /** Adds to the successor what its predecessor counted while they were changed; it has the rest already. */
  async #takeOver(predecessor: string, successor: string, taken: ReadonlyMap<string, number>): Promise<void> {
    try {
      const read = await this.#read(predecessor);
      for (const [month, count] of read === undefined ? [] : this.#usageOf(read)) {
        const missing = count - (taken.get(month) ?? 0);
        // Sent once: it must not be added twice.
        if (missing > 0) await this.client.run('HINCRBY', keyHash(successor), `used:${month}`, String(missing));
      }
    } catch (error) {
      // The key is replaced all the same, and its owner must be told the new one.
      if (!(error instanceof KeyStoreError)) throw error;
      this.logger.warn(
        { problem: error.message },
        'what the old key counted meanwhile may be missing from the new one',
      );
    }
  }

  /** Whether the fields were written: the key had this version, '' for no key at all. */
  async #write(digest: string, version: string, fields: readonly string[]): Promise<boolean> {
    const send = () => this.client.runScript(WRITE_SCRIPT, [keyHash(digest)], [version, ...fields]);
    const { answer, isRepeated } = await this.#sendUntilAnswered(send);
    return answer === 1 || (isRepeated && (await this.#holds(digest, fields)));
  }

  async #holds(digest: string, fields: readonly string[]): Promise<boolean> {
    const found = await this.#readFields(digest);
    return fields.every((field, at) => at % 2 === 1 || found.get(field) === fields[at + 1]);
  }

  /** Runs a command that may be repeated. */
  async #ask(command: string, ...args: string[]): Promise<unknown> {
    return (await this.#sendUntilAnswered(() => this.client.run(command, ...args))).answer;
  }

  /** Sends once there is a connection, and again where the connection was lost. */
  async #sendUntilAnswered(send: () => Promise<unknown>): Promise<{ answer: unknown; isRepeated: boolean }> {
    const deadlineMs = performance.now() + WAIT_MS;
    let unsure: KeyStoreError | undefined;
    for (;;) {
      try {
        await this.client.whenReady(Math.max(0, deadlineMs - performance.now()));
        return { answer: await send(), isRepeated: unsure !== undefined };
      } catch (error) {
        if (!(error instanceof KeyStoreError)) throw error;
        if (error.code === 'KEY_STORE_UNSURE') unsure = error;
        else if (error.code !== 'KEY_STORE_INACCESSIBLE') throw error;
        if (performance.now() >= deadlineMs) throw unsure ?? error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #list(digest: string, onDamaged?: (error: KeyStoreError) => void): Promise<KeyEntry | undefined> {
    try {
      const read = await this.#read(digest);
      return read && this.#entryOf(read);
    } catch (error) {
      const isDamaged = error instanceof KeyStoreError && error.code === 'KEY_STORE_DAMAGED';
      if (!isDamaged || onDamaged === undefined) throw error;
      onDamaged(error);
      return undefined;
    }
  }

  async #digestOf(id: string): Promise<string | undefined> {
    const digest = await this.#ask('HGET', IDS, id);
    return typeof digest === 'string' ? digest : undefined;
  }

  async #read(digest: string): Promise<StoredKey | undefined> {
    const fields = await this.#readFields(digest);
    if (fields.size === 0) return undefined;
    return { digest, fields, record: this.#decodeRecord(digest, fields), version: fields.get('version') ?? '' };
  }

  async #readFields(digest: string): Promise<Map<string, string>> {
    const texts = parseFields(
      await this.#ask('HGETALL', keyHash(digest)).catch((error) => this.#explain(digest, error)),
    );
    const fields = new Map<string, string>();
    for (let at = 0; at + 1 < texts.length; at += 2) fields.set(String(texts[at]), String(texts[at + 1]));
    return fields;
  }

  #explain(digest: string, error: unknown): never {
    const isOther = error instanceof KeyStoreError && error.code === 'KEY_STORE_DAMAGED';
    throw isOther ? this.#damaged(digest, 'something that is no key') : error;
  }

  async #readById(id: string): Promise<StoredKey> {
    const digest = await this.#digestOf(id);
    const read = digest === undefined ? undefined : await this.#read(digest);
    if (read === undefined) throw unknownKey(id);
    return read;
  }

  async #remove({ digest, record }: KeyEntry): Promise<void> {
    await this.#ask('DEL', keyHash(digest));
    await this.#removeId(record.id);
  }

  async #removeId(id: string): Promise<void> {
    await this.#ask('HDEL', IDS, id);
  }

  #entryOf(stored: StoredKey): KeyEntry {
    const { digest, record, fields } = stored;
    return { digest, record, sealed: fields.get('sealed') ?? null, usage: this.#usageOf(stored) };
  }

  #usageOf({ digest, fields }: StoredKey): Map<string, number> {
    const usage = [...fields].filter(([field]) => field.startsWith('used:')).sort();
    return new Map(usage.map(([field, count]) => this.#decodeCount(digest, field.slice('used:'.length), count)));
  }

  #decodeRecord(digest: string, fields: ReadonlyMap<string, string>): KeyRecord {
    const instant = (field: string): string | null | undefined => {
      const text = fields.get(field);
      if (text === undefined) return undefined;
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
    if (isMonthName(month) && /^\d{1,16}$/.test(text) && isRequestCount(Number(text))) return [month, Number(text)];
    throw this.#damaged(digest, `a count that is none (${JSON.stringify(`${month} ${text}`.slice(0, 40))})`);
  }

  #damaged(digest: string, found: string): KeyStoreError {
    const where = `${this.client.description} at ${keyHash(digest)}`;
    return new KeyStoreError('KEY_STORE_DAMAGED', `${where} holds ${found}`, 'restore it from a backup, or delete it');
  }
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

function parseFields(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}
