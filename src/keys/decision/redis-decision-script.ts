/**
 * The decision on requests as one script that Redis runs atomically: status, quota, rate and count of each key in one
 * step, the same rule as in key-decision.ts. A call is sent once, so nothing is counted twice. Beside the records, whose
 * values stored-key.ts describes, it reads and writes
 *
 *     postal-places:{records}:usage:<usage id>     hash: arrival, see key-decision.ts; 2024-02 and 2024-02-29, the
 *                                                  units of that month and that day
 *
 * and for publishable keys what is described below.
 *
 *     KEYS       a key that needs not exist, in the slot of the records
 *     ARGV       now in milliseconds or '' for the time of Redis; the starts of the names of counts and of visitors;
 *                number of plans, then of each: name, requests a month or -1, interval in milliseconds or 0, burst;
 *                then of each check: its record, number of requests to decide on, units of quota and of rate that each
 *                of them takes, number of callers, 0 for a secret key, then of each caller: origin, operation, tag of
 *                the visitor
 *     replies    now in milliseconds, then of each check one of {'invalid'}, {'revoked'}, {'expired'}, {'error', why}
 *                and {'good', id, plan, used, arrival, allowed, expires, graceUntil}, '' where a key has no such instant;
 *                of a publishable key the second and third are followed by its restrictions as JSON, and the last by
 *                these and the outcomes
 *
 * Damaged data of one key do not affect other keys.
 *
 * Records are no KEYS: Redis demands of KEYS that the user may write them, and a server may only read records. All keys
 * of ours share one slot, so a Cluster finds the records all the same.
 */

import { DAYS_KEPT, MONTHS_KEPT } from '../key/usage-counts.js';
import { VERSION_LENGTH } from '../records/record-store.js';
import { REQUIRE_VERSION } from '../storage/redis-keyspace.js';
import type { CallerStatus } from './key-decision.js';

/*
 * The part of the decision script about publishable keys: the same rule as in key-decision.ts and origin.ts. It
 * also reads and writes
 *
 *     postal-places:{records}:visitors:<usage id>   sorted set: the tags of the key's visitors by their arrival times,
 *                                                   see key-decision.ts
 *
 * A visitor that is idle is removed. Above VISITORS_KEPT visitors those go first that would be idle soonest, so a flood
 * of addresses forgets the visitors that asked least. The set goes with its last visitor.
 *
 *     outcome    {number of the status in CALLER_STATUSES from 1, arrival time of the visitor or ''}
 */

/** In the order of their numbers. */
export const CALLER_STATUSES: readonly CallerStatus[] = [
  'allowed',
  'origin-not-allowed',
  'restricted',
  'quota-exceeded',
  'visitor-limited',
  'rate-limited',
];

/**
 * Maximum number of visitors of a key that are remembered, 2.5 MB: those of 48 minutes with seven a second, each of
 * whom asks ten times by the default rate.
 */
export const VISITORS_KEPT = 20_000;

