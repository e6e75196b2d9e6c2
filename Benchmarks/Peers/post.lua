-- Posts the notifications of a file, one a line, each in its turn. DELAY is the time between two of a connection.
local lines, place, delay_ms = {}, 0, 0
local threads = 0

function setup(thread)
  thread:set("offset", threads)
  threads = threads + 1
end

function init(args)
  for line in io.lines(args[1]) do
    local body = line:match('"payload":%s*(.*)}%s*$')
    lines[#lines + 1] = body
  end
  -- Each run begins where the one before ended, so that no notification comes twice.
  place = tonumber(args[2]) + offset
  delay_ms = tonumber(args[3] or "0")
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  place = place + 1
  return wrk.format("POST", "/apple/v2", nil, lines[(place - 1) % #lines + 1])
end

-- Programs do not ask in step, so the time between two requests is random.
function delay() return delay_ms > 0 and math.random(0, 2 * delay_ms) or 0 end

function done(summary, latency, requests)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write
    + summary.errors.timeout
  print(string.format("FIGURES %f %f %f %d", summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, bad))
end
