--[[
  A read-write lock: who holds it, and its line. Who holds it and who stands in line are named alike, `r:<owner>` (reads) and
  `w:<owner>` (writes).

  KEYS[1]  the holds: a hash of member -> `<count>:<fencing token>`; a count of 0: let in from the line, and not heard of since
  KEYS[2]  the line, KEYS[3] the processes in it: see line.lua
  KEYS[4]  the last fencing token given out
  KEYS[5]  the leases: a sorted set of members by the time each ends (server, milliseconds)
  ARGV[1]  PUBLISH, or SPUBLISH in a cluster
  ARGV[2]  prefix of the channels on which processes are told

  Returns functions. What has outlived its lease is dropped at once, so that whatever follows sees live holds only.
]]
--@include server-time
--@include token
local holds, fence, leases = KEYS[1], KEYS[4], KEYS[5]
local now = server_time()
-- So long a counter of tokens outlives the lease it was last used for. A new one starts at the server's time, above the old one.
local RETENTION_MS = 86400000
-- So much longer than its lease there is a trace of what was granted in line: what lapses unheard of tells of a process that has stopped.
local TRACE_MS = 10000

local function writes(member)
  return string.sub(member, 1, 2) == 'w:'
end

local function drop(member)
  redis.call('HDEL', holds, member)
  redis.call('ZREM', leases, member)
end

-- How often the member holds, and its token; nil where it does not.
local function hold_of(member)
  local count, token = string.match(redis.call('HGET', holds, member) or '', '^(%d+):(%d+)$')
  return tonumber(count), token
end

-- What was granted in line, and ended before it was heard of.
local unclaimed = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', string.format('%.0f', now))) do
  if hold_of(member) == 0 then
    unclaimed[#unclaimed + 1] = member
  end
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

-- Has a key live for at least so long. Gives the error where that is not permitted.
local function prolong(key, lives)
  if redis.call('PTTL', key) < lives then
    local set = redis.pcall('PEXPIRE', key, string.format('%.0f', lives))
    return set ~= 1 and set or nil
  end
end

-- Begins a tenure. Each write has a token of its own; reads have that of the write before them. Gives it, or nil and the error.
local function begin(member, lease, count)
  local kept = math.max(redis.call('PTTL', fence), RETENTION_MS + lease)
  local token, failure = redis.call('GET', fence), nil
  if writes(member) or not tonumber(token) then
    token, failure = mint(fence, string.format('%.0f', kept))
    if not token then
      return nil, failure
    end
  end
  -- Before the counter is prolonged: a full server refuses this as the first change, and then nothing was changed.
  local set = redis.pcall('HSET', holds, member, count .. ':' .. token)
  if type(set) == 'table' then
    return nil, set
  end
  redis.call('ZADD', leases, string.format('%.0f', now + lease), member)
  -- A script that fails halfway is not undone: keys without an end (no permission, say) would stay for ever.
  local lives = count == '0' and lease + TRACE_MS or lease
  failure = prolong(holds, lives) or prolong(leases, lives) or prolong(fence, kept)
  if failure then
    drop(member)
    return nil, failure
  end
  return token
end

local function grant(place, lease)
  local token, failure = begin(place, tonumber(lease), '0')
  return token, failure, true
end

local function withdraw(place)
  drop(place)
end
--@include line

-- How long until the head of the line (`me` where there is none) could enter with nobody releasing, and who stands in its way.
local function obstacle(me)
  local owner = writer()
  if owner and not writes(head_of_line() or me or 'w:') then
    return math.max(redis.call('ZSCORE', leases, 'w:' .. owner) - now, 0), owner
  end
  local last = redis.call('ZRANGE', leases, -1, -1, 'WITHSCORES')
  if not last[1] then
    return 0, ''
  end
  return last[2] - now, owner or string.sub(last[1], 3)
end

-- Lets in who may enter by what has changed, up to `me`, and has the next look in time. Gives the error where it may not.
local function move_on(me)
  if redis.call('EXISTS', line) == 0 then
    return nil
  end
  local _, refused = advance(me)
  local head = head_of_line()
  if not refused and head and head ~= me then
    local left = obstacle()
    call_head(left)
  end
  return refused
end

-- `asking` is the client that asks: it is here.
local function doubt_lapsed(asking)
  for _, member in ipairs(unclaimed) do
    doubt(member, asking)
  end
end
