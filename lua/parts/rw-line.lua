--[[
  Who waits for a read-write lock, and in which order: writers and readers stand in one line.

  KEYS[3]  the line: a sorted set of members by ticket
  KEYS[4]  a sorted set of these members by the time (server, milliseconds) when the place of each lapses. Each has a life of its own:
           whatever else its client does keeps no place on which nobody waits any more
  ARGV[1]  PUBLISH, or SPUBLISH in a cluster
  ARGV[2]  how long a place lasts without being kept, and a lease that is granted in line, in milliseconds

  Returns functions.
]]
--@include rw-holds
local line, alive, place_lease = KEYS[3], KEYS[4], tonumber(ARGV[2])
-- What was granted in line, as it is told to each client.
local granted = {}

local function client_of(member)
  return string.match(member, '^.:([^:]*)')
end

local function leave_line(member)
  redis.call('ZREM', line, member)
  redis.call('ZREM', alive, member)
end

local function first_in_line()
  return redis.call('ZRANGE', line, 0, 0)[1]
end

-- Lets in whoever stands at the head and may enter: one writer, or all readers in front of the next writer. Who has not been
-- heard of is dropped. Stops at `me`, who is here and looks after itself.
local function advance(me)
  while true do
    local head = first_in_line()
    if not head or head == me then
      return
    end
    if (tonumber(redis.call('ZSCORE', alive, head)) or 0) <= now then
      leave_line(head)
    elseif admits(head) then
      -- The hold first: a full server refuses it, and then the place is still there.
      local token = grant(head, place_lease)
      leave_line(head)
      local client = client_of(head)
      granted[client] = (granted[client] or '') .. ' ' .. head .. ' ' .. token
    else
      return
    end
  end
end

-- How long until the head of the line (`me` where there is none) could enter with nobody releasing, and who stands in its way.
local function obstacle(me)
  local owner = writer()
  if owner and not writes(first_in_line() or me or 'w:') then
    return math.max(redis.call('ZSCORE', leases, 'w:' .. owner) - now, 0), owner
  end
  local last = redis.call('ZRANGE', leases, -1, -1, 'WITHSCORES')
  if not last[1] then
    return 0, ''
  end
  return last[2] - now, owner or string.sub(last[1], 3)
end

local kept = false

-- Each key lives as long as the longest lease, or place, in it. Gives the error where that is not permitted.
local function keep()
  kept = true
  local ends = redis.call('ZRANGE', leases, -1, -1, 'WITHSCORES')[2]
  local lapses = redis.call('ZRANGE', alive, -1, -1, 'WITHSCORES')[2]
  if lapses and redis.call('EXISTS', line) == 0 then
    redis.call('DEL', alive)
    lapses = nil
  end
  for key, at in pairs({ [holds] = ends, [leases] = ends, [line] = lapses, [alive] = lapses }) do
    if redis.call('PTTL', key) < at - now then
      local set = redis.pcall('PEXPIREAT', key, string.format('%.0f', at))
      if type(set) == 'table' and set.err then
        return set
      end
    end
  end
end

-- Tells clients what was granted in line: one message for each. Gives the error where that is not permitted.
local function announce()
  local untold = ''
  for client, grants in pairs(granted) do
    local message = string.format('%.0f %.0f', now_us, place_lease) .. grants
    local told = redis.pcall(ARGV[1], holds .. ':' .. client, message)
    if type(told) == 'table' and told.err then
      untold = told.err
    end
  end
  return untold
end

-- How every script ends: `code`, the server's time, what could not be told, and what else there is to say.
local function answer(code, ...)
  if not kept then
    keep()
  end
  return { code, string.format('%.0f', now_us), announce(), ... }
end