/** Needs `now`, `call` and `number_in` of the decision script. */
const CALLER_FUNCTIONS = `
local VISITORS_KEPT = ${VISITORS_KEPT}

local function list_in(value, what)
  if type(value) ~= 'table' or #value == 0 then error({ 'error', 'DAMAGED ' .. what }) end
  return value
end

-- A server that was started before its user got the rights for visitors must refuse no other key.
local function call_for_visitors(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then return reply end
  local is_right = string.find(reply.err, 'NOPERM') or string.find(reply.err, 'user executing the script')
  error({ 'error', (is_right and 'DAMAGED visitors: ' or '') .. reply.err })
end

local function allows_origin(origins, origin)
  for _, allowed in ipairs(origins) do
    if allowed == origin then return true end
    local scheme, parent = string.match(allowed, '^(https?://)%*(%..+)$')
    if scheme and #origin > #scheme + #parent and string.sub(origin, 1, #scheme) == scheme
      and string.sub(origin, -#parent) == parent then return true end
  end
end

local function arrival_from(arrival, interval, burst)
  if arrival - now > (burst + 1) * interval then return now end
  return math.max(arrival, now)
end

-- How many requests of the plan's rate are allowed now, by the arrival time; nil for no limit.
local function admissible_of(plan, arrival)
  if plan.interval <= 0 then return nil end
  local ahead = arrival_from(arrival, plan.interval, plan.burst) - now
  return math.max(0, math.floor(plan.burst - ahead / plan.interval))
end

-- The outcomes of callers; the arrival times of visitors are in 'visitors' by their tags.
local function decide_callers(restrictions, plan, used, arrival, callers, rate, visitors, rate_cost)
  local origins, operations = list_in(restrictions.origins, 'origins'), {}
  for _, name in ipairs(list_in(restrictions.operations, 'operations')) do operations[name] = true end
  local left = plan.quota < 0 and math.huge or plan.quota - used
  local admissible = admissible_of(plan, arrival) or math.huge
  local outcomes, allowed = {}, 0
  for index, caller in ipairs(callers) do
    local status, visitor_arrival = 1, ''
    if not allows_origin(origins, caller.origin) then
      status = 2
    elseif not operations[caller.operation] then
      status = 3
    else
      local known = visitors[caller.visitor]
      visitor_arrival = known
      local from = arrival_from(known, rate.interval, rate.burst)
      if left - allowed < 1 then
        status = 4
      elseif math.floor(rate.burst - (from - now) / rate.interval) < 1 then
        status = 5
      elseif admissible - allowed * rate_cost < rate_cost then
        status = 6
      else
        allowed = allowed + 1
        visitor_arrival = from + rate.interval
        visitors[caller.visitor] = visitor_arrival
      end
    end
    outcomes[index] = { status, visitor_arrival }
  end
  return outcomes, allowed
end

local function rate_in(restrictions)
  local rate = restrictions.visitorRate
  local requests, seconds = type(rate) == 'table' and rate.requests, type(rate) == 'table' and rate.seconds
  if type(requests) ~= 'number' or type(seconds) ~= 'number' or requests < 1 or seconds < 1 then
    error({ 'error', 'DAMAGED visitorRate' })
  end
  -- As intervalMs in rate-limit.ts.
  return { burst = requests, interval = math.max(1, math.floor(1024000 / (requests / seconds) + 0.5)) / 1024 }
end

local function read_visitors(visitors_key, callers)
  local visitors = {}
  for _, caller in ipairs(callers) do
    if not visitors[caller.visitor] then
      visitors[caller.visitor] = number_in(call_for_visitors('ZSCORE', visitors_key, caller.visitor), 'a visitor', visitors_key)
    end
  end
  return visitors
end

local function write_visitors(visitors_key, visitors, outcomes, callers, rate)
  local is_written = {}
  for index, outcome in ipairs(outcomes) do
    local visitor = callers[index].visitor
    if outcome[1] == 1 and not is_written[visitor] then
      call_for_visitors('ZADD', visitors_key, string.format('%.10f', visitors[visitor]), visitor)
      is_written[visitor] = true
    end
  end
  if not next(is_written) then return end
  call_for_visitors('ZREMRANGEBYSCORE', visitors_key, '-inf', string.format('%.10f', now))
  local surplus = call_for_visitors('ZCARD', visitors_key) - VISITORS_KEPT
  if surplus > 0 then call_for_visitors('ZREMRANGEBYRANK', visitors_key, 0, surplus - 1) end
  call_for_visitors('PEXPIRE', visitors_key, math.ceil(rate.burst * rate.interval) + 1000)
end
`;

/*
 * The part of the decision script about numbers and dates: the names of days and months as calendar.ts has them, the
 * counts that are kept of a key, and the errors of one key's data, each a reply of the script.
 */

const COUNT_FUNCTIONS = `
local DAY_MS, DAYS_KEPT, MONTHS_KEPT = 86400000, ${DAYS_KEPT}, ${MONTHS_KEPT}

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
`;

