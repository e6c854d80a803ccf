/**
 * The decision on requests as one script that Redis runs atomically: status, quota, rate and count of each key in one
 * step, the same rule as in key-decision.ts and rate-limit.ts. It also reconciles the usage that a server allowed from
 * memory while Redis could not be asked, and it is exact however often it is sent: a receipt holds, for each server
 * process and key, the sequence number of what that process sent last, so what arrives twice, or late, is counted once.
 * Beside the records, whose values stored-key.ts describes, it reads and writes
 *
 *     postal-places:{records}:usage:<usage id>     hash: arrival, see rate-limit.ts; 2024-02 and 2024-02-29, the
 *                                                  units of that month and that day
 *     postal-places:{records}:receipts:<process>   hash: the first 16 digits of a digest to "<sequence> <units
 *                                                  counted> <day>"; goes two days after it was last written
 *
 *     KEYS       receipts
 *     ARGV       now in milliseconds or '' for the time of Redis; sequence; the start of the names of counts; number of
 *                plans, then of each: name, requests a month or -1, interval in milliseconds or 0, burst; then of each
 *                key: its record, the first 16 digits of its digest, number of requests to decide on, units that each
 *                of them takes, number of unreconciled usages, then of each usage: sequence, units, day
 *     replies    now in milliseconds, then of each key one of {'invalid'}, {'revoked'}, {'expired'}, {'error', why} and
 *                {'good', id, plan, used, arrival, allowed, expires, graceUntil}, '' where a key has no such instant
 *
 * A usage is the number of units that were allowed under its sequence: the script corrects the count of that
 * sequence to it. Damaged data of one key do not affect other keys.
 *
 * Records are no KEYS: Redis demands of KEYS that the user may write them, and a server may only read records. All keys
 * of ours share one slot, so a Cluster finds the records all the same.
 *
 * A receipt must outlive an outage, after which its process sends the requests that were pending when the outage began.
 * In an outage a process serves for at most KEY_GRACE_SECONDS, which is at most a day; two days leave a reserve.
 */

import { VERSION_LENGTH } from '../../records/record-text.js';
import { REQUIRE_VERSION } from '../../storage/redis/store-version.js';
import { DAYS_KEPT, MONTHS_KEPT } from '../usage.js';

