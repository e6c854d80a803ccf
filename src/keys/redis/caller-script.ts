/**
 * The part of the decision script about publishable keys: the same rule as in caller-decision.ts, restrictions.ts and
 * rate-limit.ts. Beside what decide-script.ts has, it reads and writes
 *
 *     postal-places:{records}:visitors:<usage id>   sorted set: the tags of the key's visitors by their arrival times,
 *                                                   see rate-limit.ts
 *
 * A visitor that is idle is removed. Above VISITORS_KEPT visitors those go first that would be idle soonest, so a flood
 * of addresses forgets the visitors that asked least. The set goes with its last visitor.
 *
 *     outcome    {number of the status in CALLER_STATUSES from 1, arrival time of the visitor or ''}
 *
 * A receipt of such a key ends with the numbers of the statuses, so that a batch that comes twice is decided alike.
 */

import type { CallerStatus } from '../key-decision.js';

/** In the order of their numbers: a receipt holds each as one digit. */
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
export const CALLER_FUNCTIONS = `
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
local function decide_callers(restrictions, plan, used, arrival, callers, rate, visitors)
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
      elseif admissible - allowed < 1 then
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

-- The same outcomes as at the first time.
local function repeat_outcomes(statuses, callers, visitors)
  local outcomes, allowed = {}, 0
  for index, caller in ipairs(callers) do
    local status = tonumber(string.sub(statuses, index, index))
    if not status then error({ 'error', 'STALE these are other requests than the first time' }) end
    if status == 1 then allowed = allowed + 1 end
    outcomes[index] = { status, status > 3 and visitors[caller.visitor] or '' }
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
