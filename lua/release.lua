--[[
  Gives one hold back; the last one gives the lock to the next in line, or frees it and announces that. Also undoes an acquire whose
  outcome is unknown, and takes its owner out of the line.

  KEYS and ARGV[1]: see parts/lock.lua
  ARGV[2]  owner
  ARGV[3]  how many holds the owner has before this release; absent: one
  ARGV[4]  absent: nothing is known of a place in line. 1: the owner may stand in line, and leaves it; 2: it leaves, and gives back only what was granted to its place there

  Returns
    1  released, and granted to the next in line; with no line: one more than the number of listeners that were told
    0  still held by the owner; its lease is left as it is (rule L2)
   -1  not held by the owner (rule O5)
   -2  released, but this node could not announce it (no permission, or the channel lives elsewhere)

  Safe to repeat: it sets the count to one below ARGV[3] and never raises it (rule X1).
]]
-- The last hold, and nothing is known of a line: before everything else, as in acquire.lua.
if not ARGV[3] and KEYS[2] and redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then
  -- Not asked before it is written: a primary that was demoted would answer the question, and refuses the write.
  if redis.call('HDEL', KEYS[1], ARGV[2]) == 0 then
    return -1
  end
  redis.call('HDEL', KEYS[1], 'since')
  local publish, channel = string.match(ARGV[1], ' (%S*) %S+ %S+ (.*)$')
  if publish == '' then
    return 1
  end
  local told = redis.pcall(publish, channel, '0')
  return type(told) == 'number' and told + 1 or -2
end
--@include lock
local owner, before = ARGV[2], ARGV[3] or '1'

if before ~= '1' then
  local held, after = tonumber(redis.call('HGET', lock, owner)), tonumber(before) - 1
  if not held then
    sure_of_loss('HDEL', lock)
    return -1
  end
  if held > after then
    -- A full server refuses even to count down. The last release does not depend on the count, so that is no reason to fail.
    redis.pcall('HINCRBY', lock, owner, after - held)
  end
  return 0
end

local me = mode .. ':' .. owner
local leaves = line and ARGV[4]
local was_first = leaves and head_of_line() == me
local waiting, last = read_line()
local left = leaves and leave(me)
if (ARGV[4] == '2' and last ~= me) or redis.call('HDEL', lock, owner) == 0 then
  -- The place behind it may be the next now.
  if left and admits() then
    if advance(nil) > 0 then
      call_head()
    end
  elseif was_first then
    -- The first in line is the one that listens to releases.
    call_head(0)
  end
  return -1
end
-- The lock is gone with its last field.
redis.call('HDEL', lock, 'since')
if last == me then
  redis.call('HDEL', processes, ':last', ':unclaimed')
end
return pass_on(waiting)