export const DECIDE_SCRIPT = `
${REQUIRE_VERSION}
local DAY_MS, DAYS_KEPT, MONTHS_KEPT, VERSION_LENGTH = 86400000, ${DAYS_KEPT}, ${MONTHS_KEPT}, ${VERSION_LENGTH}
local RECEIPT_MS = 2 * DAY_MS

local function day_of(ms)
  local days = math.floor(ms / DAY_MS) + 719468
  local era = math.floor(days / 146097)
  local day_of_era = days - era * 146097
  local year = math.floor((day_of_era - math.floor(day_of_era / 1460) + math.floor(day_of_era / 36524)
    - math.floor(day_of_era / 146096)) / 365)
  local day = day_of_era - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local shifted = math.floor((5 * day + 2) / 153)
  local month = shifted < 10 and shifted + 3 or shifted - 9
  day = day - math.floor((153 * shifted + 2) / 5) + 1
  return string.format('%04d-%02d-%02d', year + era * 400 + (month <= 2 and 1 or 0), month, day)
end

local function month_of(day)
  return string.sub(day, 1, 7)
end

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] * 1.024) / 1024
end
local today = day_of(now)
local month = month_of(today)
local in_day = math.floor(now) % DAY_MS
-- Written as instants are in records; instants of this form sort as texts.
local instant = string.format('%sT%02d:%02d:%02d.%03dZ', today, math.floor(in_day / 3600000),
  math.floor(in_day / 60000) % 60, math.floor(in_day / 1000) % 60, in_day % 1000)
local sequence = tonumber(ARGV[2])
local receipts, usage_prefix = KEYS[1], ARGV[3]
local at = 4
local function take()
  at = at + 1
  return ARGV[at]
end

local plans = {}
for _ = 1, tonumber(ARGV[4]) do
  local name = take()
  plans[name] = { quota = tonumber(take()), interval = tonumber(take()), burst = tonumber(take()) }
end

local function number_in(text, what, where)
  local value = tonumber(text or 0)
  -- tonumber takes "nan" and "inf" too.
  if not value or value ~= value or math.abs(value) == math.huge then
    error({ 'error', 'DAMAGED ' .. what .. ' of ' .. where .. ' is no number' })
  end
  return value
end

local function call(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then error({ 'error', reply.err }) end
  return reply
end

local function text_in(value, what)
  if type(value) == 'string' then return value end
  error({ 'error', 'DAMAGED ' .. what .. ' is no text' })
end

-- '' for null.
local function instant_in(value, what)
  if value == cjson.null then return '' end
  if string.match(text_in(value, what), '^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%dZ$') then return value end
  error({ 'error', 'DAMAGED ' .. what .. ' is no instant' })
end

local function key_in(text)
  local key = cjson.decode(string.sub(text, VERSION_LENGTH + 1))[3]
  return { id = text_in(key.id, 'id'), plan = text_in(key.plan, 'plan'), state = text_in(key.state, 'state'),
    expires = instant_in(key.expires, 'expires'), grace = instant_in(key.graceUntil, 'graceUntil'),
    usage = usage_prefix .. text_in(key.usage, 'usage') }
end

local function fault_of(key)
  if key.state ~= 'active' and key.state ~= 'replaced' and key.state ~= 'revoked' then
    error({ 'error', 'DAMAGED state' })
  elseif key.state == 'revoked' or (key.state == 'replaced' and (key.grace == '' or instant >= key.grace)) then
    return { 'revoked' }
  elseif key.expires ~= '' and instant >= key.expires then
    return { 'expired' }
  end
end

-- The latest stay, whatever the time is: a clock that was wrong for a moment takes no count away.
local function drop_old_counts(usage)
  local months, days = {}, {}
  for _, name in ipairs(call('HKEYS', usage)) do
    if string.match(name, '^%d%d%d%d%-%d%d%-%d%d$') then table.insert(days, name) end
    if string.match(name, '^%d%d%d%d%-%d%d$') then table.insert(months, name) end
  end
  for names, kept in pairs({ [months] = MONTHS_KEPT, [days] = DAYS_KEPT }) do
    table.sort(names)
    for index = 1, #names - kept do call('HDEL', usage, names[index]) end
  end
end

-- Fields and values of the receipts, to be written together.
local new_receipts = {}
local function decide(record, text, receipt_field, receipt, count, cost, usages)
  -- MGET has nothing of what is no text either; GET tells.
  if not text and not call('GET', record) then return { 'invalid' } end
  local key = key_in(text)
  local field = redis.pcall('HMGET', key.usage, 'arrival', month, today)
  if field.err then error({ 'error', field.err .. ', at ' .. key.usage }) end
  local last, counted, counted_day = -1, 0, today
  if receipt then
    local one, two, three = string.match(receipt, '^(%d+) (%d+) (%d+%-%d+%-%d+)$')
    last, counted = number_in(one or '?', 'a receipt', receipts), number_in(two or '?', 'a receipt', receipts)
    counted_day = three
  end
  local is_repeated = last == sequence
  if last > sequence then return { 'error', 'STALE a later check of this process was decided' } end

  local before = { [month] = number_in(field[2], month, key.usage), [today] = number_in(field[3], today, key.usage) }
  local changes = {}
  local function change(day, by)
    changes[day] = (changes[day] or 0) + by
    changes[month_of(day)] = (changes[month_of(day)] or 0) + by
  end
  for _, usage in ipairs(usages) do
    if usage.sequence == last then change(counted_day, -counted) end
    if usage.sequence >= last then
      change(usage.day, usage.count)
      last, counted, counted_day = usage.sequence, usage.count, usage.day
    end
  end
  local used = math.max(0, before[month] + (changes[month] or 0))

  local decision = fault_of(key)
  local arrival, next_arrival = number_in(field[1], 'arrival', key.usage), nil
  if not decision then
    local plan = plans[key.plan] or plans['free']
    local allowed = count
    if is_repeated then
      if cost > 0 then allowed = math.min(count, math.floor(counted / cost)) end
      if month_of(counted_day) == month then used = math.max(0, used - allowed * cost) end
    elseif cost > 0 then
      if plan.quota >= 0 then allowed = math.min(allowed, math.floor(math.max(0, plan.quota - used) / cost)) end
      if plan.interval > 0 then
        local from = math.max(arrival, now)
        if arrival - now > (plan.burst + 1) * plan.interval then from = now end
        local admissible = math.max(0, math.floor(plan.burst - (from - now) / plan.interval))
        allowed = math.min(allowed, math.floor(admissible / cost))
        if allowed > 0 then next_arrival = from + allowed * cost * plan.interval end
      end
      if allowed > 0 then
        change(today, allowed * cost)
        last, counted, counted_day = sequence, allowed * cost, today
      end
    end
    decision = { 'good', key.id, key.plan, string.format('%.0f', used), string.format('%.10f', arrival), allowed,
      key.expires, key.grace }
  end

  if next(changes) then
    local values = next_arrival and { 'arrival', string.format('%.10f', next_arrival) } or {}
    for name, by in pairs(changes) do
      local counted_before = before[name] or number_in(call('HGET', key.usage, name), name, key.usage)
      table.insert(values, name)
      table.insert(values, string.format('%.0f', math.max(0, counted_before + by)))
    end
    call('HSET', key.usage, unpack(values))
    if not field[3] then drop_old_counts(key.usage) end
    table.insert(new_receipts, receipt_field)
    table.insert(new_receipts, string.format('%.0f %.0f %s', last, counted, counted_day))
  end
  return decision
end

local checks, records, fields = {}, {}, {}
while at < #ARGV do
  local check = { record = take(), receipt_field = take(), count = tonumber(take()), cost = tonumber(take()),
    usages = {} }
  for usage = 1, tonumber(take()) do
    check.usages[usage] = { sequence = tonumber(take()), count = tonumber(take()), day = take() }
  end
  table.insert(checks, check)
  table.insert(records, check.record)
  table.insert(fields, check.receipt_field)
end
local texts = read_texts(unpack(records))
if texts.err then return texts end
local old_receipts = redis.call('HMGET', receipts, unpack(fields))

local replies = { string.format('%.10f', now) }
for index, check in ipairs(checks) do
  local is_done, reply = pcall(decide, check.record, texts[index], check.receipt_field, old_receipts[index],
    check.count, check.cost, check.usages)
  if not is_done and type(reply) ~= 'table' then reply = { 'error', 'DAMAGED ' .. tostring(reply) } end
  table.insert(replies, reply)
end
if #new_receipts > 0 then
  redis.call('HSET', receipts, unpack(new_receipts))
  redis.call('PEXPIRE', receipts, RECEIPT_MS)
end
return replies
`;

/** Writes a key that is soon gone, by the commands by which decisions are written. KEYS: that key. */
export const PROBE_SCRIPT = `
${REQUIRE_VERSION}
redis.call('HSET', KEYS[1], 'probe', '1')
return redis.call('PEXPIRE', KEYS[1], 1000)
`;
