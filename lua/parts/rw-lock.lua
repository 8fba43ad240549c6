--[[
  A read-write lock: who holds it, and its line. Who holds it and who stands in line are named alike, `r:<owner>` (reads) and
  `w:<owner>` (writes).

  KEYS[1]  the holds: a hash of member -> `<count>:<fencing token>:<since>`; a count of 0: granted in line, not taken over yet; since: when the
           member was let in (server, milliseconds)
  KEYS[2]  the line, KEYS[3] the processes in it: see line.lua
  KEYS[4]  the last fencing token given out
  KEYS[5]  the leases: a sorted set of members by the time each ends (server, milliseconds)
  ARGV[1]  PUBLISH, or SPUBLISH in a cluster
  ARGV[2]  prefix of the processes' channels

  Returns functions. Drops holds whose lease has ended at once, so that the rest of the script sees live holds only.
]]
--@include loss
--@include server-time
--@include token
local holds, fence, leases = KEYS[1], KEYS[4], KEYS[5]
local publish, channels = ARGV[1], ARGV[2]
local now = server_time()
-- How long a counter of tokens outlives the lease it was last used for. A new one starts at the server's time, above the old one.
local RETENTION_MS = 86400000
-- How much longer than its lease a grant in line leaves a trace: a grant that lapses without being taken over shows that a process has stopped.
local TRACE_MS = 10000

local function writes(member)
  return string.sub(member, 1, 2) == 'w:'
end

-- How many holds there are, and the owner that writes; known until a hold begins or ends.
local known, count, writing = false, 0, nil

local function drop(member)
  known = false
  redis.call('HDEL', holds, member)
  redis.call('ZREM', leases, member)
end

-- How often the member holds, its token, and since when; nil where it does not.
local function hold_of(member)
  local count, token, since = string.match(redis.call('HGET', holds, member) or '', '^(%d+):(%d+):(%d+)$')
  return tonumber(count), token, since
end

local function hold_text(count, token, since)
  return string.format('%.0f:%s:%s', count, token, since)
end

-- Read before anything is written: a key of another type then changes nothing.
redis.call('ZCARD', KEYS[2])
redis.call('HLEN', KEYS[3])

-- Grants in line that lapsed before their processes took over.
local unclaimed = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', string.format('%.0f', now))) do
  if hold_of(member) == 0 then
    unclaimed[#unclaimed + 1] = member
  end
  drop(member)
end
-- One of the two keys was deleted by hand, or evicted: a member of only one of them is no hold.
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

-- How many members hold it, and the owner that writes, if one does. Beside a writer there is at most its own read.
local function held_by()
  if not known then
    known, count, writing = true, redis.call('HLEN', holds), nil
    if count == 1 or count == 2 then
      for _, member in ipairs(redis.call('HKEYS', holds)) do
        writing = writes(member) and string.sub(member, 3) or writing
      end
    end
  end
  return count, writing
end

-- Whether the holds as they are leave room for the member.
local function admits(member)
  local held, writer = held_by()
  if writes(member) then
    return held == 0
  end
  return not writer or member == 'r:' .. writer
end

-- Has a key live for at least so long. Gives the error where that is not permitted.
local function prolong(key, lives)
  if redis.call('PTTL', key) < lives then
    local set = redis.pcall('PEXPIRE', key, string.format('%.0f', lives))
    return set ~= 1 and set or nil
  end
end

-- Begins a tenure. Each write has a new token; a read has that of the write before it. Gives it, or nil and the error.
local function begin(member, lease, count)
  local kept = math.max(redis.call('PTTL', fence), RETENTION_MS + lease)
  local token = redis.call('GET', fence)
  local mints = writes(member) or not token or not string.match(token, '^[1-9]%d*$')
  if mints then
    -- A full server refuses the first change, and then nothing was changed.
    local refused
    token, refused = mint(fence, string.format('%.0f', kept))
    if not token then
      return nil, refused
    end
  end
  local set = redis.pcall('HSET', holds, member, hold_text(count, token, string.format('%.0f', now)))
  if type(set) == 'table' then
    return nil, set
  end
  known = false
  redis.call('ZADD', leases, string.format('%.0f', now + lease), member)
  -- A script that fails halfway is not undone: keys without an end (no permission, say) would stay for ever.
  local lives = count == 0 and lease + TRACE_MS or lease
  local failure = prolong(holds, lives) or prolong(leases, lives) or (not mints and prolong(fence, kept)) or nil
  if failure then
    drop(member)
    return nil, failure
  end
  return token
end

local function grant(place, lease)
  local token, failure = begin(place, tonumber(lease), 0)
  return token, failure, true
end

local function withdraw(place)
  drop(place)
end
--@include line

-- How long until the member could enter if no owner releases, an owner that stands in its way, and since when.
local function obstacle(member)
  local _, writer = held_by()
  if writer and not writes(member) then
    local _, _, since = hold_of('w:' .. writer)
    return math.max(redis.call('ZSCORE', leases, 'w:' .. writer) - now, 0), writer, since
  end
  local last = redis.call('ZRANGE', leases, -1, -1, 'WITHSCORES')
  if not last[1] then
    return 0, ''
  end
  local _, _, since = hold_of(writer and 'w:' .. writer or last[1])
  return last[2] - now, writer or string.sub(last[1], 3), since
end

-- Grants the lock to the places that may enter now, up to `me`, and has the next one look in time. Gives the error where it may not.
local function move_on(me)
  local _, refused, head, it = advance(me)
  if head and not refused then
    local left = obstacle(head)
    call_head(left, head, it)
  end
  return refused
end

-- `asking` is the client of this request, which is alive.
local function doubt_lapsed(asking)
  for _, member in ipairs(unclaimed) do
    doubt(member, asking)
  end
end
