/**
 * The part of the decision script about numbers and dates: the names of days and months as calendar.ts has them, the
 * counts that are kept of a key, and the errors of one key's data, each a reply of the script.
 */

import { DAYS_KEPT, MONTHS_KEPT } from '../usage.js';

export const COUNT_FUNCTIONS = `
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
