-- The wrk script of bench:http: `wrk -s rotate.lua <url> -- <file> <key>` asks for the targets in the file, one a line,
-- in turn, with the key in x-api-key. Requests are put together before the clock starts. It ends with one line of JSON.

local requests = {}
local position = 0

function init(args)
  for target in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format('GET', target, { ['x-api-key'] = args[2], host = wrk.host })
  end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"failed":%d,"refused":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
