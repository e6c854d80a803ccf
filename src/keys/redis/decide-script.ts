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
 * and for publishable keys what caller-script.ts describes.
 *
 *     KEYS       receipts
 *     ARGV       now in milliseconds or '' for the time of Redis; sequence; the starts of the names of counts and of
 *                visitors; number of plans, then of each: name, requests a month or -1, interval in milliseconds or 0, burst; then of each
 *                key: its record, the first 16 digits of its digest, number of requests to decide on, units that each
 *                of them takes, number of unreconciled usages, then of each usage: sequence, units, day; number of
 *                callers, 0 for a secret key, then of each caller: origin, operation, tag of the visitor
 *     replies    now in milliseconds, then of each key one of {'invalid'}, {'revoked'}, {'expired'}, {'error', why} and
 *                {'good', id, plan, used, arrival, allowed, expires, graceUntil}, '' where a key has no such instant;
 *                of a publishable key the second and third are followed by its restrictions as JSON, and the last by
 *                these and the outcomes
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
import { CALLER_FUNCTIONS } from './caller-script.js';
import { COUNT_FUNCTIONS } from './count-script.js';

export const DECIDE_SCRIPT = `
${REQUIRE_VERSION}
${COUNT_FUNCTIONS}
local VERSION_LENGTH, RECEIPT_MS = ${VERSION_LENGTH}, 2 * DAY_MS

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
local receipts, usage_prefix, visitors_prefix = KEYS[1], ARGV[3], ARGV[4]
local at = 5
local function take()
  at = at + 1
  return ARGV[at]
end

local plans = {}
for _ = 1, tonumber(ARGV[5]) do
  local name = take()
  plans[name] = { quota = tonumber(take()), interval = tonumber(take()), burst = tonumber(take()) }
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
    usage = usage_prefix .. text_in(key.usage, 'usage'), restrictions = key.restrictions,
    visitors = visitors_prefix .. key.usage }
end

local function fault_of(key)
  if key.state ~= 'active' and key.state ~= 'replaced' and key.state ~= 'revoked' then
    error({ 'error', 'DAMAGED state' })
  elseif key.state == 'revoked' or (key.state == 'replaced' and (key.grace == '' or instant >= key.grace)) then
    return { 'revoked', key.restrictions and cjson.encode(key.restrictions) }
  elseif key.expires ~= '' and instant >= key.expires then
    return { 'expired', key.restrictions and cjson.encode(key.restrictions) }
  end
end

${CALLER_FUNCTIONS}
-- Fields and values of the receipts, to be written together.
local new_receipts = {}
local function decide(record, text, receipt_field, receipt, count, cost, usages, callers)
  -- MGET has nothing of what is no text either; GET tells.
  if not text and not call('GET', record) then return { 'invalid' } end
  local key = key_in(text)
  if count > 0 and (#callers > 0) ~= (key.restrictions ~= nil) then
    error({ 'error', 'DAMAGED restrictions: the key is of the other kind, secret or publishable' })
  end
  local field = redis.pcall('HMGET', key.usage, 'arrival', month, today)
  if field.err then error({ 'error', field.err .. ', at ' .. key.usage }) end
  local last, counted, counted_day, statuses = -1, 0, today, ''
  if receipt then
    local one, two, three, four = string.match(receipt, '^(%d+) (%d+) (%d+%-%d+%-%d+) ?(%d*)$')
    last, counted = number_in(one or '?', 'a receipt', receipts), number_in(two or '?', 'a receipt', receipts)
    counted_day, statuses = three, four
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
      last, counted, counted_day, statuses = usage.sequence, usage.count, usage.day, ''
    end
  end
  local used = math.max(0, before[month] + (changes[month] or 0))

  local decision = fault_of(key)
  local arrival, next_arrival = number_in(field[1], 'arrival', key.usage), nil
  if not decision then
    local plan = plans[key.plan] or plans['free']
    local allowed, outcomes = count, nil
    if key.restrictions then
      local rate, visitors = rate_in(key.restrictions), read_visitors(key.visitors, callers)
      if is_repeated then
        outcomes, allowed = repeat_outcomes(statuses, callers, visitors)
        if month_of(counted_day) == month then used = math.max(0, used - allowed) end
      else
        outcomes, allowed = decide_callers(key.restrictions, plan, used, arrival, callers, rate, visitors)
        write_visitors(key.visitors, visitors, outcomes, callers, rate)
        if allowed > 0 then
          if plan.interval > 0 then
            next_arrival = arrival_from(arrival, plan.interval, plan.burst) + allowed * plan.interval
          end
          change(today, allowed)
          last, counted, counted_day, statuses = sequence, allowed, today, ''
          for _, outcome in ipairs(outcomes) do statuses = statuses .. outcome[1] end
        end
      end
    elseif is_repeated then
      if cost > 0 then allowed = math.min(count, math.floor(counted / cost)) end
      if month_of(counted_day) == month then used = math.max(0, used - allowed * cost) end
    elseif cost > 0 then
      if plan.quota >= 0 then allowed = math.min(allowed, math.floor(math.max(0, plan.quota - used) / cost)) end
      if plan.interval > 0 then
        allowed = math.min(allowed, math.floor(admissible_of(plan, arrival) / cost))
        if allowed > 0 then
          next_arrival = arrival_from(arrival, plan.interval, plan.burst) + allowed * cost * plan.interval
        end
      end
      if allowed > 0 then
        change(today, allowed * cost)
        last, counted, counted_day = sequence, allowed * cost, today
      end
    end
    decision = { 'good', key.id, key.plan, string.format('%.0f', used), string.format('%.10f', arrival), allowed,
      key.expires, key.grace }
    if key.restrictions then
      decision[9], decision[10] = cjson.encode(key.restrictions), outcomes
      for _, outcome in ipairs(outcomes) do
        if outcome[2] ~= '' then outcome[2] = string.format('%.10f', outcome[2]) end
      end
    end
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
    local receipt_end = statuses == '' and '' or ' ' .. statuses
    table.insert(new_receipts, string.format('%.0f %.0f %s', last, counted, counted_day) .. receipt_end)
  end
  return decision
end

local checks, records, fields = {}, {}, {}
while at < #ARGV do
  local check = { record = take(), receipt_field = take(), count = tonumber(take()), cost = tonumber(take()),
    usages = {}, callers = {} }
  for usage = 1, tonumber(take()) do
    check.usages[usage] = { sequence = tonumber(take()), count = tonumber(take()), day = take() }
  end
  for caller = 1, tonumber(take()) do
    check.callers[caller] = { origin = take(), operation = take(), visitor = take() }
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
    check.count, check.cost, check.usages, check.callers)
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
