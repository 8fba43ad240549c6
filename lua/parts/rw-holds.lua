--[[
  Who holds a read-write lock. A member is `r:<owner>` (reads) or `w:<owner>` (writes).

  KEYS[1]  the holds: a hash of member -> `<count>:<fencing token>`
  KEYS[2]  their leases: a sorted set of members by the time each ends (server, milliseconds)
  KEYS[5]  the last fencing token given out

  Returns functions. What has outlived its lease is dropped at once, so that whatever follows sees live holds only.
]]
local holds, leases, fence = KEYS[1], KEYS[2], KEYS[5]
local time = redis.call('TIME')
-- Microseconds since 1970: below 2^53 for centuries. Grants and answers are put in order by them.
local now_us = time[1] * 1000000 + time[2]
local now = math.floor(now_us / 1000)
-- So long a counter of tokens outlives the lease it was last used for. A new one starts at the server's time, above the old one.
local RETENTION_MS = 86400000

local function writes(member)
  return string.sub(member, 1, 2) == 'w:'
end

local function drop(member)
  redis.call('HDEL', holds, member)
  redis.call('ZREM', leases, member)
end

for _, member in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
  drop(member)
end
-- One of the two keys was deleted by hand, or evicted: what is not in both is no hold.
if redis.call('HLEN', holds) ~= redis.call('ZCARD', leases) then
  for _, member in ipairs(redis.call('HKEYS', holds)) do
    if not redis.call('ZSCORE', leases, member) then
      redis.call('HDEL', holds, member)
    end
  end
  for _, member in ipairs(redis.call('ZRANGE', leases, 0, -1)) do
    if redis.call('HEXISTS', holds, member) == 0 then
      redis.call('ZREM', leases, member)
    end
  end
end

-- How often the member holds, and its token; nil where it does not.
local function hold_of(member)
  local count, token = string.match(redis.call('HGET', holds, member) or '', '^(%d+):(%d+)$')
  return tonumber(count), token
end

-- The owner that writes, if one does. Beside a writer there is at most its own read.
local function writer()
  if redis.call('HLEN', holds) > 2 then
    return nil
  end
  for _, member in ipairs(redis.call('HKEYS', holds)) do
    if writes(member) then
      return string.sub(member, 3)
    end
  end
end

-- Whether the holds as they are leave room for the member.
local function admits(member)
  if writes(member) then
    return redis.call('HLEN', holds) == 0
  end
  local owner = writer()
  return not owner or member == 'r:' .. owner
end

-- Begins a tenure. Each write has a token of its own; reads have that of the write before them.
local function grant(member, lease)
  local last = tonumber(redis.call('GET', fence) or 0)
  local token = last
  if writes(member) or last == 0 then
    token = math.max(last + 1, now_us)
  end
  token = string.format('%.0f', token)
  local kept = math.max(redis.call('PTTL', fence), RETENTION_MS + lease)
  redis.call('SET', fence, token, 'PX', string.format('%.0f', kept))
  redis.call('HSET', holds, member, '1:' .. token)
  redis.call('ZADD', leases, now + lease, member)
  return token
end
