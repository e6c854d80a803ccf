/**
 * The decision on requests as one script that Redis runs atomically: standing, quota, rate and count of each key in one
 * step, the same rule as in admission.ts and rate-limit.ts. It also settles what a server answered from memory while
 * Redis could not be asked, and it is exact however often it is sent: a receipt in the key's hash holds, for each server
 * process, the sequence number of what that process sent last, so what arrives twice, or late, is counted once.
 *
 *     {hash}     id, name, plan, state, replacedBy, sealed; created, expires, graceUntil in milliseconds, '' for null;
 *                version, counted up by each change; arrival, see rate-limit.ts; used:2024-02, requests of that month;
 *                r:<process>, its receipt: "<sequence> <requests counted> <month> <hours since 1970>"
 *
 *     KEYS       hash of each key in question
 *     ARGV       now in milliseconds or '' for the time of Redis; sequence; name of the receipt's field; its lifetime in
 *                hours; number of plans, then of each: name, requests a month or -1, interval in milliseconds or 0,
 *                burst; then of each key: requests in question, number of debts, then of each: sequence, requests, month
 *     answers    now in milliseconds, then of each key one of {'unknown'}, {'revoked'}, {'expired'}, {'error', why} and
 *                {'good', id, plan, used, arrival, allowed, expires, graceUntil}
 *
 * A debt says that of the requests sent under that sequence this many were answered: what was counted for it, if it was,
 * is corrected to that. A key that can't be decided, because what lies there is not ours, spoils no other. A process takes
 * its receipts away when it stops; those of a process that was killed go when another process first counts for the key,
 * once they are older than their lifetime.
 */
export const DECIDE_SCRIPT = `
local function month_of(ms)
  local days = math.floor(ms / 86400000) + 719468
  local era = math.floor(days / 146097)
  local day_of_era = days - era * 146097
  local year = math.floor((day_of_era - math.floor(day_of_era / 1460) + math.floor(day_of_era / 36524)
    - math.floor(day_of_era / 146096)) / 365)
  local day = day_of_era - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local shifted = math.floor((5 * day + 2) / 153)
  local month = shifted < 10 and shifted + 3 or shifted - 9
  return string.format('%04d-%02d', year + era * 400 + (month <= 2 and 1 or 0), month)
end

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] * 1.024) / 1024
end
local month = month_of(now)
local sequence = tonumber(ARGV[2])
local receipt, receipt_hours = ARGV[3], tonumber(ARGV[4])
local hour = math.floor(now / 3600000)
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

local function number_in(text, what)
  local value = tonumber(text or 0)
  if not value then error({ 'error', 'DAMAGED ' .. what .. ' is no number' }) end
  return value
end

local function call(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then error({ 'error', reply.err }) end
  return reply
end

local function drop_old_receipts(hash)
  local fields = call('HGETALL', hash)
  for at = 1, #fields, 2 do
    local written = string.match(fields[at], '^r:') and string.match(fields[at + 1], ' (%d+)$')
    if written and hour - written > receipt_hours then call('HDEL', hash, fields[at]) end
  end
end

local function decide(hash, count, debts)
  local field = call('HMGET', hash, 'id', 'state', 'plan', 'expires', 'graceUntil', 'arrival', 'used:' .. month, receipt)
  if not field[1] then return { 'unknown' } end
  for at = 2, 5 do
    if not field[at] then error({ 'error', 'DAMAGED a field is missing' }) end
  end
  local last, counted, counted_month = -1, 0, month
  if field[8] then
    local one, two, three = string.match(field[8], '^(%d+) (%d+) (%d+%-%d+) %d+$')
    last, counted, counted_month = number_in(one or '?', 'receipt'), number_in(two or '?', 'receipt'), three
  end
  local is_repeated = last == sequence
  if last > sequence then return { 'error', 'STALE a later question of this process was decided' } end

  local used_now = number_in(field[7], 'used')
  local changes, is_changed = {}, false
  local function change(name, by)
    changes[name] = (changes[name] or 0) + by
    is_changed = true
  end
  for _, debt in ipairs(debts) do
    if debt.sequence == last then change(counted_month, -counted) end
    if debt.sequence >= last then
      change(debt.month, debt.count)
      last, counted, counted_month = debt.sequence, debt.count, debt.month
    end
  end
  local used = math.max(0, used_now + (changes[month] or 0))

  local state, expires, grace = field[2], field[4], field[5]
  local verdict
  if state ~= 'active' and state ~= 'replaced' and state ~= 'revoked' then
    error({ 'error', 'DAMAGED state' })
  elseif state == 'revoked' or (state == 'replaced' and (grace == '' or now >= number_in(grace, 'graceUntil'))) then
    verdict = { 'revoked' }
  elseif expires ~= '' and now >= number_in(expires, 'expires') then
    verdict = { 'expired' }
  end

  local arrival, next_arrival = number_in(field[6], 'arrival'), nil
  if not verdict then
    local plan = plans[field[3]] or plans['free']
    local allowed = count
    if is_repeated then
      allowed = math.min(count, counted)
      if counted_month == month then used = math.max(0, used - allowed) end
    else
      if plan.quota >= 0 then allowed = math.min(allowed, math.max(0, plan.quota - used)) end
      if plan.interval > 0 then
        local from = math.max(arrival, now)
        if arrival - now > (plan.burst + 1) * plan.interval then from = now end
        allowed = math.min(allowed, math.max(0, math.floor(plan.burst - (from - now) / plan.interval)))
        if allowed > 0 then next_arrival = from + allowed * plan.interval end
      end
      if allowed > 0 then
        change(month, allowed)
        last, counted, counted_month = sequence, allowed, month
      end
    end
    verdict = { 'good', field[1], field[3], string.format('%.0f', used), string.format('%.10f', arrival), allowed,
      expires, grace }
  end

  if is_changed then
    local values = next_arrival and { 'arrival', string.format('%.10f', next_arrival) } or {}
    for name, by in pairs(changes) do
      local before = name == month and used_now or number_in(call('HGET', hash, 'used:' .. name), 'used')
      table.insert(values, 'used:' .. name)
      table.insert(values, string.format('%.0f', math.max(0, before + by)))
    end
    if not field[8] then drop_old_receipts(hash) end
    table.insert(values, receipt)
    table.insert(values, string.format('%.0f %.0f %s %.0f', last, counted, counted_month, hour))
    call('HSET', hash, unpack(values))
  end
  return verdict
end

local answers = { string.format('%.10f', now) }
for _, hash in ipairs(KEYS) do
  local count, debts = tonumber(take()), {}
  for debt = 1, tonumber(take()) do
    debts[debt] = { sequence = tonumber(take()), count = tonumber(take()), month = take() }
  end
  local is_done, answer = pcall(decide, hash, count, debts)
  if not is_done and type(answer) ~= 'table' then answer = { 'error', 'DAMAGED ' .. tostring(answer) } end
  table.insert(answers, answer)
end
return answers
`;

/** Writes a key that is soon gone, the way decisions are written. KEYS: that key. */
export const PROBE_SCRIPT = `return redis.call('SET', KEYS[1], '1', 'PX', '1000')`;

/**
 * Writes fields of one key where its version is still the one that was read, '' for a key that is not there yet.
 * KEYS: its hash. ARGV: that version, then fields and values. Answers 1 where it wrote and 0 where another was faster.
 */
export const WRITE_SCRIPT = `
local version = redis.call('HGET', KEYS[1], 'version') or ''
if version ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', string.format('%.0f', (tonumber(version) or 0) + 1), unpack(ARGV, 2))
return 1
`;
