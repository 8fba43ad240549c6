--[[
  Leases in a sorted set of member -> when its lease ends, in milliseconds.
  Returns functions that move such an end, and tell how long until the first.
]]
-- A score as high as this is Redisson's for a permit that never ends.
local NEVER = 922337203685477

-- Never shortens, and always writes: who waits for replicas hears of the connection's last write. The member stays all the while, and so does the
-- end of the set. On a full server ZADD is refused as long as the script has written nothing: moving a score needs no memory, and a renewal must
-- not fail for that.
local function extend_lease(leases, member, ends)
  local until_when = math.max(tonumber(redis.call('ZSCORE', leases, member) or 0), ends)
  redis.call('ZREM', leases, '')
  redis.call('ZADD', leases, until_when + 1, member)
  redis.call('ZADD', leases, until_when, member)
end

-- Milliseconds; -1: none ends.
local function first_end(leases, now)
  local first = redis.call('ZRANGE', leases, 0, 0, 'WITHSCORES')[2]
  if not first or tonumber(first) >= NEVER then
    return -1
  end
  return math.max(tonumber(first) - now, 0)
end
