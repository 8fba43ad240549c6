--[[
  Leases in a sorted set of member -> when its lease ends, in milliseconds.
  Returns functions that move such an end, and tell how long until the first.
]]
-- A score as high as this is Redisson's for a permit that never ends.
local NEVER = 922337203685477

-- Never shortens, and always writes: who waits for replicas hears of the connection's last write. On a full server ZADD is refused as long
-- as the script has written nothing: moving a score needs no memory, and a renewal must not fail for that.
local function extend_lease(leases, member, ends)
  local before = tonumber(redis.call('ZSCORE', leases, member) or 0)
  redis.call('ZREM', leases, before < ends and '' or member)
  redis.call('ZADD', leases, math.max(before, ends), member)
end

-- Milliseconds; -1: none ends.
local function first_end(leases, now)
  local first = redis.call('ZRANGE', leases, 0, 0, 'WITHSCORES')[2]
  if not first or tonumber(first) >= NEVER then
    return -1
  end
  return math.max(tonumber(first) - now, 0)
end
