/**
 * The record store in Redis; the script below describes its keys. One command reads a record, that script writes
 * records. A command whose connection was lost is sent again for as long as redis-wait.ts says; a write that
 * arrives twice is done once.
 */

import { isKeyStoreDamage, KeyStoreError, otherKeyStoreVersion, STORE_VERSION } from '../storage/key-store-error.js';
import type { RedisClient } from '../storage/redis-client.js';
import { REDIS_PREFIX, REQUIRE_VERSION, VERSION_KEY } from '../storage/redis-keyspace.js';
import { redisTextsIn } from '../storage/redis-replies.js';
import { waitUntilAnswered, waitUntilRead } from '../storage/redis-wait.js';
import {
  checkRecordKind,
  checkRecordLabel,
  decodeRecord,
  type PlannedChange,
  type PlannedWrite,
  planRecordWrite,
  type RecordAddress,
  type RecordChange,
  type RecordStore,
  type Refusal,
  refusedChange,
  type StoredRecord,
} from './record-store.js';

/*
 * A write of records as one script that Redis runs atomically. Sending it twice is safe: for ten minutes a receipt,
 * named after the version that the write gives its records, makes a repeated write return the same reply and change
 * nothing. The keys of Redis:
 *
 *     postal-places:{records}:record:<kind>:<id>     the record's text, see record-store.ts
 *     postal-places:{records}:name:<kind>:<name>     the id of the record that has the name
 *     postal-places:{records}:ids:<kind>             sorted set, each score 0: the ids
 *     postal-places:{records}:ends:<kind>            sorted set: the ids of records that have an end, by that end
 *     postal-places:{records}:write:<version>        '': the receipt of a write
 *     postal-places:{records}:version                the version of the store, which the first write of all sets
 *
 * The first braces are the hash tag, even if an id contains braces, so all records share one slot of a Cluster and one
 * write can change any of them. Redis expires a record and its names at the record's end; later writes of that kind
 * remove expired ids from the sets, 100 at a time. A name that leads to no record is free: a full Redis may evict a
 * record without its names.
 *
 *     KEYS       receipt, version; then of each change: record, ids, ends, the names it gives up, the names it takes
 *     ARGV       of each change: id; head as in record-store.ts, '' if there must be no record; 'keep', 'delete' or
 *                'put'; its new text; its new end, '' for none; number of names it gives up; number of names it takes
 *     answers    'done', or {why, number of the change from 1}, and nothing was changed; why is 'id taken',
 *                'name taken', 'changed', or 'damaged': something that is no text lies where the record should be
 *
 * Redis does not undo a script that fails half-way. So the script first calls each writing command once without effect:
 * if Redis is full or a replica, a right is missing, or a key has the wrong type, that call fails before any change.
 */

const WRITE_RECORDS_SCRIPT = `
${REQUIRE_VERSION}
local receipt, version_key = KEYS[1], KEYS[2]
if redis.call('GET', receipt) then return 'done' end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))

local key_at, arg_at = 2, 0
local function key()
  key_at = key_at + 1
  return KEYS[key_at]
end
local function arg()
  arg_at = arg_at + 1
  return ARGV[arg_at]
end
local changes, freed = {}, {}
while arg_at < #ARGV do
  local change = { record = key(), ids = key(), ends = key(), names = {},
    id = arg(), head = arg(), outcome = arg(), text = arg(), expires = arg() }
  for _ = 1, tonumber(arg()) do freed[key()] = true end
  for at = 1, tonumber(arg()) do change.names[at] = key() end
  table.insert(changes, change)
end

for index, change in ipairs(changes) do
  local found = redis.pcall('GET', change.record)
  if type(found) == 'table' then
    return string.find(found.err, 'WRONGTYPE') and { 'damaged', index } or found
  elseif change.head == '' then
    if found then return { 'id taken', index } end
  elseif not found or string.sub(found, 1, #change.head) ~= change.head then
    return { 'changed', index }
  end
end
for index, change in ipairs(changes) do
  for _, name in ipairs(change.names) do
    local owner = not freed[name] and redis.call('GET', name)
    local kind = string.sub(change.record, 1, #change.record - #change.id)
    if owner and redis.pcall('GET', kind .. owner) then return { 'name taken', index } end
  end
end

redis.call('SET', version_key, '${STORE_VERSION}', 'NX')
redis.call('SET', receipt, '', 'XX')
redis.call('PEXPIREAT', receipt, now)
redis.call('DEL', receipt)
local swept = {}
for _, change in ipairs(changes) do
  for _, set in ipairs({ change.ids, change.ends }) do
    redis.call('ZADD', set, 'XX', 0, '')
    redis.call('ZREM', set, '')
  end
  local ended = redis.call('ZRANGEBYSCORE', change.ends, '-inf', '(' .. now, 'LIMIT', 0, 100)
  swept[change.ids] = { ends = change.ends, ended = ended }
end

for ids, found in pairs(swept) do
  if #found.ended > 0 then
    redis.call('ZREM', ids, unpack(found.ended))
    redis.call('ZREM', found.ends, unpack(found.ended))
  end
end
for name in pairs(freed) do redis.call('DEL', name) end
for _, change in ipairs(changes) do
  if change.outcome == 'delete' then
    redis.call('DEL', change.record)
    redis.call('ZREM', change.ids, change.id)
    redis.call('ZREM', change.ends, change.id)
  elseif change.outcome == 'put' then
    redis.call('ZADD', change.ids, 0, change.id)
    redis.call('SET', change.record, change.text)
    for _, name in ipairs(change.names) do redis.call('SET', name, change.id) end
    if change.expires == '' then
      redis.call('ZREM', change.ends, change.id)
    else
      redis.call('ZADD', change.ends, change.expires, change.id)
      redis.call('PEXPIREAT', change.record, change.expires)
      for _, name in ipairs(change.names) do redis.call('PEXPIREAT', name, change.expires) end
    end
  end
end
redis.call('SET', receipt, '', 'PX', 600000)
return 'done'
`;

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
    checkRecordKind(kind);
    checkRecordLabel('id', id);
    return this.#get({ kind, id });
  }

  async findByName(kind: string, name: string): Promise<StoredRecord | undefined> {
    checkRecordKind(kind);
    checkRecordLabel('name', name);
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
    checkRecordKind(kind);
    const listed: StoredRecord[] = [];
    for (let after = '-'; ; ) {
      const ids = redisTextsIn(await this.#ask('ZRANGEBYLEX', idsKey(kind), after, '+', 'LIMIT', '0', `${LIST_CHUNK}`));
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
    const planned = planRecordWrite(changes);
    const { keys, args } = encodeWrite(planned);
    const answer = await waitUntilAnswered(this.client, () => this.client.runScript(WRITE_RECORDS_SCRIPT, keys, args));
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
      throw isKeyStoreDamage(error) ? this.#damaged(address, 'something that is no record') : error;
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
      if (!isKeyStoreDamage(error) || onDamaged === undefined) throw error;
      onDamaged(error);
      return undefined;
    }
  }

  #ask(command: string, ...args: string[]): Promise<unknown> {
    return waitUntilRead(this.client, async () => {
      await this.#requireVersion();
      return this.client.run(command, ...args);
    });
  }

  async #requireVersion(): Promise<void> {
    if (this.#isOurVersion) return;
    const version = await this.client.run('GET', VERSION_KEY);
    if (version !== null && version !== String(STORE_VERSION)) throw otherKeyStoreVersion(this.place, String(version));
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
