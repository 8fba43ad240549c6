--[[
  Turns of the clients that wait for a lock outside the line: Redisson's. They try when a release is announced, and would never find the
  lock free while each release grants it to the next in line. See docs/acquire-loop.md.

  KEYS[3]  the processes in line, and `:ours` -> since when grants go along the line; if later than now: until then it is the others' turn

  Returns functions. A script that includes this one defines before it, besides what line.lua wants:
    channel  release channel: the others listen to it; so does the first in line
    roster   the channel to which the first in line listens as well
]]
--@include line
-- How long grants in line go on. A turn of the others lasts as long if they are as many as the processes in line.
local SLICE_MS = 25
local LONGEST_TURN_MS = 100

-- How many clients listen outside the line; nil where the server refuses to count.
local function outsiders()
  local command = publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB'
  local counted = redis.pcall('PUBSUB', command, channel, roster)
  if counted.err then
    return nil
  end
  return counted[2] - counted[4]
end

-- Since when grants go along the line; 0: for as long as nobody waits outside it. No turn begins later than the longest one has ended: such a
-- time is of a clock that was set back, or of another server.
local function ours_since()
  local ours = tonumber(redis.call('HGET', processes, ':ours') or 0)
  return ours > server_time() + LONGEST_TURN_MS and 0 or ours
end

-- How many processes stand in line.
local function in_line()
  local count = redis.call('HLEN', processes)
  for _, field in ipairs(redis.call('HMGET', processes, ':ours', ':last', ':unclaimed')) do
    count = field and count - 1 or count
  end
  return count
end

-- How much longer it is the others' turn.
local function their_turn()
  local ours = ours_since()
  return ours > 0 and math.max(ours - server_time(), 0) or 0
end

local function note_ours(since)
  redis.call('HSET', processes, ':ours', string.format('%.0f', since))
  -- The processes in line may have been deleted by hand, or evicted: then nothing else gives this key an end.
  if redis.call('PTTL', processes) < 0 then
    redis.call('PEXPIRE', processes, TURNS_KEPT_MS)
  end
end

-- Whether the lock, which has become free, is now left to the others.
local function leaves_it_to_others()
  local others = outsiders()
  -- A client that has left the release channel but not the roster makes it negative.
  if others and others <= 0 then
    redis.call('HDEL', processes, ':ours')
    return false
  end
  if not others then
    call_head(0)
    return true
  end
  local now = server_time()
  local ours = ours_since()
  if ours == 0 or now - ours < SLICE_MS then
    if ours == 0 then
      note_ours(now)
    end
    return false
  end
  local theirs = math.min(SLICE_MS * math.max(others / in_line(), 0.25), LONGEST_TURN_MS)
  note_ours(now + theirs)
  call_head(theirs)
  return true
end
