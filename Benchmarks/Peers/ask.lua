-- Asks for the entitlement of the customers of a file, one a line, each in its turn.
local lines, place, delay_ms = {}, 0, 0

function init(args)
  for line in io.lines(args[1]) do lines[#lines + 1] = line end
  wrk.headers["Authorization"] = "Bearer " .. args[2]
  delay_ms = tonumber(args[3] or "0")
end

function request()
  place = place + 1
  return wrk.format("GET", "/v1/customers/" .. lines[(place - 1) % #lines + 1] .. "/entitlements/pro")
end

-- Programs do not ask in step, so the time between two requests is random.
function delay() return delay_ms > 0 and math.random(0, 2 * delay_ms) or 0 end

function done(summary, latency, requests)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write
    + summary.errors.timeout
  print(string.format("FIGURES %f %f %f %d", summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, bad))
end
