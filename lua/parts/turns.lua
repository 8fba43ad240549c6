--[[
  Turns of those who wait for a lock in no line: Redisson's clients, which try when a release is announced, and could not while each
  release gives the lock to the next in line. After so long it is their turn, for as long; see docs/acquire-loop.md.

  KEYS[3]  the processes in line, and `ours` -> since when grants go along the line; later than now: until then it is the others' turn
  ARGV[4]  release channel: they listen to it, and whoever is first in line, which listens to ARGV[5] as well

  Returns functions.
]]
--@include line
-- How long grants in line go on, and a turn of the others lasts as long as they are as many.
local SLICE_MS = 25
local LONGEST_TURN_MS = 100

-- How many listen that stand in no line; nil where this may not be asked.
local function outsiders()
  local command = ARGV[1] == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB'
  local counted = redis.pcall('PUBSUB', command, ARGV[4], ARGV[5])
  if counted.err then
    return nil
  end
  return counted[2] - counted[4]
end

-- How long it is the others' turn yet.
local function their_turn()
  local ours = tonumber(redis.call('HGET', processes, 'ours') or 0)
  return ours > 0 and math.max(ours - server_time(), 0) or 0
end

-- Whether the lock that has become free is left to others now.
local function leaves_it_to_others()
  local others = outsiders()
  -- One that has left the channel, and is yet to leave the other, counts as less than none.
  if others and others <= 0 then
    redis.call('HDEL', processes, 'ours')
    return false
  end
  if not others then
    call_head(0)
    return true
  end
  local now = server_time()
  local ours = tonumber(redis.call('HGET', processes, 'ours') or 0)
  if ours == 0 or now - ours < SLICE_MS then
    if ours == 0 then
      redis.call('HSET', processes, 'ours', string.format('%.0f', now))
    end
    return false
  end
  local theirs = math.min(SLICE_MS * math.max(others / (redis.call('HLEN', processes) - 1), 0.25), LONGEST_TURN_MS)
  redis.call('HSET', processes, 'ours', string.format('%.0f', now + theirs))
  call_head(theirs)
  return true
end
