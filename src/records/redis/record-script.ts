/**
 * A write of records as one script that Redis runs atomically. Sending it twice is safe: for ten minutes a receipt,
 * named after the version that the write gives its records, makes a repeated write return the same reply and change
 * nothing. The keys of Redis:
 *
 *     postal-places:{records}:record:<kind>:<id>     the record's text, see record-text.ts
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
 *     ARGV       of each change: id; head as in record-text.ts, '' if there must be no record; 'keep', 'delete' or
 *                'put'; its new text; its new end, '' for none; number of names it gives up; number of names it takes
 *     answers    'done', or {why, number of the change from 1}, and nothing was changed; why is 'id taken',
 *                'name taken', 'changed', or 'damaged': something that is no text lies where the record should be
 *
 * Redis does not undo a script that fails half-way. So the script first calls each writing command once without effect:
 * if Redis is full or a replica, a right is missing, or a key has the wrong type, that call fails before any change.
 */

import { STORE_VERSION } from '../../storage/key-store-error.js';
import { REQUIRE_VERSION } from '../../storage/redis/store-version.js';

export const WRITE_RECORDS_SCRIPT = `
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
