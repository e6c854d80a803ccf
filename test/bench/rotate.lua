-- The wrk script of the benchmarks: `wrk -s rotate.lua <url> -- <file> <key> ...` asks for the targets in the file, one a
-- line, in turn, with the keys in x-api-key in turn. Behind a target, and a tab, may stand the entity tag that the client
-- has, behind another tab the client's address, and
-- behind another tab the JSON that is sent with POST. Requests are put together before the clock starts. It ends with one line of JSON.

local requests = {}
local position = 0

function init(args)
  local targets = {}
  for target in io.lines(args[1]) do
    targets[#targets + 1] = target
  end
  local key_count = #args - 1
  for index = 1, math.max(#targets, key_count) do
    local headers = { ['x-api-key'] = args[2 + index % key_count] }
    local target, tag, address, body = targets[1 + index % #targets]:match('^([^\t]*)\t?([^\t]*)\t?([^\t]*)\t?(.*)$')
    if tag ~= '' then headers['if-none-match'] = tag end
    if address ~= '' then headers['x-forwarded-for'] = address end
    if body ~= '' then headers['content-type'] = 'application/json' end
    requests[index] = wrk.format(body == '' and 'GET' or 'POST', target, headers, body ~= '' and body or nil)
  end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"broken":%d,"late":%d,"refused":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write, errors.timeout, errors.status))
end