export const DECIDE_SCRIPT = `
${REQUIRE_VERSION}
${COUNT_FUNCTIONS}
local VERSION_LENGTH = ${VERSION_LENGTH}

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
local usage_prefix, visitors_prefix = ARGV[2], ARGV[3]
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
local function decide(text, check)
  local count, callers = check.count, check.callers
  -- MGET has nothing of what is no text either; GET tells.
  if not text and not call('GET', check.record) then return { 'invalid' } end
  local key = key_in(text)
  if count > 0 and (#callers > 0) ~= (key.restrictions ~= nil) then
    error({ 'error', 'DAMAGED restrictions: the key is of the other kind, secret or publishable' })
  end
  local field = redis.pcall('HMGET', key.usage, 'arrival', month, today)
  if field.err then error({ 'error', field.err .. ', at ' .. key.usage }) end
  local arrival = number_in(field[1], 'arrival', key.usage)
  local used, used_today = number_in(field[2], month, key.usage), number_in(field[3], today, key.usage)
  local fault = fault_of(key)
  if fault then return fault end

  local plan = plans[key.plan] or plans['free']
  local cost = key.restrictions and 1 or check.cost
  -- As rateCostIn in key-decision.ts.
  local rate_cost = math.max(cost, check.rate_cost)
  if plan.interval > 0 and cost <= 1 then rate_cost = math.min(rate_cost, plan.burst) end
  local allowed, outcomes = count, nil
  if key.restrictions then
    local rate, visitors = rate_in(key.restrictions), read_visitors(key.visitors, callers)
    outcomes, allowed = decide_callers(key.restrictions, plan, used, arrival, callers, rate, visitors, rate_cost)
    write_visitors(key.visitors, visitors, outcomes, callers, rate)
  elseif cost > 0 then
    if plan.quota >= 0 then allowed = math.min(allowed, math.floor(math.max(0, plan.quota - used) / cost)) end
    if plan.interval > 0 then allowed = math.min(allowed, math.floor(admissible_of(plan, arrival) / rate_cost)) end
  end
  local units = allowed * cost
  if units > 0 then
    local values = { month, string.format('%.0f', used + units), today, string.format('%.0f', used_today + units) }
    if plan.interval > 0 then
      values[5] = 'arrival'
      local arrived = arrival_from(arrival, plan.interval, plan.burst) + allowed * rate_cost * plan.interval
      values[6] = string.format('%.10f', arrived)
    end
    call('HSET', key.usage, unpack(values))
    if not field[3] then drop_old_counts(key.usage) end
  end
  local decision = { 'good', key.id, key.plan, string.format('%.0f', used), string.format('%.10f', arrival), allowed,
    key.expires, key.grace }
  if outcomes then
    decision[9], decision[10] = cjson.encode(key.restrictions), outcomes
    for _, outcome in ipairs(outcomes) do
      if outcome[2] ~= '' then outcome[2] = string.format('%.10f', outcome[2]) end
    end
  end
  return decision
end

local checks, records = {}, {}
while at < #ARGV do
  local check = { record = take(), count = tonumber(take()), cost = tonumber(take()), rate_cost = tonumber(take()),
    callers = {} }
  for caller = 1, tonumber(take()) do
    check.callers[caller] = { origin = take(), operation = take(), visitor = take() }
  end
  table.insert(checks, check)
  table.insert(records, check.record)
end
local texts = read_texts(unpack(records))
if texts.err then return texts end

local replies = { string.format('%.10f', now) }
for index, check in ipairs(checks) do
  local is_done, reply = pcall(decide, texts[index], check)
  if not is_done and type(reply) ~= 'table' then reply = { 'error', 'DAMAGED ' .. tostring(reply) } end
  table.insert(replies, reply)
end
return replies
`;

/** Writes a key that is soon gone, by the commands by which decisions are written. KEYS: that key. */
export const PROBE_SCRIPT = `
${REQUIRE_VERSION}
redis.call('HSET', KEYS[1], 'probe', '1')
return redis.call('PEXPIRE', KEYS[1], 1000)
`;
