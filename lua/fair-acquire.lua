--[[
  Takes a fair lock, or one more hold of it, or joins the line.
  KEYS[1]  the lock: a hash of owner -> hold count, with the lease as its time to live
  KEYS[2]  its line: a sorted set of owners by ticket
  KEYS[3]  a hash of owner -> when its place lapses, and its lease
  ARGV[1]  owner
  ARGV[2]  how many holds the owner has before this one
  ARGV[3]  lease in milliseconds
  ARGV[4]  1: the owner waits if it is held, and gets a place in line
  ARGV[5]  how long its place lasts without being kept, in milliseconds
  ARGV[6]  prefix of the channels on which clients are told of a grant
  ARGV[7]  PUBLISH, or SPUBLISH in a cluster
  Returns
    1                          granted; the lease runs for at least ARGV[3]
    {left, holder, time}       held by another, whose lease has `left` milliseconds (-1: no end), at that time of the server
    {…, channel, message}      the same, and this is to be told to somebody else, which this node could not
    0                          the owner was to have ARGV[2] holds, but has none: it has lost the lock
  Safe to repeat: a count above ARGV[2] shows that this very request was carried out before, or that the lock was granted to
  its owner in line (rule X1).
]]
--@include fair-line
local lock, line, alive = KEYS[1], KEYS[2], KEYS[3]
local owner, lease, waiter_lease = ARGV[1], ARGV[3], ARGV[5]

local function keep(key)
  if redis.call('PTTL', key) < tonumber(waiter_lease) then
    return redis.pcall('PEXPIRE', key, waiter_lease)
  end
  return 1
end

-- A place is kept, wherever it is; a new one is at the end.
local function stand_in_line(now)
  -- Read before anything is written: a key of another type then changes nothing.
  redis.call('HLEN', alive)
  if not redis.call('ZSCORE', line, owner) then
    local last = redis.call('ZRANGE', line, -1, -1, 'WITHSCORES')[2] or '0'
    redis.call('ZADD', line, string.format('%.0f', last + 1), owner)
  end
  keep_place(alive, owner, now, waiter_lease)
  for _, key in ipairs({ line, alive }) do
    local kept = keep(key)
    if kept ~= 1 then
      leave_line(line, alive, owner)
      return kept
    end
  end
end

local function busy(untold)
  local now = server_time()
  local refused = ARGV[4] == '1' and stand_in_line(now)
  if refused then
    return refused
  end
  local reply = { redis.call('PTTL', lock), redis.call('HKEYS', lock)[1] or '', now }
  if untold then
    reply[4], reply[5] = untold[1], untold[2]
  end
  return reply
end

if redis.call('EXISTS', lock) == 0 then
  if ARGV[2] ~= '0' then
    return 0
  end
  local head = head_of_line(line, alive, owner)
  if head and head ~= owner then
    local _, untold = grant_next(lock, line, alive, ARGV[6], ARGV[7])
    return busy(untold)
  end
  redis.call('HSET', lock, owner, '1')
  -- A script that fails halfway is not undone: without its lease (no permission, say) the lock would stay for ever.
  local leased = redis.pcall('PEXPIRE', lock, lease)
  if leased ~= 1 then
    redis.call('DEL', lock)
    return leased
  end
  if head then
    leave_line(line, alive, owner)
  end
  return 1
end

local before = tonumber(ARGV[2])
local held = tonumber(redis.call('HGET', lock, owner))
if not held then
  if before > 0 then
    return 0
  end
  return busy()
end

-- The first hold has exactly its lease: what was granted in line had another. A nested one never shortens the time left (rule
-- L2). The lease goes first: a count without one would be a stray.
if before == 0 or redis.call('PTTL', lock) < tonumber(lease) then
  redis.call('PEXPIRE', lock, lease)
end
if held <= before then
  redis.call('HINCRBY', lock, owner, before + 1 - held)
end
return 1
