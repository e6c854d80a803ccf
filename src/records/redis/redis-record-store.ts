/**
 * The record store in Redis; record-script.ts describes its keys. One command reads a record, that script writes
 * records. A command whose connection was lost is sent again for as long as until-answered.ts says; a write that
 * arrives twice is done once.
 */

import { isDamage, KeyStoreError, otherVersion, STORE_VERSION } from '../../storage/key-store-error.js';
import type { RedisClient } from '../../storage/redis/redis-client.js';
import { REDIS_PREFIX } from '../../storage/redis/redis-keys.js';
import { textsIn } from '../../storage/redis/replies.js';
import { VERSION_KEY } from '../../storage/redis/store-version.js';
import { untilAnswered, untilRead } from '../../storage/redis/until-answered.js';
import { type PlannedChange, type PlannedWrite, planWrite, type Refusal, refusedChange } from '../planned-write.js';
import { checkKind, checkLabel } from '../record-bounds.js';
import type { RecordAddress, RecordChange, RecordStore, StoredRecord } from '../record-store.js';
import { decodeRecord } from '../record-text.js';
import { WRITE_RECORDS_SCRIPT } from './record-script.js';

const LIST_CHUNK = 200;
/** Maximum number of reads of a name while other processes move it between records. */
const NAME_ATTEMPTS = 5;
const REFUSALS: ReadonlySet<unknown> = new Set<Refusal>(['id taken', 'name taken', 'changed']);

export class RedisRecordStore implements RecordStore {
  /** Whether the store was seen to be of this version, or empty. */
  #isOurVersion = false;

  constructor(private readonly client: RedisClient) {}

  get place(): string {
    return this.client.description;
  }

  async get(kind: string, id: string): Promise<StoredRecord | undefined> {
    checkKind(kind);
    checkLabel('id', id);
    return this.#get({ kind, id });
  }

  async findByName(kind: string, name: string): Promise<StoredRecord | undefined> {
    checkKind(kind);
    checkLabel('name', name);
    for (let attempt = 1; ; attempt++) {
      const id = await this.#ask('GET', nameKey(kind, name));
      if (typeof id !== 'string') return undefined;
      const record = await this.#get({ kind, id });
      // Else another process changed the record between the two reads.
      if (record?.names.includes(name) || (record === undefined && attempt === NAME_ATTEMPTS)) return record;
      if (attempt === NAME_ATTEMPTS) throw this.#damaged({ kind, id }, 'a record without a name that leads to it');
    }
  }

  async list(kind: string, onDamaged?: (error: KeyStoreError) => void): Promise<StoredRecord[]> {
    checkKind(kind);
    const listed: StoredRecord[] = [];
    for (let after = '-'; ; ) {
      const ids = textsIn(await this.#ask('ZRANGEBYLEX', idsKey(kind), after, '+', 'LIMIT', '0', `${LIST_CHUNK}`));
      const last = ids.at(-1);
      if (last === undefined) return listed;
      const texts = (await this.#ask('MGET', ...ids.map((id) => recordKey({ kind, id })))) as unknown[];
      for (const [index, id] of ids.entries()) {
        const record = await this.#orTell(onDamaged, async () => {
          const text = texts[index];
          // MGET returns null for a key of another type and for an expired record; GET distinguishes the two.
          return typeof text === 'string' ? this.#decode({ kind, id }, text) : await this.#get({ kind, id });
        });
        if (record !== undefined) listed.push(record);
      }
      after = `(${last}`;
    }
  }

  async write(changes: readonly RecordChange[]): Promise<string> {
    const planned = planWrite(changes);
    const { keys, args } = encodeWrite(planned);
    const answer = await untilAnswered(this.client, () => this.client.runScript(WRITE_RECORDS_SCRIPT, keys, args));
    if (answer === 'done') return planned.version;
    const [why, number] = Array.isArray(answer) ? answer : [];
    const change = planned.changes[Number(number) - 1];
    if (change !== undefined && why === 'damaged') throw this.#damaged(change, 'something that is no record');
    if (change !== undefined && REFUSALS.has(why)) throw refusedChange(change, Number(number) - 1, why as Refusal);
    const remedy = 'look whether something else answers in its place';
    throw new KeyStoreError('KEY_STORE_UNSURE', `${this.client.description} gave no answer of our script`, remedy);
  }

  async #get(address: RecordAddress): Promise<StoredRecord | undefined> {
    const text = await this.#ask('GET', recordKey(address)).catch((error) => {
      throw isDamage(error) ? this.#damaged(address, 'something that is no record') : error;
    });
    return typeof text === 'string' ? this.#decode(address, text) : undefined;
  }

  #decode(address: RecordAddress, text: string): StoredRecord {
    const record = decodeRecord(address, text);
    if (record === undefined) throw this.#damaged(address, 'a record that is not valid');
    return record;
  }

  async #orTell<T>(
    onDamaged: ((error: KeyStoreError) => void) | undefined,
    read: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isDamage(error) || onDamaged === undefined) throw error;
      onDamaged(error);
      return undefined;
    }
  }

  #ask(command: string, ...args: string[]): Promise<unknown> {
    return untilRead(this.client, async () => {
      await this.#requireVersion();
      return this.client.run(command, ...args);
    });
  }

  async #requireVersion(): Promise<void> {
    if (this.#isOurVersion) return;
    const version = await this.client.run('GET', VERSION_KEY);
    if (version !== null && version !== String(STORE_VERSION)) throw otherVersion(this.place, String(version));
    this.#isOurVersion = true;
  }

  #damaged(address: RecordAddress, found: string): KeyStoreError {
    const where = `${this.client.description} at ${recordKey(address)}`;
    return new KeyStoreError('KEY_STORE_DAMAGED', `${where} holds ${found}`, 'restore it from a backup, or delete it');
  }
}

function encodeWrite({ version, changes }: PlannedWrite): { keys: string[]; args: string[] } {
  return {
    keys: [`${REDIS_PREFIX}:write:${version}`, VERSION_KEY, ...changes.flatMap(keysOf)],
    args: changes.flatMap(argsOf),
  };
}

function keysOf({ kind, id, freedNames, outcome }: PlannedChange): string[] {
  const names = [...freedNames, ...(typeof outcome === 'object' ? outcome.names : [])];
  return [
    recordKey({ kind, id }),
    idsKey(kind),
    `${REDIS_PREFIX}:ends:${kind}`,
    ...names.map((name) => nameKey(kind, name)),
  ];
}

function argsOf({ id, head, freedNames, outcome }: PlannedChange): string[] {
  const [text, expires, count] =
    typeof outcome === 'object' ? [outcome.text, String(outcome.expiresMs ?? ''), outcome.names.length] : ['', '', 0];
  const what = outcome === 'unchanged' ? 'keep' : outcome === 'deleted' ? 'delete' : 'put';
  return [id, head ?? '', what, text, expires, String(freedNames.length), String(count)];
}

/** The key of Redis that holds a record's text. */
export function recordKey({ kind, id }: RecordAddress): string {
  return `${REDIS_PREFIX}:record:${kind}:${id}`;
}

function nameKey(kind: string, name: string): string {
  return `${REDIS_PREFIX}:name:${kind}:${name}`;
}

function idsKey(kind: string): string {
  return `${REDIS_PREFIX}:ids:${kind}`;
}
