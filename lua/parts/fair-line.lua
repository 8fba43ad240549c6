--[[
  The line of a fair lock.
  lock   the lock: a hash of owner -> hold count, with the lease as its time to live
  line   a sorted set of owners by ticket: who waits, first come first
  alive  a hash of owner -> "lapses lease": when its place lapses (server, milliseconds), and for how long it is kept each time. Each
         place has a life of its own: whatever else its client does keeps no place on which nobody waits any more
  Returns functions; every one that takes somebody out of the line removes what an empty line leaves behind.
]]
--@include server-time
local function client_of(owner)
  return string.match(owner, '^[^:]*')
end

local function leave_line(line, alive, owner)
  local left = redis.call('ZREM', line, owner)
  redis.call('HDEL', alive, owner)
  if left == 1 and redis.call('EXISTS', line) == 0 then
    redis.call('DEL', alive)
  end
  return left
end

-- The lease of a place, as a text; nil where it has not been kept in time.
local function place_lease(alive, owner, now)
  local lapses, lease = string.match(redis.call('HGET', alive, owner) or '', '^(%d+) (%d+)$')
  return lapses and tonumber(lapses) > now and lease or nil
end

local function keep_place(alive, owner, now, lease)
  redis.call('HSET', alive, owner, string.format('%.0f', now + lease) .. ' ' .. lease)
end

-- The first in line whose place is kept, or that is `me`, who is here; those before it are dropped.
local function head_of_line(line, alive, me)
  local now
  while true do
    local head = redis.call('ZRANGE', line, 0, 0)[1]
    if not head or head == me then
      return head
    end
    now = now or server_time()
    local lease = place_lease(alive, head, now)
    if lease then
      return head, lease, now
    end
    leave_line(line, alive, head)
  end
end

--[[
  Gives a lock that is free to the first in line, for as long as its place would last: in that time the client is to take over.
  Tells it on the client's channel. Gives who got it, and what is still to be told where this node could not: {channel, message}.
]]
local function grant_next(lock, line, alive, channel_prefix, publish)
  if redis.call('EXISTS', lock) == 1 then
    return nil
  end
  local head, lease, now = head_of_line(line, alive, nil)
  if not head then
    return nil
  end
  leave_line(line, alive, head)
  redis.call('HSET', lock, head, '1')
  -- A lock without its lease would stay for ever.
  local leased = redis.pcall('PEXPIRE', lock, lease)
  if leased ~= 1 then
    redis.call('DEL', lock)
    return nil
  end
  local channel = channel_prefix .. client_of(head)
  local message = head .. ' ' .. string.format('%.0f', now) .. ' ' .. lease
  local told = redis.pcall(publish, channel, message)
  if type(told) == 'table' and told.err then
    return head, { channel, message }
  end
  return head, nil
end
