-- Sends one request for each line of a file, each in its turn: a notification to post or, with a token, a customer to ask
-- about.  load.lua FILE FIRST DELAY [TOKEN [PATH]]
-- DELAY: the mean time between two requests of a connection, in milliseconds.  PATH: what to get instead.
local lines, place, delay_ms, token, path = {}, 0, 0, nil, nil

function init(args)
  place, delay_ms, token, path = tonumber(args[2]), tonumber(args[3]), args[4], args[5]
  for line in io.lines(args[1]) do lines[#lines + 1] = token and line or line:match('"payload":%s*(.*)}%s*$') end
  wrk.headers["Content-Type"] = "application/json"
  if token then wrk.headers["Authorization"] = "Bearer " .. token end
end

function request()
  place = place + 1
  local line = lines[(place - 1) % #lines + 1]
  if path then return wrk.format("GET", path) end
  if token then return wrk.format("GET", "/v1/customers/" .. line .. "/entitlements/pro") end
  return wrk.format("POST", "/apple/v2", nil, line)
end

-- Programs do not ask in step, so the time between two requests is random.
function delay() return delay_ms > 0 and math.random(0, 2 * delay_ms) or 0 end

function done(summary, latency, requests)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write
    + summary.errors.timeout
  print(string.format("FIGURES %f %f %f %d", summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, bad))
end
